"""Evidence as plain data and back, under the names that the explanations of earlier releases had: one reader for what any of them kept.

Records of before evidence was typed hold sentences too, which are made anew; what they lack, or what is not as it was ever written, stays
unknown.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any, get_args

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import (
    Evidence,
    FromCorpus,
    FromFew,
    FromHistory,
    FromPerson,
    FromRelation,
    FromSnapshot,
    FromValues,
    Ladder,
    Rung,
)
from avh_ui.constraints.pattern_constraint import Pattern, PatternKind
from avh_ui.constraints.rising import NO_PRIOR, Prior
from avh_ui.constraints.transforms import Transform
from avh_ui.typed import Adapter, write

# By the origin of the constraint.
_ADAPTERS: dict[str, Adapter[Any]] = {
    "history": Adapter(FromHistory),
    "corpus": Adapter(FromCorpus),
    "snapshot": Adapter(FromSnapshot),
    "values": Adapter(FromValues),
    "few": Adapter(FromFew),
    "relation": Adapter(FromRelation),
    "manual": Adapter(FromPerson),
    "": Adapter(Evidence),
}
_OF = {
    FromHistory: "history", FromCorpus: "corpus", FromSnapshot: "snapshot", FromValues: "values", FromFew: "few",
    FromRelation: "relation", FromPerson: "manual", Evidence: "",
}  # fmt: skip
_WITH_LADDER = ("corpus", "snapshot", "values")
# Between what a rule is for and what it found, in the sentences of earlier releases.
_FOUND = ". In the latest batch "


def evidence_to_record(evidence: Evidence) -> dict[str, Any]:
    """The evidence as plain data: no sentences, nothing that the constraint says."""
    made = write(_ADAPTERS[_OF[type(evidence)]], evidence) | {"variants": evidence.variants}
    ladder = evidence.ladder
    if ladder is not None:
        made |= {"ladder": [_rung_record(rung) for rung in ladder.rungs], "distinct": ladder.distinct}
        made |= {"series": {"batches": list(ladder.batches), "values": list(ladder.totals)}}
        made |= {"values": [[text, count] for text, count in ladder.values]}
    return made


def _rung_record(rung: Rung) -> dict[str, Any]:
    pattern = asdict(rung.pattern)
    given = {name: value for name, value in vars(rung).items() if name != "pattern" and (name != "parts" or value)}
    own = {name: list(value) if isinstance(value, tuple) else value for name, value in given.items()}
    return {"pattern": pattern.pop("text"), **pattern, **own, "matched": rung.matched, "batches_tried": own.pop("tried")}


def evidence_from_record(constraint: Constraint, told: dict[str, Any]) -> Evidence:
    """From `evidence_to_record`, or an explanation of an earlier release, by the constraint's origin; nothing in it is refused."""
    if "backtest" not in told:  # suggestions by history told how many values were judged, and the batches that fired
        told = told | {"backtest": {"judged": told.get("points"), "fired": told.get("fired_on")}}
    if constraint.origin == "history" and told.get("reference") is None:
        told = told | {"reference": _reference(constraint, told.get("bounds_now"))}
    if constraint.origin == "snapshot" and not told.get("found"):
        told = told | {"found": str(told.get("sentence", "")).partition(_FOUND)[2]}
    evidence: Evidence = _ADAPTERS[constraint.origin].made.validate_python(told | {"ladder": None})
    variants = told.get("variants")
    untold = variants - len(evidence.tried) if isinstance(variants, int) else 0
    return replace(evidence, untold=max(0, untold), ladder=_ladder(told) if constraint.origin in _WITH_LADDER else None)


def _reference(constraint: Constraint, bounds_now: Any) -> float | None:
    """What the latest batch was compared with; earlier releases told the bounds of that batch, which are those of the change beyond it."""
    own = Transform(0, constraint.transform.log)
    measured = bounds_now if isinstance(bounds_now, list) else ()
    for bound, now in zip((constraint.lower, constraint.upper), measured, strict=False):
        if constraint.transform.lag and bound is not None and isinstance(now, int | float):
            return own.inverse(own.forward(now) - bound)
    return None


def _ladder(told: dict[str, Any]) -> Ladder | None:
    """The alternatives of a pattern; None where they are not as they were ever written."""
    try:
        series, values = told["series"], tuple((str(value), int(count)) for value, count in told["values"])
        batches, totals = tuple(map(str, series["batches"])), tuple(map(int, series["values"]))
        return Ladder(tuple(_rung(rung) for rung in told["ladder"]), batches, totals, values, int(told["distinct"]))
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def _rung(given: dict[str, Any]) -> Rung:
    kind: Any = given["kind"] if given["kind"] in get_args(PatternKind) else "pattern"
    prior = Prior(**given["prior"]) if given.get("prior") else NO_PRIOR
    samples = {name: tuple(given.get(name, ())) for name in ("failing", "matching", "deviating")}
    return Rung(
        Pattern(given["pattern"], given["regex"], int(given["values"]), int(given["bad"]), kind, prior),
        given.get("fpr"),
        given.get("coverage"),
        tried=given.get("batches_tried") or 0,
        alarms=given.get("alarms") or 0,
        chosen=bool(given.get("chosen")),
        parts=tuple((str(text), int(n)) for text, n in given.get("parts", ())),
        **samples,
    )
