"""What a suggestion says of itself must be true of its bounds."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.transforms import Transform
from avh_ui.inference.by_history.candidates import MetricModel
from avh_ui.inference.by_history.proposing import evidence_of
from avh_ui.metrics.catalogue import metric
from avh_ui.review.explaining import explanation, often, once
from avh_ui.review.suggestion import Suggestion


def explained(name: str, value: float, lower: float, upper: float, transform: Transform | None = None, **about: Any) -> dict[str, Any]:
    """Of a metric that had one value in 30 batches (`sigma` 0) or varied around it."""
    transform = transform or Transform()
    model = MetricModel(metric(name, "numeric"), np.full(30, value), transform, np.full(30, value), value, **{"sigma": 0.0} | about)
    constraint = Constraint("c", name, "numeric", lower, upper, transform, fpr=0.002)
    return explanation(Suggestion("s", "p", constraint, evidence_of(constraint, model, (), "calibrated")))


@pytest.mark.parametrize(
    ("name", "value", "bounds", "sentence", "promise"),
    [
        ("complete_ratio", 1.0, (1.0, 1.0), "the share of c that is not null is always 100%;",
         "was 100% in all 30 .* time in 32; .* differs about"),
        ("min", 1.0, (0.0, 187.0), "the smallest c stays between 0 and 187;",
         "was 1 in all 30 .* time in 32; .* moves further than the bounds"),
        ("ks_dist", 0.0, (0.0, 0.0), "the change of the share of rows below any value of c is always 0;",
         "was 0 in all 30 .* time in 32; .* differs about"),
    ],
)  # fmt: skip
def test_what_never_changed_is_said_with_its_value(
    name: str, value: float, bounds: tuple[float, float], sentence: str, promise: str
) -> None:
    said = explained(name, value, *bounds)
    assert said["sentence"].startswith(sentence)
    assert_matches(promise, said["proposition_words"])


def test_a_constant_change_and_what_varies() -> None:
    assert_matches(r"The change was \+5 in all 30 batches\. ", explained("row_count", 5.0, 5.0, 5.0, Transform(1))["proposition_words"])
    assert_matches("^If batches vary as the last 30 did", explained("row_count", 5.0, 1.0, 9.0, sigma=1.0)["proposition_words"])


def assert_matches(pattern: str, text: str) -> None:
    assert re.search(pattern, text), text


@pytest.mark.parametrize(
    ("fpr", "words"),
    [
        (0.0, "never"),
        (0.0004, "at most 1 time in 2,500"),
        (0.04, "at most 1 time in 25"),
        (0.5, "at most 1 time in 2"),
        (0.6, "at most every time"),
        (1.0, "at most every time"),
    ],
)
def test_rates_in_words(fpr: float, words: str) -> None:
    assert often(fpr) == words


@pytest.mark.parametrize(("fpr", "words"), [(0.0, "never"), (0.0004, "1 time in 2,500"), (0.6, "1 time in 2"), (1.0, "every time")])
def test_estimates_in_words(fpr: float, words: str) -> None:
    assert once(fpr) == words
