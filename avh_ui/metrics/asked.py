"""What a pipeline asks to be measured beside the metrics of its columns (`measures` in avh.yml), and what of it a profile can keep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from avh_ui.errors import NotFoundError
from avh_ui.metrics.analysis import Askable, metric_of
from avh_ui.metrics.catalogue import EVERY, named
from avh_ui.metrics.column import Kind
from avh_ui.metrics.keys_matched import KEYS_TWICE
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.quantiles import EXACT_QUANTILE
from avh_ui.metrics.state import mergeable
from avh_ui.metrics.together import BesideState

if TYPE_CHECKING:
    from avh_ui.config import Pipeline


def pipeline_measures(pipeline: Pipeline) -> tuple[Measure, ...]:
    """The measures of a pipeline, in the order of avh.yml."""
    return tuple(Measure(m.name, m.columns, m.where, tuple(m.parameters.items())) for m in pipeline.measures)


def profiled_measures(pipeline: Pipeline, known: Sequence[Measure] = ()) -> tuple[Measure, ...]:
    """What is measured of every batch of a pipeline beside its columns: its measures and, where it has a key, the sample of its rows; and
    what is `known` to be asked besides. What avh.yml keeps of rows holds for the samples by any key.
    """
    keys = dict.fromkeys([*([pipeline.key] if pipeline.key else []), *(m.key for m in known if m.key)])
    return *pipeline_measures(pipeline), *(sample_by(key, pipeline.rows, pipeline.rows_kept) for key in keys), *known


def sample_by(key: Sequence[str], rows: str = "values", most: int | None = None) -> Measure:
    """What draws the sample of rows by a key, of which `rows` are kept, those of at most so many keys."""
    said = {"rows": None if rows == "values" else rows, "most": most}
    return Measure(KEYS_TWICE.name, parameters=(("key", tuple(key)), *((n, v) for n, v in said.items() if v is not None)))


def kept_metric(measure: Measure, columns: Mapping[str, Askable], *, untyped: bool) -> Metric | str:
    """The metric of a measure that a profile of a table with these columns keeps; or why it keeps none, as the end of a sentence.

    Texts of an `untyped` source are numbers to metrics of numbers.
    """
    try:
        variants = named(measure.name)
    except NotFoundError as error:
        return _end(str(error))
    for column in measure.columns:
        if column not in columns:
            return f"there is no column {column!r}, or it is left out"
    if not measure.columns and measure.where is None and not measure.parameters:
        return "it names neither a column nor a condition"
    kinds = dict(columns)
    taken = {kind for variant in variants for kind in variant.kinds_of(0)}
    if untyped and "string" not in taken and "numeric" in taken:
        kinds |= {column: "numeric" for column in measure.columns if kinds[column] == "string"}
    if variants[0].two_distribution:
        found = next((v for v in variants if all(kinds[c] in v.kinds for c in measure.columns)), None)
        return found or f"{measure.name} is no metric of such a column"
    metric = metric_of(measure, kinds)
    if not isinstance(metric, Metric):
        return _end(str(metric.failure))
    if not metric.number:
        return f"{measure.name} gives no single number"
    # What is of a whole batch is kept of each batch; views do not have it.
    kept = all(mergeable(state) or issubclass(state, BesideState) for state in metric.needs)
    instead = " (approx_quantile does)" if measure.name == EXACT_QUANTILE.name else ""
    return metric if kept else f"{measure.name} does not follow from the states of parts{instead}"


def kept_kind(measure: Measure, columns: Mapping[str, Kind]) -> Kind:
    """The kind of column that a profile keeps a measure's states under: truth values, rows, or that of its one column."""
    if not measure.columns or {kind for variant in named(measure.name) for kind in variant.kinds} == {"boolean"}:
        return "boolean"
    return "rows" if len(measure.columns) > 1 else columns.get(measure.columns[0], "rows")


def metrics_of(kinds: Sequence[Kind]) -> list[Metric]:
    """The metrics of one number, without parameters, that can be asked of columns of these kinds together (of none: of the table)."""
    fits = (
        metric
        for metric in EVERY
        if metric.single is not None
        and metric.number
        and metric.of_parts
        and metric.least <= len(kinds) <= metric.most
        and all(parameter.optional for parameter in metric.parameters)
        and all(kind in metric.kinds_of(place) for place, kind in enumerate(kinds))
        and (kinds or metric.volume or metric.of_schema)
    )
    return list({metric.name: metric for metric in fits}.values())


def _end(sentence: str) -> str:
    return sentence.strip().rstrip(".")
