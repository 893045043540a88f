"""Evidence comes back from the database as it was, and what releases before it was typed wrote is read as far as it goes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.constraints.codec import constraint_to_record
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import Evidence, FromCorpus, FromHistory, FromPerson, FromSnapshot, Ladder, Record, Rung
from avh_ui.constraints.pattern_constraint import Pattern, PatternConstraint
from avh_ui.constraints.rising import Prior
from avh_ui.constraints.transforms import Transform
from avh_ui.errors import ConstraintError
from avh_ui.metrics.regexes import anchored
from avh_ui.review.explaining import explanation
from avh_ui.review.suggestion import Suggestion
from avh_ui.store.records import suggestion_from_text, suggestion_to_text

PATTERN = Pattern("<digit>+", anchored("[0-9]+"), 120, 1, prior=Prior(0.15, 5.0))
RUNG = Rung(PATTERN, 0.01, 7, (0, 1), 1, 0, ("1", "\udc80"), ("x",), chosen=True)
LADDER = Ladder((RUNG,), ("a", "b"), (60, 60), (("1", 119), ("x", 1)), 2)
ISSUES: dict[str, Any] = {"tried": ("nulls 1%", "unit x10"), "caught": ("nulls 1%",), "only_caught": ()}
BOUNDS = Constraint("c", "mean", "numeric", 1.0, 2.0, Transform(7, log=True), fpr=0.01)
WEEK = FromHistory(
    method="calibrated",
    batches=30,
    backtest=Record(23, ("d",)),
    mu=0.1,
    sigma=0.2,
    k=5.0,
    points=23,
    reference=3.5,
    shown=("zeros 50%",),
    **ISSUES,
)
SHAPE = PatternConstraint("c", "nonconforming_ratio", "string", None, 0.1, origin="corpus", pattern=PATTERN, significance=0.01, usual=60)
CORPUS = FromCorpus(method="corpus", batches=2, backtest=Record(2, ()), fpr=0.01, coverage=7, ladder=LADDER, **ISSUES)
RULE = Constraint("c", "complete_ratio", "numeric", 1.0, 1.0, origin="snapshot", provenance={"rule": "CompleteIfComplete"})
SNAPSHOT = FromSnapshot(
    method="snapshot", batches=9, backtest=Record(9, ()), rule="CompleteIfComplete", words="a column that is complete stays so",
    code='.isComplete("c")', current="Completeness: 1.0", found="no value is null", **ISSUES,
)  # fmt: skip
CASES = [
    (BOUNDS, WEEK),
    (SHAPE, CORPUS),
    (RULE, SNAPSHOT),
    (Constraint("c", "max", "numeric", None, 9.0, origin="manual"), FromPerson(by="ann", check={"is_complete": "c"}, **ISSUES)),
]


def old(constraint: Constraint, evidence: Evidence, **changes: Any) -> str:
    """What the release before wrote: the issues, and an explanation of plain data and sentences."""
    told = explanation(Suggestion("s", "p", constraint, evidence)) | changes
    kept = {"caught": list(evidence.caught), "only_caught": list(evidence.only_caught), "variants": evidence.variants}
    known = {key: value for key, value in told.items() if key not in ("found", "reference")}
    return json.dumps({"id": "s", "constraint": constraint_to_record(constraint), **kept, "explanation": known})


@pytest.mark.parametrize(("constraint", "evidence"), CASES)
def test_there_and_back(constraint: Constraint, evidence: Evidence) -> None:
    suggestion = Suggestion("s", "p", constraint, evidence)
    text = suggestion_to_text(suggestion)
    assert suggestion_from_text("p", text) == suggestion
    assert "sentence" not in text


@pytest.mark.parametrize(("constraint", "evidence"), CASES)
def test_an_explanation_of_an_earlier_release_is_read_whole(constraint: Constraint, evidence: Evidence) -> None:
    found = suggestion_from_text("p", old(constraint, evidence)).evidence
    if isinstance(found, FromHistory):
        assert found.reference == pytest.approx(WEEK.reference)
    rounded = {"bounds_now": None, "reference": None}
    same = explanation(Suggestion("s", "p", constraint, found)) | rounded
    assert same == explanation(Suggestion("s", "p", constraint, evidence)) | rounded


def test_what_an_old_text_contradicts_is_taken_from_the_record() -> None:
    claims = {
        "only_caught": ["nulls 1%"],
        "recall_sentence": "It catches 1 of 2 faults that were tried, 1 of which no other suggested constraint catches.",
    }
    found = suggestion_from_text("p", old(BOUNDS, WEEK, **claims))
    assert found.only_caught == ()
    assert explanation(found)["recall_sentence"] == "It catches 1 of 2 faults that were tried."


@pytest.mark.parametrize("origin", ["history", "corpus", "snapshot", "manual"])
def test_an_explanation_that_says_nothing_is_tolerated(origin: str) -> None:
    constraint = Constraint("c", "mean", "numeric", 1.0, 2.0, origin=origin)  # type: ignore[arg-type]
    record = {
        "id": "s",
        "constraint": constraint_to_record(constraint),
        "caught": ["a"],
        "only_caught": [],
        "variants": 60,
        "explanation": {},
    }
    found = suggestion_from_text("p", json.dumps(record))
    assert (found.caught, found.variants, found.evidence.batches, found.evidence.backtest) == (("a",), 60, None, None)
    assert explanation(found)["proposition_words"] == ""


JUNK = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text() | st.lists(st.integers())


@given(st.sampled_from(CASES), st.dictionaries(st.sampled_from(sorted(explanation(Suggestion("s", "p", BOUNDS, WEEK)))), JUNK, max_size=4))
def test_an_explanation_of_other_types_is_tolerated(case: tuple[Constraint, Evidence], junk: dict[str, Any]) -> None:
    found = suggestion_from_text("p", old(*case, **junk))
    assert found.caught == ("nulls 1%",)
    explanation(found)


def test_a_damaged_record_is_named() -> None:
    record = json.loads(suggestion_to_text(Suggestion("s", "p", BOUNDS, WEEK)))
    record["evidence"] = ["many"]
    with pytest.raises(ConstraintError, match=r"evidence should be an object"):
        suggestion_from_text("p", json.dumps(record))
