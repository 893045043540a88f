"""The columns that a batch has, as its profile tells them: what rules about the table's columns are judged by."""

from __future__ import annotations

from avh_ui.errors import HistoryError
from avh_ui.metrics.fields import Within
from avh_ui.metrics.metric import States
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.table_columns import ColumnsState
from avh_ui.metrics.type_names import SIZE


def columns_of(profile: BatchProfile) -> ColumnsState:
    """The columns of a batch; those that avh.yml leaves out are there too, but for their types and their place.

    Of no table where an older release did not look at all columns (`covers_all`).
    """
    if not profile.covers_all:
        return ColumnsState.identity()
    types = {name: c.type for name, c in profile.columns.items() if name not in profile.asked and c.type != SIZE}
    structs = Within(name for name, type_name in types.items() if type_name.startswith("struct<"))
    # Of what is left out nobody knows whether it is a struct; a name with the name of another and a dot before it is one of its fields.
    inside = Within([*profile.left_out])
    left_out = [name for name in profile.left_out if name not in types]
    own = [name for name in types if name not in structs] + [n for n in left_out if n not in structs and n not in inside]
    return ColumnsState.of(own, dict.fromkeys(left_out, "") | types, ordered=not left_out)


def states_of_columns(profile: BatchProfile) -> States:
    """The same as the states that such measures follow from; `HistoryError` where the profile does not tell all columns."""
    if not (columns := columns_of(profile)).tables:
        raise HistoryError("the release that profiled the batch did not look at all of its columns")
    return {ColumnsState.key: columns}
