"""Verdicts on rows matched by key with the batch before, headless: from stored samples, with the rows that stand behind them."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pyarrow as pa
import pytest

from avh_ui.constraints.codec import program_from_json, program_to_json
from avh_ui.constraints.constraint import Constraint, Verdict
from avh_ui.constraints.program import ColumnSchema, Program, SchemaConstraint
from avh_ui.history.standings import outcome
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.metric import find
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.profiler import KnownTypes
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.withholding import without_texts
from avh_ui.store.history_files import HistoryFiles
from avh_ui.store.records import result_to_text
from avh_ui.validator.failing import with_found
from avh_ui.validator.moved_rows import fact_of
from avh_ui.validator.report import json_report, text_report
from avh_ui.validator.row_table import BrokenRows, Failing
from avh_ui.validator.validate import validate
from avh_ui.workflows.frames import profile_table
from tests.fakes import builders

KEY = ("key", ("id",))
SCHEMA = SchemaConstraint((ColumnSchema("id", "bigint", "numeric"), ColumnSchema("n", "bigint", "numeric")), level="off")
PLACES = [("Roma", "Lazio"), ("Latina", "Lazio"), ("Rieti", "Lazio"), ("Milano", "Lombardia"), ("Torino", "Piemonte"), ("Bari", "Puglia")]
N = [1000, 200, 90, 5000, 3000, 800]


def rule(metric: str, column: str = "n", upper: float = 0.0) -> Constraint:
    measure = Measure(metric, (column,) if column else (), parameters=(KEY,))
    return Constraint(measure.subject, metric, "rows", None, upper, measure=measure)


def program(*constraints: Constraint) -> Program:
    made = builders.program(version=1, constraints=constraints, schema=SCHEMA, sha256="a" * 64)
    # As it is read from its document.
    assert program_from_json(program_to_json(made)).constraints == constraints
    return made


def batch(name: str, n: Any = N, ids: Any = None, judged: Program | None = None, **more: Any) -> BatchProfile:
    count = len(n)
    ids = ids if ids is not None else list(range(1, count + 1))
    places = {"place": [PLACES[k % 6][0] for k in range(count)], "region": [PLACES[k % 6][1] for k in range(count)]}
    columns = {"id": ids, "n": n, **places, **more}
    table = pa.table({name: v for name, v in columns.items() if v is not None})
    measures = judged.measures if judged else (rule("changed_share").measure,)
    return profile_table(table, "p", name, KnownTypes(measures=measures))


def judged(folder: Path, constraint: Constraint, after: BatchProfile, before: BatchProfile | None = None) -> Verdict:
    history = HistoryFiles(str(folder / "history"))
    history.save(before or batch("b1"))
    (verdict,) = validate(program(constraint), after, history, stale="off").verdicts
    return verdict


def test_a_region_that_is_set_to_zero_is_told_with_its_rows(tmp_path: Path) -> None:
    verdict = judged(tmp_path, rule("largest_fall", upper=0.5), batch("b2", [0, 0, 0, 5001, 3002, 803]))
    assert verdict.status == "fail"
    limits = [f"{math.expm1(math.log1p(before) - 0.5):.4g}" for before in (1000, 200, 90)]
    assert verdict.samples == tuple(
        f"{name} → 0 (limit {limit})" for name, limit in zip(("1 (Roma): 1,000", "2 (Latina): 200", "3 (Rieti): 90"), limits, strict=True)
    )
    assert verdict.message.startswith("n: 3 of 3 rows with region Lazio went from 1,290 to 0 together. The largest fall of n of a row is ")
    assert "Most of all 1 (Roma): 1,000 → 0 (limit 606.1);" in verdict.message


def test_of_counts_the_row_that_lost_most_is_named_first(tmp_path: Path) -> None:
    # On a log scale the smallest row fell farther than the largest.
    after = batch("b2", [1000, 200, 90, 3000, 3000, 300])
    assert judged(tmp_path / "a", rule("largest_fall", upper=0.5), after).samples[0].startswith("6 (Bari)")
    verdict = judged(tmp_path / "b", rule("count_fall", upper=10), after)
    assert verdict.status == "fail"
    assert verdict.observed == pytest.approx(math.sqrt(5000) - math.sqrt(3000))
    assert verdict.samples[0] == "4 (Milano): 5,000 → 3,000 (limit 3,686)"


def test_against_a_batch_further_back_more_rows_may_have_changed(tmp_path: Path) -> None:
    """What one alarm that nobody answers makes of the days after it."""
    history = HistoryFiles(str(tmp_path / "history"))
    history.save(batch("b1"))
    for failed in ("b2", "b3"):
        history.save(replace(batch(failed, [0] * 6), extra=outcome("fail", stale=False)))
    rules = [rule("changed_share", upper=0.2), rule("keys_new", "", upper=0.2), rule("exchanged_share"), rule("unchanged_share", upper=0.4)]
    rules.append(rule("largest_rise", upper=0.5))
    # Half of the values are others: by a fifth a batch 49 % may be after three.
    after = batch("b4", [1001, 201, 91, 5000, 3000, 800], judged=program(*rules))
    found = {v.constraint.metric: v for v in validate(program(*rules), after, history, stale="off").verdicts}
    assert found["changed_share"].upper == pytest.approx(1 - 0.8**3)
    assert (found["changed_share"].status, found["changed_share"].observed) == ("fail", 0.5)
    assert found["keys_new"].upper == pytest.approx(1 - 0.8**3)
    # Few rows are others each time, as the days that leave a window.
    few = validate(program(rule("keys_gone", "", upper=0.011)), after, history, stale="off").verdicts[0]
    assert few.upper == pytest.approx(0.033 * 0.989 / 0.967)
    # What no batch has none has after several, and what stays the same or moves farthest adds up to nothing more.
    assert [found[name].upper for name in ("exchanged_share", "unchanged_share", "largest_rise")] == [0.0, 0.4, 0.5]
    less = batch("b4", [1001, 201, *N[2:]], judged=program(*rules))
    (verdict, *_) = validate(program(*rules), less, history, stale="off").verdicts
    assert (verdict.status, verdict.observed) == ("pass", pytest.approx(1 / 3))
    # Against the batch before it is too many.
    assert judged(tmp_path / "next", rules[0], less).status == "fail"


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ([*N[:5], 1.0], [*N[:5], float("inf")], "6 (Bari): 1 → inf"),
        ([*N[:5], float("-inf")], [*N[:5], 1.0], "6 (Bari): -inf → 1"),
        (pa.array([0] * 6, pa.date32()), pa.array([0] * 5 + [-800_000], pa.date32()), "6 (Bari): 1970-01-01 → -69,120,000,000"),
        (pa.array([0] * 6, pa.date32()), pa.array([0] * 5 + [2_932_896], pa.date32()), "6 (Bari): 1970-01-01 → 9999-12-31"),
    ],
    ids=["infinite", "of infinite", "before year 1", "the last day"],
)
def test_rows_of_any_number_are_named(tmp_path: Path, before: Any, after: Any, said: str) -> None:
    verdict = judged(tmp_path, rule("changed_share"), batch("b2", after), batch("b1", before))
    assert (verdict.status, verdict.observed) == ("fail", pytest.approx(1 / 6)), verdict.message
    assert verdict.samples == (said,)


LEAST = Constraint("n", "min", "numeric", 0.0, None)


def test_of_a_least_value_the_rows_below_the_bound_are_named(tmp_path: Path) -> None:
    """Milano moved farther, and is no fault."""
    verdict = judged(tmp_path / "a", LEAST, batch("b2", [1000, 200, 90, 9, 3000, -1]))
    assert (verdict.status, verdict.samples) == ("fail", ("6 (Bari): 800 → -1",))
    # A new row is not matched: no other row is named in its place.
    verdict = judged(tmp_path / "b", LEAST, batch("b2", [1000, 200, 90, 9, 3000, -1], ids=[1, 2, 3, 4, 5, 7]))
    assert (verdict.status, verdict.samples, "Most of all" in verdict.message) == ("fail", (), False)


def test_rows_that_moved_are_not_told_as_rows_that_fail(tmp_path: Path) -> None:
    history = HistoryFiles(str(tmp_path))
    history.save(batch("b1"))
    run = validate(program(LEAST), batch("b2", [1000, 200, 90, 9, 3000, -1]), history, stale="off")
    counted = with_found(run, BrokenRows({0: Failing(1, ())}))
    assert "      1 of 6 rows fails.\n" in text_report(counted)
    shown = with_found(run, BrokenRows({0: Failing(1, ("-1",))}))
    assert "      1 of 6 rows fails, such as '-1'.\n" in text_report(shown)


def test_rows_that_cannot_be_named_cost_no_verdict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise OverflowError("Lazio")

    monkeypatch.setattr("avh_ui.validator.moved_rows.moved", broken)
    verdict = judged(tmp_path, rule("largest_fall", upper=0.5), batch("b2", [0, 0, 0, 5001, 3002, 803]))
    assert (verdict.status, verdict.samples) == ("fail", ())
    assert "Its rows cannot be named (OverflowError)." in verdict.message
    assert "Lazio" not in verdict.message


def test_exchanged_values_are_told_though_no_distribution_moves(tmp_path: Path) -> None:
    after = batch("b2", [1001, 200, 90, 3002, 5003, 800])
    verdict = judged(tmp_path, rule("exchanged_share"), after)
    assert verdict.status == "fail"
    assert verdict.observed == pytest.approx(2 / 6)
    assert verdict.samples == ("5 (Torino): 3,000 → 5,003", "4 (Milano): 5,000 → 3,002")
    history = HistoryFiles(str(tmp_path / "history"))
    history.save(after)
    series = history.history("p").column("n by id").series("exchanged_share")
    assert series.tolist()[1:] == [pytest.approx(2 / 6)]


@pytest.mark.parametrize(
    ("after", "metric", "observed"),
    [
        ({"n": N[:3], "ids": [1, 2, 3]}, "keys_gone", 0.5),
        ({"n": [*N, 1], "ids": [1, 2, 3, 4, 5, 6, 77]}, "keys_new", 1 / 7),
        ({"n": N, "ids": [1, 2, 3, 4, 5, 5]}, "keys_twice", 0.2),
        ({"n": N, "ids": [1, 2, 3, 4, 5, None]}, "null_keys", 1 / 6),
        ({"n": N, "ids": [11, 12, 13, 14, 15, 16]}, "keys_gone", 1.0),
        ({"n": N, "ids": ["a1", "a2", "a3", "a4", "a5", "a6"]}, "keys_gone", 1.0),
        # Numbers that are written as texts are keys of their own type's numbers no more, unless they are the same digits.
        ({"n": N, "ids": ["1", "2", "3", "4", "5", "06"]}, "keys_gone", 1 / 6),
    ],
)
def test_what_is_wrong_with_keys_is_its_own_result(tmp_path: Path, after: dict[str, Any], metric: str, observed: float) -> None:
    verdict = judged(tmp_path, rule(metric, ""), batch("b2", **after))
    assert verdict.status == "fail", verdict.message
    assert verdict.observed == pytest.approx(observed)
    assert judged(tmp_path, rule(metric, ""), batch("b3")).status == "pass"


def test_values_of_batches_without_a_common_key_are_undefined_and_no_pass(tmp_path: Path) -> None:
    verdict = judged(tmp_path, rule("changed_share", upper=1.0), batch("b2", ids=[11, 12, 13, 14, 15, 16]))
    assert verdict.status == "not_evaluated"
    assert verdict.message.endswith("compares with batch b1, and no row of this batch has a key of a row there.")


@pytest.mark.parametrize(
    ("ids", "why"),
    [([1, 1, 2, 2, 3, 3], "every key of this batch stands in several rows."), ([None] * 6, "no row of this batch has a key.")],
)
def test_where_no_row_is_matched_the_keys_are_what_is_wrong(tmp_path: Path, ids: list[Any], why: str) -> None:
    verdict = judged(tmp_path, rule("changed_share", upper=1.0), batch("b2", ids=ids))
    assert (verdict.status, verdict.message.endswith(f"compares with batch b1, and {why}")) == ("not_evaluated", True), verdict.message


def test_a_key_that_is_renamed_leaves_its_measures_unevaluated(tmp_path: Path) -> None:
    renamed = profile_table(
        pa.table({"ident": [1, 2, 3], "n": [1, 2, 3]}), "p", "b2", KnownTypes(measures=program(rule("keys_gone", "")).measures)
    )
    (told,) = (note for note in renamed.notes if "rows by id is not measured: there is no column 'id', or it is left out." in note)
    assert "`key:` in avh.yml" in told
    for constraint in (rule("keys_gone", ""), rule("changed_share")):
        verdict = judged(tmp_path, constraint, renamed)
        assert verdict.status == "not_evaluated"
        assert any(why in verdict.message for why in ("not measured", "there is no column 'id'"))


def test_a_baseline_of_an_older_release_has_no_sample(tmp_path: Path) -> None:
    old = profile_table(pa.table({"id": [1, 2], "n": [1, 2]}), "p", "b1")
    verdict = judged(tmp_path, rule("changed_share"), batch("b2"), old)
    assert verdict.status == "not_evaluated"
    assert "not measured by that release" in verdict.message


def test_no_text_is_told_where_samples_are_off(tmp_path: Path) -> None:
    before, after = (without_texts(profile) for profile in (batch("b1"), batch("b2", [0, 0, 0, 5001, 3002, 803])))
    verdict = judged(tmp_path, rule("largest_fall", upper=0.5), after, before)
    assert verdict.status == "fail"
    assert verdict.samples == ()
    assert "Lazio" not in verdict.message
    assert not any(b"Roma" in path.read_bytes() for path in tmp_path.rglob("*.parquet"))


def test_views_merge_samples_and_compare_their_columns(tmp_path: Path) -> None:
    from avh_ui.history.views import view

    history = HistoryFiles(str(tmp_path / "history"))
    for profile in (batch("b1", N[:3]), batch("b2", N[3:], ids=[4, 5, 6]), batch("b3", [0, *N[1:]])):
        history.save(profile)
    both, last = view(history, "p", ["b1", "b2"]), view(history, "p", "b3", columns=["n by id"])
    assert last.distance(both, "n by id", "fallen_share") == pytest.approx(1 / 6)
    assert both.metric("rows by id", "keys_twice") == 0.0
    assert view(history, "p", ["b1", "b3"]).metric("rows by id", "keys_twice") == 0.5


def test_an_alarm_of_a_column_of_its_own_names_the_rows_that_moved(tmp_path: Path) -> None:
    """A mean says that something fell; the samples of both batches say which rows, in words and as data."""
    mean = Constraint("n", "mean", "numeric", 1_600.0, None)
    after = batch("b2", [0, 0, 0, 5001, 3002, 803], judged=program(rule("keys_gone", "")))
    history = HistoryFiles(str(tmp_path / "history"))
    history.save(batch("b1"))
    run = validate(program(mean), after, history, stale="off")
    message = run.verdicts[0].message
    assert message.startswith("n: 3 of 3 rows with region Lazio went from 1,290 to 0 together. The average n is 1,468")
    assert "Most of all 1 (Roma): 1,000 → 0;" in message
    report = json.loads(json_report(run))
    record = report["results"][-1]
    assert record["moved"]["rows"][0] == {"key": "1 (Roma)", "before": "1,000", "after": "0"}
    assert (record["moved"]["count"], record["moved"]["among"], record["moved"]["group"]["value"]) == (6, 6, "Lazio")
    schema = json.loads(resources.files("avh_ui.validator").joinpath("run.schema.json").read_text())
    jsonschema.validate(report, schema)
    # What is stored is as of before: both samples tell it at any time.
    assert "moved" not in json.loads(result_to_text(run.verdicts[0]))
    assert validate(program(mean), batch("b3"), history, stale="off").verdicts[0].moved is None


def test_fewer_rows_name_the_keys_that_are_lost(tmp_path: Path) -> None:
    volume = Constraint("n", "row_count", "numeric", 6.0, None)
    lost = batch("b2", N[3:], ids=[4, 5, 6], place=[p for p, _ in PLACES[3:]], region=[r for _, r in PLACES[3:]])
    (verdict,) = [judged(tmp_path, volume, lost)]
    assert verdict.moved is not None
    assert (verdict.moved.what, sorted(verdict.samples)) == ("lost keys", ["1 (Roma)", "2 (Latina)", "3 (Rieti)"])
    assert verdict.message.startswith("Lost keys: 3 of 3 keys with region Lazio. The number of rows is 3, below the lower bound 6.")
    assert verdict.message.endswith(" Lost keys: 1 (Roma); 2 (Latina); 3 (Rieti).")


def test_lost_keys_that_have_nothing_in_common_are_counted_first(tmp_path: Path) -> None:
    judging, kept = program(rule("keys_gone", "", upper=0.1)), [0, 2, 3, 5]
    there = {"place": [PLACES[k][0] for k in kept], "region": [PLACES[k][1] for k in kept]}
    lost = batch("b2", [N[k] for k in kept], ids=[k + 1 for k in kept], judged=judging, **there)
    verdict = judged(tmp_path, judging.constraints[0], lost, batch("b1", judged=judging))
    first = "Lost keys: 2 of 6, such as 2 (Latina); 5 (Torino)."
    assert verdict.message.startswith(f"{first} The share of keys (id) that are gone is 33.3%, above the upper bound 10%.")
    assert verdict.message.count("Latina") == 1
    assert fact_of(verdict) == first


def test_rows_of_a_sample_are_said_to_be_of_one(tmp_path: Path) -> None:
    """Where no fact of all rows is plainer: a share of a sample says of no row what is wrong."""
    history = HistoryFiles(str(tmp_path / "history"))
    few = replace(rule("exchanged_share"), measure=Measure("exchanged_share", ("n",), parameters=(KEY, ("most", 500))))
    n = [1000 + 37 * i for i in range(1000)]
    before = batch("b1", n, judged=program(few))
    history.save(before)
    (sample,) = (one for column in before.columns.values() if (one := find(column.states, RowSample)) is not None)
    first, second = (int(sample.columns["id"].numbers[at]) for at in (10, 400))
    n[first - 1], n[second - 1] = n[second - 1], n[first - 1]
    (verdict,) = validate(program(few), batch("b2", n, judged=program(few)), history, stale="off").verdicts
    assert verdict.fact.startswith("n: 2 of a sample of ")
    assert "took each other's values. Most of all " in verdict.fact
    assert verdict.message.startswith(f"{verdict.fact} The share of exchanged n is about ")
    assert verdict.message.count(f"{first} (") == verdict.fact.count(f"{first} (") <= 1, "rows are named once"
