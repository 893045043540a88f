"""What a metric is called in words."""

from __future__ import annotations

import pytest

from avh_ui.review.metric_words import left_out_words


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("top_ratio ≤ 2.1%", "share of the most frequent value ≤ 2.1%"),
        ("l1 = 0 of region", "change of the distribution = 0 of region"),
        ("nonconforming_ratio <upper>{2} of code", "values are <upper>{2} of code"),
        ("a is the sum of b and c", "a is the sum of b and c"),
    ],
)
def test_a_rule_that_others_made_superfluous_is_named_without_the_papers_names(rule: str, words: str) -> None:
    assert left_out_words(rule) == words
