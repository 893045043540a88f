"""The rows that break a program's rules: counted, shown, and kept apart, whole or not at all, once per run."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from avh_ui import checks
from avh_ui.constraints.constraint import Constraint, Verdict
from avh_ui.errors import DeliveryError, SourceError
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.profiler import Watch
from avh_ui.store.records import result_from_text, result_to_text
from avh_ui.validator.alarms import judged
from avh_ui.validator.arrow_rows import ArrowRows
from avh_ui.validator.failing import failing_words
from avh_ui.validator.report import json_report, text_report
from avh_ui.validator.run import Run
from avh_ui.workflows.bad_rows import keep, looked_at, place
from tests.fakes.workspaces import DAYS, FakeWorkspace, config, day, orders

NEXT = day(DAYS)
# The mean is no row's own.
RULES = (
    Constraint("country", "complete_ratio", "string", 1.0, 1.0, fpr=0.0001),
    Constraint("amount", "min", "numeric", 0.0, 90.0, fpr=0.0001),
    Constraint("amount", "mean", "numeric", 0.0, 500.0, fpr=0.0001),
)


def spoilt() -> pa.Table:
    """A batch with three rows without a country, and one whose amount is too small; it has a column `failed` of its own."""
    table = orders(DAYS)
    countries = pa.array([None] * 3 + table.column("country").to_pylist()[3:])
    amounts = pa.array([*table.column("amount").to_pylist()[:-1], -7.5])
    return table.set_column(2, "country", countries).set_column(1, "amount", amounts).append_column("failed", pa.array(["x"] * 400))


@pytest.fixture
def ws() -> FakeWorkspace:
    workspace = FakeWorkspace().published(*RULES)
    workspace.profiler.tables["orders"][NEXT] = spoilt()
    return workspace


def of(run: Run, metric: str) -> Verdict:
    (found,) = (v for v in run.verdicts if v.constraint.metric == metric)
    return found


def test_rows_are_counted_where_a_rule_is_broken(ws: FakeWorkspace) -> None:
    assert ws.validate("orders", batch=day(19)).status == "pass"
    assert ws.profiler.read == [], "what passes is not read twice"
    run = ws.validate("orders", batch=NEXT)
    assert ws.profiler.read == [NEXT]
    assert (of(run, "complete_ratio").failing, of(run, "min").failing, of(run, "mean").failing) == (3, 1, None)
    assert of(run, "min").samples == ("-7.5",)
    assert "      1 of 400 rows fails, such as '-7.5'." in text_report(run).splitlines()
    told = {r.get("metric"): r for r in json.loads(json_report(run))["results"]}
    assert (told["min"]["failing_rows"], told["min"]["samples"], "failing_rows" in told["mean"]) == (1, ["-7.5"], False)
    kept = ws.run("orders", ws.runs("orders")[-1].id)
    assert of(kept, "complete_ratio").failing == 3


def test_a_record_of_before_is_the_same_text() -> None:
    verdict = Verdict(RULES[0], "pass", 1.0, 1.0, 1.0, "All there.")
    assert not {"failing", "kept"} & json.loads(result_to_text(verdict)).keys()
    more = Verdict(RULES[0], "fail", 0.5, 1.0, 1.0, "Half is there.", ("a",), 12, "q/p/b/1")
    assert [result_from_text(result_to_text(one)) for one in (verdict, more)] == [verdict, more]


def test_no_sample_is_told_with_samples_off() -> None:
    ws = FakeWorkspace(settings=config(pipeline={"samples": "off"})).published(*RULES)
    ws.profiler.tables["orders"][NEXT] = spoilt()
    run = ws.validate("orders", batch=NEXT)
    assert (of(run, "min").failing, of(run, "min").samples) == (1, ())


def test_bad_rows_are_kept_with_their_reasons(ws: FakeWorkspace, tmp_path: Path) -> None:
    run = ws.validate("orders", batch=NEXT, quarantine=str(tmp_path / "bad"))
    folder = place(str(tmp_path / "bad"), run)
    assert of(run, "complete_ratio").kept == of(run, "min").kept == folder
    assert run.notes[-1] == f"4 rows that break rules are kept in {folder}."
    rows = pq.read_table(folder)
    assert rows.column_names == [*spoilt().column_names, "failed_", "avh_pipeline", "avh_batch", "avh_run"]
    assert rows.select(spoilt().column_names) == spoilt().take([0, 1, 2, 399])
    told = [{"rule": "complete_ratio of country", "why": "country is null", "level": "error"}]
    small = [{"rule": "min of amount", "why": "amount is not at least 0", "level": "error"}]
    assert rows.column("failed_").to_pylist() == [told, told, told, small]
    assert rows.select(["avh_pipeline", "avh_batch", "avh_run"]).to_pylist()[0] == {
        "avh_pipeline": "orders", "avh_batch": NEXT, "avh_run": run.started,
    }  # fmt: skip
    assert of(ws.run("orders", ws.runs("orders")[-1].id), "min").kept == folder


def test_nothing_is_written_where_no_row_is_bad(ws: FakeWorkspace, tmp_path: Path) -> None:
    assert ws.validate("orders", batch=day(19), quarantine=str(tmp_path)).status == "pass"
    run = ws.validate("orders", batch=NEXT, store=False)
    warned = tuple(replace(v, constraint=replace(v.constraint, level="warning")) for v in run.verdicts)
    found, bad = looked_at(replace(run, verdicts=warned), lambda: ArrowRows(spoilt()), Watch(), quarantine=str(tmp_path))
    assert (of(found, "min").failing, of(found, "min").kept, bad) == (1, "", None)
    assert list(tmp_path.iterdir()) == []


def test_a_run_is_kept_once(ws: FakeWorkspace, tmp_path: Path) -> None:
    run = ws.validate("orders", batch=NEXT, quarantine=str(tmp_path))
    folder = Path(of(run, "complete_ratio").kept)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(DeliveryError, match="is there already"):
        keep(ArrowRows(spoilt()), run, str(folder))
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    again = ws.validate("orders", batch=NEXT, quarantine=str(tmp_path))
    assert of(again, "complete_ratio").kept != str(folder)


def test_names_of_batches_make_no_other_folders(ws: FakeWorkspace) -> None:
    run = ws.validate("orders", batch=NEXT)
    for name, escaped in (("../x", "..%2Fx"), ("..", "%2E%2E"), ("d=1/h=2", "d=1%2Fh=2"), ("a:b", "a%3Ab")):
        other = Run("p", name, 1, "", run.started, 0.0, 1, (), ())
        assert place("/q/", other).split("/")[:4] == ["", "q", "p", escaped]
        # Whoever looks at the run stands elsewhere.
        assert place("q", other) == f"{Path.cwd()}{place('/q', other)}"


def test_what_cannot_be_written_keeps_the_verdict(ws: FakeWorkspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: ArrowRows, rules: Any, folder: str, more: Any) -> None:
        Path(folder).mkdir()
        (Path(folder) / "part-0.parquet").write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ArrowRows, "write_bad", full)
    with pytest.raises(DeliveryError, match=r"The bad rows were not kept: .* could not be written: .*No space left") as raised:
        ws.validate("orders", batch=NEXT, quarantine=str(tmp_path))
    run = raised.value.run
    assert (run.status, of(run, "complete_ratio").failing, of(run, "complete_ratio").kept) == ("fail", 3, "")
    assert not any("kept in" in note for note in run.notes)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    assert of(ws.run("orders", ws.runs("orders")[-1].id), "complete_ratio").kept == ""


def test_a_folder_that_is_a_file_is_told(ws: FakeWorkspace, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(DeliveryError, match="The bad rows were not kept"):
        ws.validate("orders", batch=NEXT, quarantine=str(tmp_path / "file"))


def test_rows_that_cannot_be_read_again_leave_the_verdicts(ws: FakeWorkspace, tmp_path: Path) -> None:
    run = ws.validate("orders", batch=NEXT)

    def gone() -> ArrowRows:
        raise SourceError("The file vanished.")

    noted, bad = looked_at(run, gone, Watch(), quarantine=str(tmp_path))
    assert noted.notes[-1] == "The rows that break rules are not counted: The file vanished."
    assert bad is not None
    with pytest.raises(DeliveryError, match="The file vanished"):
        bad.write()


def test_a_delta_table_is_the_pipelines_and_appended_to(ws: FakeWorkspace) -> None:
    run = ws.validate("orders", batch=NEXT, record=False)
    written: list[tuple[str, dict[str, str]]] = []

    class Delta(ArrowRows):
        def write_bad(self, rules: Any, folder: str, more: Any) -> None:
            written.append((folder, dict(more)))

    assert place("delta:/lake/bad/", run) == "delta:/lake/bad/orders"
    keep(Delta(spoilt()), run, place("delta:s3://lake", run))
    assert written == [("delta:s3://lake/orders", {"avh_pipeline": "orders", "avh_batch": NEXT, "avh_run": run.started})]
    with pytest.raises(DeliveryError, match="A Delta table is written by Spark"):
        keep(ArrowRows(spoilt()), run, "delta:bad/orders")


def test_a_run_says_what_the_failing_rows_share_and_keeps_it(ws: FakeWorkspace) -> None:
    table = orders(DAYS)
    codes = [f"c{k % 4}" for k in range(400)]
    countries = [None if code == "c2" else value for code, value in zip(codes, table.column("country").to_pylist(), strict=True)]
    spoilt = table.set_column(2, "country", pa.array(countries)).append_column("shop", pa.array(codes))
    ws.profiler.tables["orders"][NEXT] = spoilt
    verdict = of(run := ws.validate("orders", batch=NEXT), "complete_ratio")
    assert [(one.column, one.values, one.failing, one.rows) for one in verdict.shared] == [("shop", ("c2",), 100, 100)]
    assert "      100 of 400 rows fail: they are all rows in which shop is c2. Such are '" in text_report(run)
    (told,) = (one for one in json.loads(json_report(run))["results"] if one.get("metric") == "complete_ratio")
    assert told["shared"] == [{"column": "shop", "values": ["c2"], "failing": 100, "rows": 100}]
    assert result_from_text(result_to_text(verdict)) == replace(verdict, moved=None)


def test_of_columns_that_keep_together_it_says_which_one_has_one_value(ws: FakeWorkspace) -> None:
    first, second = np.arange(400) % 19 + 1, np.arange(400) % 7 + 1
    total = np.where(np.arange(400) < 132, 0, first + second)
    table = pa.table({"first": first, "second": second, "total": total})
    columns = {name: ColumnProfile.from_arrow(name, table.column(name)) for name in table.column_names}
    rule = checks.satisfies("`total` = `first` + `second`").constraint()
    run = replace(ws.validate("orders", batch=NEXT, record=False), row_count=400)
    run = replace(run, verdicts=(Verdict(rule, "fail", 0.67, 1.0, 1.0, "It is so in 67% of the rows."),))
    (verdict,) = looked_at(run, lambda: ArrowRows(table), Watch(), columns=columns)[0].verdicts
    assert failing_words(verdict, 400, ()) == "132 of 400 rows fail: they are all rows in which total is 0."
    # What the rule's own columns have tells no incident of other rows.
    assert [one.among for one in judged("b", 400, [verdict]).alarms] == [frozenset()]
    (silent,) = looked_at(run, lambda: ArrowRows(table), Watch(), samples=False, columns=columns)[0].verdicts
    assert silent.shared == ()
    other = table.set_column(2, "total", pa.array(np.where(np.arange(400) < 132, total - np.arange(400) - 1, total)))
    columns["total"] = ColumnProfile.from_arrow("total", other.column("total"))
    (verdict,) = looked_at(run, lambda: ArrowRows(other), Watch(), columns=columns)[0].verdicts
    assert (verdict.failing, verdict.shared) == (132, ()), "no one value is wrong"
