"""Columns of texts compared as the numbers that they write (`metrics.compared`), as `spark.text_numbers` tells Spark to."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.metrics.compared import EXACT, SHORT, Operator, number_of
from avh_ui.metrics.sql import comparing
from avh_ui.metrics.sql import types as t
from avh_ui.metrics.sql.nodes import Datum, Node, call
from avh_ui.metrics.sql.text_casts import CASTS_OF_TEXTS, decimals

_NODES: Mapping[str, Callable[[Node, Node], Node]] = {"<": comparing.less, "<=": comparing.at_most, "=": comparing.equal}
_TRUTHS: Mapping[str, Callable[[Datum, Datum], Datum]] = {"<": pc.less, "<=": pc.less_equal, "=": pc.equal}
_SWAPPED: Mapping[str, Operator] = {">": "<", ">=": "<="}


def compared(one: Node, other: Node, operator: Operator) -> Node:
    """A marked comparison; of columns that are not both texts the plain one."""
    if (swapped := _SWAPPED.get(operator)) is not None:
        return compared(other, one, swapped)
    plain = _NODES[operator](one, other)
    both = one.type == t.STRING and other.type == t.STRING
    return call(t.BOOLEAN, _compared, plain, one, other, options=(operator,)) if both else plain


def _compared(plain: Datum, one: Datum, other: Datum, operator: Operator) -> Datum:
    numbers = [pc.fill_null(pc.match_substring_regex(texts, number_of(operator)), False) for texts in (one, other)]
    unlike = pc.fill_null(pc.not_equal(one, other), False)
    if operator != "=":
        plain = pc.if_else(pc.and_(unlike, pc.xor(*numbers)), False, plain)
    both = pc.and_(unlike, pc.and_(*numbers))
    told = _of_numbers(one.filter(both), other.filter(both), operator)
    return pc.replace_with_mask(plain, both, told) if len(told) else plain


def _of_numbers(one: pa.Array, other: pa.Array, operator: Operator) -> pa.Array:
    to_double = CASTS_OF_TEXTS[t.DOUBLE]
    a, b = to_double(one), to_double(other)
    told = _TRUTHS[operator](a, b)
    long = pc.or_(pc.greater(pc.utf8_length(one), SHORT), pc.greater(pc.utf8_length(other), SHORT))
    alike = pc.and_(pc.equal(a, b), long)
    if not pc.any(alike, min_count=0).as_py():
        return told
    exact = pa.decimal128(*EXACT)
    finer = _TRUTHS[operator](decimals(one.filter(alike), exact), decimals(other.filter(alike), exact))
    return pc.replace_with_mask(told, alike, pc.coalesce(finer, told.filter(alike)))
