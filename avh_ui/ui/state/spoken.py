"""What is measured for a rule, by the rule's sentence: pages list it beside the columns, and its name is an SQL condition."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from avh_ui.history.series import ColumnHistory
from avh_ui.metrics.type_names import MATCHED, SAMPLED
from avh_ui.review.metric_words import metric_words
from avh_ui.ui.state.session import SessionState

# What a column holds, for people.
KINDS = {
    "numeric": "numbers", "temporal": "dates", "string": "texts", "boolean": "true or false", "binary": "bytes", "skipped": "not measured",
    "rows": "matched rows",
}  # fmt: skip


def sort_of(column: ColumnHistory) -> str:
    """What a column of the history is called beside its name: its kind, or that it is a rule's."""
    return "rule" if column.asked and column.type not in (MATCHED, SAMPLED) else column.kind


def spoken(session: SessionState) -> Mapping[str, str]:
    """The sentence of each subject that a rule of the draft or of the live program says in words; others are called as they are."""
    live, draft = session.live, session.draft
    constraints = list(live.constraints) if live is not None else []
    constraints += [item.suggestion.constraint for item in draft.items] if draft is not None else []
    said = ((c.column, c.learned.says or c.measure.parameter("label")) for c in constraints if c.worded and not c.measure.standard)
    return {subject: str(words) for subject, words in said if words}


def named(rule: Any, says: Mapping[str, str], otherwise: str = "table") -> tuple[str, str]:
    """What a result, or a line of the grid, is called, and its metric: '' beside a sentence. What is of no column is called `otherwise`."""
    said = says.get(rule.column, "")
    return (said, "") if said else (rule.column or otherwise, metric_words(rule.name))


def named_line(name: str, called: str, kind: str) -> tuple[str, str]:
    """What a column is called in a list, and of which kind it is: of matched rows the key is left to the tip, since it is the same in each
    and hides the columns' names.
    """
    column, by, _ = name.rpartition(" by ") if kind == "rows" else ("", "", "")
    return (column, "matched rows") if by else (called, KINDS.get(kind, kind))
