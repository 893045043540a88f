"""Truth values of three kinds, and choices between values."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.metrics.declined import DeclinedError
from avh_ui.metrics.sql import types as t
from avh_ui.metrics.sql.casts import cast
from avh_ui.metrics.sql.comparing import equal, missing
from avh_ui.metrics.sql.nodes import Datum, Node, call, constant


def both(one: Node, other: Node) -> Node:
    """`one AND other`: false where one is false, else null where one is null."""
    return call(t.BOOLEAN, pc.and_kleene, one, other)


def either(one: Node, other: Node) -> Node:
    """`one OR other`: true where one is true, else null where one is null."""
    return call(t.BOOLEAN, pc.or_kleene, one, other)


def inverse(one: Node) -> Node:
    """`NOT one`: null where it is null."""
    return call(t.BOOLEAN, pc.invert, one)


def is_truth(one: Node, wanted: bool) -> Node:
    """`one IS TRUE` or `IS FALSE`: never null."""
    return call(t.BOOLEAN, _is_truth, one, options=(wanted,))


def present(one: Node) -> Node:
    """`one IS NOT NULL`."""
    return inverse(missing(one))


def choice(pairs: Sequence[tuple[Node, Node]], otherwise: Node) -> Node:
    """The value of the first condition that is true: `CASE WHEN`."""
    kind = t.common(*(value.type for _, value in pairs), otherwise.type)
    found = cast(otherwise, kind)
    if kind == t.NULL:
        return constant(t.NULL, None)
    for condition, value in reversed(pairs):
        found = call(kind, _if_else, condition, cast(value, kind), found)
    return found


def coalesce(*nodes: Node) -> Node:
    """The first value that is not null."""
    kind = t.common(*(node.type for node in nodes))
    if not t.single(kind):
        raise DeclinedError(f"coalesce of {t.name_of(kind)}")
    return reduce(lambda one, other: call(kind, _coalesce, one, other), (cast(node, kind) for node in nodes))


def null_if(one: Node, other: Node) -> Node:
    """`nullif(one, other)`: null where they are equal."""
    return one if one.type == t.NULL else call(one.type, _if_else, equal(one, other), constant(one.type, None), one)


def _is_truth(values: Datum, wanted: bool) -> Datum:
    return pc.fill_null(values if wanted else pc.invert(values), False)


def _if_else(condition: Datum, one: Datum, other: Datum) -> Datum:
    return pc.if_else(pc.fill_null(condition, False), one, other)


def _coalesce(one: Datum, other: Datum) -> Datum:
    return pc.coalesce(one, other)


def as_truth(node: Node) -> Node | None:
    """The node as a truth value; None where it is of another type. NULL alone is one."""
    if node.type == t.NULL:
        return constant(t.BOOLEAN, None)
    return node if node.type == pa.bool_() else None
