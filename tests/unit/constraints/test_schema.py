"""Which differences of columns are drift: of every column, nested ones too, and by one rule for typed and untyped sources."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest

from avh_ui.constraints.codec import program_from_json, program_sha256, program_to_json
from avh_ui.constraints.exporting.catalogue import EXPORTERS
from avh_ui.constraints.schema import ColumnSchema, SchemaConstraint, differences
from avh_ui.metrics.type_names import agree
from avh_ui.validator.schema_drift import drift_results, not_compared_note, schema_of
from avh_ui.workflows.frames import profile_table
from tests.fakes.builders import constraint, program

GEO = {"id": [1, 2], "geo": [{"lat": 1.5, "of": {"x": 1}}, None], "tags": [["a"], []], "a.b": [1, 2]}


def seen(**columns: object) -> tuple[ColumnSchema, ...]:
    return schema_of(profile_table(pa.table(columns), "p", "b"))


def drift(expected: dict[str, object], found: dict[str, object], **about: object) -> list[tuple[str, str]]:
    schema = SchemaConstraint(seen(**expected), covers_all=True, **about)  # type: ignore[arg-type]
    return [(d.rule, d.column) for d in differences(schema, seen(**found))]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, []),
        ({"geo": [{"lat": 1.5}, None]}, [("missing_column", "geo.of")]),
        ({"geo": [{"lat": 1.5, "of": {"x": 1}, "lon": 2.5}, None]}, [("extra_column", "geo.lon")]),
        ({"geo": [{"lat": "1.5", "of": {"x": 1}}, None]}, [("type_changed", "geo.lat")]),
        ({"geo": ["1.5,2.5", None]}, [("type_changed", "geo")]),
        ({"tags": [[1], []]}, [("type_changed", "tags")]),
        ({"more": [{"z": 1}, None]}, [("extra_column", "more")]),
        ({"more": [[1], None]}, [("extra_column", "more")]),
    ],
)
def test_a_change_within_a_struct_is_told_once(change: dict[str, object], expected: list[tuple[str, str]]) -> None:
    assert drift(GEO, {**GEO, **change}) == expected


def test_a_lost_struct_is_told_without_its_fields() -> None:
    assert drift(GEO, {name: GEO[name] for name in ("id", "a.b")}) == [("missing_column", "geo"), ("missing_column", "tags")]


def test_a_program_of_release_0_1_does_not_call_nested_columns_new() -> None:
    batch = profile_table(pa.table({**GEO, "new": [1, 2]}), "p", "b")
    old = SchemaConstraint((ColumnSchema("id", "bigint", "numeric"), ColumnSchema("a.b", "bigint", "numeric")))
    assert [(r.rule, r.column) for r in drift_results(old, batch)] == [("extra_column", "new")]
    (note,) = not_compared_note(old, batch)
    assert note.startswith("Whether 'geo', 'tags' changed is not known")
    assert not_compared_note(replace(old, columns=schema_of(batch), covers_all=True), batch) == ()


def test_what_avh_yml_leaves_out_is_no_drift() -> None:
    schema = SchemaConstraint(seen(**GEO), covers_all=True)
    assert differences(schema, seen(id=[1]), left_out=["geo", "geo.lat", "geo.of", "geo.of.x", "tags", "a.b"]) == []


@pytest.mark.parametrize(
    ("expected", "found", "source_format", "same"),
    [
        *(("number", t, "", True) for t in ("int", "bigint", "double", "float", "decimal(10,2)", "null")),
        ("bigint", "number", "", True),
        ("number", "string", "csv", False),
        ("number", "date", "csv", False),
        ("int", "string", "", False),
        ("bigint", "double", "", False),
        ("double", "bigint", "", False),
        ("double", "bigint", "json", True),
        ("bigint", "double", "json", False),
        ("decimal(10,2)", "decimal(12,2)", "", False),
        ("time(6)", "time", "", True),
        ("struct<a:int>", "struct<a:string>", "", True),
        ("struct<a:int>", "string", "", False),
        ("array<int>", "array<string>", "", False),
    ],
)
def test_types_that_agree(expected: str, found: str, source_format: str, same: bool) -> None:
    assert agree(expected, found, source_format) is same


def test_documents_of_release_0_1_keep_their_hash_and_new_ones_say_more() -> None:
    old = program()
    assert '"covers_all"' not in program_to_json(old)
    schema = replace(old.schema, covers_all=True, source_format="csv", exclude=("secret",), include=("c",))
    new = replace(old, schema=schema)
    assert program_from_json(program_to_json(new)).schema == schema
    assert program_sha256(new) != program_sha256(old)


def test_exporters_see_the_columns_of_the_table() -> None:
    assert [c.name for c in SchemaConstraint(seen(**GEO)).table] == ["id", "geo", "tags", "a.b"]


@pytest.mark.parametrize("tool", sorted(EXPORTERS))
def test_exporters_leave_out_what_is_within_a_column(tool: str) -> None:
    within = tuple(constraint(name) for name in ("id", "geo.lat", "tags.size()", "a.b"))
    exported = EXPORTERS[tool](program(constraints=within, schema=SchemaConstraint(seen(**GEO), covers_all=True)))
    left_out = [str(one) for one in exported.left_out if "is no column of the table" in str(one)]
    assert ["geo.lat" in left_out[0], "tags.size()" in left_out[1], len(left_out)] == [True, True, 2]


def names(*found: str) -> tuple[ColumnSchema, ...]:
    return tuple(ColumnSchema(name, "string", "string") for name in found)


def test_a_line_of_names_that_nothing_cuts_is_told_once() -> None:
    assert SchemaConstraint(names("id", "city", "price")).drift(names("id;city;price")) == [
        "The batch seems to be cut by ';', and those before it were not: none of its columns is there. Ask for it anew; or, where all come "
        'so from now on, write options: {sep: ";"} below its source in avh.yml.'
    ]
    assert "seems" not in SchemaConstraint(names("id", "price")).drift(names("id", "price_eur"))[-1]
    # What another reader gives has no separator.
    assert len(SchemaConstraint(names("id", "city"), source_format="parquet").drift(names("id;city"))) == 3


def test_rows_without_names_that_nothing_cuts_are_told_once() -> None:
    expected = SchemaConstraint((ColumnSchema("_c0", "number", "numeric"), *names("_c1", "_c2")), source_format="csv")

    def told(*seen: str, **uncut: float) -> list[str]:
        return [change.message for change in differences(expected, names(*seen), uncut={";": uncut["by"]} if uncut else {})]

    (said,) = told("_c0", by=2.0)
    assert said.startswith("The batch seems to be cut by ';', and those before it were not: 2 of its 3 columns are missing.")
    (said,) = told("_c0", "_c1", by=2.0)
    assert "1 of its 3 columns is missing" in said
    # A list in a column that is there all the same.
    assert told("_c0", "_c1", by=7.0)[0] == "Column '_c2' is missing."
    (said,) = told("_c0")
    assert said.startswith("The batch seems to be cut by another character, and those before it were not: 2 of its 3")


def test_a_tab_is_written_as_yaml_has_it() -> None:
    (said,) = SchemaConstraint(names("id", "city")).drift(names("id\tcity"))
    assert said.endswith('write options: {sep: "\\t"} below its source in avh.yml.')
