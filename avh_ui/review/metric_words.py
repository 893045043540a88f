"""What a metric tells, in words: wherever people read of one, beside a column or a rule."""

from __future__ import annotations

from avh_ui.constraints.reading import NONCONFORMING, declaration_of
from avh_ui.errors import NotFoundError
from avh_ui.metrics.catalogue import named as declared_as


def left_out_words(rule: str) -> str:
    """A rule as it is named where others made it superfluous (`Evidence.also`), with its metric in words: `share of nulls ≤ 5% of a`."""
    name, _, bounds = rule.partition(" ")
    if name == NONCONFORMING:
        return f"values are {bounds}"
    try:
        declared_as(name)
    except NotFoundError:
        return rule  # a sentence already
    return f"{metric_words(name)} {bounds}"


def metric_words(name: str, kind: str = "") -> str:
    """What a metric tells of a column of a kind: `share of non-null values`, `change of the mix`; of what is no metric its name."""
    if name == NONCONFORMING:
        return "share of values that do not fit"
    found = declaration_of(name, kind) if kind else None
    if found is None:
        try:
            found = declared_as(name)[0]
        except NotFoundError:
            return name.replace("_", " ")
    if found.two_distribution and not found.by_key and found.says is not None:
        return found.says.subject.removeprefix("the ").replace(" of {column}", "").replace(" {column}", "")
    return found.description.partition(",")[0]
