"""What a measure is in plain words: who reads of it has never heard of the metric."""

from __future__ import annotations

from avh_ui.constraints.reading import declaration_of
from avh_ui.metrics.catalogue import counts_rows
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.wording import Wording, few_names


def wording_of(measure: Measure, kind: str) -> Wording:
    """The words of its metric; of one that has none of its own its description, of one that is not known its name."""
    declared = declaration_of(measure.name, kind)
    own = measure.standard or counts_rows(measure) or names_columns(measure, kind) or of_part(measure)
    if declared is not None and declared.says is not None and own:
        return declared.says
    means = measure.name if declared is None else declared.description
    of = "" if declared is not None and declared.volume else " of {column}"
    # What stands behind a comma says how it is computed.
    return Wording(f"{means[:1].upper()}{means[1:]}.", f"the {means.partition(',')[0]}{of}")


def names_columns(measure: Measure, kind: str) -> bool:
    """Whether a sentence can name its columns: of rows matched by key, and where there are words for several."""
    declared = declaration_of(measure.name, kind)
    return declared is not None and (declared.by_key or (declared.of_several and declared.says is not None))


def of_part(measure: Measure) -> bool:
    """Whether it is of one column, or of the rows, as far as a condition is true: the sentence of all rows holds, `in_part`."""
    return measure.where is not None and (bool(measure.key) or (not measure.parameters and len(measure.columns) <= 1))


def in_part(measure: Measure) -> str:
    """The end of a sentence that says of which rows it is, ` where origin = 'EWR'`; '' of all rows, and where its column's name says it."""
    return f" where {measure.where}" if of_part(measure) else ""


def names_in(measure: Measure, kind: str) -> dict[str, str]:
    """What the templates of a `Wording` name: the column, and the key of what is matched."""
    own = measure.columns if names_columns(measure, kind) or of_part(measure) else ()
    column, *others = own or (measure.subject,)
    key, less = (measure.parameter(name) or () for name in ("key", "less"))
    ends = [" - ".join(("", *(other for other in others if other in less))), " + ".join(other for other in others if other not in less)]
    added = (ends[1] + ends[0]).strip()
    found = {"column": column, "other": ", ".join(others), "key": ", ".join(map(str, key)), "added": added}
    times = measure.parameter("times")
    return {**found, "columns": few_names((column, *others)), "times": "" if times is None else f"a factor of {times:g}"}


def subject_of(measure: Measure, kind: str) -> str:
    """What it is, as the beginning of a sentence: `The average amount`, `The number of rows`; by its label where a person gave one."""
    if measure.parameter("label"):
        return measure.words
    declared = declaration_of(measure.name, kind)
    if declared is None or declared.says is None:
        # Only who stated it asked for it, by this name.
        said = measure.words.replace(measure.name, measure.name.replace("_", " "), 1)
    else:
        said = declared.says.subject.format(**names_in(measure, kind))
    if measure.where is not None and f"where {measure.where}" not in said:
        said += f" where {measure.where}"
    return f"{said[:1].upper()}{said[1:]}"
