"""The values of columns, batch by batch, where the history holds all of a batch's: what patterns are learned from and tried on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from avh_ui.errors import UNREADABLE_BATCH
from avh_ui.metrics.conformance import conformance_of, whole_table
from avh_ui.metrics.frequencies import KEY_LIMIT
from avh_ui.metrics.profile import BatchProfile

# By batch how often each value is there.
Tables = Mapping[str, Mapping[str, int]]
Load = Callable[[str, Sequence[str]], BatchProfile]


def tables_of(load: Load, batches: Sequence[str], columns: Sequence[str]) -> dict[str, Tables]:
    """By column and batch the frequencies, where they hold all values whole (up to 1,000 distinct ones), of the profiles that `load` gives
    of a batch and columns.
    """
    found: dict[str, dict[str, Mapping[str, int]]] = {name: {} for name in columns}
    for batch in batches if columns else ():
        try:
            profile = load(batch, columns)
        except UNREADABLE_BATCH:
            continue  # its states; the others tell as well
        for name in columns:
            column = profile.columns.get(name)
            table = None if column is None else whole_table(column.states)
            if table is not None and max(map(len, table), default=0) < KEY_LIMIT:
                found[name][batch] = table
    return dict(found)


def shares_of(tables: Tables, regex: str) -> dict[str, float]:
    """The share of values that do not conform, of each batch that has values."""
    found = {batch: conformance_of(table, regex) for batch, table in tables.items()}
    return {batch: one.ratio for batch, one in found.items() if one.values}


def pooled(tables: Tables) -> dict[str, int]:
    """How often each value is there in all batches together."""
    total: dict[str, int] = {}
    for table in tables.values():
        for value, count in table.items():
            total[value] = total.get(value, 0) + count
    return total
