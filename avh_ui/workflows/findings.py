"""What was found of an incident, as a text to send to whoever delivers the table: they know its rows, and no metric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from avh_ui.config import Pipeline
from avh_ui.constraints.constraint import Verdict
from avh_ui.validator.learning import ANSWER
from avh_ui.validator.moved_rows import fact_of
from avh_ui.workflows.incidents import ToldIncident

# Who is asked reads the first; that there are more is said.
_FACTS = 6
_ROWS = 5
# A subject is cut by readers of mail from some 80 characters on.
_SUBJECT = 90
_MENDED = "By now it came again, and is right."


@dataclass(frozen=True)
class Findings:
    """A text of plain sentences, and its `subject`."""

    subject: str
    text: str


def findings_of(pipeline: Pipeline, told: ToldIncident, facts: Sequence[str] = (), against: str = "", rows: Sequence[str] = ()) -> Findings:
    """What was found on the batch that tells of an incident, and how long it went on; `facts` are sentences that say it better than its
    results do, most surprising first, `against` is the batch that they compare with, and `rows` are some that it is about.
    """
    one = told.incident
    said = list(dict.fromkeys(ANSWER.sub("", fact).strip() for fact in facts or map(fact_of, told.results)))
    said = [fact for fact in said if fact]
    table = f"{pipeline.name} ({pipeline.description.strip().rstrip('.')})" if pipeline.description.strip() else pipeline.name
    if told.rows is None:
        begun = f"Batch {one.told_by} of {table} could not be judged."
    else:
        than = f", compared with {against}" if against else ""
        begun = f"Batch {one.told_by} of {table} looks wrong. It has {told.rows:,} row{'' if told.rows == 1 else 's'}. What we see{than}:"
    lines = [f"- {fact}" for fact in said[:_FACTS]]
    if len(said) > _FACTS:
        lines.append(f"- and {len(said) - _FACTS} more.")
    parts = [
        begun,
        "\n".join(lines),
        _such_as(rows or _samples(told), said),
        _lasting(told),
        "Can you tell us what happened and, if the data are wrong, when they come again?",
    ]
    subject = f"{pipeline.name} {one.told_by}: {said[0] if said else 'does this batch look right to you?'}"
    subject = subject if len(subject) <= _SUBJECT else f"{subject[: _SUBJECT - 1].rstrip()}…"
    return Findings(subject, "\n\n".join(part for part in parts if part) + "\n")


def _samples(told: ToldIncident) -> tuple[str, ...]:
    first = told.results[0] if told.results else None
    return first.samples if isinstance(first, Verdict) else ()


def _such_as(rows: Sequence[str], said: Sequence[str]) -> str:
    """Some of the rows, so that they can be looked up; '' where the facts name them all."""
    left = [row for row in dict.fromkeys(rows) if not any(row in fact for fact in said[:_FACTS])][:_ROWS]
    return "\n".join(["Such are:", *(f"- {row}" for row in left)]) if left else ""


def _lasting(told: ToldIncident) -> str:
    """On how many batches it went on, and whether it passes again; '' of one batch alone that is the newest."""
    one = told.incident
    many = f"It is so on {len(one.batches)} batches, {one.since} to {one.last}." if len(one.batches) > 1 else ""
    return " ".join(part for part in (many, f"Batch {one.ended} is right again." if one.ended else _MENDED if one.mended else "") if part)
