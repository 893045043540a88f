"""What a person is told of a condition on columns that are null in some rows: there it has no answer, and the row breaks it."""

from __future__ import annotations

import re

from avh_ui.constraints.sql_text import quoted as in_backticks
from avh_ui.metrics.counts import CountState
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.profile import BatchProfile

# Texts of SQL, and the names in what is left: in backticks or bare.
_TEXT = re.compile(r"'(?:[^']|'')*'")
_NAME = re.compile(r"`((?:[^`]|``)+)`|\b([A-Za-z_]\w*)\b")
# Who says what holds where a value is missing has thought of it.
_THOUGHT_OF = re.compile(r"\b(null|coalesce|nvl|ifnull|nvl2)\b|<=>", re.IGNORECASE)


def null_remark(measure: Measure, table: BatchProfile) -> str:
    """A sentence on the columns of a condition that are null in the profile of a batch; '' where there is none, or it speaks of nulls."""
    predicate, where = measure.parameter("predicate"), measure.where or ""
    if not isinstance(predicate, str) or _THOUGHT_OF.search(said := _TEXT.sub("", f"{predicate} {where}")):
        return ""
    names = {(quoted or bare).replace("``", "`").lower() for quoted, bare in _NAME.findall(said)}
    counts = {name: column.states.get(CountState.key) for name, column in table.columns.items() if name.lower() in names}
    empty = {name: count for name, count in counts.items() if isinstance(count, CountState) and count.nulls}
    if not empty:
        return ""
    where_null = " and ".join(f"{name} is null in {count.nulls:,} of {count.rows:,} rows" for name, count in empty.items())
    known = " and ".join(f"{name if name.isidentifier() else in_backticks(name)} is not null" for name in empty)
    said = f"{where_null} of {table.batch}: a row for which a condition has no answer breaks it."
    return f'{said} These rows are left out by where: "{known}".'
