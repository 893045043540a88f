"""`samples: off`: a value of the data that nobody can guess is nowhere but at its source."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import avh_ui
from avh_ui.config import Config
from avh_ui.constraints.pattern_constraint import METRIC, Pattern, PatternConstraint
from avh_ui.errors import SourceError, SparkError, UsageError
from avh_ui.metrics.profiler import FailedBatch, Watch
from avh_ui.metrics.regexes import portable
from avh_ui.review.suggestion import Suggestion, SuggestionRun
from avh_ui.store.history_files import HistoryFiles
from avh_ui.store.measured_files import MeasuredFiles
from avh_ui.store.program_files import ProgramFiles
from avh_ui.store.reviews_sql import ReviewsSql
from avh_ui.store.runs_sql import RunsSql
from avh_ui.validator.report import render
from avh_ui.workflows.services import Services
from avh_ui.workflows.withholding import WithheldProfiler, unless_withheld
from avh_ui.workspace import Workspace
from tests.fakes.profiler import FakeProfiler
from tests.fakes.workspaces import FakeWorkspace, day, orders

SECRET = "Xq7secretvalue"
DAYS = 10
PATTERN = Pattern("c<digit>", portable("c\\d"), 1_000, 10)
CODES = PatternConstraint(
    "country", METRIC, "string", None, None, origin="corpus", pattern=PATTERN, significance=0.01, usual=100
).with_test_bound()


def table(k: int) -> pa.Table:
    """A batch with the secret among its texts; the last one has it often enough to alarm."""
    made = orders(k, rows=100)
    texts = [SECRET if i < (1 if k < DAYS else 60) else f"c{i % 7}" for i in range(100)]
    return made.set_column(2, "country", pa.array(texts))


@pytest.fixture(params=["off", "on"])
def made(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Workspace, bool]]:
    """A workspace on real stores, and whether texts may leave the source."""
    source = {"source": {"path": "data/{batch}.parquet"}, "samples": request.param}
    config = Config.model_validate({"pipelines": {"orders": source}})
    database = f"sqlite:///{tmp_path / 'reviews.db'}"
    reviews, runs = ReviewsSql(database), RunsSql(database)
    services = Services(
        tmp_path,
        config,
        profiler=FakeProfiler({"orders": {day(k): table(k) for k in range(DAYS)}}),
        history=HistoryFiles(str(tmp_path / "history")),
        reviews=reviews,
        programs=ProgramFiles(str(tmp_path / "programs")),
        runs=runs,
        feedback=runs,
        measured=MeasuredFiles(str(tmp_path / "history")),
        actor="ann",
    )
    yield Workspace(services), request.param == "on"
    runs.close()
    reviews.close()


def publish(ws: Workspace, constraint: PatternConstraint) -> None:
    run = SuggestionRun(
        "orders", (Suggestion(constraint.key, "orders", constraint),), (), 0.001, day(0), day(DAYS - 1), DAYS, "2024-02-01T00:00:00+00:00"
    )
    ws.services.suggestions._reviews.save_run(run)
    ws.decide("orders", [constraint.key], "accept")
    ws.publish("orders", message="mine")


def kept(root: Path) -> str:
    """Everything in a workspace's files, as text: history as its states, databases as their rows."""
    found = [str(row) for row in sqlite3.connect(root / "reviews.db").iterdump()]
    found += [path.read_bytes().decode("utf-8", "replace") for path in root.rglob("*") if path.is_file()]
    history = HistoryFiles(str(root / "history"))
    for batch in history.batches("orders"):
        for column in history.load("orders", batch).columns.values():
            found += [state.to_record().decode("utf-8", "replace") for state in column.states.values()]
    return "\n".join(found)


def test_a_secret_of_the_data_is_in_no_output_and_no_store(made: tuple[Workspace, bool], tmp_path: Path) -> None:
    ws, on = made
    ws.profile("orders")
    draft = ws.suggest("orders")
    ws.decide("orders", [item.suggestion.id for item in draft.items], "accept")
    ws.publish("orders", message="what was suggested")
    publish(ws, CODES)
    ws.services.runs._profiler = unless_withheld(FakeProfiler({"orders": {day(k): table(k) for k in range(DAYS + 1)}}), ws.config)
    run = ws.validate("orders", batch=day(DAYS))
    assert run.status == "fail"
    told = "\n".join(render(run, form) for form in ("text", "json", "junit"))  # type: ignore[arg-type]
    assert (SECRET in told) == on
    assert (SECRET in kept(tmp_path)) == on
    assert (SECRET in repr(ws.batch("orders", day(1)).columns["country"].states)) == on
    if not on:
        # Two ends of a column are one rule, which is called a relation.
        assert {item.suggestion.constraint.origin for item in draft.items} <= {"history", "relation"}
        assert SECRET not in repr(ws.reprogram("orders"))


def test_metrics_and_distances_are_those_of_the_values(tmp_path: Path) -> None:
    plain = FakeProfiler({"orders": {day(k): table(k) for k in (1, 2)}})
    config = Config.model_validate({"pipelines": {"orders": {"source": {"path": "{batch}"}, "samples": False}}})
    one, two = ({r.batch: r for r in p.profile("orders", [day(1), day(2)], Watch())} for p in (plain, WithheldProfiler(plain, config)))
    for name in ("country", "amount"):
        columns = [[found[day(k)].columns[name] for k in (1, 2)] for found in (one, two)]  # type: ignore[union-attr]
        assert [c.single_metrics() for c in columns[0]] == [c.single_metrics() for c in columns[1]]
        assert columns[0][1].distances(columns[0][0]) == columns[1][1].distances(columns[1][0])


def test_rows_and_rules_of_values_are_refused(made: tuple[Workspace, bool]) -> None:
    ws, on = made
    if on:
        assert SECRET in ws.sample("orders", day(1)).column("country").to_pylist()
        return
    with pytest.raises(UsageError, match="no rows of it are shown"):
        ws.sample("orders", day(1))
    with pytest.raises(UsageError, match="patterns and rules of values would hold values"):
        ws.suggest("orders", sources=["corpus"])


class Talking(FakeProfiler):
    """A source whose errors quote the data, as Spark's do."""

    def profile(self, *_: Any, **__: Any) -> Iterator[FailedBatch]:  # type: ignore[override]
        yield FailedBatch(day(1), f"[CAST_INVALID_INPUT] The value '{SECRET}' of the type STRING", "unreadable")

    def sample(self, *_: Any, **__: Any) -> pa.Table:
        raise SparkError(f"A Spark job failed: ValueError: {SECRET}")

    def batches(self, pipeline: str) -> list[str]:
        raise SourceError("cannot be read") from ValueError(SECRET)


def test_words_of_errors_are_left_out_and_their_condition_stays() -> None:
    config = Config.model_validate({"pipelines": {"orders": {"source": {"path": "{batch}"}, "samples": "off"}}})
    profiler = WithheldProfiler(Talking({}), config)
    (failed,) = profiler.profile("orders", [day(1)], Watch())
    assert isinstance(failed, FailedBatch)
    assert failed.reason.startswith(f"Batch '{day(1)}' cannot be read (CAST_INVALID_INPUT). What Spark says")
    with pytest.raises(SparkError, match="is left out") as error:
        profiler.sample("orders", day(1), 10, 0)
    assert error.value.__cause__ is None
    assert error.value.__suppress_context__
    with pytest.raises(SourceError, match="is left out"):
        profiler.batches("orders")


def test_words_of_errors_that_nobody_foresaw_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Arrow quotes the value that it cannot convert, and the log file is for strangers."""
    from avh_ui.cli.failures import failure_of

    class Quoting(FakeProfiler):
        def profile_path(self, *_: Any, **__: Any) -> Any:
            raise pa.ArrowInvalid(f"Could not convert '{SECRET}' with type str")

    monkeypatch.setenv("AVH_LOG_DIR", str(tmp_path))
    config = Config.model_validate({"pipelines": {"orders": {"source": {"path": "{batch}"}, "samples": "off"}}})
    with pytest.raises(RuntimeError, match="ArrowInvalid, whose words may quote the data") as error:
        WithheldProfiler(Quoting({}), config).profile_path("orders", "x", "b", Watch())
    found = failure_of(error.value)
    assert found.log is not None
    log = Path(found.log).read_text()
    assert (SECRET in found.sentence + log, "in profile_path" in log) == (False, True)


def test_python_keeps_no_text_either(tmp_path: Path) -> None:
    from tests.fakes.builders import program

    programs, history = ProgramFiles(str(tmp_path / "programs")), HistoryFiles(str(tmp_path / "history"))
    made = program()
    programs.publish(replace(made, pipeline="orders", version=1, constraints=(CODES,), sha256=""))
    run = avh_ui.validate(table(DAYS), pipeline="orders", batch=day(DAYS), programs=programs, history=history, samples=False)
    assert SECRET not in render(run, "json")
    assert not any(
        SECRET in json.dumps(list(c.states["frequencies"].table))
        for c in history.load("orders", day(DAYS)).columns.values()
        if "frequencies" in c.states
    )  # type: ignore[attr-defined]


def test_an_unreadable_frame_is_told_without_its_words(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise SparkError(f"[CAST_INVALID_INPUT] The value {SECRET!r} cannot be cast")

    monkeypatch.setattr("avh_ui.dataframes.profile_of", refused)
    ws = FakeWorkspace(days=8).published()
    for samples in (True, False):
        run = avh_ui.validate(None, pipeline="orders", batch=day(9), programs=ws.store, history=ws.profiles, samples=samples)
        assert run.status == "not_evaluated"
        assert (SECRET in render(run, "text")) == samples
        assert "CAST_INVALID_INPUT" in render(run, "text")
