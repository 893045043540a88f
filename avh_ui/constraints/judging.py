"""Whether a batch keeps a constraint, and the sentence that says it (AVH, Definition 2)."""

from __future__ import annotations

import math
from collections.abc import Callable

from avh_ui.constraints.constraint import Constraint, Status, Verdict, number, reading_of
from avh_ui.constraints.reading import Reader, declaration_of
from avh_ui.constraints.saying import in_part, names_in, wording_of
from avh_ui.constraints.surprise import tells_twins
from avh_ui.constraints.verdict_words import beyond_bounds, brief, rounded, within_bounds

_Read = Callable[[float | None], str]


def judge(constraint: Constraint, observed: float | None, reference: float | None = None, batch: str = "", error: float = 0.0) -> Verdict:
    """Judge one observation; `error` is how far it may be off where it is an estimate.

    `observed` None means the metric could not be computed: not evaluated. NaN or infinity means it is undefined on this batch,
    which is a violation, since it was defined over the history (design: "defined before and undefined now"). `reference` is the
    metric `transform.lag` batches earlier, and `batch` says in words which batch that is; or it is the part of this batch's id that the
    metric is compared with (`transform.from_id`), and `batch` the id. Such a constraint is not evaluated where the reference is not
    `comparable`, and one that says unique where an estimate cannot tell.
    """
    transform = constraint.transform
    lower, upper = transform.inverse(constraint.lower, reference), transform.inverse(constraint.upper, reference)
    read = _reading(constraint, observed, lower, upper, reference)
    about = "about " if error else ""
    if observed is None:
        return _unevaluated(constraint, None, f"{constraint.alarmed} could not be computed on this batch.")
    if not transform.comparable(reference):
        if transform.from_id:
            text = f"{constraint.alarmed} is compared with the {transform.from_id} of the batch, which the id {batch!r} does not name."
            return _unevaluated(constraint, observed, text)
        why = "that batch is not in the history" if reference is None or math.isnan(reference) else f"there it was {read(reference)}"
        text = f"{constraint.alarmed} is compared with {batch or transform.before}, and {why}."
        return _unevaluated(constraint, observed, text)
    if constraint.unique and math.isfinite(observed):
        return _judge_unique(constraint, observed, error, read)
    if constraint.worded:
        return _judge_stated(constraint, observed, f"{about}{read(observed)}")
    # An estimate of a count may lie between two whole numbers, and its bounds as well.
    ends = Reader.of(constraint).whole_bounds(lower, upper) if float(observed).is_integer() else (lower, upper)
    found, shown, low, high = _told(constraint, observed, *ends, read, about)
    if constraint.holds(transform.forward(observed, reference)):
        if transform.part:
            within, against = Reader.of(constraint).related(constraint.lower, constraint.upper), ""
        else:
            against = f", against {read(reference)} in {batch}" if batch and not transform.from_id else _on_weekday(constraint, reference)
            within = within_bounds(low, high, read)
        return Verdict(constraint, "pass", observed, lower, upper, f"{found}, {within}{against}.")
    status: Status = "fail" if constraint.level == "error" else "warn"
    if not math.isfinite(observed):
        text = f"{constraint.alarmed} is undefined on this batch; it was always defined before."
    elif transform.log and observed < 0:
        text = f"{found}; it was never negative before."
    else:
        where = beyond_bounds(shown, low, high, read) + _against(constraint, reference, read, batch)
        if transform.part:
            where = f"{_unrelated(Reader.of(constraint).related(constraint.lower, constraint.upper))} {batch}"
        text = f"{found}, {where}."
    return Verdict(constraint, status, observed, lower, upper, text)


def _unrelated(related: str) -> str:
    """What is not beside the batch's date as it should be: `no later than` it is `later than` it."""
    return related.removeprefix("no ") if related.startswith("no ") else f"not {related}"


def _reading(
    constraint: Constraint, observed: float | None, lower: float | None = None, upper: float | None = None, reference: float | None = None
) -> _Read:
    """How the numbers of a verdict are written: what was observed, its bounds, and what it stands beside. Of what is beyond a bound the
    other one is not told.
    """
    read = reading_of(constraint)
    if observed is not None and upper is not None and observed > upper:
        lower = None
    elif observed is not None and lower is not None and observed < lower:
        upper = None
    values = (observed, lower, upper, reference)
    if read is number:
        return rounded(read, *values)
    return brief(read, values) if Reader.of(constraint).unit == "ratio" and not constraint.transform.part else read


def _told(
    constraint: Constraint, observed: float, lower: float | None, upper: float | None, read: _Read, about: str
) -> tuple[str, float, float | None, float | None]:
    """What was found in words, and the number that they name beside its bounds: of a share that has words for it what is missing to all."""
    missing = wording_of(constraint.measure, constraint.kind).missing
    if not (missing and constraint.transform.is_identity and math.isfinite(observed)):
        return f"{constraint.alarmed} is {about}{read(observed)}", observed, lower, upper
    gone, low, high = (None if share is None else 1 - share for share in (observed, upper, lower))
    assert gone is not None
    said = missing.format(**names_in(constraint.measure, constraint.kind), not_value=read(gone))
    return said + in_part(constraint.measure), gone, low, high


def _judge_stated(constraint: Constraint, observed: float, found: str) -> Verdict:
    """Whether a batch keeps a rule that is stated in words, in these."""
    if constraint.learned.says and Reader.of(constraint).unit != "ratio":
        found = "so" if constraint.holds(observed) else "not so"
    elif constraint.learned.says and math.isfinite(observed):
        declared = declaration_of(constraint.metric, constraint.kind)
        of = "rows" if declared is None else declared.share_of
        found = f"so in {'nearly ' if found == '100%' and observed < 1 else ''}{found} of the {of}"
    kept = constraint.holds(observed)
    if not kept and constraint.origin == "relation" and math.isfinite(observed) and tells_twins(constraint):
        return _judge_twins(constraint, observed)
    status: Status = "pass" if kept else "fail" if constraint.level == "error" else "warn"
    hint = f" {constraint.learned.hint}" if constraint.learned.hint and not kept else ""
    return Verdict(constraint, status, observed, constraint.lower, constraint.upper, f"{constraint.alarmed}: it is {found}.{hint}")


def _judge_twins(constraint: Constraint, observed: float) -> Verdict:
    """Of rows that are to be unlike each other the share that are not: what people look for."""
    status: Status = "fail" if constraint.level == "error" else "warn"
    said, twins = constraint.alarmed, 1 - observed
    share = f"{_reading(constraint, twins)(twins)} of the rows"
    # Where some are let pass the sentence begins with the name of a column.
    text = f"{said[:1].upper()}{said[1:]}: {share} do." if constraint.lower == 1 else f"{said}: {share} share them."
    return Verdict(constraint, status, observed, constraint.lower, constraint.upper, text)


def _judge_unique(constraint: Constraint, observed: float, error: float, read: _Read) -> Verdict:
    """Whether no value occurs twice. Of 200 million values that one does is a ratio that reads as 100 %, so words say it first."""
    subject = f"{constraint.alarmed} is {'about ' if error else ''}{read(observed)}"
    status: Status = "fail" if constraint.level == "error" else "warn"
    if not constraint.holds(observed, error):
        least = ", less than 100%" if observed < 1 else ""
        twice = f"Some values of {' and '.join(constraint.measure.columns)} occur more than once{in_part(constraint.measure)}."
        return Verdict(constraint, status, observed, 1.0, 1.0, f"{twice} {subject}{least}.")
    if error:
        return _unevaluated(constraint, observed, f"{subject}; an estimate cannot tell whether a value occurs twice.")
    return Verdict(constraint, "pass", observed, 1.0, 1.0, f"{subject}: no value occurs twice, counted exactly.")


def _unevaluated(constraint: Constraint, observed: float | None, message: str) -> Verdict:
    return Verdict(constraint, "not_evaluated", observed, None, None, message)


def _on_weekday(constraint: Constraint, reference: float | None) -> str:
    week = constraint.transform.weekdays
    return "" if week is None or reference is None else f" on a {week.name(reference)}"


def _against(constraint: Constraint, reference: float | None, read: _Read, batch: str) -> str:
    if constraint.transform.weekdays is not None:
        return _on_weekday(constraint, reference)
    if not constraint.transform.lag or reference is None:
        return ""
    back = "the batch before" if constraint.transform.lag == 1 else f"{constraint.transform.lag} batches before"
    return f" (it was {read(reference)} {f'in {batch}' if batch else back})"
