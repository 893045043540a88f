"""The rows that moved between two batches, from their stored samples alone: what Review, Runs, Drift and notebooks show."""

from __future__ import annotations

from avh_ui.constraints.segment_conditions import WHERE
from avh_ui.errors import ConstraintError, NotFoundError
from avh_ui.history.repository import HistoryRepository
from avh_ui.metrics.catalogue import named
from avh_ui.metrics.determining import DETERMINED_RATIO
from avh_ui.metrics.matched_parts import rows_where
from avh_ui.metrics.matching import Matched
from avh_ui.metrics.measure import Measure, host_of
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.moved import LISTED, Moved, moved, moved_keys, moved_values
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.sampled_rows import sample_in
from avh_ui.metrics.unlike_rows import unlike_moved


def moved_rows(
    history: HistoryRepository, pipeline: str, batch: str, against: str, *, column: str, metric: str = "", limit: int = LISTED
) -> Moved | None:
    """The rows that moved most from batch `against` to `batch`: those that a measure by a key counts, the rows whose value of `column`
    changed, where a measure counts rows the keys that went or came, and of a column that others determine the rows that have another value
    than the same others before.

    `column` may be that of the measure (`cases by id`). None where not both batches have a sample of rows with this column by one key, or
    one keeps hashes in the place of texts.
    """
    ours = history.load(pipeline, batch)
    return (
        rows_between(ours, history.load(pipeline, against), column=column, metric=metric, limit=limit) if sample_in(ours.columns) else None
    )


def rows_between(mine: BatchProfile, other: BatchProfile, *, column: str, metric: str = "", limit: int = LISTED) -> Moved | None:
    """The same of two profiles: the rows that moved most from the `other` to this one; of a rule on a segment, its rows."""
    column, _, where = column.partition(WHERE)
    name, _, _ = column.partition(" by ")
    declared = _declared(metric)
    ours = sample_in(mine.columns)
    theirs = None if ours is None else sample_in(other.columns, by=ours.by)
    if ours is None or theirs is None or ours.hashed or theirs.hashed:
        return None
    if where:
        try:
            ours, theirs = rows_where(ours, where), rows_where(theirs, where)
        except ConstraintError:
            return None
    if declared is not None and declared.by_key and RowSample in declared.needs:
        return moved(_of_columns(declared, name, ours), ours, theirs, limit)
    if declared is DETERMINED_RATIO:
        target, *given = _named(name, tuple(ours.columns)) or ("",)
        return unlike_moved(ours, theirs, target, given, limit)
    if (declared is not None and declared.volume) or (not metric and column == host_of(ours.by)):
        return moved_keys(ours, theirs, limit)
    if name not in ours.columns or name not in theirs.columns:
        return None
    if declared is not None and declared.by_key and declared.rows_of is not None:
        return moved(declared, Matched(ours, name), Matched(theirs, name), limit)
    return moved_values(ours, theirs, name, limit=limit, emptied=declared is not None and declared.of_nulls(name))


def _of_columns(declared: Metric, name: str, rows: RowSample) -> Metric:
    """A metric of several columns of the rows with those that a subject names (`used, total`)."""
    if not declared.of_several:
        return declared
    return declared.of_measure(Measure(declared.name, _named(name, tuple(rows.columns)), parameters=(("key", rows.by),)))


def _named(subject: str, columns: tuple[str, ...]) -> tuple[str, ...]:
    """The columns whose names make up a subject, commas in names or not; () for none."""
    for name in columns:
        if subject == name:
            return (name,)
        if subject.startswith(f"{name}, ") and (rest := _named(subject.removeprefix(f"{name}, "), columns)):
            return (name, *rest)
    return ()


def _declared(metric: str) -> Metric | None:
    """A metric by its name; None for none, and for a pattern."""
    try:
        return named(metric)[0] if metric else None
    except NotFoundError:
        return None
