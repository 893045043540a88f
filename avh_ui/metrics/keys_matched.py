"""Metrics of the keys of rows matched with the batch before: those that came, went, came twice, or are null."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from avh_ui.metrics.column import OF_ROWS
from avh_ui.metrics.joining import Places, join
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.parameters import Parameter
from avh_ui.metrics.row_drawing import Drawing
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.rows import Need
from avh_ui.metrics.wording import seldom

KEY = Parameter("key", "the columns of a key", lambda v: isinstance(v, tuple | list) and bool(v) and all(isinstance(c, str) for c in v))
# How strictly rows are kept is the pipeline's to say (`rows` in avh.yml).
ROWS = Parameter("rows", "values, hashed or none", lambda v: v in (None, "values", "hashed", "none"), optional=True)
# ... and of how many keys (`rows_kept`).
MOST = Parameter("most", "a number of keys", lambda v: v is None or (isinstance(v, int) and v > 0), optional=True)

# Columns are nearly a key where so many rows have a key of their own, and the others are matched with none: of 3,470 brands 14 share their
# names, and one entry stands there twice, so that no set of columns is a key.
NEARLY_A_KEY = 0.99


@dataclass(frozen=True, eq=False)
class Keys:
    """Keys that something is told of: `what` they are, their places in a sample, how many keys of it were looked at, the first ones, and
    what is `said` of each beside its name, where something is.
    """

    what: str
    sample: RowSample
    places: Places
    among: int
    said: tuple[str, ...] = ()


def lost_keys(ours: RowSample, theirs: RowSample) -> Keys:
    """The keys that only the other sample has."""
    found = join(ours, theirs)
    return Keys("lost keys", theirs, found.gone, found.then)


def new_keys(ours: RowSample, theirs: RowSample) -> Keys:
    """The keys that the other sample lacks."""
    found = join(ours, theirs)
    return Keys("new keys", ours, found.new, found.now)


def keys_of_several(ours: RowSample, _: RowSample) -> Keys:
    """The keys that several rows have."""
    return Keys("keys that occur twice", ours, np.flatnonzero(ours.counts > 1), ours.keys)


def _keys_alone(measure: Measure) -> tuple[Need, ...]:
    return (Need(RowSample, measure.key, None, Drawing(len(measure.key))),)


def _of_keys(name: str, description: str, **declared: Any) -> Metric:
    return Metric(
        name, OF_ROWS, (RowSample,), 2, "ratio", description, lowest=0, highest=1, least=0, most=0, asked=True, by_key=True,
        parameters=(KEY, ROWS, MOST), wants=_keys_alone, **declared,
    )  # fmt: skip


def _gone(ours: RowSample, theirs: RowSample) -> float | None:
    found = join(ours, theirs)
    return len(found.gone) / found.then if found.then else None


def _new(ours: RowSample, theirs: RowSample) -> float | None:
    found = join(ours, theirs)
    return len(found.new) / found.now if found.now else None


def _error_of_keys(ours: RowSample, theirs: RowSample, share: float) -> float:
    found = join(ours, theirs)
    return found.error(share, min(found.now, found.then))


# In 6,400 windows of 30 batches of nine tables without a key in several rows two of the next batches had one, both documented faults.
KEYS_TWICE = _of_keys(
    "keys_twice", "share of the keys that several rows have", single=lambda s: s.twice, stated=lambda s: s.twice_error or None,
    plain="always", rows_of=keys_of_several, of_every_value=True,
    says=seldom(
        "How many of the keys stand in several rows, as a share.", "the share of keys ({key}) in several rows",
        "At most {high} of the keys ({key}) stand in several rows", "No key ({key}) stands in several rows",
    ),
)  # fmt: skip
NULL_KEYS = _of_keys(
    "null_keys", "share of the rows with a null in their key", single=lambda s: s.nulls / s.rows if s.rows else None, plain="always",
    of_every_value=True,
    says=seldom(
        "How many rows have a null in their key, as a share.", "the share of rows with a null in {key}",
        "At most {high} of the rows have a null in {key}", "No row has a null in {key}",
    ),
)  # fmt: skip
KEYS_GONE = _of_keys(
    "keys_gone", "share of the keys of the batch before that are not there", pair=_gone, error=_error_of_keys, plain="always",
    rows_of=lost_keys, adds_up=True,
    says=seldom(
        "How many of the keys of the batch before are not there any more, as a share.", "the share of keys ({key}) that are gone",
        "At most {high} of the keys ({key}) of the batch before are gone", "No key ({key}) of the batch before is gone",
    ),
)  # fmt: skip
KEYS_NEW = _of_keys(
    "keys_new", "share of the keys that the batch before had not", pair=_new, error=_error_of_keys, plain="always",
    rows_of=new_keys, adds_up=True,
    says=seldom(
        "How many of the keys were not in the batch before, as a share.", "the share of new keys ({key})",
        "At most {high} of the keys ({key}) were not in the batch before", "Every key ({key}) was in the batch before",
    ),
)  # fmt: skip

# What makes columns a key: none twice, none null.
SOUND_KEYS: tuple[Metric, ...] = (KEYS_TWICE, NULL_KEYS)
OF_KEYS: tuple[Metric, ...] = (KEYS_TWICE, NULL_KEYS, KEYS_GONE, KEYS_NEW)
