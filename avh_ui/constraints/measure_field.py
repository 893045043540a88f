"""The measure of a constraint as a document has it: left out where the constraint's column and metric say it all."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from pydantic import AfterValidator, Field, GetPydanticSchema, PlainSerializer

from avh_ui.constraints.plain_data import Free
from avh_ui.metrics.measure import Measure
from avh_ui.typed import CLOSED, LEFT_OUT, Text


@dataclass(frozen=True)
class MeasureRecord:
    """What is constrained, where column and metric do not say it all: `metric` of these columns, over the rows of a condition in Spark SQL,
    with parameters; `column` is its name for people. Absent: the metric of the column.
    """

    __pydantic_config__ = CLOSED
    name: Text
    columns: Annotated[tuple[Text, ...], LEFT_OUT] = ()
    where: Annotated[Text, LEFT_OUT] = ""
    parameters: Annotated[Free, LEFT_OUT] = field(default_factory=dict)


def _read(written: MeasureRecord) -> Measure:
    parameters = ((name, tuple(value) if isinstance(value, list) else value) for name, value in written.parameters.items())
    return Measure(written.name, written.columns, written.where or None, tuple(parameters))


def _write(measure: Measure) -> MeasureRecord:
    return MeasureRecord(measure.name, measure.columns, measure.where or "", dict(measure.parameters))


MeasureField = Annotated[
    Measure,
    GetPydanticSchema(lambda _, schema_of: schema_of(Annotated[MeasureRecord, AfterValidator(_read), PlainSerializer(_write)])),
    # Documents from before there was one keep their hash.
    Field(exclude_if=lambda measure: measure.standard),
]
