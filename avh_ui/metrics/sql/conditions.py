"""SQL conditions on the columns of a table: read once, then told of any rows of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pyarrow as pa

from avh_ui.metrics.declined import DeclinedError
from avh_ui.metrics.rows import AsNumber, Name, RowTest
from avh_ui.metrics.sql import types as t
from avh_ui.metrics.sql.casts import cast
from avh_ui.metrics.sql.errors import FAULTS, ConditionError, declined
from avh_ui.metrics.sql.naming import Table
from avh_ui.metrics.sql.nodes import Evaluation, Leaf, Node, joined, nodes_of
from avh_ui.metrics.sql.parsing import parsed
from avh_ui.metrics.sql.texts import matched

# What tells another time in another time zone, though the condition looks at no column of times.
_NOW = re.compile(r"\b(current_date|curdate|current_timestamp|now)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Conditions:
    """Conditions, and what else is made of the columns of a table: what several have in common is computed once. `names` are they, `places`
    the table's columns that they look at.
    """

    names: tuple[Name, ...] = ()
    nodes: tuple[Node, ...] = ()
    places: tuple[int, ...] = ()

    def of(self, columns: Mapping[int, pa.Array | pa.ChunkedArray], count: int) -> dict[Name, pa.Array | DeclinedError]:
        """The values of `count` rows, by name, or why only Spark can tell them; `columns` has at least those of `places`."""
        rows = Evaluation(columns, count)
        found: dict[Name, pa.Array | DeclinedError] = {}
        for name, node in zip(self.names, self.nodes, strict=True):
            try:
                found[name] = rows.array(node)
            except DeclinedError as why:
                found[name] = why
            except FAULTS as error:
                found[name] = declined(error)
        return found


@dataclass(frozen=True)
class Read:
    """What became of the reading of conditions: those that are evaluated here; why others are wrong whoever evaluates them, as sentences
    without a full stop; and why others take Spark, as clauses.
    """

    conditions: Conditions = field(default_factory=Conditions)
    wrong: Mapping[Name, str] = field(default_factory=dict)
    declined: Mapping[Name, str] = field(default_factory=dict)


def read(
    names: Iterable[RowTest | AsNumber],
    columns: Sequence[tuple[str, pa.DataType]],
    paths: Mapping[str, tuple[int, ...]] | None = None,
    *,
    exact: bool = False,
    zone: str = "UTC",
) -> Read:
    """Conditions on a table with these columns, by name and type; a pattern's column, or that of texts as numbers, lies at its path.

    Names in another case are the same unless they are `exact`, as Spark's `spark.sql.caseSensitive` has it. Times are told in UTC: in a
    session of another `zone` whatever takes one is Spark's. `current_date()` is the day of this call.
    """
    table, now = Table(columns, exact), datetime.now(UTC)
    found: dict[Name, Node] = {}
    wrong: dict[Name, str] = {}
    left: dict[Name, str] = {}
    for name in dict.fromkeys(names):
        try:
            found[name] = _node(table, name, paths or {}, now)
            if zone != "UTC":
                _without_zone(name, found[name], zone)
        except ConditionError as error:
            wrong[name] = str(error).rstrip(".")
        except DeclinedError as why:
            left[name] = str(why)
    kept = [name for name in found if name not in left]
    roots = joined([found[name] for name in kept])
    places = sorted({node.path[0] for node in nodes_of(roots) if isinstance(node, Leaf)})
    return Read(Conditions(tuple(kept), tuple(roots), tuple(places)), wrong, left)


def taking_spark(texts: Iterable[str], columns: Mapping[str, str]) -> dict[str, str]:
    """Why conditions take Spark, as far as names and types of columns tell before rows are read; those of other columns are passed over."""
    kinds = {name: kind for name, type_name in columns.items() if (kind := t.named(type_name)) is not None}
    left = read([RowTest(text) for text in texts], list(kinds.items()), exact=True).declined
    return {name.text: why for name, why in left.items() if isinstance(name, RowTest)}


def _node(table: Table, name: RowTest | AsNumber, paths: Mapping[str, tuple[int, ...]], now: datetime) -> Node:
    if isinstance(name, RowTest) and name.column is None:
        # With it comes sqlglot, which takes a tenth of a second: most programs have no condition.
        from avh_ui.metrics.sql.binding import Binder

        return Binder(table, now).condition(parsed(name.text))
    texts = table.at(paths[str(name.column)])
    return matched(texts, name.text) if isinstance(name, RowTest) else cast(texts, t.DOUBLE)


def _without_zone(name: RowTest | AsNumber, root: Node, zone: str) -> None:
    """`DeclinedError` where a point in time may be told, or a day of one."""
    if any(node.type == t.TIMESTAMP for node in nodes_of([root])) or (isinstance(name, RowTest) and _NOW.search(name.text)):
        raise DeclinedError(f"the time zone is {zone}")
