"""Tables together on Spark: the verdicts of memory, queries of one number, and how many jobs they take."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

import avh_ui as avh
from avh_ui.constraints.program import SchemaConstraint
from avh_ui.metrics.profiler import KnownTypes, Watch
from avh_ui.spark.profiler import SparkProfiler
from avh_ui.validator.validate import validate
from tests.fakes import builders
from tests.fakes.history import FakeHistory
from tests.spark.conftest import profiled

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

c = avh.checks
HERE = pd.DataFrame(
    {"id": [1, 2, 3, 4, 4], "carrier": ["UA", "AA", "XX", None, "XX"], "x": [1.0, 2.0, 3.0, 4.0, 5.0], "town": list("aabbc")}
)
CARRIERS = pd.DataFrame({"code": ["UA", "AA"], "id": [1, 2]})
THERE = pd.DataFrame({"id": [1, 2, 3, 4, 9], "carrier": ["UA", "ZZ", "XX", None, "XX"], "x": [1.0, 2.0, 3.0, 4.0, 5.0]})
RULES = [
    c.refers_to("carrier", "carriers", "code", nulls=True, at_least=0.6),
    c.refers_to(["id", "carrier"], "carriers", ["id", "code"]),
    c.refers_to("id", "carriers", "code"),
    c.refers_to("carrier", "carriers", "cod"),
    c.refers_to("carrier", "carrers"),
    c.matches("there", "id"),
    c.matches("there", ["id"], ["x"], at_least=0.5),
    c.matches("there", {"id": "x"}, {"x": "id"}),
    c.has_row_count_of("carriers"),
    c.has_schema_of("there"),
    c.has_predictability("town", "id"),
    c.is_determined_by("carrier", "id"),
    c.is_determined_by("id", ["town", "carrier"]),
]
QUERIES = [
    (c.custom_sql("SELECT count(*) FROM batch WHERE x > 2 AND x < 5", at_most=2), "it is 2."),
    (c.custom_sql("DROP TABLE batch", at_most=2), "The query is not one SELECT."),
    (c.custom_sql("SELECT x FROM batch", at_most=2), "more than one row"),
    (c.custom_sql("SELECT x, id FROM batch", at_most=2), "The query gives 2 columns."),
    (c.custom_sql("SELECT cit FROM batch", at_most=2), "`cit` cannot be resolved"),
    (c.custom_sql("SELECT 'a'", at_most=2), "which is no number"),
    (c.custom_sql("SELECT max(x) FROM batch WHERE x > 9", at_most=2), "nothing to measure"),
    (c.custom_sql("SELECT count(*) FROM batch b JOIN carriers ON b.carrier = code", at_most=2), "it is 2."),
    (c.custom_sql("SELECT count(*) FROM Batch b JOIN Carriers ON b.carrier = code", at_most=2), "it is 2."),
    (c.custom_sql("SELECT count(*) FROM carrers", at_most=2), "Did you mean 'carriers'?"),
    *(
        (rule, said)
        for said, text in (("it is 5.", '"sum(id)" "avg(id)" > 3'), ("it is 9.333.", '"sum(id)" "avg(carriers.id)" <= 9.4'))
        for rule in avh.read_rules(f"Rules = [ AggregateMatch {text} ]", "dqdl").rules
    ),
]


def test_spark_says_what_memory_says(spark: SparkSession) -> None:
    schema = "id bigint, carrier string, x double, town string"
    here, there = spark.createDataFrame(HERE.astype(object).where(HERE.notna(), None), schema), spark.createDataFrame(THERE)
    ansi, views = spark.conf.get("spark.sql.ansi.enabled"), spark.catalog.listTables()
    memory = avh.check(HERE, RULES, tables={"carriers": CARRIERS, "there": THERE})
    rules = [*RULES, *(rule for rule, _ in QUERIES), c.refers_to("carrier", "carriers", "code", where="x < 3")]
    found = avh.check(here, rules, tables={"carriers": CARRIERS, "there": there})
    assert [(v.status, v.message) for v in found.verdicts[: len(RULES)]] == [(v.status, v.message) for v in memory.verdicts]
    # A session on this machine answers queries of a table in memory.
    asked = avh.check(HERE, [rule for rule, _ in QUERIES], tables={"carriers": CARRIERS, "there": THERE}).verdicts
    for verdict, same, (_, said) in zip(found.verdicts[len(RULES) : -1], asked, QUERIES, strict=True):
        assert said in verdict.message
        assert (same.status, said in same.message) == (verdict.status, True), same
    assert found.verdicts[-1].status == "pass"
    # Nothing of the session has changed, and it is still the active one.
    assert spark.catalog.listTables() == views
    assert type(spark).getActiveSession().conf.get("spark.sql.ansi.enabled") == spark.conf.get("spark.sql.ansi.enabled") == ansi


def test_a_published_program_compares_with_the_tables_of_avh_yml(profiler: Callable[..., SparkProfiler], tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for name in ("b1", "b2"):
        HERE.to_csv(tmp_path / "in" / f"{name}.csv", index=False)
    CARRIERS.to_parquet(tmp_path / "carriers.parquet")
    rules = [
        c.refers_to(["id", "carrier"], "carriers", ["id", "code"]),
        c.refers_to("carrier", "gone", "code"),
        c.custom_sql("SELECT sum(x) + (SELECT count(*) FROM carriers) FROM batch", exactly=17),
        c.has_predictability("town", "id", at_least=0),
    ]
    known = KnownTypes(measures=tuple(rule.measure for rule in rules))
    source = {"format": "csv", "path": "in/{batch}.csv", "options": {"header": "true"}}
    references = {"carriers": {"path": str(tmp_path / "carriers.parquet")}, "gone": {"path": str(tmp_path / "gone.parquet")}}
    made = profiler(source=source, references=references)
    found = {result.batch: result for result in made.profile("t", ["b1", "b2"], Watch(), known)}
    program = builders.program(constraints=tuple(rule.constraint() for rule in rules), schema=SchemaConstraint((), level="off"))
    for batch in ("b1", "b2"):
        profile = profiled(found[batch])
        verdicts = validate(program, profile, FakeHistory()).verdicts
        assert [verdict.status for verdict in verdicts] == ["fail", "not_evaluated", "pass", "pass"], verdicts
        assert verdicts[0].message.endswith(
            "it is so in 40% of the rows. Rows: 2 not there, 1 with a null. Not there are '3, XX' (1 row) and '4, XX' (1 row)."
        )
        assert "The table 'gone' cannot be read" in verdicts[1].message
