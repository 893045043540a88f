"""Rules on segments: suggested where the rules on all rows notice nothing, with the segment's own past, and enforced like any other."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.review.plain import plain
from avh_ui.validator.run import Run
from avh_ui.workspace import Workspace
from tests.fakes.enforced import enforced, judged

DAYS = [f"2026-{1 + k // 28:02}-{1 + k % 28:02}" for k in range(37)]
ROME = "paid where shop = 'Rome'"


def delivery(day: int) -> pa.Table:
    """Of all rows so many come and so many are null that Oslo's half is lost among them, and Oslo itself barely varies."""
    rng = np.random.default_rng(day)
    counts = {"Rome": rng.integers(40, 80), "Oslo": rng.integers(97, 104), "Bern": rng.integers(250, 550)}
    shop = np.repeat(list(counts), list(counts.values()))
    paid = rng.normal(50, 10, len(shop)).round(2)
    empty = rng.random(len(shop)) < np.where(shop == "Bern", rng.uniform(0.1, 0.5), 0.02)
    return pa.table({"shop": shop, "paid": pa.array(paid, mask=empty)}).take(rng.permutation(len(shop)))


@pytest.fixture(scope="module")
def ws(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    batches = {day: delivery(k) for k, day in enumerate(DAYS[:-1])}
    return enforced(tmp_path_factory.mktemp("shops"), batches, {"sources": ["history", "relations"]}, segments=["shop"])


def broken(run: Run) -> list[str]:
    return [v.constraint.column for v in run.verdicts if v.status != "pass"]


def test_only_what_the_whole_does_not_show_is_suggested(ws: Workspace) -> None:
    rules = {(i.current.column, i.current.metric): i for i in ws.draft("t").items if i.current.measure.where is not None}
    oslo = "paid where shop = 'Oslo'"
    # Of Rome so many rows come as half would be, and Bern is most of the table: there the rules on all rows notice it.
    # Of the few rows of Rome no average is near enough to what it was to say something.
    values = {(where, "complete_ratio") for where in (oslo, ROME)} | {(oslo, "mean")}
    assert set(rules) == {("rows where shop = 'Oslo'", "row_count"), *values}
    assert rules[ROME, "complete_ratio"].suggestion.evidence.caught == ("increased_nulls 50% null",)
    rows, paid = rules["rows where shop = 'Oslo'", "row_count"], rules[oslo, "complete_ratio"]
    assert {item.suggestion.evidence.later for item in rules.values()} == {True}
    assert "volume_change 50%" in rows.suggestion.evidence.caught
    assert paid.suggestion.evidence.caught == ("increased_nulls 50% null",)
    assert plain(rows.current).endswith(" rows a batch where shop = 'Oslo'.")
    assert ws.history("t", columns=["paid where shop = 'Oslo'"]).batches == tuple(DAYS[:-1])


def test_a_clean_batch_passes_with_bounds_that_follow_the_segment(ws: Workspace) -> None:
    run = judged(ws, DAYS[-1], delivery(36), store=False)
    assert broken(run) == []
    of_rows = next(v for v in run.verdicts if v.constraint.column == "rows where shop = 'Oslo'")
    assert of_rows.learned is not None


def test_half_of_a_shop_missing_or_null_is_noticed_there_alone(ws: Workspace) -> None:
    clean = delivery(36)
    oslo = np.array(clean["shop"].to_pylist()) == "Oslo"
    half = np.flatnonzero(oslo)[::2]
    fewer = clean.filter(pa.array(~np.isin(np.arange(len(clean)), half)))
    assert broken(judged(ws, DAYS[-1], fewer, store=False)) == ["rows where shop = 'Oslo'"]
    paid = clean["paid"].to_numpy(zero_copy_only=False).copy()
    paid[half] = np.nan
    run = judged(ws, DAYS[-1], clean.set_column(1, "paid", pa.array(paid, mask=np.isnan(paid))), store=False)
    assert broken(run) == ["paid where shop = 'Oslo'"]
    assert "of paid are null where shop = 'Oslo'" in next(v.message for v in run.verdicts if v.status == "fail")
