"""What every `RunStore` and `FeedbackRepository` must do: subclass, and give a fixture `store`."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from avh_ui.constraints.constraint import Verdict
from avh_ui.constraints.transforms import Transform
from avh_ui.errors import ConflictError, NotFoundError
from avh_ui.review.feedback import Feedback
from avh_ui.validator.results import RuleResult
from avh_ui.validator.run import Run
from tests.fakes.builders import HOSTILE, constraint


def validation(batch: str = "b1", *verdicts: Verdict, pipeline: str = "p", **more: Any) -> Run:
    """A run of one constraint that passed, or of these verdicts."""
    rules = more.pop("rules", (RuleResult("schema", "", "pass", "error", "The columns are those of the program."),))
    found = verdicts or (Verdict(constraint(), "pass", 1.5, 1.0, 2.0, "mean of c is 1.5, within 1 to 2."),)
    return Run(pipeline, batch, 1, "f" * 64, "2026-02-01T00:00:00.000+00:00", 1.5, more.get("rows", 100), rules, found)


def failed(message: str = "mean of c is 9, above the upper bound 2.", **more: Any) -> Verdict:
    """The verdict of a constraint that alarms."""
    return Verdict(constraint(**more), "fail", 9.0, 1.0, 2.0, message, ("9",))


def said(action: str = "known_error", batch: str = "b1", key: str = "k", by: str = "ann", **more: Any) -> Feedback:
    """An entry of the log."""
    return Feedback(batch, key, action, by, "2026-02-01T00:00:00+00:00", **more)  # type: ignore[arg-type]


class RunContract:
    """`RunStore` and `FeedbackRepository`."""

    def test_nothing_is_there_at_first(self, store: Any) -> None:
        assert store.recent("p", 10) == []
        assert store.feedback("p") == []
        with pytest.raises(NotFoundError):
            store.load("p", 1)

    def test_a_run_comes_back_whole(self, store: Any) -> None:
        odd = replace(failed(column="\udc80\0`", lower=-math.inf, transform=Transform(7, True)), observed=math.nan, lower=-math.inf)
        unseen = Verdict(constraint("gone"), "not_evaluated", None, None, None, "could not be computed", ())
        run = validation("b1", odd, unseen, rules=(RuleResult("missing_column", "gone", "warn", "warning", "Column 'gone' is missing."),))
        made = store.load("p", store.add(run))
        assert math.isnan(made.verdicts[0].observed)
        assert replace(made, verdicts=(replace(made.verdicts[0], observed=0.0), *made.verdicts[1:])) == replace(
            run, verdicts=(replace(odd, observed=0.0), unseen)
        )

    def test_an_ingested_batch_says_how_it_lies_in_its_table(self, store: Any) -> None:
        made = store.add(replace(validation("b1"), partition="replaced"))
        store.add(validation("b2"))
        assert [run.partition for run in store.recent("p", 5)] == ["replaced", ""]
        assert store.load("p", made).partition == "replaced"

    def test_a_run_that_could_not_be_read_has_no_rows(self, store: Any) -> None:
        store.add(validation("b1", rows=None))
        assert store.recent("p", 1)[0].rows is None

    def test_the_newest_run_of_a_batch_counts(self, store: Any) -> None:
        for batch in ("b10", "b9", "b11"):
            store.add(validation(batch, failed()))
        again = store.add(validation("b9"))
        found = store.recent("p", 10)
        assert [(run.batch, run.status) for run in found] == [("b9", "pass"), ("b10", "fail"), ("b11", "fail")]
        assert found[0].id == again
        assert [o.key for o in found[1].outcomes] == ["schema/", constraint().key]
        assert [o.status for o in found[1].alarms] == ["fail"]
        assert [run.batch for run in store.recent("p", 2)] == ["b9", "b11"]
        assert [run.batch for run in store.recent("p", 10, ["b10", "nowhere"])] == ["b10"]

    def test_a_run_that_nobody_was_told_of_can_be_passed_over(self, store: Any) -> None:
        told = store.add(validation("b1", failed()))
        quiet = store.add(replace(validation("b1"), quiet=True))
        store.add(replace(validation("b2"), quiet=True))
        assert [run.id for run in store.recent("p", 5, quiet=False)] == [told]
        assert [run.batch for run in store.recent("p", 5)] == ["b1", "b2"]
        assert (store.load("p", told).quiet, store.load("p", quiet).quiet) == (False, True)

    def test_what_did_not_pass_comes_with_its_sentences(self, store: Any) -> None:
        for batch in ("b10", "b9"):
            store.add(validation(batch, failed(), replace(failed("fine", column="d"), status="pass")))
        store.add(validation("b9"))
        found = store.unpassed("p", 10)
        assert [(run.batch, run.rows, [r.message for r in run.results]) for run in found] == [
            ("b9", 100, []),
            ("b10", 100, ["mean of c is 9, above the upper bound 2."]),
        ]
        assert store.load("p", found[1].id).batch == "b10"
        assert [run.batch for run in store.unpassed("p", 1)] == ["b9"]
        assert store.unpassed("q", 10) == []

    def test_what_passes_when_validated_again_is_kept_as_it_was_last(self, store: Any) -> None:
        # Two rules failed, then another one, then none; of another batch one still does.
        store.add(validation("b1", failed(), failed(column="d")))
        second = store.add(validation("b1", failed(metric="max")))
        store.add(validation("b2", failed(), failed(column="d")))
        assert {run.batch for run in store.mended("p", 10)} == {"b1"}
        store.add(validation("b1"))
        store.add(validation("b2", failed()))
        found = [(run.batch, sorted(r.constraint.column + " " + r.constraint.metric for r in run.results)) for run in store.mended("p", 10)]
        assert found == [("b1", ["c mean", "d mean"]), ("b1", ["c max"]), ("b2", ["d mean"])]
        assert store.mended("p", 10)[1].id == second
        assert [run.batch for run in store.mended("p", 1)] == ["b2"]
        assert store.mended("q", 10) == []

    def test_what_is_said_of_an_incident_is_no_label(self, store: Any) -> None:
        label = store.give("p", said("known_error", by="bob"), 0)
        store.give("p", said("own", why="ann"))
        store.give("p", said("comment", why="later"))
        store.give("p", said("false_alarm"), label.seq)
        assert [entry.action for entry in store.feedback("p")] == ["known_error", "own", "comment", "false_alarm"]

    def test_pipelines_are_apart(self, store: Any) -> None:
        run_id = store.add(validation("b1"))
        store.give("p", said())
        assert store.recent("q", 5) == []
        assert store.feedback("q") == []
        with pytest.raises(NotFoundError):
            store.load("q", run_id)

    @pytest.mark.parametrize("text", HOSTILE)
    def test_hostile_texts(self, store: Any, text: str) -> None:
        store.add(validation(text, failed(message=text, column=text)))
        store.give("p", said(batch=text, why=text, by=text))
        (run,) = store.recent("p", 5)
        assert (run.batch, run.outcomes[1].column) == (text, text)
        assert store.load("p", run.id).verdicts[0].message == text
        assert [(e.batch, e.why, e.by) for e in store.feedback("p")] == [(text, text, text)]

    def test_feedback_is_numbered_in_order(self, store: Any) -> None:
        made = [store.give("p", said(action)) for action in ("known_error", "unlabel", "snooze")]
        assert [entry.seq for entry in made] == sorted({entry.seq for entry in made})
        assert store.feedback("p") == made

    def test_the_later_of_two_labels_gets_a_conflict(self, store: Any) -> None:
        first = store.give("p", said("known_error", by="bob"), 0)
        with pytest.raises(ConflictError, match="bob"):
            store.give("p", said("false_alarm"), 0)
        store.give("p", said("false_alarm", batch="b2"), 0)  # another alarm
        store.give("p", said("snooze"), 0)  # no label
        second = store.give("p", said("false_alarm"), first.seq)
        assert [e.seq for e in store.feedback("p")][-1] == second.seq

    def test_threads_lose_nothing(self, store: Any) -> None:
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda k: (store.add(validation(f"b{k}")), store.give("p", said(batch=f"b{k}"))), range(16)))
        assert len(store.recent("p", 100)) == len(store.feedback("p")) == 16
