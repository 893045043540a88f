"""Suggestions from rows matched by key, and keys that are found."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.config import Pipeline
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import FromHistory
from avh_ui.constraints.known_key import KnownKey
from avh_ui.constraints.several import parts_of
from avh_ui.errors import NotFoundError
from avh_ui.history.series import ColumnHistory
from avh_ui.inference.by_history.candidates import fit_metrics
from avh_ui.inference.by_key import suggesting
from avh_ui.inference.by_key.finding import find_key
from avh_ui.inference.by_key.row_issues import NOTHING, column_issues, key_issues
from avh_ui.inference.by_key.suspects import seen, without_suspects
from avh_ui.inference.by_key.telling import lets_much, telling
from avh_ui.inference.source import Budget
from avh_ui.metrics.asked import profiled_measures, sample_by
from avh_ui.metrics.by_key import (
    CHANGED,
    COUNT_FALL,
    COUNT_RISE,
    EMPTIED,
    EXCHANGED,
    FALLEN,
    FILLED,
    RANK_CHANGE,
    RISEN,
    SPOILED,
    SUM_FALLEN,
    WIPED,
)
from avh_ui.metrics.changed_rows import CHANGED_ROWS, MOST_CHANGED
from avh_ui.metrics.exchanged_rows import EXCHANGED_ROWS
from avh_ui.metrics.jumped_rows import JUMPED_ROWS
from avh_ui.metrics.keys_matched import KEYS_TWICE
from avh_ui.metrics.leapt_rows import LEAPT_ROWS
from avh_ui.metrics.matching import Matched
from avh_ui.metrics.measure import host_of
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.profiler import KnownTypes, Watch
from avh_ui.metrics.row_drawing import Drawing
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.rows import Need, Rows
from avh_ui.metrics.type_names import MATCHED
from avh_ui.review.suggestion import SuggestionRun
from avh_ui.store.history_files import HistoryFiles
from avh_ui.workflows.frames import profile_table
from avh_ui.workflows.row_key import KeyFinder
from avh_ui.workflows.suggesting import SuggestOptions, load_window, suggest
from tests.fakes.history import FakeHistory
from tests.fakes.profiler import FakeProfiler

BATCHES = [f"2026-{1 + k // 28:02}-{1 + k % 28:02}" for k in range(50)]
# One batch has a row at 0 that was mended the next day.
FAULT = 25


def pipeline(**more: object) -> Pipeline:
    return Pipeline.model_validate({"name": "p", "source": {"path": "{batch}.parquet"}, **more})


def counters() -> dict[str, pa.Table]:
    """100 counters that rise by 0 to 2 % a day, of 10 regions, by an integer key."""
    rng, total, found = np.random.default_rng(4), np.geomspace(100, 1e6, 100).round(), {}
    for k, batch in enumerate(BATCHES):
        total = np.round(total * (1 + rng.uniform(0, 0.02, 100)))
        shown = np.where(np.arange(100) == 7, 0, total) if k == FAULT else total
        regions = [f"region {i % 10}" for i in range(100)]
        found[batch] = pa.table({"day": [batch] * 100, "id": np.arange(100), "region": regions, "cases": shown.astype(np.int64)})
    return found


@pytest.fixture
def uncapped(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a source says of a column, however many rules that are: a column's best three are chosen of them, which `test_lean` looks at."""
    for module in ("lean", "lean_choice"):
        monkeypatch.setattr(f"avh_ui.inference.{module}.MOST", 99)


@pytest.mark.parametrize(("rows", "names"), [(9, ["miles:every", "tenfold:every"]), (10, [])])
def test_of_few_rows_all_in_another_unit_are_an_issue(rows: int, names: list[str]) -> None:
    numbers = np.arange(1.0, rows + 1)
    made = Rows(rows, {"id": pa.array(np.arange(rows)), "n": pa.array(numbers)})
    column = Matched(RowSample.of_rows(made, Need(RowSample, ("id", "n"), None, Drawing(1))), "n")
    found = column_issues(column, column, 0)
    assert sorted(name for name in found if name.endswith("every")) == names
    for name in names:
        scaled = found[name].rows.columns["n"].numbers
        assert np.sort(scaled) == pytest.approx(numbers * (10 if name.startswith("tenfold") else 1.609))


def suggested(tables: dict[str, pa.Table], exclude: frozenset[str] = frozenset(), **more: object) -> SuggestionRun:
    settings, history = pipeline(**more), FakeHistory()
    known = KnownTypes(measures=profiled_measures(settings))
    for batch, table in tables.items():
        history.save(profile_table(table, "p", batch, known))
    return suggest(settings, FakeProfiler({"p": tables}), history, SuggestOptions(sources=("history",), exclude=exclude), Watch())


def test_matched_rows_get_bounds_at_what_such_cost() -> None:
    run = suggested(counters(), key=["id"])
    found = {(s.constraint.column, s.constraint.metric): s for s in run.suggestions if s.constraint.measure.key}
    assert ("rows by id", "keys_gone") in found
    assert ("region by id", "changed_share") in found
    # The day is one in all rows: its own metrics say all of it.
    assert not any(column == "day by id" for column, _ in found)
    # What no batch broke costs what such rules do, and less than one alarm in all the batches that it held in.
    records = [(one.constraint.fpr, one.evidence.backtest) for one in found.values() if one.evidence.backtest is not None]
    assert all(0 < fpr * (record.judged + 1) < 1 for fpr, record in records if not record.fired)
    # The fault of one row is not taken for a habit: what is learned is as if it had not been, and the evidence names it.
    (cases,) = [s for (column, metric), s in found.items() if column == "cases by id" and metric in ("largest_fall", "fallen_share")]
    assert cases.constraint.upper is not None
    assert cases.constraint.upper < 0.05
    # Nobody said so: the rule is priced as often as it broke.
    record = cases.evidence.backtest
    assert record is not None
    assert record.fired
    assert cases.constraint.fpr == pytest.approx((len(record.fired) + 0.5) / (record.judged + 1))
    assert cases.evidence.backtest is not None
    assert BATCHES[FAULT] in cases.evidence.backtest.fired
    assert {"exchanged:two", "zero:one"} <= set(cases.caught)


def test_the_sample_of_a_batch_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    history, tables, read = HistoryFiles(str(tmp_path)), dict(list(counters().items())[:9]), list[str]()
    settings = pipeline(key=["id"])
    known = KnownTypes(measures=profiled_measures(settings))
    for batch, table in tables.items():
        history.save(profile_table(table, "p", batch, known))
    found, _ = load_window(settings, FakeProfiler({"p": tables}), history, SuggestOptions(), Watch())
    load = HistoryFiles.load
    monkeypatch.setattr(HistoryFiles, "load", lambda *given: read.append(given[2]) or load(*given))
    assert [*found.tables(["region"])["region"]] == read == list(tables)
    samples = {batch: found.sample_of(batch, host_of(["id"])) for batch in tables}
    assert all(sample is not None and sample.keys == 100 for sample in samples.values())
    assert read == list(tables)


def test_small_rows_that_fall_do_not_hide_a_large_one() -> None:
    rng, tables = np.random.default_rng(6), counters()
    for batch, table in tables.items():
        cases = table["cases"].to_numpy().copy()
        # Every week or so a small row is set back to almost nothing.
        cases[rng.integers(0, 8)] = 1
        tables[batch] = table.set_column(3, "cases", pa.array(cases))
    run = suggested(tables, key=["id"])
    caught = {name for s in run.suggestions if s.constraint.column == "cases by id" for name in s.evidence.caught}
    assert {"zero:largest", "tenth:largest"} <= caught


def test_a_row_times_ten_is_noticed_without_a_rule_of_its_own() -> None:
    """Prices that go up and down by a few percent: no bound on rises is asked for."""
    rng = np.random.default_rng(5)
    base = np.geomspace(20, 20_000, 60)
    prices = {batch: np.round(base * rng.uniform(0.97, 1.03, 60), 2) for batch in BATCHES}
    run = suggested({b: pa.table({"id": np.arange(60), "price": found}) for b, found in prices.items()}, key=["id"])
    (none,) = [s for s in run.suggestions if s.constraint.metric == JUMPED_ROWS.name]
    assert {"tenfold:one", NOTHING} <= set(none.caught)
    assert not {"largest_rise", "count_rise"} & {s.constraint.metric for s in run.suggestions}


@pytest.mark.parametrize("told", [False, True])
def test_moves_are_no_mistakes_of_a_column_that_another_one_tells(told: bool) -> None:
    rng, total, tables = np.random.default_rng(7), np.full(60, 90_000), dict[str, pa.Table]()
    for batch in BATCHES:
        new = rng.integers(300, 900, 60)
        # Two rows a day put earlier days right.
        total = total + new - np.isin(np.arange(60), rng.permutation(60)[:2]) * 3
        tables[batch] = pa.table({"id": np.arange(60), "new": new} | ({"total": total} if told else {}))
    found = [s.constraint for s in suggested(tables, key=["id"]).suggestions if s.constraint.measure.columns[:1] == ("new",)]
    names = {one.metric for one in found if one.measure.key}
    assert ({"mistaken_rise", "the_rise"} <= names) is told
    assert not names & {SPOILED.name, WIPED.name}
    assert bool(names & {LEAPT_ROWS.name, JUMPED_ROWS.name, EXCHANGED.name}) is not told


@pytest.mark.parametrize("told", [False, True])
def test_nor_of_what_came_and_went_where_a_number_tells_both(told: bool) -> None:
    """A garage that is closed for a day has no cars that came: what is parked says whether it is so."""
    rng, parked, tables = np.random.default_rng(7), np.full(60, 90_000), dict[str, pa.Table]()
    for batch in BATCHES:
        came, went = rng.integers(300, 900, (2, 60))
        parked = parked + came - went
        tables[batch] = pa.table({"id": np.arange(60), "came": came, "went": went} | ({"parked": parked} if told else {}))
    found = [s.constraint for s in suggested(tables, key=["id"]).suggestions if s.constraint.measure.key]
    assert ("net_rise" in {one.metric for one in found}) is told
    of_mistakes = {name for one in found if one.metric in (LEAPT_ROWS.name, JUMPED_ROWS.name) for name in one.measure.columns}
    assert not {one.metric for one in found} & {SPOILED.name, WIPED.name, EXCHANGED.name}
    assert of_mistakes == (set() if told else {"came", "went"})


def test_what_never_changes_is_not_said_to_have_no_mistakes() -> None:
    rng, tables = np.random.default_rng(7), dict[str, pa.Table]()
    lat, sold = rng.permutation(np.linspace(36, 47, 60)), rng.integers(1_000, 9_000, (2, 60)).astype(float)
    for batch in BATCHES:
        sold = np.round(sold * rng.uniform(0.98, 1.03, (2, 60)))
        tables[batch] = pa.table({"id": np.arange(60), "lat": lat, "sold": sold[0], "paid": sold[1]})
    found = [s.constraint.measure for s in suggested(tables, key=["id"]).suggestions]
    assert [one.columns for one in found if one.name in (LEAPT_ROWS.name, JUMPED_ROWS.name)] == [("sold", "paid")]
    assert [one.columns for one in found if one.name == EXCHANGED_ROWS.name] == [("sold", "paid")]
    assert ("changed_share", ("lat",)) in {(one.name, one.columns) for one in found}


@pytest.mark.usefixtures("uncapped")
@pytest.mark.parametrize(("zeros", "fault"), [(10, "zero:largest"), (0, NOTHING)])
def test_where_rows_fall_far_a_large_number_is_held_to_no_0(zeros: int, fault: str) -> None:
    """No bound on how far rows fall notices it: each day's number is up to 150 times another's, and one is large on all days."""
    rng = np.random.default_rng(2)
    numbers = {batch: np.exp(rng.uniform(1, 8, 90)).astype(np.int64) * (np.arange(90) >= zeros) for batch in BATCHES}
    for found in numbers.values():
        found[-1] += 9_000
    run = suggested({b: pa.table({"id": np.arange(90), "cases": found}) for b, found in numbers.items()}, key=["id"])
    (none,) = [s for s in run.suggestions if s.constraint.metric == WIPED.name]
    assert (none.constraint.upper, none.constraint.measure.key) == (0, ("id",))
    assert fault in none.caught
    others = [s for s in run.suggestions if s.constraint.column == "cases by id" and s is not none]
    assert not any(fault in s.caught for s in others)


def test_a_column_that_was_0_once_is_not_said_to_be_never() -> None:
    rng = np.random.default_rng(2)
    numbers = {batch: np.exp(rng.uniform(1, 8, 90)).astype(np.int64) for batch in BATCHES}
    numbers[BATCHES[20]][:3] = 0
    run = suggested({b: pa.table({"id": np.arange(90), "cases": found}) for b, found in numbers.items()}, key=["id"])
    assert not any(NOTHING in s.caught for s in run.suggestions)


@pytest.mark.usefixtures("uncapped")
def test_what_a_column_is_does_not_follow_from_batches_that_are_wrong() -> None:
    rng, wrong = np.random.default_rng(9), BATCHES[20]
    tables = {batch: pa.table({"id": np.arange(60), "new": rng.integers(0, 90, 60)}) for batch in BATCHES}
    tables[wrong] = tables[wrong].set_column(1, "new", pa.array([-18, *tables[wrong]["new"].to_pylist()[1:]]))
    assert suggested(tables).kinds["new"].kind == "measure"
    run = suggested(tables, exclude=frozenset({wrong}))
    assert run.kinds["new"].kind == "count"
    # By nature no count is negative.
    lowest = [one for s in run.suggestions for one in parts_of(s.constraint) if (one.column, one.metric) == ("new", "min")]
    assert [one.lower for one in lowest] == [0]


def window(step: int = 1) -> dict[str, pa.Table]:
    """30 days of counts; each delivery is a day later and has the day's end at another hour, as a text of another order."""
    rng = np.random.default_rng(8)
    days, cases = np.arange(120), rng.integers(100, 200, 120)
    cases[35] = 900
    names = [f"{1 + d % 28:02}.{1 + d // 28:02}.2026" for d in days]
    return {
        batch: pa.table({"day": names[at : at + 30], "cases": cases[at : at + 30]}) for k, batch in enumerate(BATCHES) for at in [k * step]
    }


def test_a_window_that_moves_is_held_to_its_new_rows_and_to_no_extreme() -> None:
    run = suggested(window(), key=["day"])
    found = {(s.constraint.column, s.constraint.metric) for s in run.suggestions}
    assert not {metric for column, metric in found if column == "cases"} & {"min", "max", "range"}
    why = {out["metric"]: out["reason"] for out in run.left_out if out["column"] == "cases"}
    assert "window that moves" in why["max"]
    assert any(s.constraint.metric == "beyond" for s in run.suggestions)
    # The same rows every day are no window.
    still = suggested(window(0), key=["day"])
    assert not any("window that moves" in out["reason"] for out in still.left_out)


def test_a_key_that_no_batch_has_names_the_nearest_column() -> None:
    with pytest.raises(NotFoundError, match="idd") as error:
        suggested(counters(), key=["idd"])
    assert "id" in str(error.value.hint)


def test_a_key_that_nobody_said_is_found_and_gone_by() -> None:
    run = suggested(counters())
    assert run.row_key is not None
    assert (run.row_key.columns, run.row_key.waits) == (("id",), True)
    assert run.row_key.why == "Unique in 50 of 50 batches, 100% of the keys in common with the batch before."
    # The batches were measured again, so that rules of matched rows are there at once.
    assert any(s.constraint.measure.key == ("id",) for s in run.suggestions)
    filed = suggested(counters(), key=["id"]).row_key
    assert filed is not None
    assert (filed.filed, filed.waits) == (True, False)


def test_where_there_is_no_key_it_says_why() -> None:
    rng = np.random.default_rng(2)
    events = {b: pa.table({"event": rng.integers(0, 10**12, 60), "measured": rng.normal(size=60)}) for b in BATCHES[:9]}
    key = suggested(events).row_key
    assert key is not None
    assert (key.columns, key.waits) == ((), False)
    assert key.why.startswith("event tells the rows apart, but 0% of its keys come again: these look like events")
    few = {b: pa.table({"id": [1, 2, 3], "n": [k, k, k]}) for k, b in enumerate(BATCHES[:9])}
    assert suggested(few).row_key.columns == ()  # type: ignore[union-attr]
    unkept = suggested(counters(), rows="none").row_key
    assert "`rows: none`" in unkept.why  # type: ignore[union-attr]


def test_a_key_that_was_found_and_no_longer_is_one_is_looked_for_anew(tmp_path: Path) -> None:
    tables = counters()
    # From the 40th batch on an id is of two rows, and their place tells them apart.
    for batch in BATCHES[35:]:
        table = tables[batch]
        place = pa.array([f"{'ab'[i % 2]}{i // 2}" for i in range(100)])
        tables[batch] = table.set_column(1, "id", pa.array(np.arange(100) // 2)).append_column("place", place)
    settings, history = pipeline(), HistoryFiles(str(tmp_path))
    known = KnownTypes(measures=(sample_by(("id",)),))
    for batch, table in tables.items():
        history.save(profile_table(table, "p", batch, known))
    finder = KeyFinder(settings, FakeProfiler({"p": tables}), history, (), Watch())
    assert finder.settled(KnownKey(("id",))).columns == ("place",)
    # What a person said stays, with what the batches say of it.
    said = finder.settled(KnownKey(("id",), by="ann"))
    assert (said.columns, said.by) == (("id",), "ann")
    assert said.why.startswith("Unique in 35 of 50 batches")


def test_keys_are_the_fewest_columns_that_come_again() -> None:
    rng = np.random.default_rng(0)

    def table(day: str) -> pa.Table:
        places = {"day": [day] * 60, "state": [f"s{i // 10}" for i in range(60)], "town": [i % 10 for i in range(60)]}
        return pa.table({**places, "measured": rng.normal(size=60), "event": rng.integers(0, 10**12, 60)})

    found = find_key(table("b"), table("a"), whole=True)
    # The event's number is unique too, and no batch has one again.
    assert (found.columns, found.overlap) == (("state", "town"), 1.0)
    events = pa.table({"event": rng.integers(0, 10**12, 60), "measured": rng.normal(size=60)})
    none = find_key(events, pa.table({"event": rng.integers(0, 10**12, 60), "measured": rng.normal(size=60)}), whole=True)
    assert none.columns == ()
    assert none.unique == ("event",)
    same = pa.table({"kind": ["a", "b"] * 30, "measured": rng.normal(size=60)})
    assert find_key(same, same, whole=True).words.startswith("No set of up to 3 columns")
    assert find_key(table("b").slice(0, 3), table("a"), whole=True).columns == ()


def test_samples_estimate_whether_keys_come_again() -> None:
    rng = np.random.default_rng(1)
    rows = 100_000

    def drawn(start: int = 0) -> pa.Table:
        # 4,000 of 100,000 rows: two of such samples of one table share 4 % of them.
        return pa.table({"id": start + rng.choice(rows, 4_000, replace=False), "measured": rng.normal(size=4_000)})

    found = find_key(drawn(), drawn(), whole=False, rows_before=rows)
    assert found.columns == ("id",)
    assert found.overlap == pytest.approx(1, abs=0.3)
    assert "in a sample of the latest batch, and about" in found.words
    # Events are new every day, however large the day.
    assert find_key(drawn(), drawn(rows), whole=False, rows_before=rows).columns == ()
    # Of a batch that is there whole a sample's keys come again as often as all do.
    every = pa.table({"id": np.arange(rows), "measured": rng.normal(size=rows)})
    assert find_key(drawn(), every, whole=False, rows_before=rows).overlap == 1
    untold = find_key(drawn(), drawn(), whole=False, rows_before=10**9)
    assert (untold.columns, untold.overlap) == ((), None)
    assert "cannot tell whether a key comes again" in untold.words


def test_a_large_batch_before_a_small_one_is_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("avh_ui.workflows.row_key._ROWS", 80)
    tables = counters()
    tables[BATCHES[-1]] = tables[BATCHES[-1]].slice(0, 50)
    assert suggested(tables).row_key.columns == ("id",)  # type: ignore[union-attr]


def test_exchanges_that_were_put_right_are_faults_and_no_habit() -> None:
    shares = np.zeros(100)
    # Two rows are exchanged on a day, and put right on the next: twice.
    shares[[30, 31, 70, 71]] = 0.02
    batches = tuple(f"{k:03}" for k in range(100))
    values = {metric.name: shares.copy() for metric in (EXCHANGED, CHANGED)}
    history = ColumnHistory("n by id", "rows", MATCHED, batches, values, np.ones(100, dtype=bool))
    calm = without_suspects(history, (EXCHANGED, CHANGED)).values
    assert calm[EXCHANGED.name].max() == 0
    # That a value changed may happen again, and so may exchanges in one batch of ten.
    assert calm[CHANGED.name].max() == 0.02
    shares[::10] = 0.02
    often = without_suspects(replace(history, values={EXCHANGED.name: shares}), (EXCHANGED,)).values
    assert often[EXCHANGED.name].max() == 0.02
    # Four days that no next one mends are what rows do, as a flight that has another route on a Tuesday.
    shares[:] = 0
    shares[[10, 40, 47, 54]] = 0.02
    trickle = without_suspects(replace(history, values={EXCHANGED.name: shares}), (EXCHANGED,)).values
    assert trickle[EXCHANGED.name].max() == 0.02


@pytest.mark.parametrize(("places", "price"), [((), 0.0), ((3, 4), 0.0), ((3,), 1.5 / 101), ((3, 4, 50, 70), 2.5 / 101)])
def test_what_broke_and_was_not_mended_is_priced_as_often_as_it_did(places: tuple[int, ...], price: float) -> None:
    broken = [k in places for k in range(100)]
    assert seen(100, broken, of_faults=True) == pytest.approx(price)
    if places:
        assert seen(100, broken, of_faults=False) == pytest.approx((len(places) + 0.5) / 101)


@pytest.mark.parametrize("until", [0, 80])
def test_faults_that_an_older_history_is_full_of_are_no_faults(until: int) -> None:
    tables, numbers = {}, np.arange(60) * 7 + 100
    for k in range(200):
        numbers[59 - k % 20] += 1
        if k % 4 == 1 and k < until:
            # Before the window of 120 begins every fourth batch has other rows exchanged for good.
            place = k // 4 * 2 % 38
            numbers[[place, place + 1]] = numbers[[place + 1, place]]
        tables[f"{k:03}"] = pa.table({"id": np.arange(60), "n": numbers.copy()})
    run = suggested(tables, key=["id"])
    said = [s.constraint.metric for s in run.suggestions if s.constraint.metric in (EXCHANGED.name, SPOILED.name)]
    # That one row changes at most says that no two take each other's.
    said += [out["metric"] for out in run.left_out if out.get("covered") and out["metric"] == EXCHANGED.name]
    assert said == ([] if until else [EXCHANGED.name])


def test_blocks_of_keys_are_tried_beside_scattered_ones() -> None:
    columns = {"id": pa.array(np.arange(100)), "region": pa.array([f"r{i % 5}" for i in range(100)])}
    sample = RowSample.of_rows(Rows(100, columns), Need(RowSample, tuple(columns), None, Drawing(1)))
    made = key_issues(sample, seed=0)
    lost = set(range(100)) - set(made["keys_lost:block of 0.1"].columns["id"].numbers.astype(int).tolist())
    assert lost == set(range(50, 60))
    assert made["keys_lost:segment of region"].keys == 80
    twice = made["keys_twice:block of 0.1"]
    assert (twice.rows, int((twice.counts > 1).sum())) == (110, 10)


def test_a_block_of_a_key_of_several_columns_lies_together() -> None:
    days = np.random.default_rng(4).permutation(100)
    columns = {"region": pa.array([f"r{day % 2}" for day in days.tolist()]), "day": pa.array(days)}
    sample = RowSample.of_rows(Rows(100, columns), Need(RowSample, tuple(columns), None, Drawing(2)))
    left = key_issues(sample, seed=0)["keys_lost:block of 0.1"].columns["day"].numbers.astype(int).tolist()
    # All even days come before the odd ones.
    assert sorted(set(range(100)) - set(left)) == list(range(1, 21, 2))


def whole_series() -> dict[str, pa.Table]:
    """18 numbers of each month so far: of every delivery the rows are those of the one before, and one more."""
    rng = np.random.default_rng(3)
    steps = 1 + rng.uniform(-0.01, 0.01, (len(BATCHES) + 40, 18))
    numbers = np.round(np.geomspace(500, 90_000, 18) * np.cumprod(steps, axis=0))
    return {
        batch: pa.table({"month": np.arange(k + 40), **{f"sector{c}": numbers[: k + 40, c] for c in range(18)}})
        for k, batch in enumerate(BATCHES)
    }


@pytest.mark.usefixtures("uncapped")
def test_every_column_of_a_series_delivered_whole_is_held_to_no_change_and_its_new_rows_to_those_before() -> None:
    run = suggested(whole_series(), key=["month"])
    bounded = [s for s in run.suggestions if s.constraint.metric == "beyond"]
    assert {s.constraint.column for s in bounded} == {f"sector{c} by month" for c in range(18)}
    # Four had no new extreme in 50 months: one in the next is none of their faults.
    never = [s for s in bounded if not s.evidence.sigma]
    assert len(never) == 4
    assert all(s.constraint.upper > 0.02 for s in never)
    # A new row ten times as large, or at 0.
    assert all({"tenfold:new", "zero:new"} <= set(s.caught) for s in bounded)
    (same,) = [s.constraint for s in run.suggestions if s.constraint.metric == "changed_rows"]
    assert same.upper == 0
    assert len(same.measure.columns) == 18


def test_rows_that_move_freely_have_no_bound_beyond_all_that_their_column_holds() -> None:
    rng, tables = np.random.default_rng(3), {}
    for batch in BATCHES[:20]:
        amounts = rng.integers(20, 700, 200).astype(float)
        tables[batch] = pa.table({"day": [batch] * 200, "id": np.arange(200), "amount": amounts})
    run = suggested(tables, key=["id"])
    found = [s.constraint for s in run.suggestions if s.constraint.measure.key and s.constraint.measure.columns]
    assert not {c.metric for c in found} & {"largest_fall", "largest_rise", "count_fall", "count_rise"}


def test_of_half_of_the_rows_only_exchanges_are_tried_by_key() -> None:
    """Readings that move freely between days: shares of rows that fall or stay were suggested, for half of all readings being 0 or gone."""
    rng, tables = np.random.default_rng(5), {}
    base = rng.normal(20, 4, 300)
    for batch in BATCHES:
        moved = np.round(base + rng.normal(0, 1) + rng.normal(0, 0.5, 300), 1)
        tables[batch] = pa.table({"day": [batch] * 300, "id": np.arange(300), "reading": moved})
    run = suggested(tables, key=["id"])
    tried = {name for s in run.suggestions if s.constraint.measure.columns == ("reading",) for name in s.evidence.tried}
    found = {s.constraint.metric for s in run.suggestions if s.constraint.measure.key and s.constraint.measure.columns}
    assert {name.rpartition(" ")[2] for name in tried if name.endswith(":0.5")} <= {"exchanged:0.5", "stale:0.5"}
    assert not found & {"fallen_share", "risen_share"}


@pytest.mark.usefixtures("uncapped")
def test_of_rows_that_start_anew_nobody_says_how_far_one_rises() -> None:
    """Seconds since a start, of which some devices have one on most days: they rise by 86,400, from nearly nothing by any factor."""
    rng, tables = np.random.default_rng(6), {}
    uptime, total = rng.integers(0, 9_000_000, 200), rng.integers(10_000, 90_000, 200)
    for batch in BATCHES:
        uptime = np.where(rng.random(200) < 0.03, rng.integers(0, 3_600, 200), uptime + 86_400)
        total = total + rng.integers(5, 30, 200)
        tables[batch] = pa.table({"day": [batch] * 200, "id": np.arange(200), "uptime": uptime, "total": total})
    run = suggested(tables, key=["id"])
    found = {(s.constraint.measure.columns, s.constraint.metric) for s in run.suggestions if s.constraint.measure.key}
    steps = {"largest_fall", "largest_rise", "count_fall", "count_rise"}
    assert not {metric for columns, metric in found if columns == ("uptime",)} & steps
    assert {metric for columns, metric in found if columns == ("total",)} & steps


@pytest.mark.parametrize(("often", "told"), [(0.1, True), (0.5, False)])
def test_falls_together_say_something_where_rows_seldom_fall(often: float, told: bool) -> None:
    history = ColumnHistory(
        "n by id", "numeric", MATCHED, ("a", "b", "c"), {FALLEN.name: np.array([np.nan, often, often])}, np.ones(3, dtype=bool)
    )
    assert (SUM_FALLEN in telling((SUM_FALLEN, FALLEN), history, np.arange(5.0), np.ones(3))) is told
    assert FALLEN in telling((SUM_FALLEN, FALLEN), history, np.arange(5.0), np.ones(3))


@pytest.mark.parametrize(("moves", "told"), [(2, False), (20, True)])
def test_falls_together_say_nothing_of_numbers_that_hardly_ever_move(moves: int, told: bool) -> None:
    changed = np.concatenate([np.full(moves, 0.01), np.zeros(40 - moves)])
    values, batches = {CHANGED.name: changed}, tuple(map(str, range(40)))
    history = ColumnHistory("circuit by id", "numeric", MATCHED, batches, values, np.ones(40, dtype=bool))
    assert (SUM_FALLEN in telling((SUM_FALLEN, CHANGED), history, np.arange(5.0), np.ones(3))) is told


@pytest.mark.parametrize(
    ("fell", "rose", "told"),
    [
        ([0.0, 0.02, 0.0, 0.0], [0.0, 0.0, 0.02, 0.0], (COUNT_FALL,)),
        ([0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], ()),
        ([0.0, 0.02, 0.0, 0.0], [0.3, 0.4, 0.3, 0.3], (FALLEN, COUNT_FALL)),
        ([0.0, 0.2, 0.2, 0.0], [0.3, 0.4, 0.3, 0.3], (COUNT_FALL,)),
    ],
)
def test_that_it_never_falls_is_said_of_what_rises(fell: list[float], rose: list[float], told: tuple[Metric, ...]) -> None:
    values = {FALLEN.name: np.array(fell), RISEN.name: np.array(rose), CHANGED.name: np.add(fell, rose) + 0.01}
    history = ColumnHistory("n by id", "numeric", MATCHED, tuple("abcd"), values, np.ones(4, dtype=bool))
    assert tuple(telling((FALLEN, COUNT_FALL), history, np.arange(5.0), np.ones(4))) == told


@pytest.mark.parametrize(
    ("metric", "size", "far", "much"),
    [(COUNT_FALL, 100.0, 9.5, True), (COUNT_FALL, 100.0, 2.0, False), (COUNT_RISE, 100.0, 6.0, True), (COUNT_RISE, 100.0, 2.0, False)],
)
def test_a_count_that_may_lose_most_of_itself_is_bounded_by_nothing(metric: Metric, size: float, far: float, much: bool) -> None:
    """ "births falls by at most 99.7 of 100" says nothing."""
    history = ColumnHistory("n by id", "numeric", MATCHED, tuple("abcdefghij"), {metric.name: np.ones(10)}, np.ones(10, dtype=bool))
    models, _ = fit_metrics(history, metrics=[metric])
    rule = Constraint("n by id", metric.name, "rows", 0.0, far, origin="history")
    assert lets_much(rule, models, (size,)) is much
    assert not lets_much(rule, models, ())


def test_how_far_a_flag_moved_says_nothing() -> None:
    history = ColumnHistory("closed by id", "numeric", MATCHED, ("a",), {}, np.ones(1, dtype=bool))
    asked = (CHANGED, FALLEN, EXCHANGED, SUM_FALLEN, COUNT_FALL)
    assert telling(asked, history, np.array([0.0, 1.0, 1.0, np.nan]), np.ones(1)) == [CHANGED, FALLEN, EXCHANGED]
    assert telling(asked, history, np.array([0.0, 1.0, 2.0]), np.ones(1)) == list(asked)


@pytest.mark.parametrize(("filled", "kept"), [([1, 1, 1], []), ([1, 0.9, 1], [EMPTIED, FILLED]), ([], [EMPTIED, FILLED])])
def test_that_no_row_becomes_null_is_said_by_a_column_that_never_had_one(filled: list[float], kept: list[Metric]) -> None:
    history = ColumnHistory("n by id", "numeric", MATCHED, ("a",), {}, np.ones(1, dtype=bool))
    assert telling((EMPTIED, FILLED), history, np.arange(5.0), np.array(filled)) == kept


@pytest.mark.parametrize(
    ("changed", "told"), [([np.nan, 0, 0], [CHANGED]), ([np.nan, 0, 0.01], [CHANGED, FALLEN, COUNT_FALL, RANK_CHANGE])]
)
def test_how_far_a_number_moves_that_never_did_says_nothing(changed: list[float], told: list[Metric]) -> None:
    history = ColumnHistory("n by id", "numeric", MATCHED, ("a", "b", "c"), {CHANGED.name: np.array(changed)}, np.ones(3, dtype=bool))
    assert telling((CHANGED, FALLEN, COUNT_FALL, RANK_CHANGE), history, np.arange(5.0), np.ones(3)) == told


def moving_rows(seed: int, batches: int = 30) -> dict[str, pa.Table]:
    """60 shops whose numbers all move by some percent, in no order, and that are filled in half to all of the rows."""
    rng, levels, found = np.random.default_rng(seed), np.random.default_rng(9).permutation(np.geomspace(5, 5e4, 60)), {}
    for k, batch in enumerate(BATCHES[:batches]):
        levels = levels * rng.lognormal(0, 0.05, 60)
        # More and more shops report, and each goes on.
        stock = np.where(np.arange(60) < 30 + k, levels * 3, np.nan)
        # One of them sells as it never did, on each day another one.
        sold = np.where(np.arange(60) == rng.integers(60), levels * 40, levels)
        found[batch] = pa.table({"id": np.arange(60), "sold": sold, "stock": pa.array(stock, from_pandas=True)})
    return found


def test_a_column_in_another_order_is_noticed_where_all_rows_move() -> None:
    """Shifted by a row: no other row's old number comes again, and the level, the spread and all shares stay."""
    run = suggested(moving_rows(4), key=["id"])
    (order,) = [s for s in run.suggestions if s.constraint.column == "sold by id" and s.constraint.metric == RANK_CHANGE.name]
    assert "shifted" in order.evidence.caught
    # A wave of cases reorders provinces for weeks: bounds are as far as half of another order.
    assert order.constraint.upper is not None
    assert order.constraint.upper >= 0.5


def test_half_of_the_rows_lost_is_said_where_ever_more_rows_report() -> None:
    run = suggested(moving_rows(5), key=["id"])
    caught = {name for s in run.suggestions if s.constraint.column.startswith("stock") for name in s.evidence.caught}
    assert "increased_nulls 50% null" in caught
    assert not [out for out in run.left_out if out["column"] == "stock" and out.get("issue") == "increased_nulls 50% null"]


@pytest.mark.parametrize(("rows", "upper"), [(4_000, 0.0), (5_000, 0.001)])
def test_a_first_edit_among_rows_of_which_only_some_are_compared_passes(rows: int, upper: float) -> None:
    """Of 4,000 rows no edit has been seen, of all rows nobody knows."""
    rng = np.random.default_rng(1)
    columns = {"id": np.arange(rows), "place": rng.choice(["a", "b", "c"], rows), "height": np.round(rng.gamma(2, 50, rows), 1)}
    run = suggested({batch: pa.table(columns) for batch in BATCHES[:31]}, key=["id"], rows_kept=4_000)
    told = [s.constraint for s in run.suggestions if s.constraint.metric in (CHANGED.name, MOST_CHANGED.name, CHANGED_ROWS.name)]
    assert [one.upper for one in told if "place" in one.measure.columns] == [pytest.approx(upper)]


@pytest.mark.parametrize("batches", [8, 17, 31])
def test_a_key_that_no_two_rows_had_is_said_to_be_none_of_several(batches: int) -> None:
    """Not that "at most 0.9 % of the keys stand in several rows", which is said of no key."""
    columns = {"id": np.arange(247) // 2, "half": np.arange(247) % 2, "name": [f"country {k}" for k in range(247)]}
    run = suggested({batch: pa.table(columns) for batch in BATCHES[:batches]}, key=["id", "half"])
    (twice,) = [s for s in run.suggestions if s.constraint.metric == KEYS_TWICE.name]
    assert twice.constraint.upper == 0


def test_one_row_of_a_sample_is_a_larger_step_than_one_of_the_table() -> None:
    columns = {"id": pa.array(np.arange(40)), "n": pa.array(np.arange(40))}
    sample = RowSample.of_rows(Rows(40, columns), Need(RowSample, tuple(columns), None, Drawing(1, k=16)))
    assert (sample.rows, suggesting.sampled({RowSample.key: sample})) == (40, 16)
    assert suggesting.sampled({Matched.key: Matched(sample, "n")}) == 16
    assert suggesting._is_sampled({Matched.key: Matched(sample, "n")})
    whole = RowSample.of_rows(Rows(40, columns), Need(RowSample, tuple(columns), None, Drawing(1)))
    assert not suggesting._is_sampled({RowSample.key: whole})


def test_matched_rows_are_tried_on_the_issues_of_their_columns_values(tmp_path: Path) -> None:
    """Counters that hardly move: another unit, zeros and misspelt digits move each row farther than it ever moved, up or down."""
    settings, history, tables = pipeline(key=["id"]), HistoryFiles(str(tmp_path)), counters()
    for batch, table in tables.items():
        history.save(profile_table(table, "p", batch, KnownTypes(measures=profiled_measures(settings))))
    window, _ = load_window(settings, FakeProfiler({"p": tables}), history, SuggestOptions(), Watch())
    found = suggesting.suggest(window, ["id"], Budget(0.001), Watch())
    cases = [p.constraint for p in found.proposals if p.constraint.measure.columns == ("cases",)]
    shown = {p.constraint.key: p.evidence.shown for p in found.proposals if isinstance(p.evidence, FromHistory) and p.evidence.shown}
    caught = {constraint.metric: shown.get(constraint.key, ()) for constraint in cases}
    assert "unit_change x10 of 50%" in frozenset().union(*caught.values())
    assert "increased_nulls 50% zero" in frozenset().union(*caught.values())
    # Rows that came or went are no rows that both batches have.
    assert not any(name.startswith("volume_change") for names in caught.values() for name in names)
    # Each region in capitals is another text, and null none. What is of keys alone has no values to spoil.
    of = {p.constraint.key: p.constraint.measure.columns for p in found.proposals}
    assert {of[key] for key in shown} <= {("cases",), ("region",)}
    texts = {name for key, names in shown.items() if of[key] == ("region",) for name in names}
    assert {"casing_change 100% to upper case", "increased_nulls 10% null"} <= texts


@pytest.mark.usefixtures("uncapped")
def test_an_identifier_that_counts_up_is_never_negative_and_goes_on_from_the_batch_before() -> None:
    rng, tables = np.random.default_rng(1), {}
    for k, batch in enumerate(BATCHES):
        tables[batch] = pa.table({"day": [batch] * 80, "id": np.arange(80) + 5_000_000 + 90 * k, "amount": rng.normal(5, 1, 80)})
    run = suggested(tables)
    found = {s.constraint.metric: s.constraint for s in run.suggestions if s.constraint.column == "id"}
    assert (found["min"].transform.lag, found["min"].upper) == (1, None)
    assert 0 <= (found["min"].lower or 0) <= 90
    # No number ends what counts up, but ten times as large is further than it ever went.
    assert found["max"].transform.lag == 1
    assert found["max"].lower is None
    assert found["max"].upper is not None
    assert 90 < found["max"].upper < 9 * 5_000_000
