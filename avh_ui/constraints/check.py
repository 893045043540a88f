"""A check: a rule that a person states, as data (VLDB 2018, section 3.1). It compiles to a constraint with the origin "manual"."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cache, wraps
from inspect import BoundArguments, Parameter, signature
from typing import Any, ParamSpec, get_args, get_type_hints

from avh_ui.constraints.bounds import Bounds
from avh_ui.constraints.constraint import Constraint, Level
from avh_ui.constraints.readable import duration, moment
from avh_ui.errors import UsageError, nearest
from avh_ui.metrics.catalogue import named
from avh_ui.metrics.column import Kind
from avh_ui.metrics.measure import Measure

LEVELS: tuple[Level, ...] = ("error", "warning")
P = ParamSpec("P")


@dataclass(frozen=True)
class Check:
    """A measure and the bounds it must keep. `says` is the rule in words where each row keeps it or not, without its bounds ('' of others);
    `hint` is what to do when it is broken; `call` is the function of `checks` that made it, with its arguments; `tables`
    are those that it compares with, by the names that its measure has for them.
    """

    measure: Measure
    bounds: Bounds
    level: Level = "error"
    hint: str = ""
    says: str = ""
    tables: Mapping[str, Any] = field(default_factory=dict, compare=False)
    call: tuple[str, Mapping[str, Any]] = field(default=("", {}), compare=False)

    def __post_init__(self) -> None:
        if self.level not in LEVELS:
            raise UsageError(f"There is no level {self.level!r}.", hint=f"Levels are {' and '.join(LEVELS)}.")

    def constraint(self, kind: Kind = "rows") -> Constraint:
        """As a constraint on a measure of a column of that kind (`rows`: of what is no single column, or not known)."""
        declared = [k for metric in named(self.measure.name) for k in sorted(metric.kinds)]
        usual: Kind = "temporal" if self._limit is not None and "temporal" in declared else declared[0]
        said = {"rule": str(self), "says": self.says, "hint": self.hint}
        return Constraint(
            column=self.measure.subject,
            metric=self.measure.name,
            measure=self.measure,
            kind=kind if kind in declared else usual,
            lower=self.bounds.lower,
            upper=self.bounds.upper,
            strict=self.bounds.strict,
            outside=self.bounds.outside,
            strategy=self.bounds.strategy,
            origin="manual",
            level=self.level,
            provenance={key: value for key, value in said.items() if value},
        )

    @property
    def _limit(self) -> date | timedelta | None:
        """A bound that was given as a date, a time or a length of time; None where none was."""
        return next((value for value in self.call[1].values() if isinstance(value, date | timedelta)), None)

    def __str__(self) -> str:
        if self.says:
            return self.bounds.of_share(self.says)
        read = None if self._limit is None else duration if isinstance(self._limit, timedelta) else moment
        said = self.bounds.read(read)
        return self.measure.bounded(said) if self.bounds.strategy is None else f"{self.measure.words} has {said}"


def stated(make: Callable[P, Check]) -> Callable[P, Check]:
    """Of a function that makes a check: the check keeps which it was and its arguments but for those that have their usual value.

    `UsageError` for an argument that it does not take: `atleast` would be left out without a word.
    """
    known = signature(make)

    @wraps(make)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> Check:
        if strange := [name for name in kwargs if name not in arguments_of(make)]:
            raise UsageError(f"{make.__name__} takes no {strange[0]!r}.", hint=nearest(strange[0], arguments_of(make)))
        check = make(*args, **kwargs)
        object.__setattr__(check, "call", (make.__name__, _arguments(known.bind(*args, **kwargs))))
        return check

    return wrapper


@cache
def arguments_of(make: Callable[..., Check]) -> tuple[str, ...]:
    """The names of all that a function which makes a check takes."""
    parameters = signature(make).parameters.values()
    names = [p.name for p in parameters if p.kind is not Parameter.VAR_KEYWORD]
    for packed in (p.name for p in parameters if p.kind is Parameter.VAR_KEYWORD):
        names += get_type_hints(*get_args(get_type_hints(make)[packed]))
    return tuple(names)


def _arguments(bound: BoundArguments) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in bound.arguments.items():
        kind = bound.signature.parameters[name].kind
        if kind is Parameter.VAR_KEYWORD:
            found |= {key: given for key, given in value.items() if given is not None}
        elif (usual := bound.signature.parameters[name].default) is Parameter.empty or value != usual:
            found[name] = list(value) if kind is Parameter.VAR_POSITIONAL else value
    return found
