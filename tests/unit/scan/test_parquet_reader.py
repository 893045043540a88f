"""Parquet by Arrow: what is declined, what is read of a file, and how files are cut in shares."""

from __future__ import annotations

import datetime as dt
import pickle
from pathlib import Path
from typing import Any

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from avh_ui.errors import SourceError
from avh_ui.metrics.column import Column
from avh_ui.metrics.declined import DeclinedError
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.type_names import arrow_tree
from avh_ui.scan import parquet_reader
from avh_ui.scan.columnar import FilePiece, FilePlan, shares_of
from avh_ui.scan.shares import Opener
from tests.fakes.columnar_files import all_batches, looked_at, rows_of, types_table

SPARK = b"org.apache.spark.sql.parquet.row.metadata"


def written(folder: Path, table: pa.Table, name: str = "f.parquet", **options: Any) -> Any:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, folder / name, **options)
    return looked_at(folder, "{batch}", name.partition("/")[0])


def test_columns_are_read_in_the_order_that_is_asked_for(tmp_path: Path) -> None:
    source, listing, layouts = written(tmp_path, types_table(), row_group_size=2)
    reader, shares = pickle.loads(pickle.dumps(parquet_reader.plan(source, listing, layouts)))
    places = [reader.schema.get_field_index(name) for name in ("with.dot", "text", "with", "int8")]
    found = list(all_batches(reader, shares, listing, places))
    assert found[0].schema.names == ["with.dot", "text", "with", "int8"]
    assert pa.types.is_dictionary(found[0].column(1).type)
    table = rows_of(found, pa.schema([reader.schema.field(k) for k in places]))
    assert table.to_pydict() == types_table().select(["with.dot", "text", "with", "int8"]).to_pydict()
    assert sum(batch.num_rows for batch in all_batches(reader, shares, listing, [])) == 5


def test_dictionaries_give_the_same_profiles(tmp_path: Path) -> None:
    texts = [f"t{k % 7}" if k % 5 else None for k in range(1000)]
    profiles = []
    for name, dictionary in (("with", True), ("without", False)):
        source, listing, layouts = written(
            tmp_path, pa.table({"v": texts}), f"{name}.parquet", use_dictionary=dictionary, row_group_size=300
        )
        reader, shares = parquet_reader.plan(source, listing, layouts)
        found = pa.Table.from_batches(list(all_batches(reader, shares, listing)))
        assert pa.types.is_dictionary(found.column(0).type) is dictionary
        profiles.append(ColumnProfile.of(Column.from_arrow("v", found.column(0)), "string").states)
    with_dictionary, without = ({key: state.to_record() for key, state in states.items()} for states in profiles)
    assert with_dictionary == without


def test_nanoseconds_are_read_to_the_microsecond(tmp_path: Path) -> None:
    moments = pa.array([1_700_000_000_123_456_789, None, 0], pa.timestamp("ns"))
    zoned, inside = moments.cast(pa.timestamp("ns", "Europe/Rome")), pa.StructArray.from_arrays([moments], ["at"])
    source, listing, layouts = written(tmp_path, pa.table({"t": moments, "u": zoned, "s": inside}))
    reader, shares = parquet_reader.plan(source, listing, layouts)
    assert [str(field.type) for field in reader.schema] == ["timestamp[us]", "timestamp[us, tz=UTC]", "struct<at: timestamp[us]>"]
    found = rows_of(list(all_batches(reader, shares, listing)), reader.schema)
    micros = [1_700_000_000_123_456, None, 0]
    inside = found.column("s").combine_chunks().field(0)
    for column in (found.column("t"), found.column("u"), inside):
        assert column.cast(pa.int64()).to_pylist() == micros


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_times_of_day_are_read_though_spark_refuses_them(tmp_path: Path, unit: str) -> None:
    times = pa.array([dt.time(13, 5, 7), None, dt.time(0)]).cast(pa.time64("us")).cast(pa.time32(unit) if unit in "ms" else pa.time64(unit))
    source, listing, layouts = written(tmp_path, pa.table({"t": times, "s": pa.StructArray.from_arrays([times], ["at"])}))
    reader, shares = parquet_reader.plan(source, listing, layouts)
    found = rows_of(list(all_batches(reader, shares, listing)), reader.schema)
    for column in (found.column("t"), found.column("s").combine_chunks().field(0)):
        assert column.cast(pa.time64("us")).to_pylist() == [dt.time(13, 5, 7), None, dt.time(0)]


def test_dictionaries_within_structs_and_lists_are_read_of_several_row_groups(tmp_path: Path) -> None:
    texts = pa.array(["a", None, "b", "a", "c"]).dictionary_encode()
    structs = pa.StructArray.from_arrays([texts], ["d"])
    table = pa.table({"s": structs, "l": pa.ListArray.from_arrays(pa.array([0, 2, 2, 3, 4, 5], pa.int32()), texts), "n": range(5)})
    source, listing, layouts = written(tmp_path, table, row_group_size=2)
    reader, shares = parquet_reader.plan(source, listing, layouts)
    found = rows_of(list(all_batches(reader, shares, listing)), reader.schema)
    assert found.to_pydict() == table.to_pydict()


NULLS = pa.nulls(1)
DECLINED = {
    "float16": pa.table({"v": NULLS.cast(pa.float16())}),
    "uuid": pa.table({"v": pa.ExtensionArray.from_storage(pa.uuid(), NULLS.cast(pa.binary(16)))}),
    "digits": pa.table({"v": NULLS.cast(pa.decimal256(39, 2))}),
    "within": pa.table({"v": [[{"t": NULLS.cast(pa.decimal256(39, 2))[0]}]]}),
    "case": pa.table({"v": [1], "V": [1]}),
    "case within": pa.table({"v": [{"x": 1, "X": 1}]}),
    "twice": pa.table([pa.array([1]), pa.array([2])], names=["v", "v"]),
    "no columns": pa.table({}),
    "stale schema": pa.table({"v": [1]}).replace_schema_metadata({SPARK: b'{"type":"struct","fields":[]}'}),
    "no schema": pa.table({"v": [1]}).replace_schema_metadata({SPARK: b"[1]"}),
    "char": pa.table({"v": ["a"]}).replace_schema_metadata(
        {SPARK: b'{"fields":[{"name":"v","type":"string","metadata":{"__CHAR_VARCHAR_TYPE_STRING":"char(3)"}}]}'}
    ),
    "nested dates of old": pa.table({"v": [[dt.date(2024, 1, 1)]]}).replace_schema_metadata({b"org.apache.spark.legacyDateTime": b""}),
}  # fmt: skip


@pytest.mark.parametrize("name", DECLINED)
def test_what_is_declined(tmp_path: Path, name: str) -> None:
    source, listing, layouts = written(tmp_path, DECLINED[name])
    with pytest.raises(DeclinedError):
        parquet_reader.plan(source, listing, layouts)


def test_what_is_declined_of_options_and_folders(tmp_path: Path) -> None:
    table = pa.table({"v": [1]})
    written(tmp_path, table, "fine/f.parquet")
    for options in ({"mergeSchema": "true"}, {"pathGlobFilter": "*"}, {"datetimeRebaseMode": "LEGACY"}):
        with pytest.raises(DeclinedError, match=f"options name {next(iter(options))}"):
            parquet_reader.plan(*looked_at(tmp_path, "{batch}", "fine", **options))
    reader, _ = parquet_reader.plan(*looked_at(tmp_path, "{batch}", "fine", mergeSchema="false", ignoreCorruptFiles="true"))
    assert reader.schema.names == ["v"]
    written(tmp_path, table, "below/x/f.parquet")
    with pytest.raises(DeclinedError, match="'x', which is none of a partition"):
        parquet_reader.plan(*looked_at(tmp_path, "{batch}", "below"))
    written(tmp_path, table, "both/v=1/f.parquet")
    with pytest.raises(DeclinedError, match="a column 'v', which is that of their folders too"):
        parquet_reader.plan(*looked_at(tmp_path, "{batch}", "both"))
    pq.write_table(table, tmp_path / "fine" / "_metadata")
    with pytest.raises(DeclinedError, match="summary file"):
        parquet_reader.plan(*looked_at(tmp_path, "{batch}", "fine"))


def test_dates_of_old_decline_when_they_are_read(tmp_path: Path) -> None:
    def read(day: dt.date, said: dict[bytes, bytes]) -> list[Any]:
        table = pa.table({"v": [day], "w": [1]}).replace_schema_metadata(said)
        source, listing, layouts = written(tmp_path, table)
        reader, shares = parquet_reader.plan(source, listing, layouts)
        assert len(list(all_batches(reader, shares, listing, [1]))) == 1
        return [batch.column(0).to_pylist() for batch in all_batches(reader, shares, listing)]

    old, new = dt.date(1582, 1, 1), dt.date(1900, 1, 1)
    assert read(old, {b"org.apache.spark.version": b"3.5.1"}) == [[old]]
    assert read(new, {b"org.apache.spark.version": b"2.4.8"}) == [[new]]
    for said in ({b"org.apache.spark.version": b"2.4.8"}, {b"org.apache.spark.version": b"3.5.1", b"org.apache.spark.legacyDateTime": b""}):
        with pytest.raises(DeclinedError, match="'v' holds times of an old calendar"):
            read(old, said)


def test_files_whose_types_have_no_number_in_common_are_declined(tmp_path: Path) -> None:
    for other in (["a"], pa.array([1], pa.decimal128(5, 2)), pa.array([0.5], pa.float32())):
        written(tmp_path, pa.table({"v": [1]}), "b/1.parquet")
        source, listing, layouts = written(tmp_path, pa.table({"v": other}), "b/2.parquet")
        with pytest.raises(DeclinedError, match="'v' is of type int64 in some files and"):
            parquet_reader.plan(source, listing, layouts)


def test_a_file_that_changes_or_breaks_after_it_was_planned(tmp_path: Path) -> None:
    table = pa.table({"v": list(range(100_000))})
    source, listing, layouts = written(tmp_path, table)
    reader, (share,) = parquet_reader.plan(source, listing, layouts)

    def read() -> int:
        return sum(batch.num_rows for batch in reader.read(share, Opener(listing.template), [0]))

    path = tmp_path / "f.parquet"
    content = path.read_bytes()
    assert read() == 100_000
    path.write_bytes(content[:4] + bytes(len(content) // 2) + content[4 + len(content) // 2 :])
    with pytest.raises((OSError, pa.ArrowException)):
        read()
    path.write_bytes(b"x" + content[:-1])
    with pytest.raises((OSError, pa.ArrowException)):
        read()
    pq.write_table(pa.table({"v": ["text"] * 9}), path, store_schema=False)
    # The codec after the path of the column: Arrow ends the process when it is asked for the name of one that it does not know.
    footer = path.read_bytes()
    path.write_bytes(footer.replace(b"\x18\x01v\x15\x02", b"\x18\x01v\x15\x2a"))
    layouts = looked_at(tmp_path, "{batch}", "f.parquet")[2]
    broken, shares = parquet_reader.plan(source, listing, layouts)
    with pytest.raises(OSError, match="codec"):
        list(all_batches(broken, shares, listing))
    path.write_bytes(footer.replace(b"\x01v", b"\x01\xff"))
    with pytest.raises(DeclinedError, match="no text"):
        read()
    pq.write_table(pa.table({"v": ["text"]}), path)
    with pytest.raises(DeclinedError, match="'v' is of type string in some files and int64"):
        read()
    path.unlink()
    with pytest.raises(FileNotFoundError):
        read()
    with pytest.raises(SourceError, match=r"f\.parquet cannot be read: it vanished"):
        parquet_reader.plan(source, listing, layouts)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([], []), ([10] * 4, [4]), ([200_000] * 50, [2, 3] * 10), ([1_048_576] * 3, [1, 1, 1]), ([122_880] * 9, [3, 3, 3]),
        ([5_000_000, 10], [1, 1]),
    ],
)  # fmt: skip
def test_shares_are_about_the_same_size(rows: list[int], expected: list[int]) -> None:
    shares = shares_of("b", "f", FilePlan(pa.schema([]), tuple(FilePiece((k,), n, n) for k, n in enumerate(rows))))
    parts = [share.parts or () for share in shares]
    assert [k for of in parts for k in of] == list(range(len(rows)))
    assert sorted(map(len, parts)) == sorted(expected)


def test_schema_has_the_names_of_types_that_spark_has(tmp_path: Path) -> None:
    reader, _ = parquet_reader.plan(*written(tmp_path, types_table()))
    names = {field.name: arrow_tree(field.type).name for field in reader.schema}
    assert [names[name] for name in ("uint8", "uint16", "uint32", "uint64")] == ["smallint", "int", "bigint", "decimal(20,0)"]
    assert [names[name] for name in ("nothing", "duration", "ms_utc", "us", "category", "fixed")] == [
        "int", "bigint", "timestamp", "timestamp_ntz", "string", "binary",
    ]  # fmt: skip


def test_files_of_an_object_store(tmp_path: Path) -> None:
    fs = fsspec.filesystem("memory")
    with fs.open("/store/b/k=1/f.parquet", "wb") as stream:
        pq.write_table(pa.table({"v": ["a", None]}), stream)
    source, listing, layouts = looked_at(tmp_path, "memory://store/{batch}", "b")
    reader, shares = parquet_reader.plan(source, listing, layouts)
    assert [batch.to_pylist() for batch in all_batches(reader, shares, listing)] == [[{"v": "a", "k": 1}, {"v": None, "k": 1}]]
