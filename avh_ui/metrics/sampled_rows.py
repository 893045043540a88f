"""The sample of a batch's rows by a key beside the batch's columns: what is asked for, and the columns of it that measures are of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from avh_ui.errors import nearest
from avh_ui.metrics.catalogue import of_whole_rows
from avh_ui.metrics.keys_matched import KEYS_TWICE, NULL_KEYS
from avh_ui.metrics.matched_parts import column_where
from avh_ui.metrics.matching import Matched
from avh_ui.metrics.measure import Measure, subject_by
from avh_ui.metrics.metric import find
from avh_ui.metrics.profile import Beside, ColumnProfile
from avh_ui.metrics.row_drawing import CELLS, Drawing, K
from avh_ui.metrics.row_sample import MOST_COLUMNS, RowSample
from avh_ui.metrics.rows import Need
from avh_ui.metrics.state import State
from avh_ui.metrics.type_names import MATCHED


@dataclass(frozen=True)
class SampledMeasures:
    """What a batch's sample by a key is: the measures of its keys, and the state that is needed."""

    name: str
    measures: tuple[Measure, ...]
    needs: tuple[tuple[str, Need], ...]


def sampled(key: Sequence[str], asked: Iterable[Measure], columns: Sequence[str]) -> SampledMeasures | str:
    """The sample by a key that these measures ask for, of a table with these columns; or why there is none, as the end of a sentence."""
    asked = list(asked)
    kept = {measure.parameter("rows") for measure in asked}
    if "none" in kept:
        return "avh.yml keeps no rows (`rows: none`)"
    for name in key:
        if name not in columns:
            return (
                f"there is no column {name!r}, or it is left out. {nearest(name, columns)} `key:` in avh.yml says by what rows are matched"
            )
    drawn = (*key, *(name for name in columns if name not in key))[:MOST_COLUMNS]
    most = max((int(m) for measure in asked if (m := measure.parameter("most")) is not None), default=max(K, CELLS // len(drawn)))
    need = Need(RowSample, drawn, None, Drawing(len(key), most, hashed="hashed" in kept))
    measures = tuple(Measure(m.name, parameters=(("key", tuple(key)),)) for m in (KEYS_TWICE, NULL_KEYS))
    return SampledMeasures(measures[0].host, measures, ((RowSample.key, need),))


def matched_columns(columns: Mapping[str, ColumnProfile]) -> Iterator[ColumnProfile]:
    """The columns of the samples of rows that a profile has, each with the one state that its measures need."""
    for profile in columns.values():
        if (rows := find(profile.states, RowSample)) is not None:
            for name in rows.columns:
                subject = subject_by(name, rows.by)
                if name not in rows.by and subject not in columns:
                    if name not in profile.made:
                        profile.made[name] = ColumnProfile(subject, "rows", MATCHED, {Matched.key: Matched(rows, name)})
                    yield profile.made[name]


def with_shared(columns: dict[str, ColumnProfile], before: Mapping[str, ColumnProfile]) -> dict[str, ColumnProfile]:
    """The columns of a profile, with samples of their own whose columns are those of the batch before where they have not changed: their
    measures are not computed again. To whoever looks at other columns of the rows such a sample tells those of the batch before.
    """
    shared = dict(columns)
    for name, profile in columns.items():
        rows, known = find(profile.states, RowSample), find(before[name].states, RowSample) if name in before else None
        if rows is not None and known is not None:
            shared[name] = own = replace(profile)
            theirs, beside = before[name].made, profile.beside(before[name])
            same = rows.unchanged(known) if beside is None else beside.same
            own.made.update({column: theirs[column] for column in same if column in theirs})
            for column, distances in beside.rows.items() if beside is not None else ():
                if column in theirs:
                    states: dict[str, State] = {Matched.key: Matched(rows, column)}
                    moved = Beside(states, theirs[column].states, distances)
                    own.made[column] = ColumnProfile(subject_by(column, rows.by), "rows", MATCHED, states, known=moved)
    return shared


def column_in(columns: Mapping[str, ColumnProfile], name: str) -> ColumnProfile | None:
    """A column of a profile, or of a sample of rows that it has; None without."""
    found = columns.get(name)
    return found if found is not None else next((c for c in matched_columns(columns) if c.name == name), None)


def measured_in(columns: Mapping[str, ColumnProfile], measure: Measure) -> ColumnProfile | None:
    """What a profile has of a measure's subject: of several columns of a sample of rows the sample that has them, and of matched rows with
    a condition those for which it is true; None without. `ConstraintError` where that cannot be told of them.
    """
    if measure.key and measure.where is not None:
        whole = measured_in(columns, replace(measure, where=None))
        return None if whole is None else column_where(whole, measure.where)
    if not of_whole_rows(measure):
        return column_in(columns, measure.subject)
    found = columns.get(measure.host)
    rows = None if found is None else find(found.states, RowSample)
    return found if rows is not None and all(name in rows.columns for name in measure.columns) else None


def sample_in(columns: Mapping[str, ColumnProfile], column: str | None = None, by: tuple[str, ...] = ()) -> RowSample | None:
    """The sample of rows that a profile has, with this column (None: any) and by this key (none: any); None without."""
    samples = (find(profile.states, RowSample) for profile in columns.values())
    return next((s for s in samples if s is not None and column in (None, *s.columns) and by in ((), s.by)), None)


def hosts_of(names: Iterable[str]) -> Iterator[str]:
    """What may have the states of columns with these names, should some be columns of a sample of rows."""
    for name in names:
        parts = name.split(" by ")
        yield from (f"rows by {' by '.join(parts[k:])}" for k in range(1, len(parts)))


def without_samples(columns: Mapping[str, ColumnProfile]) -> dict[str, ColumnProfile]:
    """The columns of a batch's segment: the whole batch's sample has its rows, and 200 samples more would be 200 times as large."""
    return {name: column for name, column in columns.items() if RowSample.key not in column.states}
