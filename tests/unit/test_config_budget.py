"""The budget in words: what it is as a rate of the table, and what is no budget."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from avh_ui.config import Pipeline
from avh_ui.config_budget import batches_a_year

SOURCE = {"path": "data/{batch}.parquet"}


@pytest.mark.parametrize(
    ("words", "cadence", "rate"),
    [
        ("one false alarm a month", "daily", 12 / 365.25),
        ("At most one false alarm per week", "daily", 52.18 / 365.25),
        ("one false alarm a quarter", "weekly", 4 / 52.18),
        ("one false alarm a year", "PT6H", 1 / (4 * 365.25)),
    ],
)
def test_a_budget_in_words_is_a_rate_of_the_table(words: str, cadence: str, rate: float) -> None:
    made = Pipeline.model_validate({"source": SOURCE, "cadence": cadence, "fpr": words})
    assert made.table_fpr == pytest.approx(rate, rel=1e-3)


def test_a_rate_stays_a_rate() -> None:
    made = Pipeline.model_validate({"source": SOURCE, "fpr": 0.01})
    assert (made.fpr, made.table_fpr) == (0.01, None)


def test_the_usual_rate_of_a_written_file_is_no_second_budget() -> None:
    assert Pipeline.model_validate({"source": SOURCE, "fpr": 0.001, "table_fpr": 0.02}).table_fpr == 0.02


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"fpr": "one false alarm a fortnight"}, "write a share of batches, such as 0.001, or one of: one false alarm a week"),
        ({"fpr": "seldom"}, "fpr is 'seldom'"),
        ({"fpr": "one false alarm a month", "cadence": "monthly"}, "more than every second one"),
        ({"fpr": "one false alarm a month", "table_fpr": 0.01}, "keep one of them"),
        ({"fpr": 0.01, "table_fpr": 0.02}, "fpr is 0.01, for each column, and table_fpr 0.02, for all columns together: keep one"),
        ({"fpr": "one false alarm a month", "cadence": "often"}, "often"),
    ],
)
def test_what_is_no_budget_is_said(given: dict[str, object], why: str) -> None:
    with pytest.raises(ValidationError, match=why.replace("(", r"\(")):
        Pipeline.model_validate({"source": SOURCE, **given})


def test_a_cadence_in_a_year() -> None:
    assert batches_a_year("P2D") == pytest.approx(182.6, rel=1e-3)
    with pytest.raises(ValueError, match="no cadence"):
        batches_a_year("P")
