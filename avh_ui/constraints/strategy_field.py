"""Anomaly strategies by name, and as documents and rules have them; left out of a constraint whose bounds are its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Annotated, Any

from pydantic import AfterValidator, Field, GetPydanticSchema, PlainSerializer

from avh_ui.constraints.plain_data import Free
from avh_ui.errors import UsageError, nearest
from avh_ui.history.anomalies import AbsoluteChange, RelativeRateOfChange, Strategy, Threshold
from avh_ui.history.deviations import BatchNormal, OnlineNormal
from avh_ui.history.recent import Recent
from avh_ui.history.seasonal import HoltWinters
from avh_ui.typed import CLOSED, LEFT_OUT, Text, expected

STRATEGIES: dict[str, type[Strategy]] = {
    kind.name: kind for kind in (Threshold, AbsoluteChange, RelativeRateOfChange, Recent, OnlineNormal, BatchNormal, HoltWinters)
}


def strategy_of(record: Any) -> Strategy:
    """The strategy of a record: `online_normal`, or a mapping of its name to its parameters (`{online_normal: {upper: 4}}`).

    `UsageError` for an unknown name or parameter, with the nearest, and for a wrong value.
    """
    if isinstance(record, Strategy):
        return record
    name, given = next(iter(record.items())) if isinstance(record, Mapping) and len(record) == 1 else (record, {})
    if not isinstance(name, str) or name not in STRATEGIES:
        raise UsageError(f"There is no anomaly strategy {name!r}.", hint=nearest(str(name), STRATEGIES))
    kind = STRATEGIES[name]
    known = [f.name for f in fields(kind)]
    if not isinstance(given, Mapping):
        raise UsageError(f"{name}: {given!r} names no parameters.", hint=f"It takes {', '.join(known)}.")
    if strange := [key for key in given if key not in known]:
        raise UsageError(f"{name} has no parameter {strange[0]!r}.", hint=nearest(str(strange[0]), known))
    return kind(**given)


@dataclass(frozen=True)
class StrategyRecord:
    """The anomaly strategy that a batch's bounds follow from, with those of its parameters that do not have their usual value. Absent: the
    bounds are the constraint's own.
    """

    __pydantic_config__ = CLOSED
    name: Text
    parameters: Annotated[Free, LEFT_OUT] = field(default_factory=dict)


def _read(written: StrategyRecord) -> Strategy:
    try:
        return strategy_of({written.name: written.parameters})
    except UsageError as error:
        raise expected(f"an anomaly strategy that this release knows: {error}") from error


def _write(strategy: Strategy | None) -> StrategyRecord | None:
    return None if strategy is None else StrategyRecord(strategy.name, strategy.record)


StrategyField = Annotated[
    Strategy | None,
    GetPydanticSchema(lambda _, schema_of: schema_of(Annotated[StrategyRecord, AfterValidator(_read), PlainSerializer(_write)])),
    Field(exclude_if=lambda strategy: strategy is None),
]
