"""What is computed of each row: a tree of calls over columns and constants, in which equal parts are one and are computed once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.metrics.column import decoded

# A `pa.Array` with a value of each row, or a `pa.Scalar` that all rows have.
Datum: TypeAlias = Any
Run = Callable[..., Datum]


@dataclass(eq=False)
class Node:
    """Something of each row, with Spark's type of it in Arrow's words. What several nodes need is `shared`."""

    type: pa.DataType
    shared: bool = field(default=False, init=False)


@dataclass(eq=False)
class Leaf(Node):
    """A column of the table, or a field within a struct: `path` leads there, first the place of the column."""

    path: tuple[int, ...]


@dataclass(eq=False)
class Constant(Node):
    """The same for all rows, as an array of one value; `written` is one that stands in the condition as it is."""

    values: pa.Array
    written: bool = False


@dataclass(eq=False)
class FunctionCall(Node):
    """A function of the values of other nodes, `run(*values, *options)`: of each row alone, never of its neighbours."""

    run: Run
    args: tuple[Node, ...]
    options: tuple[Any, ...] = ()


class Evaluation:
    """The values of nodes over some rows; `columns` are those that leaves name. `DeclinedError` for values that only Spark can tell."""

    def __init__(self, columns: Mapping[int, pa.Array], count: int) -> None:
        self._columns, self._count = columns, count
        self._kept: dict[int, Datum] = {}

    def array(self, node: Node) -> pa.Array:
        """The values as an array of all rows."""
        found = self._of(node)
        if isinstance(found, pa.Scalar):
            return pa.repeat(found, self._count) if found.is_valid else pa.nulls(self._count, found.type)
        return decoded(found)

    def _of(self, node: Node) -> Datum:
        if isinstance(node, Constant):
            return node.values[0]
        known = self._kept.get(id(node))
        if known is not None:
            return known
        found = leaf_values(self._columns, node) if isinstance(node, Leaf) else self._called(node)
        if node.shared:
            self._kept[id(node)] = found
        return found

    def _called(self, node: Node) -> Datum:
        assert isinstance(node, FunctionCall)
        given = [self._of(arg) for arg in node.args]
        dictionary = next((value for value in given if isinstance(value, pa.DictionaryArray)), None)
        if dictionary is None:
            return node.run(*given, *node.options)
        if any(isinstance(value, pa.Array) and value is not dictionary for value in given):
            return node.run(*(decoded(v) if isinstance(v, pa.Array) else v for v in given), *node.options)
        # Of a few distinct texts and constants: once for each text, and once for null.
        texts = pa.concat_arrays([decoded(dictionary.dictionary), pa.nulls(1, dictionary.dictionary.type)])
        each = node.run(*(texts if value is dictionary else value for value in given), *node.options)
        return decoded(each).take(dictionary.indices.fill_null(len(texts) - 1))


def leaf_values(columns: Any, leaf: Leaf) -> pa.Array:
    """The values of a column or of a field within; texts that are a dictionary stay one."""
    place, *within = leaf.path
    values = columns[place]
    if isinstance(values, pa.ChunkedArray):
        values = values.chunk(0) if values.num_chunks == 1 else pa.concat_arrays(values.chunks) if values.num_chunks else pa.nulls(0)
    for inner in within:
        # Null where the struct is, whatever lies below.
        values = pc.struct_field(decoded(values), [inner])
    if pa.types.is_dictionary(values.type) and values.type.value_type == leaf.type:
        return values
    values = decoded(values)
    # Times in nanoseconds lose what Spark's microseconds cannot hold, as they do in Spark.
    return values if pa.types.is_nested(leaf.type) or values.type == leaf.type else values.cast(leaf.type, safe=False)


def call(kind: pa.DataType, run: Run, *args: Node, options: tuple[Any, ...] = ()) -> Node:
    """The call of a function that gives values of a type; of constants alone their one value."""
    if all(isinstance(arg, Constant) for arg in args):
        return Constant(kind, run(*(arg.values for arg in args if isinstance(arg, Constant)), *options))
    return FunctionCall(kind, run, args, options)


def constant(kind: pa.DataType, value: Any) -> Constant:
    """A value, or None, of all rows."""
    return Constant(kind, pa.array([value], kind))


def scalar_of(node: Node) -> Any:
    """The Python value of a constant; None for null, and for what is no constant."""
    return node.values[0].as_py() if isinstance(node, Constant) else None


def joined(roots: Sequence[Node]) -> list[Node]:
    """The same trees, in which equal parts are one node."""
    made: dict[Any, Node] = {}

    def one(node: Node) -> Node:
        if isinstance(node, FunctionCall):
            node.args = tuple(map(one, node.args))
        key = _key(node)
        if key in made and made[key] is not node:
            made[key].shared = True
        return made.setdefault(key, node)

    return [one(root) for root in roots]


def _key(node: Node) -> Any:
    if isinstance(node, FunctionCall):
        run = (node.run.func, repr(node.run.args), repr(node.run.keywords)) if isinstance(node.run, partial) else node.run
        return run, tuple(map(id, node.args)), str(node.type), repr(node.options)
    # 0.0 and -0.0 are equal and not the same.
    return node.path if isinstance(node, Leaf) else (str(node.type), repr(scalar_of(node)))


def nodes_of(roots: Sequence[Node]) -> list[Node]:
    """All nodes of the trees, each once."""
    found: dict[int, Node] = {}
    todo = list(roots)
    while todo:
        node = todo.pop()
        if id(node) not in found:
            found[id(node)] = node
            todo += node.args if isinstance(node, FunctionCall) else ()
    return list(found.values())
