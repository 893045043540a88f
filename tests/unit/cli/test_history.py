"""`avh history` of what is no column: the number of rows, and what rules measure."""

from __future__ import annotations

import json

from tests.fakes.workspaces import FakeWorkspace, config, day, orders
from tests.unit.cli.conftest import Avh
from tests.unit.cli.test_commands import Fake

ROWS = {day(k): "400" for k in range(3)}


def test_the_number_of_rows_needs_no_column(avh: Avh, fake: Fake) -> None:
    fake(FakeWorkspace(days=3, settings=config(pipeline={"segments": ["country"]})).profiled())
    for name in ("row_count", "size"):
        head, _, *lines = avh("history", "orders", "--metric", name).out.splitlines()
        assert (head, dict(line.split() for line in lines)) == (f"{name} of orders", ROWS)
    upto = json.loads(avh("history", "orders", "--metric", "row_count", "--upto", day(1), "--json").out)
    assert upto == {"pipeline": "orders", "batches": [day(0), day(1)], "metrics": {"row_count": [400, 400]}}
    assert avh("history", "orders", "--metric", "row_count", "--span", "..").out == (
        f"orders: 3 batches, {day(0)} to {day(2)}, 1,200 rows together\n"
    )
    head, names, *lines = avh("history", "orders", "--metric", "row_count", "--segments", "all").out.splitlines()
    assert (head, names.split()[1], len(lines)) == ("row_count of orders", "country=DE", 3)
    assert all(sum(map(int, line.split()[1:])) == 400 for line in lines)


def test_another_metric_without_a_column(avh: Avh, fake: Fake) -> None:
    fake(FakeWorkspace(days=3).profiled())
    answer = avh("history", "orders", "--metric", "mean")
    assert (answer.code, answer.err) == (
        2,
        "Error: mean belongs to a column. Give --column too. Without one there is row_count of the table.\n",
    )
    assert "Did you mean 'row_count'" in avh("history", "orders", "--metric", "rowcount").err


def test_what_a_rule_measures_is_no_column(avh: Avh, fake: Fake) -> None:
    ws = fake(FakeWorkspace(days=3).profiled())
    assert avh("rules", "add", "orders", "satisfies: amount > 0", "--by", "ann").code == 0
    assert avh("decide", "orders", "--accept", "--all", "--by", "ann").code == 0
    assert avh("publish", "orders", "--by", "ann", "-m", "first").code == 0
    ws.profiler.tables["orders"][day(3)] = orders(3)
    assert avh("validate", "orders", "--batch", day(3)).code == 0
    for more in ([], ["--span", ".."]):
        answer = avh("history", "orders", *more)
        assert (answer.code, "amount > 0" in answer.out, answer.err) == (
            0,
            False,
            "Left out: 1 measure that rules ask for; --json has it.\n",
        )
        assert "amount > 0" in [c["column"] for c in json.loads(avh("history", "orders", *more, "--json").out)["columns"]]
    assert "compliance" in avh("history", "orders", "--span", "..", "-c", "amount > 0").out
