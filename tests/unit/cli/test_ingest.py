"""`avh ingest`: a batch is kept or refused by rules of the whole table, and the exit code says which."""

from __future__ import annotations

import json
from collections.abc import Callable

import pyarrow as pa

from tests.fakes.workspaces import DAYS, FakeWorkspace, day, orders
from tests.unit.cli.conftest import Avh

NEXT = day(DAYS)


def test_a_batch_is_kept_only_where_the_whole_keeps_the_rules(avh: Avh, fake: Callable[[FakeWorkspace], FakeWorkspace]) -> None:
    ws = fake(FakeWorkspace())
    ws.profile("orders")
    ws.profiler.tables["orders"][NEXT] = orders(DAYS).set_column(2, "country", pa.nulls(400, pa.string()))
    refused = avh("ingest", "orders", "is_complete: {columns: country, at_least: 0.999}", "--batch", NEXT)
    assert refused.code == 1
    assert "it is so in 95.24% of the rows" in refused.out
    assert refused.out.splitlines()[-1] == f"orders {NEXT}: it is not kept, and nothing has changed; with it the table has 8,400 rows."
    assert NEXT not in ws.batches("orders")
    kept = avh("ingest", "orders", "is_complete: {columns: country, at_least: 0.9}", "--batch", NEXT, "--json")
    assert (kept.code, json.loads(kept.out)["status"]) == (0, "pass")
    assert NEXT in ws.batches("orders")


def test_without_rules_there_is_nothing_to_hold(avh: Avh, fake: Callable[[FakeWorkspace], FakeWorkspace]) -> None:
    ws = fake(FakeWorkspace())
    ws.profile("orders")
    answer = avh("ingest", "orders", "--batch", day(3))
    assert answer.code == 2
    assert "no program is published, and avh.yml states no rules. Give a rule, such as 'is_complete: id'" in answer.err


def test_a_rule_that_nothing_measures_is_refused_before_the_batch_is_read(avh: Avh, fake: Callable[[FakeWorkspace], FakeWorkspace]) -> None:
    fake(FakeWorkspace())
    answer = avh("ingest", "orders", "has_pattern: {column: country, pattern: '['}", "--batch", day(3))
    assert (answer.code, answer.out) == (2, "")
    assert "must be a regular expression" in answer.err
