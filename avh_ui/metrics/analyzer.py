"""What an analyzer is and what it gives: Deequ's unit of measurement (VLDB 2018, Table 2; ICDE 2019, section II)."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol, Self

# Why a result has no value: no rows or values to measure (Deequ's EmptyState); no such column; its type; a parameter; a `where`,
# predicate or pattern that Spark refuses or that raises; a state that is not there or that cannot be merged.
Cause = Literal["empty", "column", "type", "parameter", "expression", "state"]


@dataclass(frozen=True)
class Analyzer:
    """A metric of a table, by `name`: of `columns`, over the rows for which the SQL condition `where` is true (None: all rows).

    `params` are its parameters by name, in a fixed order. Made by the functions of `analyzers`; two equal analyzers are one. What cannot
    be compared becomes what can (a list a tuple), so that a wrong parameter is this analyzer's failed result and no exception.
    """

    name: str
    columns: tuple[str, ...] = ()
    where: str | None = None
    params: tuple[tuple[str, Any], ...] = ()

    def __post_init__(self) -> None:
        for name in ("columns", "where", "params"):
            object.__setattr__(self, name, _hashable(getattr(self, name)))

    def param(self, name: str) -> Any:
        """A parameter by name; None when it has none of that name."""
        return dict(self.params).get(name)

    def __str__(self) -> str:
        said = [*map(str, self.columns), *(f"{k}={v!r}" for k, v in self.params if v is not None)]
        return f"{self.name}({', '.join(said)})" + (f" where {self.where}" if self.where is not None else "")


def _hashable(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return tuple(map(_hashable, value))
    return value if isinstance(value, Hashable) else repr(value)


@dataclass(frozen=True)
class Histogram:
    """Amounts (rows, or sums) by label, in descending order, with their share of the whole (see the analyzer for of which whole).

    `number_of_bins` counts all labels, `tail` is the amount of those that are not named.
    """

    absolute: Mapping[str, float]
    ratio: Mapping[str, float]
    number_of_bins: int
    tail: float = 0.0


@dataclass(frozen=True)
class BinnedHistogram:
    """Rows in the bins between `edges`, each closed on the left, the last on both sides; `nulls` apart, rows outside dropped."""

    edges: tuple[float, ...]
    frequencies: tuple[int, ...]
    nulls: int


Value = float | Mapping[str, float] | Histogram | BinnedHistogram


@dataclass(frozen=True)
class MetricResult:
    """A value, or why there is none. `error`: of a quantile the error of its rank, as a share of the values; of a distinct count
    the relative standard error; None when the value is exact but for rounding.
    """

    analyzer: Analyzer
    value: Value | None
    failure: str | None = None
    cause: Cause | None = None
    error: float | None = None

    @property
    def vacuous(self) -> bool:
        """Whether nothing was there to be measured among the rows of a `where`: Deequ lets every constraint on that pass."""
        return self.cause == "empty" and self.analyzer.where is not None


def failed(analyzer: Analyzer, cause: Cause, failure: str) -> MetricResult:
    """A result without a value."""
    return MetricResult(analyzer, None, failure, cause)


class Mergeable(Protocol):
    """A state as analyzers need it: a commutative monoid as `State` is, measured of whatever its need names."""

    key: ClassVar[str]

    @classmethod
    def identity(cls) -> Self:
        """The state of no rows."""
        ...

    def merge(self, other: Self) -> Self:
        """The state of both sets of rows; neither operand changes."""
        ...

    def to_record(self) -> bytes:
        """As bytes for storage."""
        ...

    @classmethod
    def from_record(cls, record: bytes) -> Self:
        """From `to_record`."""
        ...


@dataclass(frozen=True)
class Need:
    """A state to be measured, shared by all analyzers that need it: by the state's key, of `columns`, over the rows of `where`.

    `detail` is what else it depends on: a predicate, a regular expression, a sketch's size, edges.
    """

    state: str
    columns: tuple[str, ...] = ()
    where: str | None = None
    detail: Any = None
