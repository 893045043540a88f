"""What is said of what columns keep together."""

from __future__ import annotations

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import FromRelation, Record
from avh_ui.review.plain import plain

# How sentences begin that do not with the name of a column.
_BEGINS = ("Each of ", "No ", "The ", "In ", "At most ")
# So many batches are named in a sentence.
_NAMED = 3


def relation_claim(constraint: Constraint, evidence: FromRelation) -> str:
    """What the columns keep together, in how many rows that were looked at, and which batches broke it."""
    record, says = evidence.backtest, constraint.learned.says or plain(constraint).rstrip(".")
    # In the middle of a sentence it begins small, unless it begins with a column's name.
    says = f"{says[:1].lower()}{says[1:]}" if says.startswith(_BEGINS) else says
    if record is None or evidence.rows is None:
        return f"In all rows{f' of {record.judged:,} batches' if record is not None and record.judged else ''} {says}"
    looked = f"{evidence.rows:,} rows that were looked at in {record.judged:,} batches"
    if not record.fired:
        return f"In all {looked} {says}"
    more = "" if len(record.fired) <= _NAMED else f" and {len(record.fired) - _NAMED} others"
    named = f"{', '.join(record.fired[:_NAMED])}{more}"
    return f"In {looked} {says}, but for {evidence.broken or 'some'} of {named}, which may have been faults"


def relation_held(record: Record) -> str:
    """In how many batches it held, as the beginning of a sentence."""
    return f"It held in {record.judged - len(record.fired):,} batches;"
