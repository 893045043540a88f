"""A batch that was delivered before is stale, by any program; a table that rarely changes is not."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from avh_ui.constraints.program import Program, SchemaConstraint
from avh_ui.errors import HistoryError
from avh_ui.history.standings import Standing
from avh_ui.metrics.content import content_of
from avh_ui.metrics.profile import BatchProfile
from avh_ui.store.history_files import HistoryFiles
from avh_ui.validator.report import json_report
from avh_ui.validator.results import RuleResult
from avh_ui.validator.run import Run, exit_code
from avh_ui.validator.validate import validate
from avh_ui.workflows.keeping import keep
from tests.fakes.builders import profile
from tests.fakes.builders import program as made
from tests.fakes.history import FakeHistory

SCHEMA = json.loads((Path(__file__).parents[3] / "avh_ui/validator/run.schema.json").read_text(encoding="utf-8"))


def program() -> Program:
    """A program without a constraint, whose level of schema drift does not matter."""
    return made(constraints=(), schema=SchemaConstraint((), level="off"), version=1, sha256="a" * 64)


def batch(name: str, *values: Any) -> BatchProfile:
    return profile(name, x=list(values) or [1.5, None, 2.0], s=["a", "b", "c"][: len(values) or 3])


def kept(*profiles: BatchProfile) -> FakeHistory:
    history = FakeHistory()
    for one in profiles:
        history.save(one)
    return history


def days(*values: float) -> FakeHistory:
    return kept(*(batch(f"d{k}", value, 1.0) for k, value in enumerate(values, 1)))


def stale(run: Run) -> RuleResult | None:
    return next((r for r in run.rules if r.rule == "stale"), None)


def told(run: Run) -> RuleResult:
    found = stale(run)
    assert found is not None
    return found


def test_the_batch_of_yesterday_again_fails_by_any_program() -> None:
    run = validate(program(), replace(batch("d4", 1.0, 3.0), batch="d4"), kept(batch("d2", 9.0, 1.0), batch("d3", 3.0, 1.0)))
    assert (told(run).status, told(run).level, exit_code(run)) == ("fail", "error", 1)
    assert told(run).message == (
        "The batch is stale: it has the same content as d3, the batch before; the same 2 rows were delivered again, "
        "and none of the last 2 deliveries did so."
    )
    jsonschema.validate(json.loads(json_report(run)), SCHEMA)


def test_rows_with_another_sum_are_not_stale() -> None:
    """Of many values the sketch of distinct ones is kept, which does not know how often each came: the sums do."""
    many = [float(k) for k in range(3_000)]
    old, new = (profile(name, x=[*many, more]) for name, more in (("d1", 5.0), ("d2", 7.0)))
    assert content_of(old) == content_of(new)
    assert stale(validate(program(), new, kept(old))) is None
    assert told(validate(program(), replace(old, batch="d2"), kept(old))).status == "fail"


def test_a_batch_that_cannot_be_read_keeps_no_other_from_being_compared() -> None:
    class Damaged(FakeHistory):
        def standings(self, pipeline: str, batches: Sequence[str]) -> list[Standing]:
            found = days(3.0, 9.0).standings(pipeline, batches)
            return [replace(s, content="", unread="It is damaged.") if s.batch == "d2" else s for s in found]

        def load(self, pipeline: str, batch: str, *args: Any, **more: Any) -> BatchProfile:
            if batch == "d2":
                raise HistoryError("It is damaged.")
            return super().load(pipeline, batch, *args, **more)

    history = Damaged()
    history.profiles = days(3.0, 9.0).profiles
    assert "the same content as d1, 2 batches before" in told(validate(program(), batch("d3", 3.0, 1.0), history)).message


def test_so_does_that_of_the_day_before_yesterday() -> None:
    assert "as d1, 3 batches before;" in told(validate(program(), batch("d4", 5.0, 1.0), days(5, 6, 7))).message


@pytest.mark.parametrize(("severity", "code"), [("error", 1), ("warning", 2), ("off", 0)])
def test_its_severity(severity: Any, code: int) -> None:
    run = validate(program(), batch("d2", 5.0, 1.0), days(5), stale=severity)
    assert (exit_code(run) % 3, stale(run) is None) == (code, severity == "off")


def test_one_row_may_be_the_same_by_chance() -> None:
    run = validate(program(), batch("d2", 5.0), kept(batch("d1", 5.0)))
    assert (told(run).status, told(run).level) == ("warn", "warning")


def test_new_rows_the_first_batch_and_the_batch_itself_are_not_stale() -> None:
    history = days(5, 6)
    assert stale(validate(program(), batch("d3", 7.0, 1.0), history)) is None
    assert stale(validate(program(), batch("d1", 5.0, 1.0), history)) is None
    # Validated again: d2 is itself, and so is what only comes later.
    assert stale(validate(program(), batch("d2", 6.0, 1.0), history)) is None
    assert stale(validate(program(), batch("d1", 6.0, 1.0), history)) is None
    assert stale(validate(program(), batch("x", 6.0, 1.0), kept())) is None
    assert stale(validate(program(), replace(batch("d3", 6.0, 1.0), rows=0), history)) is None


def test_a_table_that_repeats_itself_passes_and_says_so() -> None:
    run = validate(program(), batch("d6", 7.0, 1.0), days(5, 5, 6, 6, 7))
    assert told(run).status == "pass"
    assert told(run).message == "The batch has the same content as d5, as 2 of the last 5 deliveries had that of the batch before them."


def test_changes_that_are_taken_back_make_no_habit_of_the_file_of_yesterday() -> None:
    back = days(5, 6, 5, 6, 7)
    again = told(validate(program(), batch("d6", 7.0, 1.0), back))
    assert (again.status, again.message.endswith("and none of the last 5 deliveries did so.")) == ("fail", True)
    once_more = told(validate(program(), batch("d6", 6.0, 1.0), back))
    assert once_more.status == "pass"
    assert once_more.message == "The batch has the same content as d4, as 2 of the last 5 deliveries had that of an earlier one."


def test_one_repetition_may_be_an_accident_unless_somebody_said_that_it_is_right() -> None:
    history = days(5, 5, 6)
    assert told(validate(program(), batch("d4", 6.0, 1.0), history)).status == "fail"
    history.tell("p", {"d2": "right"})
    assert told(validate(program(), batch("d4", 6.0, 1.0), history)).status == "pass"
    history = days(5, 5, 5, 6)
    history.tell("p", {"d2": "wrong"})
    assert told(validate(program(), batch("d5", 6.0, 1.0), history)).status == "fail"


@pytest.mark.parametrize("severity", ["error", "warning"])
def test_a_repetition_that_alarmed_is_no_habit(severity: Any) -> None:
    history = days(5)
    for day in ("d2", "d3", "d4", "d5"):
        again = batch(day, 5.0, 1.0)
        run = validate(program(), again, history, stale=severity)
        assert told(run).status == ("fail" if severity == "error" else "warn")
        keep(again, run, history)


def test_a_history_of_an_older_release_is_compared_by_the_states_of_its_newest_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    history = days(5, 6)
    monkeypatch.setattr(history, "standings", lambda pipeline, batches: [Standing(b) for b in batches])
    assert told(validate(program(), batch("d3", 6.0, 1.0), history)).status == "fail"
    assert stale(validate(program(), batch("d3", 5.0, 1.0), history)) is None
    history = days(6, 6, 6)
    monkeypatch.setattr(history, "standings", lambda pipeline, batches: [Standing(b) for b in batches])
    assert told(validate(program(), batch("d4", 6.0, 1.0), history)).status == "pass"


def test_a_history_that_cannot_be_read_is_not_evaluated(monkeypatch: pytest.MonkeyPatch) -> None:
    def damaged(*_: object) -> list[Standing]:
        raise HistoryError("damaged")

    history = days(5)
    monkeypatch.setattr(history, "standings", damaged)
    run = validate(program(), batch("d2", 5.0, 1.0), history)
    assert (told(run).status, exit_code(run)) == ("not_evaluated", 3)


def test_files_keep_what_it_takes_and_no_states_are_read_where_the_rows_are_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    history = HistoryFiles(str(tmp_path))
    for k in range(3):
        history.save(batch(f"d{k}", float(k), 1.0))
    assert told(validate(program(), batch("d9", 1.0, 0.0), history)).message.startswith("The batch is stale: it has the same content as d0")
    monkeypatch.setattr(history, "load", lambda *_: pytest.fail("states were read"))
    assert stale(validate(program(), batch("d9", 9.0, 1.0), history)) is None


def test_the_column_that_names_the_batch_is_no_content() -> None:
    def of(name: str, **named: str) -> BatchProfile:
        return replace(profile(name, x=[1.5, None, 2.0], day=[name] * 3), extra=named)

    found = stale(validate(program(), of("d2", batch_column="day"), kept(of("d1", batch_column="day"))))
    assert found is not None
    assert found.status == "fail"
    assert stale(validate(program(), of("d2"), kept(of("d1")))) is None
