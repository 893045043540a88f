"""What every implementation of a port must do: subclass, and give a fixture `repository` (or `store`)."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.constraints.codec import program_sha256
from avh_ui.constraints.evidence import FromHistory, Record
from avh_ui.constraints.pattern_constraint import Pattern, PatternConstraint
from avh_ui.constraints.program_store import ProgramStore
from avh_ui.constraints.transforms import Transform
from avh_ui.errors import ConflictError, ConstraintError, NotFoundError, ProgramNotFoundError
from avh_ui.history.parts import merge_parts
from avh_ui.history.repository import HistoryRepository
from avh_ui.metrics.catalogue import measured_for
from avh_ui.metrics.segment import Segment
from avh_ui.review.decision import Decision
from avh_ui.review.draft import fold
from avh_ui.review.note import Note
from avh_ui.review.repository import ReviewRepository
from avh_ui.review.suggestion import RunSettings, Suggestion, SuggestionRun
from tests.fakes.builders import HOSTILE, profile, program, run, segmented, suggestion


class HistoryContract:
    """`HistoryRepository`."""

    def test_nothing_is_there_at_first(self, repository: HistoryRepository) -> None:
        assert repository.batches("p") == []
        history = repository.history("p")
        assert history.batches == ()
        assert history.columns == {}
        assert len(history.rows) == 0
        repository.delete("p", "b1")

    def test_batches_are_in_natural_order_and_pipelines_apart(self, repository: HistoryRepository) -> None:
        for batch in ("b10", "b9", "b1"):
            repository.save(profile(batch, n=[1.0]))
        repository.save(profile("other", "q", n=[1.0]))
        assert repository.batches("p") == ["b1", "b9", "b10"]
        assert repository.batches("q") == ["other"]

    def test_a_profile_comes_back_whole(self, repository: HistoryRepository) -> None:
        saved = profile("b1", n=[1.0, math.nan, math.inf, None], s=["a", "\n", None, "ü"], t=[True, None, False, True])
        repository.save(saved)
        loaded = repository.load("p", "b1")
        assert loaded.digest == saved.digest
        assert (loaded.pipeline, loaded.batch, loaded.rows) == ("p", "b1", 4)
        assert (loaded.notes, loaded.profiled_at, loaded.extra) == (saved.notes, saved.profiled_at, saved.extra)
        assert list(loaded.columns) == ["n", "s", "t"]
        assert [c.type for c in loaded.columns.values()] == [c.type for c in saved.columns.values()]
        assert loaded.columns["n"].states.keys() == saved.columns["n"].states.keys()

    def test_a_failed_batch_is_not_what_the_next_is_compared_with(self, repository: HistoryRepository) -> None:
        levels = {"b1": 1.0, "b2": 9.0, "b3": 9.0, "b4": 1.0}
        for batch, level in levels.items():
            status = {"validation": "fail"} if batch == "b2" else {}
            repository.save(replace(profile(batch, n=[level, level + 1]), extra=status))

        def far() -> list[float]:
            return repository.history("p").column("n").series("ks_dist").tolist()[1:]

        assert repository.history("p").baselines == ("", "b1", "b1", "b3")
        assert far() == [1.0, 1.0, 1.0]
        # A false alarm is as good as none, and a batch that is wrong is no measure though it passed.
        repository.tell("p", {"b2": "right", "b3": "wrong"})
        assert repository.history("p").baselines == ("", "b1", "b2", "b2")
        assert far() == [1.0, 0.0, 1.0]
        found = repository.standings("p", ["b3", "b2"])
        assert [(s.batch, s.failed, s.said, s.sound) for s in found] == [("b3", False, "wrong", False), ("b2", True, "right", True)]
        repository.save(profile("b5", n=[9.0, 10.0]))
        assert repository.history("p").baselines[-1] == "b4"
        repository.tell("p", {})
        assert far() == [1.0, 1.0, 1.0, 1.0]

    def test_the_content_of_batches_is_known_without_their_states(self, repository: HistoryRepository) -> None:
        for batch, rows in {"b1": [1, 2, None], "b2": [2, 1, None], "b3": [2, 1, 1]}.items():
            repository.save(profile(batch, n=rows))
        first, second, third = (standing.content for standing in repository.standings("p", ["b1", "b2", "b3"]))
        assert first == second != third
        with pytest.raises(NotFoundError, match="b3"):
            repository.standings("p", ["b4"])

    def test_some_columns_are_loaded(self, repository: HistoryRepository) -> None:
        repository.save(profile("b1", a=[1], b=[2], c=[3]))
        assert list(repository.load("p", "b1", ["c", "a", "nowhere"]).columns) == ["a", "c"]
        assert repository.load("p", "b1", []).columns == {}

    def test_a_batch_that_is_not_there(self, repository: HistoryRepository) -> None:
        repository.save(profile("2026-01-01", n=[1]))
        with pytest.raises(NotFoundError, match="2026-01-01"):
            repository.load("p", "2026-01-02")
        with pytest.raises(NotFoundError, match="2026-01-01"):
            repository.history("p", upto="2026-01-02")

    def test_series_and_distances(self, repository: HistoryRepository) -> None:
        repository.save(profile("b1", n=[1.0, 3.0]))
        repository.save(profile("b2", n=[2.0, 6.0]))
        column = repository.history("p").column("n")
        assert list(column.series("mean")) == [2.0, 4.0]
        assert math.isnan(column.series("emd")[0])
        assert column.series("emd")[1] == pytest.approx(2.0)
        assert list(column.present) == [True, True]
        assert set(column.values) == {m.name for m in measured_for("numeric")}
        assert list(repository.history("p").rows) == [2, 2]

    def test_replacing_a_batch_moves_its_successors_distances(self, repository: HistoryRepository) -> None:
        for batch, value in (("b1", 1.0), ("b2", 5.0), ("b3", 6.0)):
            repository.save(profile(batch, n=[value]))
        assert list(repository.history("p").column("n").series("emd"))[1:] == [4.0, 1.0]
        repository.save(profile("b2", n=[1.0]))
        assert list(repository.history("p").column("n").series("emd"))[1:] == [0.0, 5.0]
        repository.delete("p", "b2")
        assert list(repository.history("p").column("n").series("emd"))[1:] == [5.0]
        repository.save(profile("b0", n=[3.0]))
        assert list(repository.history("p").column("n").series("emd"))[1:] == [2.0, 5.0]
        repository.delete("p", "b0")
        repository.delete("p", "b1")
        assert np.isnan(repository.history("p").column("n").series("emd")).all()

    def test_upto_and_columns(self, repository: HistoryRepository) -> None:
        for k in range(4):
            repository.save(profile(f"b{k}", n=[k], m=[k]))
        history = repository.history("p", ["m", "nowhere"], upto="b2")
        assert history.batches == ("b0", "b1", "b2")
        assert list(history.columns) == ["m"]
        assert list(history.column("m").series("max")) == [0, 1, 2]
        assert len(repository.history("p").batches) == 4

    def test_a_column_that_comes_goes_and_changes_kind(self, repository: HistoryRepository) -> None:
        repository.save(profile("b1", x=["1"], gone=[1]))
        repository.save(profile("b2", gone=[2]))
        repository.save(profile("b3", x=[3], new=[1]))
        repository.save(profile("b4", x=[4], new=[1]))
        history = repository.history("p")
        assert list(history.columns) == ["x", "new", "gone"]
        x = history.column("x")
        assert (x.kind, x.type) == ("numeric", "int64")
        assert list(x.present) == [False, False, True, True]
        assert np.isnan(x.series("max")[:2]).all()
        assert np.isnan(x.series("emd")[:3]).all()
        assert x.series("emd")[3] == 1.0
        assert list(history.column("gone").present) == [True, True, False, False]
        assert repository.history("p", upto="b2").column("x").kind == "string"

    def test_a_column_without_a_value_is_of_no_kind(self, repository: HistoryRepository) -> None:
        """Files without types tell none of a column of nulls."""
        nothing = pa.array([None, None], pa.string())
        for batch, values in {"b1": ["1"], "b2": nothing, "b3": [1.5], "b4": nothing, "b5": [2.5]}.items():
            repository.save(profile(batch, x=values))
        x = repository.history("p").column("x")
        # Before its first value it is as if it was not there.
        assert (x.kind, list(x.present)) == ("numeric", [False, False, True, True, True])
        assert list(x.series("complete_ratio")) == [1, 0, 1, 0, 1]
        assert list(x.series("row_count")) == [1, 2, 1, 2, 1]
        assert np.isnan(x.series("max")[[0, 1, 3]]).all()
        # It is not said that a release did not measure what a column of nulls has not.
        assert not any(there[3] for there in x.untold.values())

    def test_undefined_and_infinite_metrics(self, repository: HistoryRepository) -> None:
        repository.save(profile("b1", n=[math.inf], e=[None]))
        repository.save(profile("b2", n=[1.0], e=[None]))
        history = repository.history("p")
        assert history.column("n").series("max")[0] == math.inf
        assert list(history.column("e").series("complete_ratio")) == [0, 0]
        assert np.isnan(history.column("e").series("unique_ratio")).all()

    @pytest.mark.parametrize("text", HOSTILE, ids=lambda t: repr(t[:12]))
    def test_hostile_batches_and_columns(self, repository: HistoryRepository, text: str) -> None:
        saved = profile(text, **{text: [1.0], "n": [1.0]})
        repository.save(saved)
        repository.save(profile("zz", **{text: [2.0]}))
        assert set(repository.batches("p")) == {text, "zz"}
        assert repository.load("p", text, [text]).columns[text].name == text
        history = repository.history("p")
        assert sorted(history.column(text).series("max")) == [1.0, 2.0]
        repository.delete("p", text)
        assert repository.batches("p") == ["zz"]

    def test_the_series_cannot_be_changed_by_who_gets_them(self, repository: HistoryRepository) -> None:
        repository.save(profile("b1", n=[1.0]))
        with pytest.raises(ValueError, match="read-only"):
            repository.history("p").column("n").series("max")[0] = 5

    def test_an_empty_batch(self, repository: HistoryRepository) -> None:
        repository.save(profile("b1"))
        repository.save(profile("b2", n=[]))
        assert list(repository.history("p").rows) == [0, 0]
        assert list(repository.history("p").column("n").present) == [False, True]

    # Segments and parts

    def test_without_segments(self, repository: HistoryRepository) -> None:
        repository.save(profile("b1", n=[1.0]))
        assert repository.segments("p") == []
        assert repository.segments("nowhere") == []
        with pytest.raises(NotFoundError):
            repository.load("p", "b1", segment=EU)
        with pytest.raises(NotFoundError, match="r=EU"):
            repository.history("p", segment=EU)

    def test_segments_are_kept_with_their_batch(self, repository: HistoryRepository) -> None:
        saved = segmented("b1", "r", r=["EU", "US", "EU", None], n=[1.0, 2.0, 3.0, 4.0])
        repository.save(saved)
        assert repository.segments("p") == [EU, US, NONE]
        assert repository.batches("p") == ["b1"]
        loaded = repository.load("p", "b1", segment=EU)
        assert (loaded.batch, loaded.rows, list(loaded.columns)) == ("b1", 2, ["r", "n"])
        assert loaded.digest == saved.segments[EU].digest
        assert repository.load("p", "b1", ["n"], US).columns["n"].single_metrics()["max"] == 2.0
        whole = repository.load("p", "b1")
        assert (whole.rows, whole.digest, whole.segments) == (4, saved.digest, {})
        with pytest.raises(NotFoundError, match="r=EU"):
            repository.load("p", "b1", segment=Segment((("r", "EV"),)))

    def test_replacing_and_deleting_keep_segments_in_step(self, repository: HistoryRepository) -> None:
        repository.save(segmented("b1", "r", r=["EU", "US"], n=[1.0, 2.0]))
        repository.save(segmented("b2", "r", r=["EU", "US"], n=[3.0, 4.0]))
        repository.save(segmented("b1", "r", r=["EU", "AS"], n=[5.0, 6.0]))
        assert repository.segments("p") == [Segment((("r", "AS"),)), EU, US]
        with pytest.raises(NotFoundError):
            repository.load("p", "b1", segment=US)
        assert list(repository.history("p", segment=EU).column("n").series("max")) == [5.0, 3.0]
        assert repository.history("p", segment=US).batches == ("b2",)
        repository.delete("p", "b2")
        assert repository.history("p", segment=EU).batches == ("b1",)
        with pytest.raises(NotFoundError):
            repository.history("p", segment=US)
        repository.save(profile("b1", n=[1.0]))
        assert repository.segments("p") == []

    def test_a_segments_series_compare_with_the_batch_before_that_has_it(self, repository: HistoryRepository) -> None:
        repository.save(segmented("b1", "r", r=["EU", "US"], n=[1.0, 10.0]))
        repository.save(segmented("b2", "r", r=["EU"], n=[2.0]))
        repository.save(profile("b3", n=[7.0]))
        repository.save(segmented("b4", "r", r=["EU", "US"], n=[5.0, 40.0]))
        assert list(repository.history("p", segment=EU).column("n").series("emd"))[1:] == [1.0, 3.0]
        us = repository.history("p", segment=US)
        assert us.batches == ("b1", "b4")
        assert list(us.rows) == [1, 1]
        assert us.column("n").series("emd")[1] == 30.0
        assert repository.history("p", segment=US, upto="b3").batches == ("b1",)
        assert list(repository.history("p", ["n"], segment=US).columns) == ["n"]
        assert repository.history("p").batches == ("b1", "b2", "b3", "b4")
        assert repository.history("p").column("n").series("emd")[1] == 4.5

    @pytest.mark.parametrize("text", HOSTILE, ids=lambda t: repr(t[:12]))
    def test_hostile_segments(self, repository: HistoryRepository, text: str) -> None:
        segment = Segment(((text[:300], text[:300]),))
        part = profile("b1", n=[1.0])
        repository.save(replace(part, segments={segment: part}))
        repository.save(replace(part, batch="b0", segments={segment: part}))
        assert repository.segments("p") == [segment]
        assert repository.load("p", "b1", segment=segment).rows == 1
        assert list(repository.history("p", segment=segment).column("n").series("emd"))[1:] == [0.0]

    def test_parts_hold_each_batch_once(self, repository: HistoryRepository) -> None:
        batches = [f"b{k}" for k in range(70)]
        for k, batch in enumerate(batches):
            repository.save(segmented(batch, "r", r=["EU", "US"], n=[k, 2 * k]) if k % 7 else profile(batch, n=[k], r=["EU"]))
        for wanted in (batches, batches[3:60], batches[::3], []):
            parts = repository.parts("p", wanted)
            assert sorted(b for part in parts for b in part.rows) == sorted(wanted)
            merged = merge_parts(parts)
            assert list(merged.rows) == wanted
            assert {c.profile.name: len(c.batches) for c in merged.columns} == ({"r": len(wanted), "n": len(wanted)} if wanted else {})
        eu = merge_parts(repository.parts("p", batches, ["n"], EU))
        assert [c.profile.name for c in eu.columns] == ["n"]
        assert eu.unsplit == {b for k, b in enumerate(batches) if k % 7 == 0}
        assert list(eu.rows) == [b for k, b in enumerate(batches) if k % 7]
        with pytest.raises(NotFoundError, match="b99"):
            repository.parts("p", ["b1", "b99"])


EU, US, NONE = (Segment((("r", value),)) for value in ("EU", "US", None))


def decide(suggestion_id: str, action: str = "accept", by: str = "ann", **more: Any) -> Decision:
    return Decision(suggestion_id, action, by, "2026-01-31T10:00:00+00:00", **more)  # type: ignore[arg-type]


def note(suggestion_id: str, text: str, action: str = "comment", by: str = "ann") -> Note:
    return Note(suggestion_id, action, by, "2026-01-31T10:00:00+00:00", text)  # type: ignore[arg-type]


class ReviewContract:
    """`ReviewRepository`."""

    def test_nothing_is_there_at_first(self, repository: ReviewRepository) -> None:
        assert repository.draft("p") is None
        assert repository.log("p") == []
        with pytest.raises(NotFoundError):
            repository.record("p", [decide("s1")])

    def test_a_run_comes_back_exactly(self, repository: ReviewRepository) -> None:
        told = FromHistory(mu=math.inf, sigma=0.1 + 0.2, k=None, tried=("\udc80\0\n",), backtest=Record(3, ("<b>",)), points=10**20)
        hostile = suggestion("s1", column="\udc80\0`", lower=-math.inf, upper=1e308, transform=Transform(7, True), provenance={"a": [1.5]})
        saved = run(replace(hostile, evidence=told), suggestion("s2", lower=None, fpr=0.1 + 0.2, level="warning"))
        repository.save_run(saved)
        draft = repository.draft("p")
        assert draft is not None
        assert draft.run == saved
        assert draft.run.suggestions[0].constraint.provenance == {"a": [1.5]}
        assert [i.status for i in draft.items] == ["pending", "pending"]

    def test_what_a_person_chose_is_kept_with_the_run(self, repository: ReviewRepository) -> None:
        settings = RunSettings(table_fpr=0.01, max_clauses=3, since="\udc80", own={"\udc80\0": 0.1 + 0.2})
        saved = replace(run(suggestion("s1")), excluded=("2026-01-03", "\udc80"), settings=settings, adopted_by="ann")
        repository.save_run(saved)
        draft = repository.draft("p")
        assert draft is not None
        assert draft.run == saved
        assert draft.editors == ("ann",)

    def test_the_trail_holds_what_was_done_on_earlier_drafts(self, repository: ReviewRepository) -> None:
        assert repository.trail("p") == []
        repository.save_run(replace(run(suggestion("s1", column="old"), suggestion("s2")), suggested_by="dee"))
        repository.record("p", [decide("s1", "reject", why="\udc80 noisy"), decide("s2", "edit", by="bob", lower=0.5, upper=None)])
        repository.save_run(replace(run(suggestion("s2", lower=0.0)), adopted_by="cy", excluded=("2026-01-03",)))
        repository.note("p", [Note("s2", "assign", "ann", "2026-02-01T00:00:00+00:00", "bob")])
        repository.note("p", [Note("s2", "comment", "bob", "2026-02-02T00:00:00+00:00", "mine?")])
        found = repository.trail("p")
        assert [(e.by, e.did, e.subject) for e in found] == [
            ("dee", "suggested", "2 suggestions from 2026-01-01 to 2026-01-30"),
            ("cy", "took other settings", "1 suggestion from 2026-01-01 to 2026-01-30, without 1 batch"),
            ("ann", "rejected", "“old is 1 to 2 on average”"),
            ("bob", "edited", "“c is 1 to 2 on average” to 0.5 – open"),
            ("ann", "assigned", "“c is 0 to 2 on average” to bob"),
            ("bob", "commented on", "“c is 0 to 2 on average”"),
        ]
        assert found[-1].why == "mine?"
        assert found[2].why == "\udc80 noisy"
        assert [e.by for e in repository.trail("p", 1)] == ["cy", "bob", "bob"]

    def test_a_run_without_suggestions(self, repository: ReviewRepository) -> None:
        repository.save_run(run())
        draft = repository.draft("p")
        assert draft is not None
        assert draft.items == ()

    def test_decisions_are_numbered_and_folded(self, repository: ReviewRepository) -> None:
        repository.save_run(run(suggestion("s1"), suggestion("s2"), suggestion("s3")))
        made = [decide("s1", why="it's \udc80\0"), decide("s2", "edit", lower=0.5, upper=None), decide("s3"), decide("s3", "reset")]
        numbered = repository.record("p", made)
        assert [replace(d, seq=0) for d in numbered] == made
        assert [d.seq for d in numbered] == sorted({d.seq for d in numbered})
        assert repository.log("p") == numbered
        draft = repository.draft("p")
        assert draft is not None
        assert [i.status for i in draft.items] == ["accepted", "edited", "pending"]
        assert (draft.item("s2").current.lower, draft.item("s2").current.upper) == (0.5, None)
        assert draft.item("s1").revision == numbered[0].seq

    def test_another_pattern_is_kept_and_decisions_hold_while_the_suggested_one_stays(self, repository: ReviewRepository) -> None:
        def learned(regex: str, values: int) -> SuggestionRun:
            pattern = Pattern("<upper>+ \udc80", regex, values, 1)
            made = PatternConstraint("c", "nonconforming_ratio", "string", None, None, pattern=pattern, significance=0.001, usual=50)
            return run(Suggestion("s1", "p", made.with_test_bound()))

        repository.save_run(learned("^(?:[A-Z]+)(?![\\s\\S])", 100))
        other = Pattern("[A-Z]{2}", "^(?:[A-Z]{2})(?![\\s\\S])", 100, 7, "regex")
        repository.record("p", [decide("s1", "edit", pattern=other)])
        (logged,) = repository.log("p")
        assert logged.pattern == other
        repository.save_run(learned("^(?:[A-Z]+)(?![\\s\\S])", 200))
        draft = repository.draft("p")
        assert draft is not None
        assert draft.item("s1").status == "edited"
        now = draft.item("s1").current
        assert isinstance(now, PatternConstraint)
        assert (now.pattern, now.significance) == (other, 0.001)
        repository.save_run(learned("^(?:[A-Z]{3})(?![\\s\\S])", 300))
        draft = repository.draft("p")
        assert draft is not None
        assert draft.item("s1").status == "pending"

    @pytest.mark.parametrize(
        ("wrong", "error"),
        [
            (decide("nowhere"), NotFoundError),
            (decide("s2", "edit", pattern=Pattern("A", "^(?:A)(?![\\s\\S])", 1, 0)), ConstraintError),
            (decide("s2", "edit", lower=3.0, upper=2.0), ConstraintError),
            (decide("s2", "edit", lower=math.nan), ConstraintError),
            (decide("s2", "edit"), ConstraintError),
        ],
    )
    def test_all_or_none(self, repository: ReviewRepository, wrong: Decision, error: type[Exception]) -> None:
        repository.save_run(run(suggestion("s1"), suggestion("s2")))
        with pytest.raises(error):
            repository.record("p", [decide("s1"), wrong])
        assert repository.log("p") == []

    def test_the_later_of_two_deciders_gets_a_conflict(self, repository: ReviewRepository) -> None:
        repository.save_run(run(suggestion("s1"), suggestion("s2")))
        (first,) = repository.record("p", [decide("s1", by="bob")], {"s1": 0})
        with pytest.raises(ConflictError, match="bob"):
            repository.record("p", [decide("s2"), decide("s1", "reject")], {"s1": 0, "s2": 0})
        assert repository.log("p") == [first]
        repository.record("p", [decide("s1", "reject")], {"s1": first.seq})
        assert len(repository.log("p")) == 2

    def test_decisions_carry_over_while_bounds_stay(self, repository: ReviewRepository) -> None:
        repository.save_run(run(suggestion("same"), suggestion("moved"), suggestion("gone"), suggestion("lagged")))
        repository.record("p", [decide(i) for i in ("same", "moved", "gone", "lagged")])
        repository.save_run(run(suggestion("moved", upper=3.0), suggestion("same"), suggestion("lagged", transform=Transform(1))))
        draft = repository.draft("p")
        assert draft is not None
        assert {i.suggestion.id: i.status for i in draft.items} == {"moved": "pending", "same": "accepted", "lagged": "pending"}
        assert [d.suggestion_id for d in repository.log("p")] == ["same"]
        repository.record("p", [decide("same", "reject")], {"same": draft.item("same").revision})
        # Back with the bounds it was decided on, after a run without it; and back to older bounds, which is a new suggestion.
        repository.save_run(run(suggestion("gone"), suggestion("same"), suggestion("moved")))
        draft = repository.draft("p")
        assert draft is not None
        assert {i.suggestion.id: i.status for i in draft.items} == {"gone": "accepted", "same": "rejected", "moved": "pending"}

    def test_a_decision_on_what_the_newest_run_lacks(self, repository: ReviewRepository) -> None:
        repository.save_run(run(suggestion("old")))
        repository.save_run(run(suggestion("new")))
        with pytest.raises(NotFoundError, match="new"):
            repository.record("p", [decide("old")])

    def test_notes_are_kept_with_who_and_when_and_decide_nothing(self, repository: ReviewRepository) -> None:
        repository.save_run(run(suggestion("s1"), suggestion("s2")))
        said = [note("s1", "a \udc80\0 <b>"), note("s1", "second", by="bob"), note("s2", "cy", "assign")]
        numbered = repository.note("p", said)
        assert [replace(n, seq=0) for n in numbered] == said
        draft = repository.draft("p")
        assert draft is not None
        one, two = draft.item("s1"), draft.item("s2")
        assert (one.comments, one.assignee, one.status, one.revision) == (tuple(numbered[:2]), "", "pending", 0)
        assert (two.comments, two.assignee, two.assigned) == ((), "cy", numbered[2].seq)
        repository.note("p", [note("s2", "", "assign")])
        draft = repository.draft("p")
        assert draft is not None
        assert draft.item("s2").assignee == ""

    def test_notes_stay_while_suggestions_and_decisions_change(self, repository: ReviewRepository) -> None:
        repository.save_run(run(suggestion("s1")))
        repository.note("p", [note("s1", "why?"), note("s1", "cy", "assign")])
        repository.record("p", [decide("s1")])
        repository.save_run(run(suggestion("s1", upper=7.0), suggestion("s2")))
        draft = repository.draft("p")
        assert draft is not None
        item = draft.item("s1")
        assert (item.status, item.assignee, [n.text for n in item.comments]) == ("pending", "cy", ["why?"])
        assert draft.item("s2").comments == ()

    def test_notes_are_all_or_none(self, repository: ReviewRepository) -> None:
        with pytest.raises(NotFoundError):
            repository.note("p", [note("s1", "x")])
        repository.save_run(run(suggestion("s1")))
        with pytest.raises(NotFoundError):
            repository.note("p", [note("s1", "x"), note("s9", "y")])
        draft = repository.draft("p")
        assert draft is not None
        assert draft.item("s1").comments == ()

    def test_the_later_of_two_assigners_gets_a_conflict_and_comments_never_do(self, repository: ReviewRepository) -> None:
        repository.save_run(run(suggestion("s1")))
        (first,) = repository.note("p", [note("s1", "cy", "assign", by="bob")], {"s1": 0})
        with pytest.raises(ConflictError, match="bob"):
            repository.note("p", [note("s1", "di", "assign")], {"s1": 0})
        repository.note("p", [note("s1", "fine")])
        repository.note("p", [note("s1", "di", "assign")], {"s1": first.seq})
        draft = repository.draft("p")
        assert draft is not None
        assert (draft.item("s1").assignee, len(draft.item("s1").comments)) == ("di", 1)

    def test_pipelines_are_apart(self, repository: ReviewRepository) -> None:
        repository.save_run(run(suggestion("s1")))
        repository.save_run(run(suggestion("s1", pipeline="q"), pipeline="q"))
        repository.record("p", [decide("s1")])
        assert repository.log("q") == []
        other = repository.draft("q")
        assert other is not None
        assert other.item("s1").status == "pending"

    def test_many_threads_lose_nothing(self, repository: ReviewRepository) -> None:
        repository.save_run(run(*(suggestion(f"s{k}") for k in range(8))))
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda k: repository.record("p", [decide(f"s{k % 8}", why=str(k))]), range(64)))
        log = repository.log("p")
        assert sorted(int(d.why) for d in log) == list(range(64))
        assert [d.seq for d in log] == sorted({d.seq for d in log})

    def test_of_threads_with_one_revision_one_wins(self, repository: ReviewRepository) -> None:
        repository.save_run(run(suggestion("s1")))
        outcomes = _race(8, lambda k: repository.record("p", [decide("s1", by=f"by{k}")], {"s1": 0}), ConflictError)
        assert outcomes.count(True) == 1
        assert len(repository.log("p")) == 1

    def test_nobody_changes_a_draft_that_is_held(self, repository: ReviewRepository) -> None:
        with repository.held("p") as nothing:
            assert nothing is None
        repository.save_run(run(suggestion("s1")))
        done = threading.Event()

        def reject() -> None:
            repository.record("p", [decide("s1", "reject", by="bob")])
            done.set()

        with repository.held("p") as held:
            assert held is not None
            other = threading.Thread(target=reject)
            other.start()
            assert not done.wait(0.1)
            assert held.digest == _digest(repository)
        other.join()
        assert held.digest != _digest(repository)

    def test_a_digest_is_of_what_stands_decided(self, repository: ReviewRepository) -> None:
        made = run(suggestion("s1", lower=0.1 + 0.2), suggestion("s2", column="\udc80"))
        repository.save_run(made)
        seen = [_digest(repository)]
        assert seen == [fold(made, ()).digest]
        for one in (decide("s1"), decide("s1", by="bob"), decide("s1", "edit", lower=0.2, upper=2.0), decide("s2", "reject")):
            repository.record("p", [one])
            seen.append(_digest(repository))
        assert len(set(seen)) == 5
        repository.note("p", [note("s1", "hm"), note("s1", "bob", "assign")])
        assert _digest(repository) == seen[-1]
        repository.save_run(replace(made, fpr=0.01))
        assert _digest(repository) not in seen

    def test_the_mark_moves_with_all_that_is_written(self, repository: ReviewRepository) -> None:
        seen = [repository.mark("p")]
        writes = (
            lambda: repository.save_run(run(suggestion("s1"))),
            lambda: repository.record("p", [decide("s1")]),
            lambda: repository.note("p", [note("s1", "hm")]),
        )
        for write in writes:
            write()
            seen.append(repository.mark("p"))
            assert repository.mark("p") == seen[-1]
        assert len(set(seen)) == 4
        assert repository.mark("q") == seen[0]

    def test_a_thousand_suggestions(self, repository: ReviewRepository) -> None:
        many = [suggestion(f"s{k}", column=f"c{k}") for k in range(1_000)]
        repository.save_run(run(*many))
        repository.record("p", [decide(s.id) for s in many], {s.id: 0 for s in many})
        repository.save_run(run(*many))
        draft = repository.draft("p")
        assert draft is not None
        assert draft.count("accepted") == 1_000


def _digest(repository: ReviewRepository) -> str:
    draft = repository.draft("p")
    assert draft is not None
    return draft.digest


class ProgramContract:
    """`ProgramStore`."""

    def test_nothing_is_there_at_first(self, store: ProgramStore) -> None:
        assert store.pipelines() == []
        assert store.versions("p") == []
        with pytest.raises(ProgramNotFoundError):
            store.load("p")

    def test_versions_are_numbered_from_one(self, store: ProgramStore) -> None:
        first, second = store.publish(program()), store.publish(program(message="second"))
        assert (first.version, second.version) == (1, 2)
        assert store.versions("p") == [1, 2]
        assert store.load("p") == second
        assert store.load("p", 1) == first
        assert first.sha256 == program_sha256(first)
        assert first.sha256 != second.sha256
        with pytest.raises(ProgramNotFoundError):
            store.load("p", 3)
        with pytest.raises(ProgramNotFoundError):
            store.load("p", 0)

    def test_pipelines_are_sorted(self, store: ProgramStore) -> None:
        for name in ("b", "a.b", "a"):
            store.publish(program(name))
        assert store.pipelines() == ["a", "a.b", "b"]

    def test_an_expected_version_must_be_the_next(self, store: ProgramStore) -> None:
        store.publish(program(version=1))
        for taken in (1, 3):
            with pytest.raises(ConflictError, match="next one is 2"):
                store.publish(program(version=taken))
        assert store.publish(program(version=2)).version == 2

    def test_an_old_document_published_again_is_a_new_version(self, store: ProgramStore) -> None:
        first = store.publish(program())
        store.publish(program(message="second"))
        again = store.publish(replace(first, version=0, message="roll back to 1"))
        assert again.version == 3
        assert again.constraints == first.constraints
        assert again.sha256 == program_sha256(again) != first.sha256

    def test_racing_publishers_lose_nothing(self, store: ProgramStore) -> None:
        outcomes = _race(8, lambda k: store.publish(program(version=1, message=str(k))), ConflictError)
        assert outcomes.count(True) == 1
        assert store.versions("p") == [1]


def _race(count: int, act: Callable[[int], object], refused: type[Exception]) -> list[bool]:
    """Everybody acts at once; who was not refused."""
    start = threading.Barrier(count)

    def one(k: int) -> bool:
        start.wait()
        try:
            act(k)
        except refused:
            return False
        return True

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(one, range(count)))
