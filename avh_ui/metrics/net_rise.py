"""The metric of what a number rose by since the batch before: what came less what went, as other columns of its row say.

The people of a town are as many as they were, with those born and moved in and without those who died and moved out. No column alone shows
that births and deaths were exchanged.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from avh_ui.metrics.carried import Carried, places_of, rounded, whole_rows
from avh_ui.metrics.column import OF_ROWS
from avh_ui.metrics.joining import join
from avh_ui.metrics.keys_matched import KEY, ROWS, Keys
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.parameters import Parameter
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.wording import Wording

# A sentence of more columns is not read to its end.
MOST_COLUMNS = 5
LESS = Parameter(
    "less", "the columns that are taken away", lambda v: isinstance(v, tuple | list) and all(isinstance(c, str) for c in v),
    optional=True, of_value=True,
)  # fmt: skip


def netted(ours: RowSample, theirs: RowSample, columns: Sequence[str], less: Sequence[str] = ()) -> Carried | None:
    """The matched rows, what the first column says and what it was with the others added, those of `less` taken away; None where a side
    lacks a column.
    """
    column, *terms = columns
    if any(name not in ours.columns for name in columns) or column not in theirs.columns:
        return None
    joined = join(ours, theirs)
    told, *others = (ours.column(name).numbers[joined.ours] for name in columns)
    then = theirs.column(column).numbers[joined.theirs]
    places = max(map(places_of, (told, then, *others)))
    with np.errstate(invalid="ignore", over="ignore"):
        made = then + sum(-its if name in less else its for name, its in zip(terms, others, strict=True))
        wanted = rounded(np.asarray(made), places)
    return Carried(joined, told, wanted, np.isfinite(told) & np.isfinite(wanted), places)


def _share(ours: RowSample, theirs: RowSample, columns: Sequence[str] = (), less: Sequence[str] = ()) -> float | None:
    found = netted(ours, theirs, columns, less) if columns else None
    if found is None or not found.there.any():
        return None
    return 1 - np.count_nonzero(found.broken) / np.count_nonzero(found.there)


def _rows(ours: RowSample, theirs: RowSample, columns: Sequence[str] = (), less: Sequence[str] = ()) -> Keys:
    found = netted(ours, theirs, columns, less) if columns else None
    if found is None:
        return Keys("rows", ours, np.empty(0, dtype=np.int64), 0)
    places, its = found.joined.ours[found.broken], ours.column(columns[0])
    wanted = found.wanted[found.broken]
    said = [f"{its.shown(int(at))}, not {its.number(float(number))}" for at, number in zip(places, wanted, strict=True)]
    return Keys(f"rows whose {columns[0]} did not rise by what came less what went", ours, places, found.joined.now, tuple(said))


NET_RISE = Metric(
    "net_rise", OF_ROWS, (RowSample,), 2, "ratio",
    "share of the matched rows whose first column is what it was in the batch before, with the others added or taken away",
    lowest=0, highest=1, least=2, most=MOST_COLUMNS, asked=True, by_key=True, parameters=(KEY, ROWS, LESS), wants=whole_rows, pair=_share,
    rows_of=_rows, plain="always", of_every_value=True, next_to=True,
    says=Wording(
        "The share of rows, of those that both batches have, in which a column is what it was in the batch before, plus the columns that "
        "say what came and less those that say what went.",
        "the share of rows whose {column} changed by {added}",
        least="In at least {low} of the rows matched by {key} {column} changed by {added} since the batch before",
        at={1.0: "{column} changes by {added} since the batch before"},
    ),
)  # fmt: skip
