"""sqlglot's tree of a condition on the columns of a table: names become columns, and each operation what Spark makes of its operands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from sqlglot import exp

from avh_ui.metrics.declined import DeclinedError
from avh_ui.metrics.sql import comparing, logic, numbers, texts, times
from avh_ui.metrics.sql import types as t
from avh_ui.metrics.sql.casts import cast
from avh_ui.metrics.sql.errors import FAULTS, ConditionError, declined
from avh_ui.metrics.sql.functions import called
from avh_ui.metrics.sql.literals import decimal_of, microseconds, written
from avh_ui.metrics.sql.naming import Table
from avh_ui.metrics.sql.nodes import Constant, Node, constant
from avh_ui.metrics.sql.parsing import Parsed, function_of, name_of

_Binary = Callable[[Node, Node], Node]
_OPERATIONS: Mapping[type[Any], _Binary] = {
    exp.EQ: comparing.equal,
    exp.NEQ: comparing.not_equal,
    exp.NullSafeEQ: comparing.same,
    exp.NullSafeNEQ: lambda one, other: logic.inverse(comparing.same(one, other)),
    exp.LT: comparing.less,
    exp.LTE: comparing.at_most,
    exp.GT: lambda one, other: comparing.less(other, one),
    exp.GTE: lambda one, other: comparing.at_most(other, one),
    exp.Add: numbers.add,
    exp.Sub: numbers.subtract,
    exp.Mul: numbers.multiply,
    exp.Div: numbers.divide,
    exp.Mod: numbers.remainder,
    exp.IntDiv: numbers.whole_quotient,
    exp.DPipe: texts.concat,
    exp.RegexpLike: texts.rlike,
}
# What makes a truth value without words or brackets around it: sqlglot lets it stand where Spark's grammar does not.
_LOOSE = (exp.Predicate, exp.Not, exp.Between, exp.In, exp.Connector, exp.Escape, exp.RegexpLike)
_SUMS, _JOINS = (exp.Add, exp.Sub), (exp.DPipe,)
_TYPES: Mapping[Any, pa.DataType] = {
    exp.DType.TINYINT: t.TINYINT, exp.DType.SMALLINT: t.SMALLINT, exp.DType.INT: t.INT, exp.DType.BIGINT: t.BIGINT,
    exp.DType.FLOAT: t.FLOAT, exp.DType.DOUBLE: t.DOUBLE, exp.DType.BOOLEAN: t.BOOLEAN, exp.DType.TEXT: t.STRING, exp.DType.DATE: t.DATE,
    exp.DType.TIMESTAMPTZ: t.TIMESTAMP, exp.DType.TIMESTAMPLTZ: t.TIMESTAMP, exp.DType.TIMESTAMPNTZ: t.TIMESTAMP_NTZ,
}  # fmt: skip
_TRIMS = {"": pc.utf8_trim, "BOTH": pc.utf8_trim, "LEADING": pc.utf8_ltrim, "TRAILING": pc.utf8_rtrim}
_NOW = ("now", "current_timestamp")


@dataclass(frozen=True)
class Binder:
    """Binds conditions to a table's columns. `now` is the time that current_date() and current_timestamp() mean."""

    table: Table
    now: datetime

    def condition(self, parsed: Parsed) -> Node:
        """The condition as a truth value of each row; `ConditionError` where Spark refuses it, too; `DeclinedError`."""
        return self._bound(lambda: _Tree(self, parsed).truth(parsed.tree))

    def value(self, parsed: Parsed) -> Node:
        """An expression of any type, likewise."""
        return self._bound(lambda: _Tree(self, parsed).node(parsed.tree))

    @staticmethod
    def _bound(made: Callable[[], Node]) -> Node:
        try:
            return made()
        except RecursionError:
            raise DeclinedError("it is nested too deeply") from None
        except FAULTS as error:
            # Of constants alone: what Arrow does not do of them it would not do of columns.
            raise declined(error) from error


@dataclass(frozen=True)
class _Tree:
    binder: Binder
    parsed: Parsed

    def truth(self, tree: Any) -> Node:
        node = self.node(tree)
        truth = logic.as_truth(node)
        if truth is None and node.type == t.STRING:
            raise DeclinedError("a text stands where a truth value does")
        if truth is None:
            raise ConditionError(
                f"{self.parsed.text!r} is no condition: a value of the type {t.name_of(node.type)} stands where true or false must.",
                hint="Compare it with something.",
            )
        return truth

    def node(self, tree: Any) -> Node:
        """What a part of the tree means."""
        if operation := _OPERATIONS.get(type(tree)):
            return self._binary(tree, operation)
        made = _MADE.get(type(tree))
        if made is None:
            raise DeclinedError(f"it has {tree.sql_name() if isinstance(tree, exp.Func) else type(tree).__name__}")
        return made(self, tree)

    def operand(self, tree: Any) -> Node:
        """Of an operation that binds closer than what makes truth values: that must stand in brackets."""
        if isinstance(tree, _LOOSE) and not isinstance(tree, exp.Boolean):
            raise DeclinedError("a condition within a comparison stands without brackets")
        return self.node(tree)

    def _binary(self, tree: Any, operation: _Binary) -> Node:
        one, other = tree.this, tree.expression
        kind = _SUMS if isinstance(tree, _JOINS) else _JOINS if isinstance(tree, _SUMS) else ()
        if isinstance(one, kind) or isinstance(other, kind):
            raise DeclinedError("+ or - beside || without brackets")
        if isinstance(tree, _SUMS):
            return self._sum(tree, one, other, operation)
        return operation(self.operand(one), self.operand(other))

    def _sum(self, tree: Any, one: Any, other: Any, operation: _Binary) -> Node:
        sign = -1 if isinstance(tree, exp.Sub) else 1
        if isinstance(other, exp.Interval):
            return times.shifted(self.operand(one), sign * microseconds(other))
        left, right = self.operand(one), self.operand(other)
        if left.type == t.DATE and right.type in t.INTEGRAL:
            return times.days_added(left, right, sign)
        return operation(left, right)

    def literal(self, tree: Any) -> Node:
        if not tree.is_string:
            raise DeclinedError(f"the number {tree.this}")
        return written(self.parsed.constants[int(tree.this[1:])])

    def named(self, tree: Any) -> Node:
        parts = name_of(tree)
        if len(parts) == 1 and parts[0].lower() == "current_date" and not self._has(parts[0]):
            return self._today()
        return self.binder.table.column(parts)

    def _has(self, name: str) -> bool:
        return any(other.lower() == name.lower() for other, _ in self.binder.table.columns)

    def _today(self) -> Node:
        return constant(t.DATE, self.binder.now.date())

    def dotted(self, tree: Any) -> Node:
        """Of more parts than a table's column has in sqlglot's words."""
        parts: list[str] = []
        while isinstance(tree, exp.Dot):
            if not isinstance(tree.expression, exp.Identifier):
                raise DeclinedError("it looks into an array, a map or a function's value")
            parts.insert(0, str(tree.expression.this))
            tree = tree.this
        if not isinstance(tree, exp.Column):
            raise DeclinedError("it looks into an array, a map or a function's value")
        return self.binder.table.column((*name_of(tree), *parts))

    def is_(self, tree: Any) -> Node:
        # Spark lets a comparison stand before IS, and nothing else that makes truth values.
        of = tree.this
        inner = of.this if isinstance(of, exp.Paren) and not of.meta.get("written") and isinstance(of.this, exp.Binary) else of
        node = self.node(inner) if type(inner) in _OPERATIONS else self.operand(of)
        if isinstance(tree.expression, exp.Null):
            return comparing.missing(node)
        truth = logic.as_truth(node)
        if truth is None or not isinstance(tree.expression, exp.Boolean):
            raise DeclinedError("IS of other than null, true or false")
        return logic.is_truth(truth, bool(tree.expression.this))

    def in_(self, tree: Any) -> Node:
        members = tree.args.get("expressions")
        if tree.args.get("query") or tree.args.get("field") or tree.args.get("unnest"):
            raise DeclinedError("IN of a query or a column")
        if not members:
            raise ConditionError(f"{self.parsed.text!r} is no SQL condition: nothing stands in the brackets of IN.")
        return comparing.one_of(self.operand(tree.this), [self.node(member) for member in members])

    def like(self, tree: Any) -> Node:
        escape = "\\"
        if isinstance(tree, exp.Escape):
            escape = texts.literal(self.node(tree.expression), "the escape of LIKE")
            if len(escape) != 1:
                raise ConditionError(f"{self.parsed.text!r} is no SQL condition: the escape of LIKE is one character.")
            tree = tree.this
        if isinstance(tree.expression, exp.Any | exp.All | exp.Tuple):
            raise DeclinedError("LIKE of several patterns")
        any_case = isinstance(tree, exp.ILike)
        found = texts.like(self.operand(tree.this), self.operand(tree.expression), escape, any_case=any_case)
        return logic.inverse(found) if tree.args.get("negate") else found

    def negative(self, tree: Any) -> Node:
        found = numbers.negate(self.operand(tree.this))
        # Of a number in brackets the sign is an operation.
        return Constant(found.type, found.values) if isinstance(found, Constant) and isinstance(tree.this, exp.Paren) else found

    def case(self, tree: Any) -> Node:
        of = None if tree.this is None else self.node(tree.this)
        pairs = []
        for branch in tree.args["ifs"]:
            condition = self.truth(branch.this) if of is None else comparing.equal(of, self.node(branch.this))
            pairs.append((condition, self.node(branch.args["true"])))
        default = tree.args.get("default")
        return logic.choice(pairs, constant(t.NULL, None) if default is None else self.node(default))

    def if_(self, tree: Any) -> Node:
        if tree.args.get("false") is None:
            raise DeclinedError("if of two arguments")
        return logic.choice([(self.truth(tree.this), self.node(tree.args["true"]))], self.node(tree.args["false"]))

    def cast(self, tree: Any) -> Node:
        node, to = self.operand(tree.this), tree.to
        if to.this == exp.DType.DECIMAL:
            kind = decimal_of(to, self.parsed.text)
        elif to.this in _TYPES and not to.expressions:
            kind = _TYPES[to.this]
        else:
            raise DeclinedError(f"it casts to {to.sql('spark')}")
        return cast(node, kind, trying=bool(tree.args.get("safe")))

    def between(self, tree: Any) -> Node:
        # Its bounds may stand in either order, and Spark's own grammar may not have the word.
        if tree.args.get("symmetric") is not None:
            raise DeclinedError("BETWEEN SYMMETRIC or ASYMMETRIC")
        return comparing.between(self.operand(tree.this), self.operand(tree.args["low"]), self.operand(tree.args["high"]))

    def function(self, tree: Any) -> Node:
        name = function_of(tree)
        if not name:
            raise DeclinedError("it calls a function by a quoted name")
        if name in ("current_date", "curdate") and not tree.expressions:
            return self._today()
        if name in _NOW and not tree.expressions:
            return constant(t.TIMESTAMP, self.binder.now)
        return called(name, [self.node(arg) for arg in tree.expressions])

    def trim(self, tree: Any) -> Node:
        characters = tree.args.get("expression")
        return texts.trimmed(
            self.node(tree.this), _TRIMS[tree.args.get("position") or ""], None if characters is None else self.node(characters)
        )

    def substring(self, tree: Any) -> Node:
        args = [tree.this, tree.args.get("start"), tree.args.get("length")]
        return called("substring", [self.node(arg) for arg in args if arg is not None])

    def extract(self, tree: Any) -> Node:
        return called(str(tree.this.this).lower(), [self.node(tree.expression)])

    def rounded(self, tree: Any) -> Node:
        if tree.args.get("decimals") or tree.args.get("to"):
            raise DeclinedError("ceil or floor of several arguments")
        return called("ceil" if isinstance(tree, exp.Ceil) else "floor", [self.node(tree.this)])


_MADE: Mapping[type[Any], Callable[[_Tree, Any], Node]] = {
    exp.Paren: lambda of, tree: of.node(tree.this),
    exp.And: lambda of, tree: logic.both(of.truth(tree.this), of.truth(tree.expression)),
    exp.Or: lambda of, tree: logic.either(of.truth(tree.this), of.truth(tree.expression)),
    exp.Not: lambda of, tree: logic.inverse(of.truth(tree.this)),
    exp.Neg: _Tree.negative,
    exp.Null: lambda *_: constant(t.NULL, None),
    exp.Boolean: lambda _, tree: constant(t.BOOLEAN, bool(tree.this)),
    exp.Between: _Tree.between,
    exp.CurrentDate: lambda of, _: of._today(),
    exp.CurrentTimestamp: lambda of, _: constant(t.TIMESTAMP, of.binder.now),
    exp.Literal: _Tree.literal,
    exp.Column: _Tree.named,
    exp.Dot: _Tree.dotted,
    exp.Is: _Tree.is_,
    exp.In: _Tree.in_,
    exp.Like: _Tree.like,
    exp.ILike: _Tree.like,
    exp.Escape: _Tree.like,
    exp.Case: _Tree.case,
    exp.If: _Tree.if_,
    exp.Cast: _Tree.cast,
    exp.TryCast: _Tree.cast,
    exp.Anonymous: _Tree.function,
    exp.Trim: _Tree.trim,
    exp.Substring: _Tree.substring,
    exp.Extract: _Tree.extract,
    exp.Ceil: _Tree.rounded,
    exp.Floor: _Tree.rounded,
}
