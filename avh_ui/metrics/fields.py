"""What is measured of a table's columns: every column, the fields of structs as columns of their own, the sizes of arrays and maps.

This is the one place that says how a column of each type is measured; engines only carry it out. A field of a struct is named by its
path, `geo.lat`, as in Spark's SQL; a part that has a dot, a backtick or a bracket in its own name stands in backticks. The size of an
array or a map is the column `tags.size()`: no field has that name, since its brackets would stand in backticks. Where a column of the
table has one of these as its own name, it keeps it, and the nested one stands in backticks as a whole.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from avh_ui.errors import ended
from avh_ui.metrics.analysis import Askable
from avh_ui.metrics.asked import kept_metric
from avh_ui.metrics.catalogue import STATES, known_of
from avh_ui.metrics.column import OF_ROWS, Kind
from avh_ui.metrics.measure import Measure, host_of
from avh_ui.metrics.metric import Metric, key_in
from avh_ui.metrics.rows import Need, RowTest
from avh_ui.metrics.sampled_rows import sampled
from avh_ui.metrics.type_names import DURATION, MONTHS, NULL, ROWS, SAMPLED, SIZE, TIME, TypeTree, is_number

# Its values, the number of its elements, its whole months, only how many are null; whether a condition or pattern holds; or nothing
# but what measures of several columns need.
How = Literal["values", "size", "months", "nulls", "truth", "rows"]
Wants = Callable[..., bool]
_VALUES = frozenset({"boolean", "string", "binary", "date", "timestamp", "timestamp_ntz", TIME, DURATION, NULL})
_KINDS: dict[str, Kind] = {
    **dict.fromkeys(("date", "timestamp", "timestamp_ntz"), "temporal"), "boolean": "boolean", "binary": "binary", "string": "string",
    NULL: "string",
}  # fmt: skip
_STRUCT, _CONTAINERS = "struct<", ("array<", "map<")
# How the names of types begin whose values are no single ones.
NESTED = (_STRUCT, *_CONTAINERS)
_NOT_PLAIN = re.compile(r"[.`()]")
# Types of which release 0.1 left the columns out of its profiles and programs.
_UNSEEN = (*NESTED, "variant", "interval", "geometry", "geography", TIME)
# So many columns are named in a sentence, the others counted; of a long type the beginning is shown.
_NAMED, _SHOWN = 5, 40


@dataclass(frozen=True)
class MeasuredField:
    """A column to measure. `path` leads to its values: the place of the table's column, then those of the fields within.

    With `asked` it is what that measure is of: the rows of its condition, and of these the column's values or (`how` is `truth`) whether
    its predicate or pattern holds. `measures` are those asked of it beside the metrics of every column; `needs` the states they follow
    from and no column has anyway, by their keys.
    """

    name: str
    path: tuple[int, ...]
    type: str
    how: How
    asked: Measure | None = None
    measures: tuple[Measure, ...] = ()
    needs: tuple[tuple[str, Need], ...] = ()

    @property
    def kind(self) -> Kind:
        """How it is measured."""
        if self.how in ("size", "months"):
            return "numeric"
        if self.how != "values":
            return {"nulls": "skipped", "truth": "boolean"}.get(self.how, "rows")  # type: ignore[return-value]
        return _KINDS.get(self.type, "numeric")

    @property
    def test(self) -> RowTest | None:
        """The truth values that are its own, where it is one of them; None too where it is true of every row that counts."""
        if self.how != "truth" or self.asked is None:
            return None
        predicate, pattern = self.asked.parameter("predicate"), self.asked.parameter("pattern")
        return RowTest(pattern, self.asked.columns[0]) if pattern is not None else None if predicate is None else RowTest(predicate)

    @property
    def tests(self) -> tuple[RowTest, ...]:
        """All truth values that measuring it takes."""
        own = (None if self.asked is None or self.asked.where is None else RowTest(self.asked.where), self.test)
        return tuple(dict.fromkeys((*(test for test in own if test), *(test for _, need in self.needs for test in need.tests))))

    @property
    def counted(self) -> bool:
        """Whether only its nulls are counted."""
        return self.how == "nulls"


@dataclass(frozen=True)
class Chosen:
    """What is measured of a table, in the order of its columns, and the names that are left out on purpose: `dropped` are those of
    `left_out` that are in no other, and of which no field is measured.
    """

    fields: tuple[MeasuredField, ...]
    left_out: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    refused: Mapping[str, str] = dataclasses.field(default_factory=dict)

    @property
    def asked(self) -> tuple[str, ...]:
        """The names of what is measured because it was asked for, and is no column of the table."""
        return tuple(f.name for f in self.fields if f.asked is not None)

    def without(self, tests: Mapping[RowTest, str]) -> Chosen:
        """Without what takes these truth values, each with the reason why they cannot be told."""
        why = {f.name: next(tests[t] for t in f.tests if t in tests) for f in self.fields if any(t in tests for t in f.tests)}
        return replace(self, fields=tuple(f for f in self.fields if f.name not in why), refused={**self.refused, **why})

    @property
    def tests(self) -> tuple[RowTest, ...]:
        """All truth values that measuring takes."""
        return tuple(dict.fromkeys(test for f in self.fields for test in f.tests))

    def notes(self) -> tuple[str, ...]:
        """One sentence on the columns that are not measured whole, and one on those left out; none where there are none."""
        columns = [f for f in self.fields if f.type != SIZE and f.asked is None and not f.type.startswith(_STRUCT)]
        sized = [f for f in columns if f.type.startswith(_CONTAINERS)]
        counted = [f for f in columns if f.counted and not f.type.startswith(_CONTAINERS)]
        said = []
        if n := len(sized) + len(counted):
            parts = [f"of {_listed(some)} only {what}" for some, what in ((sized, "size and nulls"), (counted, "nulls")) if some]
            verb = "is" if n == 1 else "are"
            said.append(f"{n} of {len(columns)} columns {verb} not measured whole, as no metric is for their types: {'; '.join(parts)}.")
        if self.dropped:
            verb = "column is" if len(self.dropped) == 1 else "columns are"
            said.append(f"{len(self.dropped)} {verb} left out by avh.yml: {_first([repr(name) for name in self.dropped])}.")
        said += [ended(f"{name} is not measured: {why}") for name, why in self.refused.items()]
        return tuple(said)


def choose(
    columns: Sequence[tuple[str, TypeTree]], wants: Wants = lambda *_: True, asked: Iterable[Measure] = (), *, untyped: bool = False
) -> Chosen:
    """What is measured of these columns (name and type), and beside them what is `asked` for.

    `wants` is asked with a field's name, then those of the columns it is in. Texts of an `untyped` source may be numbers.
    """
    taken = {name for name, _ in columns}
    kept: list[MeasuredField] = []
    left_out: dict[str, tuple[str, ...]] = {}
    parents: set[str] = set()
    for place, (name, tree) in enumerate(columns):
        for field, above in _within(name, (name,), (place,), tree, ()):
            named = replace(field, name=_free(field.name, taken)) if above else field
            taken.add(named.name)
            # The size of an array is wanted as the array is.
            if wants(named.name, *above):
                kept.append(named)
                parents.update(above)
            elif field.type != SIZE:
                left_out[named.name] = above
    dropped = [n for n, above in left_out.items() if n not in parents and not any(a in left_out and a not in parents for a in above)]
    return _with_asked(Chosen(tuple(kept), tuple(left_out), tuple(dropped)), taken, asked, untyped)


def _with_asked(chosen: Chosen, taken: set[str], asked: Iterable[Measure], untyped: bool) -> Chosen:
    """With what the measures are of, where that is no column, and what they need; what cannot be measured is refused with its reason."""
    fields = {f.name: f for f in chosen.fields}
    kinds: dict[str, Askable] = {f.name: f.kind for f in chosen.fields}
    refused: dict[str, str] = {}
    by_key: dict[tuple[str, ...], list[Measure]] = {}
    for measure in dict.fromkeys(asked):
        if known_of(measure):
            continue  # every profile has its rows and its columns
        if measure.key:
            by_key.setdefault(measure.key, []).append(measure)
            continue
        name = measure.subject
        found = "a column has this very name" if not measure.standard and name in taken else kept_metric(measure, kinds, untyped=untyped)
        if isinstance(found, str):
            refused[name] = found
            continue
        field = fields.get(name) or _subject(measure, fields, found)
        if found.asked:
            standard = {state.key for state in STATES[field.kind]}
            wanted = ((key_in(measure, need), need) for need in found.needs_of(measure))
            more = tuple((key, need) for key, need in wanted if key not in standard and key not in dict(field.needs))
            field = replace(field, measures=(*field.measures, measure), needs=(*field.needs, *more))
        fields[name] = field
    single = [f.name for f in chosen.fields if f.how in ("values", "size") and f.asked is None]
    for key, measures in by_key.items():
        made = "a column has this very name" if (name := host_of(key)) in taken else sampled(key, measures, single)
        if isinstance(made, str):
            refused[name] = made
        else:
            fields[name] = MeasuredField(name, (), SAMPLED, "rows", made.measures[0], made.measures, made.needs)
    return replace(chosen, fields=tuple(fields.values()), refused=refused)


def _subject(measure: Measure, fields: Mapping[str, MeasuredField], metric: Metric) -> MeasuredField:
    """What a measure is of, as a column beside those of the table."""
    if metric.kinds == OF_ROWS:
        return MeasuredField(measure.subject, (), ROWS, "rows", measure)
    if metric.kinds == {"boolean"} or not measure.columns:
        return MeasuredField(measure.subject, (), "boolean", "truth", measure)
    if len(measure.columns) > 1:
        return MeasuredField(measure.subject, (), ROWS, "rows", measure)
    return replace(fields[measure.columns[0]], name=measure.subject, asked=measure, measures=(), needs=())


def _within(
    name: str, parts: tuple[str, ...], path: tuple[int, ...], tree: TypeTree, above: tuple[str, ...]
) -> Iterator[tuple[MeasuredField, tuple[str, ...]]]:
    yield MeasuredField(name, path, tree.name, _how(tree.name)), above
    inner = (name, *above)
    if tree.name.startswith(_CONTAINERS):
        yield MeasuredField(f"{_joined(parts)}.size()", path, SIZE, "size"), inner
    for place, (part, field) in enumerate(tree.fields):
        yield from _within(f"{_joined(parts)}.{_quoted(part)}", (*parts, part), (*path, place), field, inner)


def _how(name: str) -> How:
    if name in _VALUES or is_number(name):
        return "values"
    return "months" if name == MONTHS else "nulls"


def _joined(parts: Iterable[str]) -> str:
    return ".".join(map(_quoted, parts))


def _quoted(part: str) -> str:
    return f"`{part.replace('`', '``')}`" if _NOT_PLAIN.search(part) or not part else part


def _free(name: str, taken: set[str]) -> str:
    """The name, in backticks where a column of the table has that very name."""
    while name in taken:
        name = f"`{name.replace('`', '``')}`"
    return name


class Within:
    """Tells whether a name is that of a field (or the size) of one of some columns, or of a field within."""

    def __init__(self, columns: Iterable[str]) -> None:
        self._prefixes = {f"{form}." for name in columns for form in (name, _quoted(name))}

    def __contains__(self, name: str) -> bool:
        return bool(self._prefixes) and any(name[: i + 1] in self._prefixes for i, c in enumerate(name) if c == ".")


def unseen_by_0_1(columns: Iterable[tuple[str, str]]) -> set[str]:
    """The columns (name and type) that release 0.1 did not look at: nested ones with their fields, and those it had no measure of."""
    columns = list(columns)
    roots = {name for name, type_name in columns if type_name.startswith(_UNSEEN)}
    inside = Within(roots)
    return {name for name, type_name in columns if type_name == SIZE or name in roots or name in inside}


def _listed(fields: Sequence[MeasuredField]) -> str:
    return _first([f"{f.name!r} ({f.type if len(f.type) <= _SHOWN else f'{f.type[:_SHOWN]}…'})" for f in fields])


def _first(names: Sequence[str]) -> str:
    return ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else "")
