"""Runs as events of OpenLineage, held to the shape of its published schemas; as numbers for Prometheus, read back by hand."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from jsonschema import Draft202012Validator

from avh_ui.config import Source
from avh_ui.constraints.constraint import Verdict
from avh_ui.metrics.measure import Measure
from avh_ui.validator.lineage import dataset_of, event_of
from avh_ui.validator.prometheus import exposition
from avh_ui.validator.results import RuleResult
from tests.fakes.builders import constraint
from tests.fakes.run_contract import failed, validation

# What the specification asks of these objects (spec/OpenLineage.json, spec/facets/DataQualityAssertionsDatasetFacet.json).
URI = {"type": "string", "pattern": "^[a-z]+:"}
FACET = {
    "type": "object",
    "required": ["_producer", "_schemaURL", "assertions"],
    "properties": {
        "_producer": URI,
        "_schemaURL": URI,
        "assertions": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["assertion", "success"],
                "properties": {"assertion": {"type": "string"}, "success": {"type": "boolean"}, "column": {"type": "string"}},
            },
        },
    },
}
NAMED = {"type": "object", "required": ["namespace", "name"], "properties": {k: {"type": "string"} for k in ("namespace", "name")}}
EVENT = {
    "type": "object",
    "required": ["run", "job", "eventTime", "producer", "schemaURL"],
    "properties": {
        "eventType": {"enum": ["START", "RUNNING", "COMPLETE", "ABORT", "FAIL", "OTHER"]},
        "eventTime": {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d.*(Z|[+-]\d\d:\d\d)$"},
        "producer": URI,
        "schemaURL": URI,
        "run": {"type": "object", "required": ["runId"]},
        "job": NAMED,
        "inputs": {
            "type": "array",
            "items": {"allOf": [NAMED, {"properties": {"inputFacets": {"properties": {"dataQualityAssertions": FACET}}}}]},
        },
    },
}
SCHEMA_RULE = RuleResult("missing_column", "gone", "warn", "warning", "Column 'gone' is missing.")


def test_an_event_has_the_shape_of_the_specification() -> None:
    unseen = Verdict(constraint("\udc80"), "not_evaluated", None, None, None, "could not be computed", ())
    run = validation("b1", failed(), unseen, rules=(SCHEMA_RULE,))
    event = event_of(run, ("s3://lake", "orders"))
    Draft202012Validator(EVENT).validate(event)
    assert (event["eventType"], event["job"]["name"], UUID(event["run"]["runId"]).version) == ("COMPLETE", "validate.p", 5)
    (table,) = event["inputs"]
    assert (table["namespace"], table["name"]) == ("s3://lake", "orders")
    told = [
        (a["assertion"], a.get("column"), a["success"], a["severity"]) for a in table["inputFacets"]["dataQualityAssertions"]["assertions"]
    ]
    assert told == [("missing_column", "gone", False, "warn"), ("mean", "c", False, "error"), ("mean", "?", False, "error")]
    assert event_of(run) == event_of(run)
    assert event_of(run)["run"] != event_of(replace(run, batch="b2"))["run"]
    # Values of the data stay where they are.
    assert "'9'" not in str(event)


def test_the_number_of_rows_is_of_no_column() -> None:
    rule = constraint("rows", metric="row_count", measure=Measure("row_count"))
    run = validation("b1", Verdict(rule, "pass", 2.0, 1.0, 3.0, "fine", ()))
    assert event_of(run)["inputs"][0]["inputFacets"]["dataQualityAssertions"]["assertions"][1:] == [
        {"assertion": "row_count", "success": True, "severity": "error"}
    ]
    assert 'avh_rule_observed{pipeline="p",column="",metric="row_count",' in exposition([run])


def test_what_reached_no_verdict_has_failed() -> None:
    unseen = Verdict(constraint(), "not_evaluated", None, None, None, "could not be computed", ())
    assert event_of(validation("b1", unseen))["eventType"] == "FAIL"


@pytest.mark.parametrize(
    ("source", "dataset"),
    [
        ({"path": "s3a://lake/raw/orders/{batch}.parquet"}, ("s3://lake", "raw/orders")),
        ({"path": "hdfs://n:8020/raw/{year}/{month}/x-*.csv"}, ("hdfs://n:8020", "/raw")),
        ({"path": "data/*/{batch}.csv"}, ("file", "/w/data")),
        ({"path": "data/events.parquet", "batch": "date(ts)"}, ("file", "/w/data/events.parquet")),
        ({"format": "table", "table": "shop.orders", "batch": "day"}, ("spark_catalog", "shop.orders")),
        ({"format": "query", "query": "select '{batch}'"}, None),
    ],
)
def test_a_source_is_named_as_lineage_names_it(source: dict[str, Any], dataset: Any) -> None:
    assert dataset_of(Source.model_validate(source), Path("/w")) == dataset


SAMPLE = re.compile(r'(?P<name>[a-z_]+)\{(?P<labels>(?:[a-z]+="(?:[^"\\\n]|\\\\|\\n|\\")*",?)*)\} (?P<value>\S+)')


def test_the_numbers_of_prometheus_can_be_read() -> None:
    odd = replace(failed(column='a"b\\\n\udc80', lower=-math.inf), lower=-math.inf, observed=math.nan)
    runs = [validation("b1", failed(), odd, rules=(SCHEMA_RULE,)), validation("b2", pipeline="q")]
    found: dict[tuple[str, str], float] = {}
    names = []
    for line in exposition(runs).splitlines():
        if line.startswith("# TYPE"):
            names.append(line.split()[2])
            continue
        if line.startswith("#"):
            continue
        sample = SAMPLE.fullmatch(line)
        assert sample is not None, line
        assert sample["name"] == names[-1]  # all samples of one metric stand together
        assert (sample["name"], sample["labels"]) not in found
        found[sample["name"], sample["labels"]] = float(sample["value"])
    assert found["avh_batch_status", 'pipeline="p",status="fail"'] == 1
    assert found["avh_batch_status", 'pipeline="p",status="pass"'] == 0
    assert found["avh_batch_rows", 'pipeline="q"'] == 100
    assert found["avh_batch_results", 'pipeline="p",status="fail"'] == 2
    assert [value for (name, _), value in found.items() if name == "avh_rule_observed"] == [9.0, 1.5]
    assert sum(name == "avh_rule_lower" for name, _ in found) == 2
    assert exposition([]) == ""
