"""Rules on several columns and on rows matched by key under the faults of coverage: it says what a validation of the faulty rows says."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.constraints.constraint import Constraint
from avh_ui.issues.coverage import Deliveries
from avh_ui.issues.faults import REPEATED, TABLE, Fault
from avh_ui.issues.keyed_rows import KeyedRows
from avh_ui.issues.mixed_up import EXCHANGED, LARGEST_HALF
from avh_ui.issues.several_columns import MOST_ROWS, try_measure
from avh_ui.metrics import analyzers
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.profiler import KnownTypes, Watch
from avh_ui.workflows.coverage import Coverage
from avh_ui.workflows.frames import profile_table
from tests.fakes.workspaces import FakeWorkspace, config, day

KEY = ("shop", "line")
ROWS = 300


@cache
def lines(k: int, rows: int = ROWS) -> pa.Table:
    """Batch k: the lines of some shops' price lists, of which a tenth changes every day."""
    rng, of = np.random.default_rng(k), np.arange(rows)
    price = np.round(5 + of % 50 + (rng.random(rows) < 0.1) * rng.random(rows), 2)
    return pa.table(
        {
            "shop": pa.array(of // 10, pa.int64()),
            "line": [f"L{k % 10}" for k in of],
            "price": price,
            "city": [f"town {k // 10 % 7}" for k in of],
            "at": pa.array((1_700_000_000 + 86_400 * k + of * 60) * 1_000_000, pa.timestamp("us")),
        }
    )


def by_key(name: str, *columns: str, **bounds: float) -> Constraint:
    measure = Measure(name, columns, parameters=(("key", KEY),))
    return Constraint(measure.subject, name, "rows", bounds.get("lower"), bounds.get("upper"), measure=measure, fpr=0.0001)


def of_several(measure: Measure, lower: float) -> Constraint:
    return Constraint(measure.subject, measure.name, "rows", lower, None, measure=measure, fpr=0.0001)


RULES = (
    by_key("keys_twice", upper=0.02),
    by_key("keys_gone", upper=0.05),
    by_key("null_keys", upper=0.0),
    by_key("changed_share", "city", upper=0.0),
    by_key("unchanged_share", "price", upper=0.97),
    by_key("renewed_rows", "price", "at", lower=1.0),
    by_key("renewed_columns", "price", "at", lower=1.0),
    by_key("mistaken_rows", "price", "at", lower=0.0, upper=0.0),
    of_several(analyzers.uniqueness(KEY), 0.98),
    of_several(analyzers.determined_ratio("city", ["shop"]), 1.0),
)


def workspace() -> FakeWorkspace:
    ws = FakeWorkspace(days=9, settings=config(pipeline={"key": list(KEY)}))
    ws.profiler.tables["orders"] = {day(k): lines(k) for k in range(9)}
    return ws


@pytest.fixture(scope="module")
def published() -> FakeWorkspace:
    return workspace().published(*RULES)


@pytest.fixture(scope="module")
def told(published: FakeWorkspace) -> Coverage:
    return published.coverage("orders")


def test_a_trial_of_the_fault_says_the_same(published: FakeWorkspace, told: Coverage) -> None:
    tried = 0
    for cell in told.cells:
        for one in cell.at(0.1):
            # The types are the schema's to notice, and a trial has them back.
            if one.fault.cls != "type or format" or one.fault.column == "line":
                caught = published.trial("orders", day(8), one.fault).caught
                assert caught == bool(one.by), (one.fault, one.by)
                tried += 1
    assert tried > 25
    assert not told.notes


def test_rules_of_keys_fill_the_cells_of_whole_rows(told: Coverage) -> None:
    doubled, copied = told.by_place[TABLE, "rows doubled"], told.by_place[TABLE, "duplicates"]
    assert (doubled.least, copied.least) == (0.1, 0.1)
    assert "At most 2% of the keys (shop, line) stand in several rows" in doubled.at(0.5)[0].by
    assert any("occurs once of shop, line" in rule for rule in copied.at(0.5)[0].by)
    assert told.by_place["city", "new or lost values"].least == 0.01
    assert told.by_place["price", "nulls"].least is None
    again = next(one for one in told.by_place[TABLE, "stale"].findings if one.fault == Fault(TABLE, "stale", 1.0, REPEATED))
    assert any(rule.startswith("price stays the same in at most") for rule in again.by)


def test_two_rows_that_took_each_others_values_are_seen_by_their_key(told: Coverage) -> None:
    """No town ever changes; of prices several rows have the same, so that two may be each other's."""
    two = {c: next(one for one in told.by_place[c, "mixed-up rows"].at(0.01) if one.fault.way == EXCHANGED) for c in ("city", "price")}
    assert two["city"].by
    assert two["price"].why.startswith("rows of the same key differ by as much")
    halved = next(one for one in told.by_place["price", "mixed-up rows"].missed if one.fault.way == LARGEST_HALF)
    assert halved.advice


def test_a_suggestion_on_keys_closes_the_hole_of_doubled_rows() -> None:
    ws = workspace().drafted(*RULES[:1], Constraint("price", "mean", "numeric", 0.0, 90.0, fpr=0.0001))
    hole = ws.coverage("orders", "draft").by_place[TABLE, "rows doubled"].worst
    assert hole is not None
    assert hole.closing is not None
    assert hole.closing.suggestion == RULES[0].key
    ws.decide("orders", [RULES[0].key], "accept")
    assert ws.coverage("orders", "draft").by_place[TABLE, "rows doubled"].at(0.5)[0].by


def delivered(rows: int, of: int, *, hashed: bool = False) -> Deliveries:
    """A day of so many rows, `of` them drawn; a ninth of the keys come twice."""
    twice = [pa.concat_tables([lines(k, rows), lines(k, rows).slice(0, rows // 9)]) for k in (7, 8)]
    kept = Measure("keys_twice", parameters=(("key", KEY), *((("rows", "hashed"),) if hashed else ())))
    known = KnownTypes(measures=(kept,))
    before, own = (profile_table(table, "orders", day(k), known) for k, table in zip((7, 8), twice, strict=True))
    places = np.sort(np.random.default_rng(0).choice(twice[1].num_rows, of, replace=False))
    kinds = {"shop": "numeric", "line": "string", "price": "numeric", "city": "string", "at": "temporal"}
    return Deliveries(twice[1].take(pa.array(places)), twice[1].num_rows, kinds, {}, twice[0], before, own)


@pytest.mark.parametrize("hashed", [False, True])
def test_of_a_large_batch_keys_are_those_of_its_sample_by_the_key(hashed: bool) -> None:
    """Of a tenth of the rows a ninth of the keys would be twice in a hundredth."""
    batch = delivered(20_000, 2_000, hashed=hashed)
    keyed = KeyedRows(KEY, batch)
    twice = keyed.try_measure(RULES[0].measure)
    assert twice is not None
    assert twice.clean == pytest.approx(1 / 9, abs=0.02)
    values = dict(zip(twice.faults, twice.values.tolist(), strict=True))
    assert values[Fault(TABLE, "rows doubled", 1.0, "rows twice")] == 1
    gone, price = keyed.try_measure(RULES[1].measure), keyed.try_measure(RULES[4].measure)
    assert gone is not None
    assert price is not None
    if hashed:
        # Made of hashes the keys are others than those before: what compares with them alarms anyway, and so is not tried.
        assert gone.notices(RULES[1]) is None
        return
    assert gone.clean == 0
    lost = dict(zip(gone.faults, gone.values.tolist(), strict=True))
    assert lost[Fault(TABLE, "rows lost", 0.5, "rows at random")] == pytest.approx(0.5 - 1 / 9 / 4, abs=0.05)
    assert price.clean == pytest.approx(0.81, abs=0.05)
    assert keyed.try_measure(replace(RULES[3].measure, columns=("none",))) is None
    # Which rows are kept is chance: of one or two that are mixed up nothing is said, of half of them it is.
    told = {fault.severity for fault in price.faults if fault.cls == "mixed-up rows"}
    assert told == {0.1, 0.5, 1.0}


def test_hashed_rows_are_compared_as_hashes() -> None:
    batch = delivered(900, 1_000, hashed=True)
    assert not batch.sampled
    found = KeyedRows(KEY, batch).try_measure(RULES[3].measure)
    assert found is not None
    assert found.clean == 0
    values = dict(zip(found.faults, found.values.tolist(), strict=True))
    assert values[Fault("city", "type or format", 1.0, "the other case")] == 1


def test_what_was_measured_of_the_whole_batch_is_the_clean_value() -> None:
    batch = delivered(20_000, 8_000)
    measure = analyzers.uniqueness(KEY)
    told, untold = (try_measure(measure, batch, known) for known in (0.8, np.nan))
    assert told is not None
    assert untold is not None
    doubled = told.faults.index(Fault(TABLE, "rows doubled", 0.1, "rows twice"))
    assert told.clean == 0.8
    assert untold.clean > 0.95
    assert told.clean - told.values[doubled] == pytest.approx(untold.clean - untold.values[doubled])
    assert 0.15 < untold.clean - untold.values[doubled] < 0.2
    whole = try_measure(measure, delivered(9_000, 10_000), np.nan)
    assert whole is not None
    assert MOST_ROWS < 10_000
    assert whole.clean == 0.8


def test_what_rows_in_memory_cannot_tell_is_not_tried() -> None:
    batch = delivered(180, 200)
    assert try_measure(Measure("uniqueness", ("shop", "nowhere")), batch, np.nan) is None
    assert try_measure(Measure("nothing", KEY), batch, np.nan) is None
    assert KeyedRows(("nowhere",), batch).try_measure(Measure("keys_twice", parameters=(("key", ("nowhere",)),))) is None
    alone = KeyedRows(KEY, replace(batch, baseline=None))
    assert alone.try_measure(RULES[1].measure) is None
    assert alone.try_measure(RULES[0].measure) is not None


def test_a_rule_that_alarms_anyway_notices_nothing() -> None:
    found = workspace().published(by_key("keys_twice", lower=0.5)).coverage("orders")
    assert "The share of keys (shop, line) in several rows stays" in found.notes[0]
    assert not any(one.by for one in found.by_place[TABLE, "rows doubled"].findings)


def test_trying_is_said() -> None:
    heard: list[str] = []
    workspace().drafted(RULES[8]).coverage("orders", "draft", watch=Watch(lambda p: heard.append(p.note)))
    assert "trying faults on shop, line" in heard
