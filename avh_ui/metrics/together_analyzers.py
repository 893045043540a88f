"""The measures of `together` and `predicting` as functions, which `analyzers` offers."""

from __future__ import annotations

from collections.abc import Iterable

from avh_ui.metrics.measure import Measure


def refers_to(
    columns: str | Iterable[str], other: str, to: str | Iterable[str] = (), *, nulls: bool = False, where: str | None = None
) -> Measure:
    """Share of the rows whose values are in the columns `to` of the table called `other`; a null is in none unless `nulls`. Empty without
    rows.
    """
    said = {"nulls": True} if nulls else {}
    return Measure.of("refers_to", columns, where, other=other, to=_several(to), **said)


def match_ratio(
    keys: str | Iterable[str],
    other: str,
    compared: str | Iterable[str] = (),
    *,
    to: str | Iterable[str] = (),
    compared_to: str | Iterable[str] = (),
) -> Measure:
    """Share of the rows of the longer table that the other has with the same key and the same values; `to` and `compared_to` are the names
    of these columns there, where they are others. Empty where both tables are.
    """
    given = {"to": _several(to), "compared": _several(compared), "compared_to": _several(compared_to)}
    return Measure.of("match_ratio", keys, None, other=other, **{name: names for name, names in given.items() if names})


def row_count_ratio(other: str) -> Measure:
    """Rows by the rows of another table. Empty where that has none."""
    return Measure.of("row_count_ratio", other=other)


def schema_match(other: str) -> Measure:
    """Share of the columns of the wider table that both have with one type."""
    return Measure.of("schema_match", other=other)


def custom_sql(statement: str, name: str = "") -> Measure:
    """The number that a query of the view `batch` gives. Empty where it is null. `name` is for display."""
    return Measure.of("custom_sql", statement=statement, **({"label": name} if name else {}))


def determined_ratio(column: str, by: str | Iterable[str], *, where: str | None = None) -> Measure:
    """Share of the rows that have the most frequent value of the column among the rows equal in `by`: 1 where these determine it.

    Rows with a null in one of them are left out; empty where all are.
    """
    return Measure.of("determined_ratio", (column, *_several(by)), where)


def predictability(column: str, given: str | Iterable[str], *, where: str | None = None) -> Measure:
    """Share of the held-out rows of which the given columns tell this one. Empty where none is held out."""
    return Measure.of("predictability", (column, *_several(given)), where)


def _several(names: str | Iterable[str]) -> tuple[str, ...]:
    """Names of columns; one may be a text."""
    return (names,) if isinstance(names, str) else tuple(names)
