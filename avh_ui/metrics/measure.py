"""The one identity of what is measured: a metric's name, of which columns, over which rows, with which parameters (Deequ: an analyzer).

Names are those of `catalogue`; whoever knows a metric by another name may use that one: `ALIASES`, resolved here and nowhere else. What
is stored has the names on the right.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

# The names of Deequ (VLDB 2018, Table 2), of its papers and of SQL on the left.
ALIASES: Mapping[str, str] = {
    "size": "row_count",
    "count": "row_count",
    "completeness": "complete_ratio",
    "minimum": "min",
    "maximum": "max",
    "average": "mean",
    "stddev": "standard_deviation",
    "distinct_count": "dist_val_count",
    "ks": "ks_dist",
    "wasserstein": "emd",
}


_TICKED = re.compile(r"(?:^|(?<=\.))`((?:[^`]|``)+)`(?=\.|$)")


def bare(name: str) -> str:
    """A column's name, or that of a field, without the backticks that SQL has around it or its parts: `a.b` and st.`c d`."""
    return _TICKED.sub(lambda part: part[1].replace("``", "`"), name)


def canonical(name: str) -> str:
    """The one name of a metric, given any of its names; a name that nobody knows is itself."""
    return ALIASES.get(name, name)


@dataclass(frozen=True)
class Measure:
    """The metric `name` of `columns`, over the rows for which the SQL condition `where` is true (None: all rows).

    `parameters` are by name, in a fixed order; their values are plain data. Two equal measures are one. What cannot be compared becomes
    what can (a list a tuple), so that a wrong parameter is this measure's failed result and no exception.
    """

    name: str
    columns: tuple[str, ...] = ()
    where: str | None = None
    parameters: tuple[tuple[str, Any], ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", canonical(self.name))
        for name in ("columns", "where", "parameters"):
            object.__setattr__(self, name, _hashable(getattr(self, name)))

    @classmethod
    def of(cls, name: str, columns: str | Iterable[str] = (), where: str | None = None, **parameters: Any) -> Measure:
        """With one column as a text, and parameters by name."""
        return cls(name, (columns,) if isinstance(columns, str) else tuple(columns), where, tuple(parameters.items()))

    def parameter(self, name: str) -> Any:
        """A parameter by name; None when it has none of that name."""
        return dict(self.parameters).get(name)

    @property
    def key(self) -> tuple[str, ...]:
        """The columns by which the batch's rows are matched with those of the batch before; none where they are not."""
        found = self.parameter("key")
        return found if isinstance(found, tuple) and all(isinstance(name, str) for name in found) else ()

    @property
    def host(self) -> str:
        """Under which name a profile has the states that it follows from: its subject, or the sample of rows by its key."""
        return host_of(self.key) if self.key else self.subject

    @property
    def standard(self) -> bool:
        """Whether its name and its one column say it all."""
        return len(self.columns) == 1 and self.where is None and not self.parameters

    @classmethod
    def from_record(cls, record: Sequence[Any]) -> Measure:
        """From `record`."""
        name, columns, where, parameters = record
        return cls(name, tuple(columns), where, tuple((key, value) for key, value in parameters))

    @property
    def record(self) -> tuple[Any, ...]:
        """As plain data, for storage."""
        return self.name, self.columns, self.where, self.parameters

    @property
    def subject(self) -> str:
        """What it is of, as a column is called: `a`, `a, b`, `a, quantile=0.9`, `a by b`, `rows where b > 0`; of a predicate itself.

        A profile has what is measured of it under this name, as it has the field of a struct under `geo.lat`.
        """
        if self.key:
            of = subject_by(", ".join(self.columns), self.key) if self.columns else self.host
            return of if self.where is None else f"{of} where {self.where}"
        predicate = self.parameter("predicate") or self.parameter("column")
        named = (f"{k}={v!r}" for k, v in self.parameters if k != "label")
        of = str(predicate) if predicate is not None else ", ".join((*self.columns, *named))
        return (of or "rows") + ("" if self.where is None else f" where {self.where}")

    @property
    def words(self) -> str:
        """As people say it: `mean of distance where carrier = 'UA'`; of the table's rows alone `row_count`; its `label`, if any."""
        if label := self.parameter("label"):
            return str(label) if self.where is None else f"{label} where {self.where}"
        if not self.columns and (beside := self.parameter("other") or self.parameter("statement")):
            return f"{self.name} of {beside}"
        if not self.columns and not self.parameters:
            return self.name if self.where is None else f"{self.name} where {self.where}"
        return f"{self.name} of {self.subject}"

    def bounded(self, bounds: str) -> str:
        """With what is said of its bounds: `row_count is at least 3`, `orders without a customer (at most 0)`."""
        return f"{self.words} ({bounds})" if self.parameter("label") else f"{self.words} is {bounds}"

    def __str__(self) -> str:
        said = [*self.columns, *(f"{k}={v!r}" for k, v in self.parameters if v is not None)]
        return f"{self.name}({', '.join(said)})" + (f" where {self.where}" if self.where is not None else "")


def host_of(key: Sequence[str]) -> str:
    """The name of a batch's sample of rows by a key."""
    return f"rows by {', '.join(key)}"


def subject_by(column: str, key: Sequence[str]) -> str:
    """The name of a column of such a sample."""
    return f"{column} by {', '.join(key)}"


def subject_in(column: str, host: str) -> str:
    """The name of a column of the sample of this name (`host_of`)."""
    return f"{column}{host.removeprefix('rows')}"


def _hashable(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return tuple(map(_hashable, value))
    return value if isinstance(value, Hashable) else repr(value)
