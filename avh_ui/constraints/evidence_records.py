"""Evidence as plain data and back, under the names that the explanations of earlier releases had: one reader for what any of them kept.

Records of before evidence was typed hold sentences too, which are made anew; what they lack, or what is not as it was ever written, stays
unknown.
"""

from __future__ import annotations

from typing import Any, get_args

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import Evidence, FromCorpus, FromHistory, FromSnapshot, Ladder, Record, Rung
from avh_ui.constraints.pattern_constraint import Pattern, PatternKind
from avh_ui.constraints.plain_data import of_kind
from avh_ui.constraints.rising import NO_PRIOR, Prior
from avh_ui.constraints.transforms import Transform

# Between what a rule is for and what it found, in the sentences of earlier releases.
_FOUND = ". In the latest batch "


def evidence_to_record(evidence: Evidence) -> dict[str, Any]:
    """The evidence as plain data: no sentences, nothing that the constraint says."""
    backtest, ladder = evidence.backtest, evidence.ladder
    made: dict[str, Any] = {
        "method": evidence.method,
        "batches": evidence.batches,
        "backtest": None if backtest is None else {"judged": backtest.judged, "fired": list(backtest.fired)},
        "variants": evidence.variants,
        "tried": list(evidence.tried),
        "caught": list(evidence.caught),
        "only_caught": list(evidence.only_caught),
    }
    match evidence:
        case FromHistory():
            made |= {name: getattr(evidence, name) for name in ("mu", "sigma", "k", "points", "reference")}
        case FromCorpus():
            made |= {"coverage": evidence.coverage, "corpus_fpr": evidence.fpr}
        case FromSnapshot():
            made |= {"rule": evidence.rule, "rule_words": evidence.words, "code": evidence.code}
            made |= {"current": evidence.current, "found": evidence.found}
    if ladder is not None:
        made |= {"ladder": [_rung_record(rung) for rung in ladder.rungs], "distinct": ladder.distinct}
        made |= {"series": {"batches": list(ladder.batches), "values": list(ladder.totals)}}
        made |= {"values": [[text, count] for text, count in ladder.values]}
    return made


def _rung_record(rung: Rung) -> dict[str, Any]:
    return {
        "kind": rung.pattern.kind,
        "pattern": rung.pattern.text,
        "regex": rung.pattern.regex,
        "fpr": rung.fpr,
        "coverage": rung.coverage,
        "matched": rung.matched,
        "values": rung.pattern.values,
        "bad": rung.pattern.bad,
        "prior": rung.pattern.prior._asdict(),
        "failing": list(rung.failing),
        "batches_tried": rung.tried,
        "alarms": rung.alarms,
        "matching": list(rung.matching),
        "deviating": list(rung.deviating),
        "chosen": rung.chosen,
    }


def evidence_from_record(constraint: Constraint, told: dict[str, Any]) -> Evidence:
    """From `evidence_to_record`, or an explanation of an earlier release, by the constraint's origin; nothing in it is refused."""
    issues = {name: _texts(told.get(name)) for name in ("tried", "caught", "only_caught")}
    common: dict[str, Any] = {**issues, "method": _text(told, "method"), "batches": of_kind(int, told.get("batches"))}
    common |= {"backtest": _backtest(told), "untold": max(0, (of_kind(int, told.get("variants")) or 0) - len(issues["tried"]))}
    match constraint.origin:
        case "history":
            numbers: dict[str, Any] = {name: of_kind(float, told.get(name)) for name in ("mu", "sigma", "k")}
            return FromHistory(**common, **numbers, points=of_kind(int, told.get("points")), reference=_reference(constraint, told))
        case "corpus":
            coverage = of_kind(int, told.get("coverage")) or 0
            return FromCorpus(**common, fpr=of_kind(float, told.get("corpus_fpr")), coverage=coverage, rungs=_ladder(told))
        case "snapshot":
            found = _text(told, "found") or _text(told, "sentence").partition(_FOUND)[2]
            texts: dict[str, Any] = {name: _text(told, name) for name in ("rule", "code", "current")}
            return FromSnapshot(**common, **texts, words=_text(told, "rule_words"), found=found, rungs=_ladder(told))
    return Evidence(**common)


def _text(told: dict[str, Any], name: str) -> str:
    return of_kind(str, told.get(name)) or ""


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(text for text in of_kind(list, value) or () if isinstance(text, str))


def _backtest(told: dict[str, Any]) -> Record | None:
    """Suggestions by history told how many values were judged, and the batches that fired."""
    given = of_kind(dict, told.get("backtest")) or {"judged": told.get("points"), "fired": told.get("fired_on")}
    judged, fired = of_kind(int, given.get("judged")), of_kind(list, given.get("fired"))
    return None if judged is None or fired is None else Record(judged, _texts(fired))


def _reference(constraint: Constraint, told: dict[str, Any]) -> float | None:
    """What the latest batch was compared with; earlier releases told the bounds of that batch, which are those of the change beyond it."""
    reference: float | None = of_kind(float, told.get("reference"))
    if reference is not None:
        return reference
    own = Transform(0, constraint.transform.log)
    for bound, now in zip((constraint.lower, constraint.upper), of_kind(list, told.get("bounds_now")) or (), strict=False):
        measured = of_kind(float, now)
        if constraint.transform.lag and bound is not None and measured is not None:
            return own.inverse(own.forward(measured) - bound)
    return None


def _ladder(told: dict[str, Any]) -> Ladder | None:
    """The alternatives of a pattern; None where they are not as they were ever written."""
    if "ladder" not in told:
        return None
    try:
        series, values = told["series"], tuple((str(value), int(count)) for value, count in told["values"])
        batches, totals = tuple(map(str, series["batches"])), tuple(map(int, series["values"]))
        return Ladder(tuple(_rung(rung) for rung in told["ladder"]), batches, totals, values, int(told["distinct"]))
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def _rung(given: dict[str, Any]) -> Rung:
    kind: Any = given["kind"] if given["kind"] in get_args(PatternKind) else "pattern"
    prior = Prior(**given["prior"]) if given.get("prior") else NO_PRIOR
    return Rung(
        Pattern(str(given["pattern"]), str(given["regex"]), int(given["values"]), int(given["bad"]), kind, prior),
        of_kind(float, given.get("fpr")),
        of_kind(int, given.get("coverage")),
        tuple(map(int, given.get("failing", ()))),
        of_kind(int, given.get("batches_tried")) or 0,
        of_kind(int, given.get("alarms")) or 0,
        _texts(given.get("matching")),
        _texts(given.get("deviating")),
        bool(given.get("chosen")),
    )
