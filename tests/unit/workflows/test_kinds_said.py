"""What a column is, said by a person: kept with the draft, and gone by when suggestions are made anew."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.errors import NotFoundError, UsageError
from avh_ui.review.draft import Draft
from tests.fakes.workspaces import FakeWorkspace, config, day


def metrics(draft: Draft, column: str) -> set[str]:
    return {item.current.metric for item in draft.items if item.current.column == column and item.current.origin == "history"}


def test_what_a_person_says_is_gone_by_and_can_be_taken_back() -> None:
    ws = FakeWorkspace(days=12).profiled()
    before = ws.suggest("orders")
    ws.decide("orders", [before.items[0].suggestion.id], "accept")
    found = before.run.kinds["amount"]
    assert (found.kind, found.corrected, found.by) == ("measure", False, "")
    said = ws.say_kind("orders", "amount", "identifier", by="ana")
    assert (said.run.kinds["amount"].kind, said.run.kinds["amount"].by) == ("identifier", "ana")
    # Nothing else of the draft is another.
    assert [(i.suggestion, i.status) for i in said.items] == [
        (i.suggestion, "accepted" if n == 0 else "pending") for n, i in enumerate(before.items)
    ]
    assert [(e.by, e.subject) for e in ws.audit("orders") if e.did == "said what a column is"] == [("ana", "amount: identifier")]
    after = ws.suggest("orders")
    known = after.run.kinds["amount"]
    assert (known.kind, known.corrected, known.by) == ("identifier", True, "ana")
    assert known.why == f"ana said so; its values say measure: {found.why}"
    # Of what names rows no level says anything.
    assert "mean" in metrics(before, "amount")
    assert "mean" not in metrics(after, "amount")
    ws.say_kind("orders", "amount", "")
    assert ws.suggest("orders").run.kinds["amount"] == found


def test_avh_yml_has_the_last_word_and_says_so() -> None:
    settings = config(pipeline={"kinds": {"amount": "share"}})
    ws = FakeWorkspace(days=12, settings=settings).profiled()
    ws.suggest("orders")
    with pytest.raises(UsageError, match=r"avh\.yml says that 'amount' is 'share'"):
        ws.say_kind("orders", "amount", "count")
    with pytest.raises(NotFoundError, match=r"'amuont'.*'amount'"):
        ws.say_kind("orders", "amuont", "count")
    with pytest.raises(NotFoundError, match="kind 'cuont' of columns"):
        ws.say_kind("orders", "id", "cuont")


def test_nobody_asks_what_notices_that_identifiers_are_in_miles(monkeypatch: pytest.MonkeyPatch) -> None:
    def tried() -> set[str]:
        made, rng = FakeWorkspace(), np.random.default_rng(1)
        # Machines of which some are added: numbers that go on from batch to batch are held to the batch before.
        tables = {day(k): pa.table({"id": 1_000 + np.arange(60 + k), "amount": rng.normal(50, 5, 60 + k)}) for k in range(20)}
        made.profiler.tables["orders"] = tables
        draft = made.profiled().suggest("orders")
        assert draft.run.kinds["id"].kind == "identifier"
        return {name for item in draft.items if item.current.column == "id" for name in item.suggestion.evidence.tried}

    assert any(name.startswith("unit_change x10") for name in tried())
    assert not any(name.startswith("unit_change x1.609") for name in tried())
    monkeypatch.setattr("avh_ui.inference.by_history.meant.in_no_unit", lambda _: False)
    assert any(name.startswith("unit_change x1.609") for name in tried())
