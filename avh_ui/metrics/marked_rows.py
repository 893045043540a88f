"""Measures of several columns at once: in which of the matched rows one of them has what a mask marks, as a mistake or another value."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from avh_ui.metrics.carried import whole_rows
from avh_ui.metrics.column import OF_ROWS
from avh_ui.metrics.joining import join
from avh_ui.metrics.keys_matched import KEY, ROWS, Keys
from avh_ui.metrics.matched_numbers import Mask
from avh_ui.metrics.matching import Matched, MatchedChange, changes
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.row_sample import MOST_COLUMNS, RowSample
from avh_ui.metrics.wording import Wording
from avh_ui.metrics.zeros import with_zeros

_Columns = Sequence[str]


@dataclass(frozen=True)
class Marked:
    """What is `marked` in a column's rows, None where the column has no such values; and `what` rows in which some are, with `{}` for the
    names of the columns. What is `given` beside a change are a measure's parameters.
    """

    marked: Callable[..., Mask | None]
    what: str

    def of(self, ours: RowSample, theirs: RowSample, column: str, **given: Any) -> Mask | None:
        """Which matched rows are marked in a column; None where it is not there, or has no such values."""
        found = changes(Matched(ours, column), Matched(theirs, column))
        return None if found is None else self.marked(found, **given)

    def some(self, change: MatchedChange) -> bool | None:
        """Whether some matched row is marked; None of a column that has no such values."""
        mask = self.marked(change)
        return None if mask is None else bool(mask.any())

    def share(self, ours: RowSample, theirs: RowSample, columns: _Columns = (), **given: Any) -> float | None:
        """The share of the rows that are marked in some column. The other columns are judged where one is gone."""
        masks = [mask for _, _, mask in self._found(ours, theirs, columns, given)]
        return float(np.mean(np.any(masks, axis=0))) if masks else None

    def most(self, ours: RowSample, theirs: RowSample, columns: _Columns = (), **given: Any) -> float | None:
        """The share of the rows that are marked in that one column in which the most are."""
        return max((float(np.mean(mask)) for _, _, mask in self._found(ours, theirs, columns, given)), default=None)

    def worst(self, ours: RowSample, theirs: RowSample, columns: _Columns = (), **given: Any) -> tuple[str, ...]:
        """Of those with marked rows the one that has the most, and those with half as many: what few rows of have breaks no bound of it."""
        rows = {name: np.count_nonzero(mask) for name, _, mask in self._found(ours, theirs, columns, given)}
        return tuple(name for name in self.columns(ours, theirs, columns, **given) if rows[name] * 2 >= max(rows.values()))

    def columns(self, ours: RowSample, theirs: RowSample, columns: _Columns = (), **given: Any) -> tuple[str, ...]:
        """Those with marked rows, the most important first: what is null in all rows, then what has the most."""
        found = [(name, one.gone, np.count_nonzero(mask)) for name, one, mask in self._found(ours, theirs, columns, given) if mask.any()]
        return tuple(name for name, *_ in sorted(found, key=lambda one: (not one[1], -one[2])))

    def rows(self, ours: RowSample, theirs: RowSample, columns: _Columns = (), **given: Any) -> Keys:
        """The marked rows, each with what its columns are and were."""
        joined = join(ours, theirs)
        found = self._found(ours, theirs, columns, given)
        where = {name: with_zeros(mask, one.before, one.after) if one.numeric else mask for name, one, mask in found if mask.any()}
        wrong = np.any([np.zeros(len(joined.ours), dtype=bool), *where.values()], axis=0)
        said = [
            said_of(ours, theirs, [n for n in where if where[n][at]], joined.ours[at], joined.theirs[at]) for at in np.flatnonzero(wrong)
        ]
        return Keys(self.what.format(", ".join(where)) if where else "rows", ours, joined.ours[wrong], joined.now, tuple(said))

    def _found(
        self, ours: RowSample, theirs: RowSample, columns: _Columns, given: Mapping[str, Any]
    ) -> Iterator[tuple[str, MatchedChange, Mask]]:
        for name in columns:
            found = changes(Matched(ours, name), Matched(theirs, name))
            if found is not None and (mask := self.marked(found, **given)) is not None:
                yield name, found, mask

    def metric_of_most(self, name: str, description: str, says: Wording, **others: Any) -> Metric:
        """The metric of the share in the column in which the most rows are marked."""
        return self.metric(name, description, says, pair=self.most, rows_of=self.worst, which_of=self.worst, **others)

    def metric(self, name: str, description: str, says: Wording, **others: Any) -> Metric:
        """The metric of the share of rows that are marked in any column."""
        declared: dict[str, Any] = {"pair": self.share, "rows_of": self.rows, "which_of": self.columns, "least": 2} | others
        parameters = (KEY, ROWS, *declared.pop("parameters", ()))
        return Metric(
            name, OF_ROWS, (RowSample,), 2, "ratio", description, lowest=0, highest=1, most=MOST_COLUMNS, asked=True, by_key=True,
            parameters=parameters, wants=whole_rows, plain="always", error=_error, says=says, **declared,
        )  # fmt: skip


def said_of(ours: RowSample, theirs: RowSample, columns: _Columns, now: int, then: int) -> str:
    """What the columns of a row are and were: `deaths is 0, was 1,240`."""
    return "; ".join(f"{name} is {ours.column(name).shown(int(now))}, was {theirs.column(name).shown(int(then))}" for name in columns)


def _error(ours: RowSample, theirs: RowSample, value: float) -> float:
    joined = join(ours, theirs)
    return joined.error(value, len(joined.ours))
