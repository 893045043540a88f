"""Dataclasses of a process that compiles no method but `__init__` behave as Python's own."""

from __future__ import annotations

import subprocess
import sys

import pytest

# Every answer that could differ, of classes made in a process of its own: frozen and not, ordered, empty, of one field, inherited,
# with slots, generic, with fields left out, and one that holds itself.
_ASKED = r"""
import dataclasses, pickle, sys, typing
from dataclasses import dataclass, field, replace
if sys.argv[1] == "lean":
    from avh_ui.lean_classes import without_compiling
    without_compiling()
if sys.version_info < (3, 13):
    assert (dataclasses._cmp_fn.__module__ == "dataclasses") == (sys.argv[1] != "lean")

@dataclass(frozen=True)
class Two:
    a: int
    b: str = "b"

@dataclass(frozen=True)
class Three(Two):
    c: float = float("nan")

    @property
    def more(self): return self.c

@dataclass(frozen=True)
class One:
    only: object

@dataclass(frozen=True)
class Empty: pass

@dataclass(frozen=True, slots=True)
class Slotted:
    a: int
    b: int = 2

@dataclass(order=True)
class Ordered:
    a: int
    b: int = field(default=0, compare=False)
    c: int = field(default=0, repr=False)

@dataclass
class Plain:
    a: list = field(default_factory=list)

@dataclass(frozen=True)
class Own:
    a: int
    def __eq__(self, other): return True
    def __hash__(self): return 7
    def __repr__(self): return "own"

@dataclass(unsafe_hash=True)
class Hashed:
    a: int
    b: int = field(default=1, hash=False)

class Under(Two):
    def __init__(self, a):
        super().__init__(a)
        object.__setattr__(self, "free", 1)

def said(asked):
    try:
        return repr(asked())
    except Exception as error:
        return f"{type(error).__name__}: {error}"

nan = float("nan")
loop = Plain(); loop.a.append(loop)
two, three, slotted, ordered = Two(1), Three(1, "b", nan), Slotted(1), Ordered(1, 2, 3)
asks = [
    lambda: two, lambda: three, lambda: One((1,)), lambda: Empty(), lambda: slotted, lambda: ordered, lambda: loop, lambda: Own(1),
    lambda: Hashed(3), lambda: Under(2), lambda: two == Two(1), lambda: two == Three(1), lambda: two != Two(2), lambda: two == 1,
    lambda: three == Three(1, "b", nan), lambda: three == Three(1, "b", float("nan")), lambda: Empty() == Empty(),
    lambda: One([1]) == One([1]), lambda: hash(One([1])), lambda: hash(two) == hash((1, "b")), lambda: hash(One(4)) == hash((4,)),
    lambda: hash(Empty()) == hash(()), lambda: hash(three) == hash((1, "b", nan)), lambda: hash(Own(1)), lambda: Own(1) == Own(2),
    lambda: hash(Hashed(3)) == hash(Hashed(3, 9)), lambda: Hashed(3) == Hashed(3, 9), lambda: hash(ordered), lambda: hash(Plain()),
    lambda: ordered < Ordered(1, 0, 4), lambda: ordered <= Ordered(1, 9, 3), lambda: ordered > Ordered(0), lambda: ordered >= 1,
    lambda: setattr(two, "a", 2), lambda: setattr(two, "new", 2), lambda: delattr(two, "a"), lambda: delattr(two, "new"),
    lambda: setattr(three, "a", 2), lambda: setattr(Under(1), "a", 2), lambda: setattr(Under(1), "free", 2), lambda: delattr(Under(1), "b"),
    lambda: setattr(ordered, "a", 5), lambda: replace(two, b="c"), lambda: replace(slotted, b=5), lambda: pickle.loads(pickle.dumps(two)),
    lambda: pickle.loads(pickle.dumps(slotted)) == slotted, lambda: dataclasses.asdict(three), lambda: dataclasses.fields(Two)[1].name,
    lambda: [f.__name__ for f in (Two.__eq__, Two.__hash__, Two.__repr__, Two.__setattr__, Two.__delattr__)],
    lambda: [f.__qualname__ for f in (Two.__eq__, Two.__repr__, Two.__setattr__)], lambda: Two.__doc__, lambda: Two.__match_args__,
]
for ask in asks:
    print(said(ask))
"""


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="Python compiles the methods of a class together")
def test_answer_as_pythons_own() -> None:
    own, lean = (_answers(kind) for kind in ("own", "lean"))
    assert lean == own
    assert len(own.splitlines()) > 50


def _answers(kind: str) -> str:
    return subprocess.run([sys.executable, "-c", _ASKED, kind], capture_output=True, text=True, check=True).stdout
