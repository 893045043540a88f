"""Dataclasses whose methods are not compiled one by one, for processes that are soon over."""

from __future__ import annotations

import dataclasses
import operator
import sys
from collections.abc import Callable, Sequence
from dataclasses import FrozenInstanceError
from typing import Any

# From this release on Python compiles the methods of a class together.
_TOGETHER = (3, 13)
# What makes the methods; where one has another name or is not there, all stay as they are.
_MAKERS = ("_tuple_str", "_cmp_fn", "_hash_fn", "_repr_fn", "_frozen_get_del_attr", "_recursive_repr")


def without_compiling() -> None:
    """Let dataclasses share what compares, hashes, shows and freezes them; only `__init__` is compiled for each.

    Python 3.11 and 3.12 write the text of five methods more for each class and compile it: 1,500 texts and 0.1 s of a small validation,
    which calls few of them. What they answer is the same, and comparing and hashing take 0.1 us longer.
    """
    if sys.version_info >= _TOGETHER or not all(hasattr(dataclasses, name) for name in _MAKERS):
        return
    made: dict[str, object] = {
        # What follows is handed the names of the fields where it was handed the text of a tuple of them.
        "_tuple_str": lambda _, fields: _names(fields),
        "_cmp_fn": _comparing,
        "_hash_fn": _hashing,
        "_repr_fn": _showing,
        "_frozen_get_del_attr": _freezing,
    }
    for name, maker in made.items():
        setattr(dataclasses, name, maker)


def _names(fields: Sequence[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in fields)


def _values(names: Sequence[str]) -> Callable[[object], tuple[object, ...]]:
    """What gives the values of some attributes as a tuple."""
    if len(names) > 1:
        return operator.attrgetter(*names)
    return lambda instance: tuple(getattr(instance, name) for name in names)


def _comparing(name: str, _operator: str, names: Sequence[str], _others: object, *, globals: object) -> Any:  # noqa: A002, ARG001 (the name that it is called by)
    values, compared = _values(names), getattr(operator, name)

    def compare(self: object, other: object) -> Any:
        if other.__class__ is self.__class__:
            return compared(values(self), values(other))
        return NotImplemented

    return _named(compare, name)


def _hashing(fields: Sequence[Any], _: object) -> Any:
    values = _values(_names(fields))
    return _named(lambda self: hash(values(self)), "__hash__")


def _showing(fields: Sequence[Any], _: object) -> Any:
    names = _names(fields)

    def show(self: object) -> str:
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    recursive: Callable[[Any], Any] = dataclasses._recursive_repr  # type: ignore[attr-defined]
    return recursive(_named(show, "__repr__"))


def _freezing(cls: Any, fields: Sequence[Any], _: object) -> tuple[Any, Any]:
    names = frozenset(_names(fields))

    def assign(self: Any, name: str, value: object) -> None:
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def delete(self: Any, name: str) -> None:
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    return _named(assign, "__setattr__"), _named(delete, "__delattr__")


def _named(function: Any, name: str) -> Any:
    function.__name__ = name
    return function
