"""Closed sets, shares of new values and vocabularies as suggestions, in the place of other rules of values."""

from __future__ import annotations

import json
import re

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.constraints.evidence import FromValues
from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.review.draft import Draft
from avh_ui.review.explaining import explanation, promise, sentence
from tests.fakes.workspaces import FakeWorkspace, day

DAYS = 20
COUNTRIES = re.findall(
    "[A-Z]{2}",
    "DE FR IT ES PT NL BE AT CH PL CZ SK HU RO BG GR SE NO FI DK EE LV LT IE GB US CA MX BR AR CL PE CO JP CN KR IN ID AU NZ",
)
ACCOUNTS = [350.0, 410.0, 1200.0, 1400.0, 1576.0, 1800.0, 3300.0, 4400.0, 4930.0, 6300.0, 6815.0, 7400.0]


def account_number(number: int) -> str:
    """An IBAN, another one for each number."""
    base = f"{370400440532013000 + number:018}"
    return f"DE{98 - int(base + '131400') % 97:02}{base}"


def shop(k: int) -> pa.Table:
    """A closed set of states, shops of which a new one comes now and then, countries of which ever more come, and numbers of accounts,
    another one in each row, beside others as long that are none.
    """
    rng = np.random.default_rng(k)
    numbers = rng.integers(0, 10**12, 200).tolist()
    shops = [*rng.choice(["Berlin", "Rome", "Oslo"], 198).tolist(), *([f"Town {k}"] if k % 2 else ["Rome"]), "Oslo"]
    return pa.table(
        {
            "state": pa.array(rng.choice(["open", "paid", "sent"], 200)),
            "shop": pa.array(shops),
            "country": pa.array(rng.choice(COUNTRIES[: 20 + k], 200)),
            "size": pa.array(rng.choice([1, 2, 3], 200)),
            # As a text file has it.
            "account": pa.array(rng.choice(ACCOUNTS, 200)),
            "iban": pa.array(map(account_number, numbers)),
            "voucher": pa.array([f"DE{number:020}" for number in numbers]),
        }
    )


@pytest.fixture(scope="module")
def ws() -> FakeWorkspace:
    ws = FakeWorkspace(days=DAYS)
    ws.profiler.tables["orders"] = {day(k): shop(k) for k in range(DAYS)}
    return ws.profiled()


@pytest.fixture(scope="module")
def draft(ws: FakeWorkspace) -> Draft:
    return ws.suggest("orders")


def rules(draft: Draft, column: str) -> list[tuple[str, str]]:
    """Of the values of a column: who suggests what."""
    return [(i.current.origin, i.current.learned.rule) for i in draft.by_column[column] if isinstance(i.current, PatternConstraint)]


def test_each_column_has_what_its_history_says_and_nothing_beside(draft: Draft) -> None:
    assert rules(draft, "state") == [("values", "closed set")]
    assert rules(draft, "account") == [("values", "closed set")]
    assert rules(draft, "country") == [("values", "known vocabulary")]
    assert rules(draft, "iban") == [("values", "known vocabulary")]
    assert [origin for origin, _ in rules(draft, "voucher")] == ["corpus"]
    assert ("values", "new values") in rules(draft, "shop")
    assert not any(rule == ("snapshot", "CategoricalRange") for column in ("state", "shop", "country") for rule in rules(draft, column))


def test_words_say_how_the_values_came(draft: Draft) -> None:
    said = {(i.current.column, i.current.learned.rule): i.suggestion for i in draft.items if isinstance(i.suggestion.evidence, FromValues)}
    closed = said["state", "closed set"]
    assert sentence(closed.constraint, closed.evidence) == ("Every value is one of the 3 that came so far: no other came for 19 batches")
    assert "a false alarm on about 1 in 42 batches" in promise(closed.constraint, closed.evidence)
    new = said["shop", "new values"]
    assert "of the values are none of the 13 that came so far: new ones come, about" in sentence(new.constraint, new.evidence)
    country = said["country", "known vocabulary"]
    assert "of the type ISO 3166-1 alpha-2 country code: 100% of 4,000 values" in sentence(country.constraint, country.evidence)
    for suggestion in said.values():
        json.dumps(explanation(suggestion))
    assert isinstance(new.evidence, FromValues)
    assert new.evidence.newest[0] == ("Town 19", day(19))


def test_what_was_stored_is_read_back(ws: FakeWorkspace, draft: Draft) -> None:
    again = {i.suggestion.id: i.suggestion.evidence for i in ws.draft("orders").items}
    for item in draft.items:
        assert again[item.suggestion.id] == item.suggestion.evidence


def test_a_set_is_not_closed_where_some_batches_have_longer_values_than_the_history_holds() -> None:
    """Such batches would alarm: of a column of states one in five has a note in their place."""

    def noted(k: int) -> pa.Table:
        rng = np.random.default_rng(k)
        values = rng.choice(["open", "paid", "sent"], 200).tolist()
        return pa.table({"state": pa.array([*values[:-1], "note " * 60 if k % 5 == 1 else "open"])})

    ws = FakeWorkspace(days=DAYS)
    ws.profiler.tables["orders"] = {day(k): noted(k) for k in range(DAYS)}
    found = ws.profiled().suggest("orders")
    assert ("values", "closed set") not in rules(found, "state")
