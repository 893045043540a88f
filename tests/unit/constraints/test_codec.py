"""The program document: exact round trips, a stable form, and errors that name the field."""

from __future__ import annotations

import hashlib
import json
import math
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.constraints.codec import (
    constraint_from_record,
    constraint_to_record,
    document_sha256,
    program_from_json,
    program_sha256,
    program_to_json,
    program_to_record,
    schema_text,
)
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.pattern_constraint import METRIC, Pattern, PatternConstraint
from avh_ui.constraints.plain_data import canonical_json, from_plain, parse_json, to_plain
from avh_ui.constraints.rising import Prior
from avh_ui.constraints.transforms import Transform
from avh_ui.errors import ConstraintError, NewerVersionError
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.regexes import portable
from tests.fakes.builders import constraint, program
from tests.unit.constraints.strategies import DATA, PROGRAMS, constraints

SCHEMA = json.loads(files("avh_ui.constraints").joinpath("program.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def strict(text: str) -> Any:
    """JSON as every other language reads it: no bare NaN or Infinity."""

    def refuse(name: str) -> Any:
        raise AssertionError(name)

    return json.loads(text, parse_constant=refuse)


@given(PROGRAMS)
def test_a_program_comes_back_exactly_and_keeps_its_schema(original: Any) -> None:
    text = program_to_json(original)
    text.encode("ascii")
    VALIDATOR.validate(strict(text))
    back = program_from_json(text)
    assert back == original
    assert [c.provenance for c in back.constraints] == [c.provenance for c in original.constraints]
    assert program_to_json(back) == text
    assert program_sha256(back) == program_sha256(original) == document_sha256(strict(text))


@given(constraints())
def test_a_constraint_comes_back_exactly(original: Constraint) -> None:
    record = json.loads(json.dumps(constraint_to_record(original), allow_nan=False))
    back = constraint_from_record(record)
    assert back == original
    assert back.provenance == original.provenance
    for a, b in ((back.lower, original.lower), (back.upper, original.upper)):
        # Equality does not tell -0.0 from 0.0.
        assert a is None or (b is not None and math.copysign(1, a) == math.copysign(1, b))


def test_names_with_half_a_surrogate_pair_come_back() -> None:
    for original in (
        constraint(column="\udc80", provenance={"\udc80": {"\ud800": ["\udc80"]}}),
        Constraint("c, \udc80=1 where \udc80", "mean", "numeric", 1.0, 2.0, measure=Measure("mean", ("c",), "\udc80", (("\udc80", 1),))),
    ):
        back = constraint_from_record(json.loads(json.dumps(constraint_to_record(original))))
        assert (back, back.provenance) == (original, original.provenance)


@given(DATA)
def test_free_form_data_comes_back(data: Any) -> None:
    assert from_plain(json.loads(json.dumps(to_plain(data), allow_nan=False))) == data


def test_free_form_data_of_other_types() -> None:
    assert math.isnan(from_plain(to_plain(math.nan)))
    assert to_plain({"a": (1, np.float64(0.5)), "b": np.int64(3), "c": np.bool_(True)}) == {"a": [1, 0.5], "b": 3, "c": True}
    assert to_plain(np.inf) == {"$float": "Infinity"}


@pytest.mark.parametrize("value", [lambda: 1, {1, 2}, b"bytes", np.arange(2), object()])
def test_what_json_cannot_hold_is_refused_with_its_place(value: Any) -> None:
    with pytest.raises(ConstraintError, match=r"evidence\.a\[0\]\.b is a"):
        program_to_json(program(evidence={"a": [{"b": value}]}))
    with pytest.raises(ConstraintError, match="keys are texts"):
        program_to_json(program(evidence={1: 2}))


def test_the_form_of_the_document_is_stable() -> None:
    made = program(constraints=(constraint(lower=-math.inf, upper=None, transform=Transform(7, True), fpr=0.001, proposition=3),))
    assert program_to_record(made) == {
        "format": 2,
        "pipeline": "p",
        "version": 0,
        "created_at": "2026-01-31T00:00:00+00:00",
        "author": "ann",
        "message": "first",
        "fpr_target": 0.001,
        "schema": {"level": "error", "columns": [{"name": "c", "type": "double", "kind": "numeric"}]},
        "constraints": [
            {
                "column": "c",
                "metric": "mean",
                "kind": "numeric",
                "lower": "-Infinity",
                "upper": None,
                "transform": {"lag": 7, "log": True},
                "fpr": 0.001,
                "proposition": 3,
                "origin": "history",
                "level": "error",
                "provenance": {},
            }
        ],
        "evidence": {"batches": 30},
        "sha256": "",
        "signature": "",
        "public_key": "",
    }
    # A hash that changes with a release would make every published program look tampered with.
    assert program_sha256(program(format=1)) == "263c02cf07639b6904cc0641db70e62ef2008da7c50dffd41dee7ca90460f4e6"
    assert program_sha256(program()) == "d804cf07cb74b18c564dbf1e06722a7d86b552f6149d30552c13f97baf6697ad"


def test_a_pattern_without_a_prior_reads_and_hashes_as_before_there_were_any() -> None:
    pattern = Pattern("N<digit>{3}", portable("N\\d{3}"), 100, 0)
    tested = PatternConstraint("c", METRIC, "string", None, 0.08, origin="corpus", pattern=pattern, significance=0.001, usual=900)
    record = constraint_to_record(tested)
    assert "prior" not in record["pattern"]
    written = canonical_json({"constraints": [record]}).encode()
    assert hashlib.sha256(written).hexdigest() == "34d7d791fb82246a3739dbc5d5f71b307076bf53551e543b668a4d772690c275"
    assert constraint_from_record(record) == tested


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        ({"bad": 0.1}, r"pattern\.prior\.values is missing"),
        ({"bad": "few", "values": 5}, r"pattern\.prior\.bad should be a number"),
        ({"bad": 6, "values": 5}, r"pattern is wrong: a prior of 6\.0 non-conforming of 5\.0 values"),
        ({"bad": 0, "values": 5}, r"pattern is wrong: a prior of"),
        ({"bad": 1, "values": "Infinity"}, r"pattern is wrong: a prior of"),
        ([1, 5], r"pattern\.prior should be an object"),
    ],
)
def test_a_wrong_prior_is_named(prior: Any, message: str) -> None:
    pattern = Pattern("N", portable("N"), 100, 0, prior=Prior(0.15, 5.0))
    record = constraint_to_record(PatternConstraint("c", METRIC, "string", None, 0.08, pattern=pattern))
    assert record["pattern"]["prior"] == {"bad": 0.15, "values": 5.0}
    record["pattern"]["prior"] = prior
    with pytest.raises(ConstraintError, match=message):
        constraint_from_record(record)


def test_whole_bounds_hash_like_the_floats_they_are() -> None:
    assert program_sha256(program(constraints=(constraint(lower=1),))) == program_sha256(program(constraints=(constraint(lower=1.0),)))


def test_the_hash_is_not_of_itself_nor_of_the_signature() -> None:
    assert program_sha256(program(sha256="a", signature="b", public_key="c")) == program_sha256(program())
    assert program_sha256(program(message="other")) != program_sha256(program())


def changed(path: str, value: Any) -> str:
    """The document of a program with another value at a path; `...` removes it."""
    document = program_to_record(program())
    *parents, last = path.split(".")
    at: Any = document
    for part in parents:
        at = at[int(part) if part.isdigit() else part]
    if value is ...:
        del at[last]
    else:
        at[last] = value
    return json.dumps(document)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("pipeline", 1, r"pipeline should be a text, not 1"),
        ("pipeline", ..., r"pipeline is missing"),
        ("format", ..., r"format is missing"),
        ("format", 0, r"format should be greater than or equal to 1, not 0"),
        ("format", "1", r"format should be a whole number"),
        ("version", True, r"version should be a whole number"),
        ("version", -1, r"version should be"),
        ("fpr_target", None, r"fpr_target should be a number"),
        ("fpr_target", 10**400, r"fpr_target should be a number in the range"),
        ("schema", [], r"schema should be an object"),
        ("schema.level", "fatal", r"schema\.level should be 'error', 'warning' or 'off', not 'fatal'"),
        ("schema.columns.0.name", None, r"schema\.columns\[0\]\.name should be a text"),
        ("constraints", {}, r"constraints should be a list"),
        ("constraints.0.lower", "low", r"constraints\[0\]\.lower should be a number"),
        ("constraints.0.lower", "NaN", r"constraints\[0\]\.lower should be a number"),
        ("constraints.0.lower", 5, r"constraints\[0\] is wrong: .*above the upper bound"),
        ("constraints.0.upper", ..., r"constraints\[0\]\.upper is missing"),
        ("constraints.0.transform.lag", -1, r"constraints\[0\]\.transform\.lag should be"),
        ("constraints.0.transform.log", 1, r"constraints\[0\]\.transform\.log should be true or false"),
        ("constraints.0.origin", "guess", r"constraints\[0\]\.origin should be 'history', 'corpus'"),
        ("constraints.0.level", "off", r"constraints\[0\]\.level should be 'error' or 'warning'"),
        ("constraints.0.column", "x" * 200_000, None),
        ("evidence", [], r"evidence should be an object"),
        ("sha256", None, r"sha256 should be a text"),
    ],
)
def test_a_wrong_field_is_named(path: str, value: Any, message: str | None) -> None:
    text = changed(path, value)
    if message is None:
        assert program_from_json(text).constraints[0].column == value
        return
    with pytest.raises(ConstraintError, match=message) as caught:
        program_from_json(text)
    assert len(str(caught.value)) < 500
    assert not VALIDATOR.is_valid(json.loads(text)) or path in ("constraints.0.lower", "fpr_target")


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)))
def test_any_other_json_is_refused_as_such(document: Any) -> None:
    with pytest.raises(ConstraintError):
        program_from_json(json.dumps(document))


@pytest.mark.parametrize("text", ["", "{", "nonsense", '{"a": NaN}', '{"a": 1, "a": 2}', "1" * 5_000, "[" * 100_000])
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(ConstraintError, match=r"not valid JSON|should be an object"):
        program_from_json(text)
    with pytest.raises(ConstraintError, match="The file is not valid JSON") as caught:
        parse_json("{", "The file")
    assert caught.value.hint == "It may have been cut off or edited by hand."


def test_a_program_that_is_no_json_is_called_one() -> None:
    with pytest.raises(ConstraintError, match=r"^The program is not valid JSON"):
        program_from_json("{")


def test_a_newer_format_is_refused_before_it_is_read() -> None:
    with pytest.raises(NewerVersionError, match="format 3"):
        program_from_json('{"format": 3, "all": "else may differ"}')


def test_a_constraint_that_is_not_a_number_cannot_be_kept() -> None:
    with pytest.raises(ConstraintError, match="not a number"):
        constraint_to_record(constraint(fpr=math.nan))


def test_a_program_is_read_without_spark_sql_or_ui() -> None:
    code = (
        "import sys, avh_ui.constraints.codec as c; c.program_from_json(sys.stdin.read());"
        "assert not {'pyspark', 'panel', 'sqlalchemy', 'cryptography', 'pandas'} & set(sys.modules), sorted(sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=program_to_json(program()), text=True, cwd=Path(__file__).parents[3], timeout=60, check=False
    )
    assert done.returncode == 0


def test_the_published_schema_is_that_of_the_dataclasses() -> None:
    text = files("avh_ui.constraints").joinpath("program.schema.json").read_text()
    assert text == schema_text(), "write it anew with `make schema`"
    assert SCHEMA["required"][:3] == ["format", "pipeline", "version"]


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ((), "colour"),
        (("schema",), "column"),
        (("constraints", 0), "limit"),
        (("constraints", 0), "usual"),
        (("constraints", 0, "transform"), "lags"),
    ],
)
def test_an_unknown_field_is_named(place: tuple[str | int, ...], name: str) -> None:
    document = program_to_record(program())
    at: Any = document
    for part in place:
        at = at[part]
    at[name] = 1
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in (*place, name))[1:]
    with pytest.raises(ConstraintError, match=f"^{re.escape(path)} is unknown: correct its name or remove it"):
        program_from_json(json.dumps(document))
    assert not VALIDATOR.is_valid(document)


def test_the_json_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("depth", [60, 600, 100_000])
@pytest.mark.parametrize("place", ["evidence", "constraints", "pipeline"])
def test_a_document_nested_too_deep_is_refused(place: str, depth: int) -> None:
    document = json.loads(program_to_json(program()))
    text = json.dumps(document | {place: "HERE"}).replace('"HERE"', '{"a":' * depth + "1" + "}" * depth)
    with pytest.raises(ConstraintError):
        program_from_json(text)
