"""The rules that no row of several columns is mistaken: of those in which hardly any was, in the place of one rule of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.constraints.column_kind import KnownKind
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import FromHistory, Proposal
from avh_ui.inference.by_key.laws import LEAST_BATCHES, Pair
from avh_ui.inference.by_key.mistaken import says_it, suggest
from avh_ui.inference.source import Budget
from avh_ui.metrics.by_key import EXCHANGED, SPOILED
from avh_ui.metrics.leapt_rows import LEAPT_ROWS
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.row_drawing import Drawing
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.rows import Need, Rows
from avh_ui.review.plain import plain

BUDGET = Budget(0.01, None, "calibrated", 5, True)
ROWS, KEY = 30, ("id",)


def pairs(columns: int, *, days: int = 60, wrong: dict[str, int] | None = None, since: dict[str, int] | None = None) -> list[Pair]:
    """Batches of numbers that grow by some percent, beside a name; every so many days (`wrong`) a row of a column is 0 for a day. Some are
    there only `since` a day.
    """
    rng = np.random.default_rng(2)
    numbers, samples = rng.integers(1_000, 90_000, (columns, ROWS)).astype(float), []
    for day in range(days + 1):
        numbers = np.round(numbers * rng.uniform(0.99, 1.03, (columns, ROWS)))
        table = {"id": pa.array(range(ROWS)), "name": pa.array([f"n{k}" for k in range(ROWS)])}
        for at, own in enumerate(numbers):
            every = (wrong or {}).get(f"c{at}", 0)
            spoiled = own * (np.arange(ROWS) != np.argmax(own)) if every and day % every == every - 1 else own
            if day >= (since or {}).get(f"c{at}", 0):
                table[f"c{at}"] = pa.array(spoiled)
        samples.append(RowSample.of_rows(Rows(ROWS, table), Need(RowSample, tuple(table), None, Drawing(1))))
    return [Pair(f"d{k:03}", now, then) for k, (then, now) in enumerate(pairwise(samples), 1)]


def columns_of(found: list[Proposal]) -> list[tuple[str, ...]]:
    return [p.constraint.measure.columns for p in found]


def leaping(
    made: list[Pair], *, kinds: dict[str, KnownKind] | None = None, rules: Sequence[Proposal] = (), **but: Sequence[str]
) -> list[Proposal]:
    """What is said of large numbers alone."""
    found = suggest(made, KEY, kinds or {}, rules, BUDGET, 0, **({"but": ()} | but)).proposals
    return [p for p in found if p.constraint.metric == LEAPT_ROWS.name]


@pytest.mark.parametrize(("columns", "sizes"), [(1, [1]), (2, [2]), (8, [8]), (9, [4, 5])])
def test_columns_share_rules_of_eight_at_most(columns: int, sizes: list[int]) -> None:
    made = pairs(columns, days=LEAST_BATCHES + 2)
    found = leaping(made)
    assert [len(names) for names in columns_of(found)] == sizes
    assert {name for names in columns_of(found) for name in names} == {f"c{k}" for k in range(columns)}
    # Beside the one name that nobody exchanges.
    every = columns_of([p for p in suggest(made, KEY, {}, (), BUDGET, 0, but=()).proposals if p not in found])
    assert {name for names in every for name in names} == {"name", *(f"c{k}" for k in range(columns))}


@pytest.mark.parametrize(("since", "said"), [(35, [("c0", "c1"), ("c2",)]), (50, [("c0", "c1")])])
def test_a_column_that_came_later_has_rules_by_the_batches_since(since: int, said: list[tuple[str, ...]]) -> None:
    """Tests by region came in April: a region of which they were ten times as many passed in August."""
    found = leaping(pairs(3, since={"c2": since}))
    assert columns_of(found) == said
    batches = [p.evidence.backtest.judged for p in found if isinstance(p.evidence, FromHistory) and p.evidence.backtest is not None]
    assert batches == [60, 25][: len(said)]


def test_that_one_column_alone_is_not_exchanged_its_own_rule_says() -> None:
    found = suggest(pairs(1), KEY, {}, (), BUDGET, 0, but=("name",)).proposals
    assert [plain(p.constraint) for p in found if p.constraint.metric == EXCHANGED.name] == ["No two rows matched by id swap their c0."]


def test_of_what_jumps_by_no_smaller_factor_nothing_is_said_of_ten_times_as_much() -> None:
    found = suggest(pairs(2), KEY, {}, (), BUDGET, 0, but=(), jumping=("c0",)).proposals
    assert columns_of(found) == [("c1",), ("name", "c0", "c1")]


@pytest.mark.parametrize(("every", "columns"), [(4, [("c1",)]), (70, [("c0", "c1")])])
def test_it_is_said_where_it_is_true_as_it_reads(every: int, columns: list[tuple[str, ...]]) -> None:
    """On some days all rows of a column change their sign, which is no mistake of any of them: that none does is not true."""
    made = [replace(pair, ours=turned(pair.ours)) if k % every == every - 1 else pair for k, pair in enumerate(pairs(2))]
    assert columns_of(leaping(made)) == columns


def turned(sample: RowSample) -> RowSample:
    """With all numbers of the first column of the other sign."""
    own = sample.column("c0")
    return replace(sample, columns={**sample.columns, "c0": replace(own, numbers=-own.numbers)})


def test_it_is_one_sentence_that_nothing_may_break_and_says_what_it_notices_of_each_column() -> None:
    (found,) = leaping(pairs(2))
    assert (
        plain(found.constraint) == "No large value of c0 and c1 becomes 0, 8 times as large or of the other sign in the rows matched by id."
    )
    assert (found.constraint.lower, found.constraint.upper) == (0, 0)
    assert {f"c{k} {issue}" for k in (0, 1) for issue in ("zero:largest", "tenfold:one")} <= set(found.evidence.caught)


def test_a_column_with_mistakes_is_not_among_them() -> None:
    assert columns_of(leaping(pairs(3, wrong={"c1": 10}))) == [("c0", "c2")]


def test_what_each_may_have_had_once_all_together_may_not() -> None:
    """One fault in sixty batches may have been one; of two columns on two days they are too many, and one is left to its own rules."""
    (found,) = leaping(pairs(3, wrong={"c0": 40, "c1": 45}))
    assert found.constraint.measure.columns == ("c1", "c2")
    assert found.evidence.backtest is not None
    assert found.evidence.backtest.fired == ("d044",)
    assert columns_of(leaping(pairs(2, wrong={"c0": 40, "c1": 45}))) == [("c1",)]


def test_what_other_rules_tell_and_codes_of_no_amount_are_not_among_them() -> None:
    made = pairs(4)
    assert columns_of(leaping(made, but=("c0",))) == [("c1", "c2", "c3")]
    kinds = {"c3": KnownKind("free text")}
    assert columns_of(leaping(made, kinds=kinds, but=("c0",))) == [("c1", "c2")]


def own(column: str, fpr: float, upper: float = 0.0, metric: str = SPOILED.name) -> Proposal:
    measure = Measure(metric, (column,), parameters=(("key", KEY),))
    return Proposal(Constraint(measure.subject, measure.name, "rows", 0.0, upper, measure=measure, fpr=fpr), FromHistory())


def test_of_a_young_table_it_is_said_of_what_the_history_says_so_of_each_and_costs_what_these_would() -> None:
    made = pairs(4, days=LEAST_BATCHES - 8)
    assert not leaping(made)
    rules = [own("c0", 7e-4), own("c1", 5e-4), own("c3", 3e-4, upper=0.1)]
    (found,) = leaping(made, rules=rules)
    assert found.constraint.measure.columns == ("c0", "c1")
    assert found.constraint.fpr == pytest.approx(12e-4)
    assert columns_of(leaping(made, rules=rules[:1])) == [("c0",)]


def of_texts(days: int, *, taken: int = 0) -> list[Pair]:
    """Batches of texts by id, all of them others of each row, but `rank`, `hue` and `on`, of a few; every so many days two rows take each
    other's `name`.
    """
    samples = []
    for day in range(days + 1):
        names = [f"n{k}" for k in range(ROWS)]
        if taken and day % taken == taken - 1:
            names[3], names[4] = names[4], names[3]
        table = {"id": pa.array(range(ROWS)), "name": pa.array(names), "code": pa.array([f"c{k}" for k in range(ROWS)])}
        table |= {"rank": pa.array([f"r{k % 3}" for k in range(ROWS)]), "hue": pa.array([f"h{k % 4}" for k in range(ROWS)])}
        table |= {"on": pa.array(["yes" if k % 2 else "no" for k in range(ROWS)])}
        samples.append(RowSample.of_rows(Rows(ROWS, table), Need(RowSample, tuple(table), None, Drawing(1))))
    return [Pair(f"d{k:03}", now, then) for k, (then, now) in enumerate(pairwise(samples), 1)]


def test_that_no_rows_take_each_others_texts_is_one_rule() -> None:
    (found,) = suggest(of_texts(LEAST_BATCHES + 2), KEY, {}, (), BUDGET, 0, but=()).proposals
    # Of two values alone, as yes and no, it is said of nothing.
    assert plain(found.constraint) == "No two rows matched by id swap clearly different values in any of name, code, rank and hue."
    assert {f"{name} exchanged:two" for name in ("name", "code", "rank")} <= set(found.evidence.caught)
    columns = columns_of(suggest(of_texts(LEAST_BATCHES + 2, taken=6), KEY, {}, (), BUDGET, 0, but=("hue",)).proposals)
    assert columns == [("code", "rank")]
    # Of a few texts alone nobody reads what it is to take another row's.
    assert not suggest(of_texts(LEAST_BATCHES + 2), KEY, {}, (), BUDGET, 0, but=("name", "code")).proposals


def test_of_a_young_table_it_is_said_of_texts_of_which_few_come_twice() -> None:
    (found,) = suggest(of_texts(LEAST_BATCHES - 8), KEY, {}, (), BUDGET, 0, but=()).proposals
    assert found.constraint.measure.columns == ("name", "code")
    assert found.constraint.fpr == pytest.approx(2e-4)
    for made in (of_texts(LEAST_BATCHES - 8, taken=6), of_texts(6)):
        assert not suggest(made, KEY, {}, (), BUDGET, 0, but=()).proposals


def test_of_a_young_table_it_is_said_of_texts_of_which_the_history_says_so_at_what_that_costs() -> None:
    rules = [own("rank", 3e-4, metric=EXCHANGED.name), own("hue", 5e-4, upper=0.1, metric=EXCHANGED.name)]
    (found,) = suggest(of_texts(LEAST_BATCHES - 8), KEY, {}, rules, BUDGET, 0, but=()).proposals
    assert found.constraint.measure.columns == ("name", "code", "rank")
    assert found.constraint.fpr == pytest.approx(5e-4)
    assert says_it(found.constraint, rules[0].constraint)


def test_it_says_what_the_rule_of_one_of_its_columns_does() -> None:
    (found,) = suggest(of_texts(LEAST_BATCHES + 2), KEY, {}, (), BUDGET, 0, but=()).proposals

    def alone(name: str, column: str) -> Constraint:
        measure = Measure(name, (column,), parameters=(("key", KEY),))
        return Constraint(measure.subject, name, "rows", 0.0, 0.0, measure=measure)

    assert says_it(found.constraint, alone(EXCHANGED.name, "code"))
    assert not says_it(found.constraint, alone(EXCHANGED.name, "other"))
    assert not says_it(found.constraint, alone(SPOILED.name, "code"))
