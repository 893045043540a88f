"""The names in a condition, as the columns of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from avh_ui.errors import nearest
from avh_ui.metrics.declined import DeclinedError
from avh_ui.metrics.sql import types as t
from avh_ui.metrics.sql.errors import ConditionError
from avh_ui.metrics.sql.nodes import Leaf
from avh_ui.metrics.sql.own_names import own_parts
from avh_ui.metrics.type_names import plain

# Names without brackets that are functions where the table has no such column.
_FUNCTIONS = frozenset(
    ["current_date", "current_timestamp", "current_user", "user", "session_user", "current_catalog", "current_database", "localtimestamp"]
)


@dataclass(frozen=True)
class Table:
    """A table's columns by name and type. Names in another case are the same unless they are `exact`."""

    columns: Sequence[tuple[str, pa.DataType]]
    exact: bool = False

    def column(self, parts: Sequence[str]) -> Leaf:
        """A column, or a field of one, by the parts of its name."""
        whole, names = ".".join(parts), [name for name, _ in self.columns]
        first, *rest = own_parts(parts, names, exact=self.exact)
        path = [self._place(first, names, "column", first)]
        kind = plain(self.columns[path[0]][1])
        for part in rest:
            if not pa.types.is_struct(kind):
                raise ConditionError(f"There is no column {whole!r}: {first!r} is no struct.")
            fields = [kind.field(i).name for i in range(kind.num_fields)]
            path.append(self._place(part, fields, "field", whole))
            kind = plain(kind.field(path[-1]).type)
        return Leaf(t.spark_type(kind), tuple(path))

    def at(self, path: Sequence[int]) -> Leaf:
        """The column, or the field of one, at a path."""
        kind = plain(self.columns[path[0]][1])
        for place in path[1:]:
            kind = plain(kind.field(place).type)
        return Leaf(t.spark_type(kind), tuple(path))

    def _place(self, name: str, known: Sequence[str], what: str, said: str) -> int:
        found = [i for i, other in enumerate(known) if other == name or (not self.exact and other.lower() == name.lower())]
        if len(found) > 1:
            raise ConditionError(f"Several {what}s are called {said!r}.", hint="Rename all but one.")
        if found:
            return found[0]
        if name.startswith("_metadata") or name.lower() in _FUNCTIONS:
            raise DeclinedError(f"it names {name}")
        raise ConditionError(f"There is no {what} {said!r}.", hint=nearest(name, known))
