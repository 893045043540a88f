"""What the kernel measures of the fields that were chosen, whoever reads the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from avh_ui.metrics.comoments import CoMomentsState
from avh_ui.metrics.fields import MeasuredField
from avh_ui.metrics.moments import MomentsState
from avh_ui.metrics.profiler import KnownTypes
from avh_ui.metrics.quantiles import QuantileState
from avh_ui.metrics.row_drawing import Drawing
from avh_ui.metrics.rows import AsNumber, Name, Need, RowTest
from avh_ui.metrics.together import takes_pass
from avh_ui.metrics.type_names import NUMBER, ROWS, UNTYPED, Reading, reading
from avh_ui.metrics.zeros import ZeroState
from avh_ui.scan.kernel_column import KernelColumn

# Of a condition's rows alone what is asked is true by itself.
TRUE = RowTest("true")


def kernel_columns(
    fields: Sequence[MeasuredField], known: KnownTypes, source_format: str, *, untyped: bool
) -> tuple[tuple[KernelColumn, ...], dict[str, Reading]]:
    """The fields as the kernel's columns, and how the values of each column of the table are read."""
    plain = [f for f in fields if f.asked is None]
    ways = {f.name: reading(known.types.get(f.name, ""), f.type, known.source_format) for f in plain}
    texts = frozenset(f.name for f in plain) if untyped else frozenset()
    return tuple(_kernel_column(f, ways, known.source_format or source_format, known, texts) for f in fields), ways


def _kernel_column(
    field: MeasuredField, ways: Mapping[str, Reading], source: str, known: KnownTypes, texts: frozenset[str]
) -> KernelColumn:
    # Spark calls what has no value a text, and who reads a CSV file may call it anything.
    vague = known.source_format in UNTYPED or (source == "json" and field.type in ("string", "array<string>"))
    way = ways.get(field.name if field.asked is None or not field.asked.columns else field.asked.columns[0], "as it is")
    untyped = field.kind == "string" and (way == "number?" or (bool(texts) and field.type == "string"))
    type_name = NUMBER if way == "number" else "string" if way == "text" else field.type
    needs = tuple((key, _of_numbers(need, texts) if texts else need) for key, need in field.needs if not takes_pass(need))
    about = KernelColumn(
        field.name, type_name, untyped, known.regexes.get(field.name, ()), field.counted, vague, values=field.name, needs=needs,
        measures=field.measures,
    )  # fmt: skip
    if field.asked is None:
        return about
    where = None if field.asked.where is None else RowTest(field.asked.where)
    of: Name | None = field.asked.columns[0] if len(field.asked.columns) == 1 and field.type != ROWS else None
    if field.how == "truth":
        about, of = replace(about, type=field.type, untyped=False), field.test or TRUE
    return replace(about, asked=True, values=of, where=where)


def _of_numbers(need: Need, texts: frozenset[str]) -> Need:
    """Of a source without types: the texts as numbers, null where they are none, where the state is of numbers alone."""
    if isinstance(need.detail, Drawing):
        return replace(need, detail=replace(need.detail, untyped=texts))
    if need.state not in (MomentsState, ZeroState, QuantileState, CoMomentsState):
        return need
    return replace(need, columns=tuple(AsNumber(str(name)) if name in texts else name for name in need.columns))
