"""Programs for other tools: golden documents, and nothing of a program that is silently dropped."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from avh_ui.cli.programs import TOOLS
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.exporting.catalogue import EXPORTERS
from avh_ui.constraints.exporting.clauses import clause_of, nameable, plain_decimal
from avh_ui.constraints.pattern_constraint import METRIC, Pattern, PatternConstraint
from avh_ui.constraints.program import ColumnSchema, Program, SchemaConstraint
from avh_ui.constraints.transforms import Transform
from avh_ui.metrics import analyzers as of
from tests.fakes import builders
from tests.fakes.builders import HOSTILE

GOLDEN = Path(__file__).parent / "golden"
FILES = {
    "deequ": "checks.scala", "dqdl": "rules.dqdl", "dqx": "dqx.yml", "great-expectations": "suite.json", "soda": "soda.yml",
    "odcs": "contract.odcs.yaml",
}  # fmt: skip
PATTERN = Pattern("<digit>{5}", r"^(?:[0-9]{5})(?![\s\S])", 900, 1)
SCHEMA = SchemaConstraint(
    (
        ColumnSchema("id", "bigint", "numeric"), ColumnSchema("amount", "decimal(10,2)", "numeric"),
        ColumnSchema("zip", "string", "string"), ColumnSchema("paid", "boolean", "boolean"), ColumnSchema("at", "timestamp", "temporal"),
    )
)  # fmt: skip


def one(metric: str, column: str = "amount", lower: float | None = None, upper: float | None = None, **more: object) -> Constraint:
    return Constraint(column, metric, str(more.pop("kind", "numeric")), lower, upper, **more)  # type: ignore[arg-type]


CONSTRAINTS: tuple[Constraint, ...] = (
    one("row_count", "id", 900.4, 1614.7),
    one("unique_ratio", "id", 1.0, 1.0),
    one("mean", lower=-41.5, upper=48.25),
    one("min", lower=0.00001),
    one("max", upper=1e6, level="warning"),
    one("sum", lower=0.0, upper=10.0, transform=Transform(log=True)),
    one("median", lower=31.0, upper=32.0),
    one("range", upper=90.0),
    one("complete_ratio", lower=0.975, upper=0.99),
    one("complete_ratio", "paid", 1.0, 1.0, kind="boolean"),
    one("dist_val_count", "zip", 40.0, 60.0, kind="string"),
    one("str_len", "zip", 4.9, 5.0, kind="string"),
    one("digit_len", "zip", 4.9, 5.0, kind="string"),
    PatternConstraint("zip", METRIC, "string", None, 0.01, fpr=0.001, origin="corpus", pattern=PATTERN, significance=0.001, usual=1000),
    one("standard_deviation", lower=1.5, upper=2.5, origin="snapshot"),
    one("min_length", "zip", 5.0, kind="string", origin="snapshot"),
    one("max_length", "zip", 5.0, 5.0, kind="string", origin="snapshot"),
    one("js_div", upper=0.2),
    one("mean", "id", -5.0, 5.0, transform=Transform(lag=7)),
    one("max", "at", 1.7e9, 1.8e9, kind="temporal"),
    one("range", "at", 0.0, 90_000.0, kind="temporal"),
    one("complete_ratio", "at", 0.5, kind="temporal"),
)


def program(*constraints: Constraint, schema: SchemaConstraint = SCHEMA) -> Program:
    at = "2026-01-31T00:00:00+00:00"
    return builders.program("orders", version=3, constraints=constraints or CONSTRAINTS, schema=schema, created_at=at, sha256="ab" * 32)


@pytest.mark.parametrize("tool", EXPORTERS)
def test_the_document_is_the_golden_one(tool: str) -> None:
    assert EXPORTERS[tool](program()).text == (GOLDEN / FILES[tool]).read_text(encoding="utf-8")


@pytest.mark.parametrize("tool", EXPORTERS)
def test_every_constraint_is_in_the_document_or_among_those_left_out(tool: str) -> None:
    exported = EXPORTERS[tool](program())
    for constraint in CONSTRAINTS:
        reasons = [out for out in exported.left_out if constraint.key in out.what]
        assert exported.text.count(constraint.key) >= 1
        assert len(reasons) <= 1
        assert all(str(out) in exported.text for out in reasons)
    kept = {c.key for c in CONSTRAINTS} - {key for key in (c.key for c in CONSTRAINTS) if any(key in o.what for o in exported.left_out)}
    # What compares with earlier batches nobody can say; the number of rows, shares of nulls, means and extremes everybody.
    said = {(c.metric, c.column) for c in CONSTRAINTS if c.key in kept}
    assert said >= {("row_count", "id"), ("complete_ratio", "amount"), ("mean", "amount"), ("min", "amount"), ("max", "amount")}
    assert not said & {("js_div", "amount"), ("mean", "id"), ("max", "at"), ("digit_len", "zip")}


@pytest.mark.parametrize("tool", EXPORTERS)
@pytest.mark.parametrize("name", [text for text in HOSTILE if len(text) < 1000])
def test_hostile_names_make_no_other_document(tool: str, name: str) -> None:
    hostile = program(one("mean", name, 1.0, 2.0), schema=SchemaConstraint((ColumnSchema(name, "double", "numeric"),)))
    text = EXPORTERS[tool](hostile).text
    text.encode("utf-8")
    if tool == "great-expectations":
        suite = json.loads(text)
        assert bool(suite["expectations"]) == nameable(name)
        assert bool(suite["meta"]["avh"]["left_out"]) != nameable(name)
    elif tool in ("dqx", "soda", "odcs"):
        assert yaml.safe_load(text)
    else:
        plain = EXPORTERS[tool](program(one("mean", "c", 1.0, 2.0), schema=SchemaConstraint((ColumnSchema("c", "double", "numeric"),))))
        assert text.count("\n") <= plain.text.count("\n") + 2


@pytest.mark.parametrize("tool", ["deequ", "great-expectations"])
def test_names_that_a_tool_cannot_quote_are_left_out(tool: str) -> None:
    odd = program(one("mean", "a.b", 1.0, 2.0), one("mean", "plain", 1.0, 2.0), schema=replace(SCHEMA, level="off"))
    exported = EXPORTERS[tool](odd)
    assert ["mean of a.b" in out.what for out in exported.left_out] == [True]
    assert "plain" in exported.text


def test_great_expectations_names_what_it_leaves_out_of_a_schema() -> None:
    columns = (ColumnSchema("a.b", "double", "numeric"), ColumnSchema("c", "double", "numeric"), ColumnSchema("d", "array<int>", "skipped"))
    left_out = EXPORTERS["great-expectations"](program(CONSTRAINTS[0], schema=SchemaConstraint(columns))).left_out
    assert [out.what for out in left_out] == ["the set of the columns", "the type of a.b", "the type of d"]
    assert left_out[0].reason.endswith(", of a.b")


def test_small_integers_have_no_mean_in_great_expectations() -> None:
    small = program(one("mean", "n", 1.0, 2.0), schema=SchemaConstraint((ColumnSchema("n", "smallint", "numeric"),)))
    assert "small integers" in EXPORTERS["great-expectations"](small).left_out[0].reason


@pytest.mark.parametrize(("tool", "stands"), [("dqx", "`net.amount` >= 0 AND `geo`.`lat` > 1"), ("odcs", "`net.amount` >= 0")])
def test_other_tools_are_told_columns_with_dots_in_backticks(tool: str, stands: str) -> None:
    """In our conditions `net`.`amount` is the column of that name where there is no `net`; others know fields of structs alone."""
    measure = of.compliance("`net`.`amount` >= 0 AND `geo`.`lat` > 1", where="net.amount IS NOT NULL")
    made = replace(one(measure.name, measure.subject, 1.0, None), measure=measure, kind="boolean")
    columns = (ColumnSchema("net.amount", "double", "numeric"), ColumnSchema("geo", "struct<lat:double>", "skipped"))
    text = EXPORTERS[tool](program(made, schema=SchemaConstraint(columns))).text
    assert stands in text
    assert "`net.amount` IS NOT NULL" in text
    assert "(`net`.`amount`" not in text


@pytest.mark.parametrize(("name", "quoted"), [("a.b", "`a.b`"), ("a`b", "`a``b`")])
def test_dqx_is_told_how_odd_names_are_quoted(name: str, quoted: str) -> None:
    odd = program(one("mean", "c", 1.0, 2.0), schema=SchemaConstraint((ColumnSchema(name, "double", "numeric"),)))
    *_, rule = yaml.safe_load(EXPORTERS["dqx"](odd).text)
    assert rule["check"]["arguments"]["columns"] == [quoted]


def test_without_a_schema_rule_there_is_none() -> None:
    for export in EXPORTERS.values():
        found = export(program(CONSTRAINTS[0], schema=replace(SCHEMA, level="off")))
        assert found.left_out == ()


def test_bounds_are_those_of_the_metric_s_own_unit() -> None:
    logged = clause_of(one("sum", lower=0.0, upper=2.0, transform=Transform(log=True)))
    assert (logged.lower, round(logged.upper or 0, 6)) == (0.0, 6.389056)
    assert (clause_of(CONSTRAINTS[9]).lower, clause_of(CONSTRAINTS[9]).upper) == (1.0, None)


def test_numbers_are_written_exactly_and_without_exponent() -> None:
    for value in (0.1, 1e-9, 1e20, -3.0, 2.5, 1614.7, 0.1 + 0.2):
        assert "e" not in plain_decimal(value).lower()
        assert float(plain_decimal(value)) == value


def test_the_command_offers_every_tool() -> None:
    assert tuple(EXPORTERS) == TOOLS
