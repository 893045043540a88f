"""Nested columns as columns: their names never collide, and avh.yml can leave out a struct or a field."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.config import ColumnsSetting
from avh_ui.metrics.fields import Chosen, Within, choose, unseen_by_0_1
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.type_names import TypeTree, arrow_tree, canonical

GEO = pa.struct([("lat", pa.float64()), ("of", pa.struct([("a.b", pa.int32()), ("tags", pa.list_(pa.string()))]))])


def chosen(columns: ColumnsSetting | None = None, **types: pa.DataType) -> Chosen:
    return choose([(name, arrow_tree(t)) for name, t in types.items()], (columns or ColumnsSetting()).wants)


def test_fields_of_structs_are_columns_and_arrays_have_a_size() -> None:
    found = chosen(x=pa.int64(), geo=GEO, m=pa.map_(pa.string(), pa.int8()))
    assert [(f.name, f.how, f.path) for f in found.fields] == [
        ("x", "values", (0,)),
        ("geo", "nulls", (1,)),
        ("geo.lat", "values", (1, 0)),
        ("geo.of", "nulls", (1, 1)),
        ("geo.of.`a.b`", "values", (1, 1, 0)),
        ("geo.of.tags", "nulls", (1, 1, 1)),
        ("geo.of.tags.size()", "size", (1, 1, 1)),
        ("m", "nulls", (2,)),
        ("m.size()", "size", (2,)),
    ]


def test_what_is_not_measured_is_said_in_one_line() -> None:
    columns = [("x", TypeTree("int")), ("v", TypeTree("variant")), ("geo", arrow_tree(GEO)), ("g", TypeTree("geography(4326)"))]
    assert choose(columns, ColumnsSetting(exclude=("x",)).wants).notes() == (
        "3 of 5 columns are not measured whole, as no metric is for their types: of 'geo.of.tags' (array<string>) only size and nulls; "
        "of 'v' (variant), 'g' (geography(4326)) only nulls.",
        "1 column is left out by avh.yml: 'x'.",
    )
    assert chosen(x=pa.int64(), s=pa.struct([("y", pa.int8())])).notes() == ()


def test_a_column_keeps_its_own_name_whatever_is_nested() -> None:
    types = {"geo": GEO, "geo.lat": pa.int64(), "a.b": pa.struct([("c", pa.int8())])}
    types |= {"tags": pa.list_(pa.int8()), "tags.size()": pa.string()}
    names = {f.name: f.path for f in chosen(**types).fields}
    assert names["geo.lat"] == (1,)
    assert names["`geo.lat`"] == (0, 0)
    assert names["`a.b`.c"] == (2, 0)
    assert (names["tags.size()"], names["`tags.size()`"]) == ((4,), (3,))


@given(st.lists(st.text("ab.`()", max_size=6), min_size=1, max_size=5, unique=True), st.lists(st.text("ab.`()", max_size=6), max_size=4))
def test_no_two_columns_have_one_name(names: list[str], parts: list[str]) -> None:
    inner = TypeTree.struct(tuple((part, TypeTree("array<int>")) for part in parts))
    found = choose([(name, TypeTree.struct((("a", inner), ("b", TypeTree("int"))))) for name in names])
    assert len({f.name for f in found.fields}) == len(found.fields)
    assert {f.name for f in found.fields if len(f.path) == 1} == set(names)


@pytest.mark.parametrize(
    ("columns", "kept", "left_out", "dropped"),
    [
        (ColumnsSetting(exclude=("geo",)), ["x"], ["geo", "geo.lat", "geo.of", "geo.of.`a.b`", "geo.of.tags"], ["geo"]),
        (ColumnsSetting(exclude=("geo.of",)), ["x", "geo", "geo.lat"], ["geo.of", "geo.of.`a.b`", "geo.of.tags"], ["geo.of"]),
        (
            ColumnsSetting(include=("geo.of.tags",)),
            ["geo.of.tags", "geo.of.tags.size()"],
            ["x", "geo", "geo.lat", "geo.of", "geo.of.`a.b`"],
            None,
        ),
    ],
)
def test_avh_yml_names_a_struct_or_a_field(
    columns: ColumnsSetting, kept: list[str], left_out: list[str], dropped: list[str] | None
) -> None:
    found = chosen(columns, x=pa.int64(), geo=GEO)
    assert [f.name for f in found.fields] == kept
    assert list(found.left_out) == left_out
    assert list(found.dropped) == (["x", "geo.lat", "geo.of.`a.b`"] if dropped is None else dropped)


def test_what_release_0_1_did_not_look_at() -> None:
    types = {"x": pa.int64(), "geo": GEO, "geox.lat": pa.int8(), "a.b": pa.struct([("c", pa.int8())]), "d": pa.duration("s")}
    fields = chosen(**types).fields
    unseen = unseen_by_0_1((f.name, f.type) for f in fields)
    assert unseen == {f.name for f in fields} - {"x", "geox.lat"}
    assert "geo.lat" in Within(["geo"])
    assert "geox.lat" not in Within(["geo"])


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("void", "null"), ("varchar(3)", "string"), ("char(3)", "string"), ("string collate UTF8_LCASE", "string"), ("time(6)", "time"),
        ("interval month", "interval year to month"), ("interval hour to second", "interval day to second"), ("interval", "interval"),
        ("decimal(10,2)", "decimal(10,2)"), ("vector", "vector"),
    ],
)  # fmt: skip
def test_spark_names_of_one_type_are_one(written: str, name: str) -> None:
    assert canonical(written) == name


@pytest.mark.parametrize(
    ("measure", "why"),
    [
        (Measure.of("mean", "x", "y > 0"), ""),
        (Measure.of("row_count", where="y > 0"), ""),
        (Measure.of("compliance", predicate="y > 0"), ""),
        (Measure.of("mean", "z", "y > 0"), "there is no column 'z', or it is left out"),
        (Measure.of("mutual_information", ("x", "z")), "there is no column 'z', or it is left out"),
        (Measure.of("duplicate_row_count"), "it names neither a column nor a condition"),
        (Measure.of("mean", "x", "y"), "a column has this very name"),
    ],
)
def test_what_is_asked_for_is_a_column_or_refused(measure: Measure, why: str) -> None:
    columns = [(name, arrow_tree(pa.int64())) for name in ("x", "y", "x where y")]
    found = choose(columns, ColumnsSetting().wants, [measure])
    assert found.refused == ({measure.subject: why} if why else {})
    assert [f.asked for f in found.fields] == [None, None, None, *([] if why else [measure])]
    if not why:
        field = found.fields[-1]
        assert (field.name, field.path, field.how) == (measure.subject, *(((0,), "values") if measure.columns else ((), "truth")))
