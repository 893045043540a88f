"""What is said of a table whose rows are the same in every batch: nothing that only tells how many rows there are."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.config import Pipeline
from avh_ui.metrics.asked import profiled_measures
from avh_ui.metrics.by_key import CHANGED, COUNT_FALL, EMPTIED, LARGEST_FALL
from avh_ui.metrics.counts import COMPLETE_RATIO
from avh_ui.metrics.profiler import KnownTypes, Watch
from avh_ui.review.plain import plain
from avh_ui.review.suggestion import SuggestionRun
from avh_ui.workflows.frames import profile_table
from avh_ui.workflows.suggesting import SuggestOptions, suggest
from tests.fakes.history import FakeHistory
from tests.fakes.profiler import FakeProfiler

ROWS, DAYS = 215, [f"2026-{1 + k // 28:02}-{1 + k % 28:02}" for k in range(30)]
# Of so many countries a number is not known.
UNKNOWN = 37


def countries(*, lost: int = 0) -> dict[str, pa.Table]:
    """Countries with a rate that stays and beds that move, which some have not, and in the middle batch so many more have none."""
    rng, found = np.random.default_rng(3), {}
    rates, beds = rng.uniform(1, 6, ROWS).round(3), rng.integers(5_000, 90_000, ROWS)
    for k, day in enumerate(DAYS):
        none = np.arange(ROWS) < UNKNOWN + (lost if k == len(DAYS) // 2 else 0)
        moved = np.round(beds * rng.uniform(0.99, 1.01, ROWS))
        found[day] = pa.table(
            {"iso": [f"C{i:03}" for i in range(ROWS)], "fertility": pa.array(rates, mask=none), "beds": pa.array(moved, mask=none)}
        )
    return found


def suggested(tables: dict[str, pa.Table], *key: str, source: str = "history") -> SuggestionRun:
    settings = Pipeline.model_validate({"name": "p", "source": {"path": "{batch}.parquet"}, "key": list(key)})
    history, known = FakeHistory(), KnownTypes(measures=profiled_measures(settings))
    for batch, table in tables.items():
        history.save(profile_table(table, "p", batch, known))
    return suggest(settings, FakeProfiler({"p": tables}), history, SuggestOptions(sources=(source,)), Watch())


def metrics_of(run: SuggestionRun) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for one in run.suggestions:
        found.setdefault(one.constraint.column, set()).add(one.constraint.metric)
    return found


def test_the_share_of_rows_that_have_no_value_is_none_of_the_rules_on_what_never_changes() -> None:
    """It was "always 17.21 % of fertility are null": that is 37 of 215 countries, and of another country it is another share."""
    run = suggested(countries(), "iso")
    found = metrics_of(run)
    assert COMPLETE_RATIO.name not in found.get("fertility", set())
    assert CHANGED.name in found["fertility by iso"]


def test_it_stays_where_values_move_so_that_few_that_are_lost_are_told() -> None:
    """By the other rules alone 5 % of such a column could be null, and of another half."""
    run = suggested(countries(), "iso")
    found = metrics_of(run)
    assert COMPLETE_RATIO.name in found["beds"] or EMPTIED.name in found["beds by iso"]


@pytest.mark.parametrize("lost", [0, 1])
def test_it_is_where_a_row_lost_its_value_on_a_day(lost: int) -> None:
    run = suggested(countries(lost=lost), "iso")
    why = [out["reason"] for out in run.left_out if (out["column"], out["metric"]) == ("fertility", COMPLETE_RATIO.name)]
    assert any("no row ever changed" in reason for reason in why) == (not lost)


def test_how_far_a_row_may_fall_that_never_fell_is_told_as_a_share() -> None:
    """Counts of some ten millions that rise: of 1,000 nobody reads how far they fall, nor "13 of 100,000" of what never did."""
    rng, tables = np.random.default_rng(5), {}
    total = np.exp(rng.normal(18, 1.5, ROWS)).astype(int)
    for day in DAYS:
        total = (total * np.exp(np.abs(rng.normal(0, 0.01, ROWS)))).astype(int)
        tables[day] = pa.table({"iso": [f"C{i:03}" for i in range(ROWS)], "total": total})
    found = [s.constraint for s in suggested(tables, "iso").suggestions]
    assert COUNT_FALL.name not in {one.metric for one in found}
    (falls,) = [one for one in found if one.metric == LARGEST_FALL.name]
    assert plain(falls).startswith("total falls by at most ")
    assert plain(falls).endswith("% in each row matched by iso.")


@pytest.mark.parametrize(("new", "moved", "told"), [(0.03, 0, False), (1.0, 0, True), (0.03, 0.5, True)])
def test_how_many_codes_are_new_is_told_by_rows_that_are_new_or_change(new: float, moved: float, told: bool) -> None:
    """Codes of 800 rows, some of them their own: where each row keeps its code, codes come again because rows do."""
    rng, tables, rows = np.random.default_rng(5), {}, 800
    codes = np.where(rng.random(rows) < 0.08, np.arange(rows) + 300, np.arange(rows) % 240)
    ids, regions = np.arange(rows), rng.integers(0, 6, rows)
    for k in range(40):
        at = rng.permutation(rows)[: rng.binomial(rows, new)]
        ids[at], regions[at] = rows * (k + 1) + at, rng.integers(0, 6, len(at))
        at = np.union1d(at, np.flatnonzero(rng.random(rows) < moved))
        codes[at] = np.where(rng.random(len(at)) < 0.01, rng.integers(300, 9_999, len(at)), rng.integers(0, 240, len(at)))
        day = f"2026-{1 + k // 28:02}-{1 + k % 28:02}"
        names = {"code": [f"Z{c}" for c in codes], "region": [f"R{c}" for c in regions]}
        tables[day] = pa.table({"id": [f"i{i}" for i in ids], **names})
    found = metrics_of(suggested(tables, "id", source="values"))
    assert ("code" in found) == told
    # Of six regions the many rows of each batch tell that they are all.
    assert "region" in found
