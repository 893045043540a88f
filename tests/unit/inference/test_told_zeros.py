"""That a large number becomes 0 only where another column says so: by a status, by a payment, by an average that is not there."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.inference.by_key.laws import LEAST_BATCHES, Pair
from avh_ui.inference.by_key.told_zeros import suggest
from avh_ui.inference.source import Budget, Proposed
from avh_ui.metrics.by_key import SPOILED
from avh_ui.metrics.matched_parts import rows_where
from avh_ui.metrics.matching import Matched
from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.row_drawing import Drawing
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.rows import Need, Rows
from avh_ui.review.plain import plain

BUDGET, ROWS, KEY = Budget(0.01, None, "calibrated", 5, True), 40, ("id",)
Table = dict[str, list[object] | np.ndarray]
Made = Callable[[np.random.Generator, np.ndarray, np.ndarray], Table]


def pairs(made: Made, days: int = LEAST_BATCHES + 10, *, hashed: bool = False) -> list[Pair]:
    """Batches of stock, large and small, of which about a tenth of the small ones is 0 each day."""
    rng, samples = np.random.default_rng(4), []
    sizes = np.where(np.arange(ROWS) < 20, 400, 9_000) + 60 * np.arange(ROWS)
    for _ in range(days + 1):
        out = (rng.random(ROWS) < 0.2) & (np.arange(ROWS) < 20)
        stock = np.where(out, 0, sizes + rng.integers(0, 20, ROWS))
        arrays = {"id": pa.array(range(ROWS))} | {name: pa.array(values) for name, values in made(rng, stock, out).items()}
        sample = RowSample.of_rows(Rows(ROWS, arrays), Need(RowSample, tuple(arrays), None, Drawing(1)))
        samples.append(sample.without_texts() if hashed else sample)
    return [Pair(f"d{k:02}", now, then) for k, (then, now) in enumerate(pairwise(samples), 1)]


def suggested(made: Made, *, but: tuple[str, ...] = (), **how: int) -> Proposed:
    return suggest(pairs(made, **how), KEY, BUDGET, Watch(), 0, but=but)


def status(_: np.random.Generator, stock: np.ndarray, out: np.ndarray) -> Table:
    return {"stock": stock, "status": np.where(out, "out", np.where(stock < 5_000, "low", "in"))}


def said(found: Proposed) -> list[tuple[str, str | None]]:
    return [(p.constraint.metric, p.constraint.measure.where) for p in found.proposals]


def test_stock_is_0_where_its_status_is_out_and_nowhere_else() -> None:
    (made,) = suggested(status).proposals
    assert (made.constraint.metric, made.constraint.measure.where, made.constraint.upper) == ("spoiled_share", "status <> 'out'", 0)
    assert plain(made.constraint).endswith("where status <> 'out'.")
    assert "zero:largest" in made.evidence.caught
    # A dearer article than ever is sold out, and says so; one that does not is a mistake.
    last = pairs(status)[-1]
    for word, broken in (("out", 0), ("in", 1 / 40)):
        stock, words = last.ours.column("stock").numbers.copy(), [last.ours.column("status").shown(k) for k in range(ROWS)]
        place = int(np.argmax(stock))
        stock[place], words[place] = 0, word
        arrays = {"id": pa.array(last.ours.column("id").numbers), "stock": pa.array(stock), "status": pa.array(words)}
        spoiled = RowSample.of_rows(Rows(ROWS, arrays), Need(RowSample, tuple(arrays), None, Drawing(1)))
        sides = [Matched(rows_where(side, made.constraint.measure.where or ""), "stock") for side in (spoiled, last.theirs)]
        assert (SPOILED.between(*sides) > 0) is bool(broken)


@pytest.mark.parametrize(
    ("made", "where"),
    [
        (
            lambda _, stock, out: {"stock": stock, "status": np.where(out, np.where(stock % 2, "gone", "it's out"), "in")},
            "status <> 'it\\'s out'",
        ),
        (lambda rng, stock, out: {"stock": stock, "paid": np.where(out, 5 + rng.integers(5, 90, ROWS), 0)}, "paid = 0"),
        (lambda _, stock, out: {"stock": stock, "price per one": pa.array(stock / 7, mask=out)}, "`price per one` IS NOT NULL"),
    ],
)
def test_other_columns_say_it_too(made: Made, where: str) -> None:
    assert [one for metric, one in said(suggested(made)) if metric == "spoiled_share"] == [where]


def late(_: np.random.Generator, stock: np.ndarray, out: np.ndarray) -> Table:
    late.days = np.where(out, 0, getattr(late, "days", np.zeros(ROWS)) + 1)  # type: ignore[attr-defined]
    return {"days": late.days, "status": np.where(out, "paid", "late")}  # type: ignore[attr-defined]


def test_days_that_pass_until_a_bill_is_paid_do_not_fall_before() -> None:
    assert ("fallen_share", "status <> 'paid'") in said(suggested(late))


@pytest.mark.parametrize(
    "made",
    [
        # 0 beside 0 says nothing, nor does a word that stands beside other numbers, too, nor one on some days alone.
        lambda _, stock, out: {"stock": stock, "value": stock * 3},
        lambda rng, stock, out: {"stock": stock, "status": np.where(out | (rng.random(ROWS) < 0.1), "out", "in")},
        lambda rng, stock, out: {"stock": stock, "status": np.where(out & (rng.random(ROWS) < 0.9), "out", "in")},
        # Nor a column that is never 0, and one that is as good as a name of each row.
        lambda _, stock, out: {"stock": stock + 1, "status": np.where(out, "out", "in")},
        lambda _, stock, out: {"stock": stock, "code": [f"{k}-{bool(no)}" for k, no in enumerate(out)]},
    ],
)
def test_nothing_is_said_where_no_column_says_it(made: Made) -> None:
    assert not suggested(made).proposals


def test_nor_of_few_batches_of_hashes_and_of_what_is_told() -> None:
    assert not suggested(status, days=LEAST_BATCHES - 1).proposals
    assert not suggested(status, but=("stock",)).proposals
    assert not suggested(status, hashed=True).proposals
