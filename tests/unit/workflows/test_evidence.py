"""What a draft's suggestions say of themselves is what their record says, whatever the source; and each source is one function."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.constraints.evidence import FromCorpus, FromHistory, FromSnapshot, FromValues
from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.review.draft import Draft, DraftItem
from avh_ui.review.explaining import explanation
from tests.fakes.workspaces import FakeWorkspace, day

DAYS = 12


def shop(k: int) -> pa.Table:
    """A key, codes of a format, a list of states, an amount with nulls and a size of few values: something for each source."""
    rng = np.random.default_rng(k)
    rows = int(rng.integers(380, 420))
    amounts = [None if rng.random() < 0.1 else float(value) for value in rng.normal(100, 10, rows).round(1)]
    return pa.table(
        {
            "key": pa.array([f"{k:02}-{n:05}" for n in range(rows)]),
            "code": pa.array([f"{c}{n:03}" for c, n in zip(rng.choice(list("ABC"), rows), rng.integers(0, 1_000, rows), strict=True)]),
            "state": pa.array(rng.choice(["open", "paid", "sent"], rows)),
            "amount": pa.array(amounts),
            "size": pa.array(rng.choice([1, 2, 3], rows)),
        }
    )


@pytest.fixture(scope="module")
def draft() -> Draft:
    ws = FakeWorkspace(days=DAYS)
    ws.profiler.tables["orders"] = {day(k): shop(k) for k in range(DAYS)}
    return ws.profiled().suggest("orders", sources=["history", "values", "corpus", "snapshot"])


def numbers(text: str) -> list[int]:
    return [int(found.replace(",", "")) for found in re.findall(r"(?<![\d.])\d[\d,]*(?![\d.])", text)]


def in_full(item: DraftItem) -> dict[str, str]:
    """The issues that it catches, by their names with that of their column before them, as a rule of several columns has them."""
    constraint = item.suggestion.constraint
    return {name if constraint.of_each else f"{constraint.column} {name}": name for name in item.suggestion.caught}


def told(item: DraftItem) -> dict[str, Any]:
    return explanation(item.suggestion)


def test_all_sources_speak(draft: Draft) -> None:
    assert {type(item.suggestion.evidence) for item in draft.items} == {FromHistory, FromValues, FromCorpus, FromSnapshot}


def test_the_issues_in_words_are_those_of_the_record(draft: Draft) -> None:
    """As every page and file shows them; beside other sources a suggestion may alone catch fewer than its own source believed."""
    for item in draft.items:
        suggestion = item.suggestion
        others = {name for other in draft.items if other is not item for name in in_full(other)}
        assert set(suggestion.only_caught) == {name for full, name in in_full(item).items() if full not in others}
        said = told(item)
        only = len(suggestion.only_caught)
        assert numbers(said["recall_sentence"]) == [len(suggestion.caught), suggestion.variants, *([only] if only else [])]
        assert (said["caught"], said["only_caught"]) == (list(suggestion.caught), list(suggestion.only_caught))
        assert (len(said["tried"]), said["fpr"]) == (said["variants"], item.current.fpr)
        assert set(said["only_caught"]) <= set(said["caught"]) <= set(said["tried"])


def test_batches_and_rates_in_words_are_those_of_the_record(draft: Draft) -> None:
    for item in draft.items:
        evidence, said = item.suggestion.evidence, told(item)
        backtest = evidence.backtest
        assert backtest is not None
        assert said["fired_on"] == list(backtest.fired)
        if isinstance(evidence, FromHistory):
            assert evidence.points in numbers(said["proposition_words"])
            assert f"1 time in {int(1 / item.current.fpr + 1e-9):,}" in said["sentence"]
        if isinstance(evidence, FromSnapshot):
            assert numbers(said["proposition_words"])[:1] == [backtest.judged]
            assert round(1 / item.current.fpr) in numbers(said["proposition_words"])
        if isinstance(evidence, FromCorpus) and isinstance(item.current, PatternConstraint):
            assert f"{item.current.pattern.values:,} values" in said["sentence"]
            assert evidence.ladder is not None
            assert evidence.ladder.chosen is not None
            assert f"{evidence.ladder.chosen.alarms or 'none'} of the {evidence.ladder.chosen.tried} after" in said["sentence"]


def test_what_is_said_is_plain_data(draft: Draft) -> None:
    for item in draft.items:
        said = told(item)
        assert json.loads(json.dumps(said, allow_nan=False)) == said
