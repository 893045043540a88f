"""What may be wrong with how a batch is delivered, on real files: none of it goes unnoticed."""

from __future__ import annotations

import bz2
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import avh_ui as avh
from avh_ui.errors import EmptyBatchError, SourceError, UnfinishedBatchError
from avh_ui.metrics.delivery import Delivery
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.profiler import FailedBatch, Watch
from avh_ui.spark.profiler import SparkProfiler
from tests.spark.conftest import older_than, profiled, run

c, of = avh.checks, avh.analyzers
Make = Callable[..., SparkProfiler]
CSV = {"format": "csv", "path": "{batch}", "options": {"header": True}}


def put(folder: Path, **files: str | bytes) -> None:
    """Files below the folder; `__` in a name stands for `/`, `_dot_` for a dot."""
    for name, content in files.items():
        path = folder / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def delivered(profile: BatchProfile) -> Delivery:
    assert profile.delivery is not None
    return profile.delivery


def sums(profile: BatchProfile) -> dict[str, float]:
    return {n: c.single_metrics()["sum"] for n, c in profile.columns.items() if c.kind == "numeric"}


def test_every_file_of_a_batch_is_read_counted_and_compared(profiler: Make, tmp_path: Path) -> None:
    """By glob and by folder: a batch was measured by the first of its files, and columns were taken by their place."""
    put(
        tmp_path,
        same_1_dot_csv="a,b\n1,10\n",
        same_2_dot_csv="a,b\n2,20\n3,30\n",
        swap_1_dot_csv="a,b\n1,10\n",
        swap_2_dot_csv="a,b\n2,20\n",
        swap_3_dot_csv="b,a\n30,3\n",
        more_1_dot_csv="a,b\n1,10\n",
        more_2_dot_csv="a,c,b\n2,7,20\n",
    )
    results = run(profiler(source={**CSV, "path": "{batch}_*.csv"}))
    same, swap, more = (profiled(results[name]) for name in ("same", "swap", "more"))
    assert (same.rows, sums(same)) == (3, {"a": 6, "b": 60})
    assert [(f.name, f.bytes, f.rows) for f in delivered(same).named] == [("same_1.csv", 9, 1), ("same_2.csv", 14, 2)]
    assert (delivered(same).files, delivered(same).bytes, delivered(same).others) == (2, 23, 0)
    assert (swap.rows, sums(swap)) == (3, {"a": 6, "b": 60})
    assert [(d.name, d.said) for d in delivered(swap).differing] == [("swap_3.csv", "has them in another order")]
    assert (more.rows, sums(more)) == (2, {"a": 3, "b": 30, "c": 7})
    assert [(d.name, d.said) for d in delivered(more).differing] == [("more_2.csv", "has column 'c' besides")]


def test_parts_of_a_table_that_differ(profiler: Make, tmp_path: Path) -> None:
    for name, table in {
        "b/1.parquet": {"x": pa.array([1, 2]), "s": ["a", "b"]},
        "b/2.parquet": {"s": pa.array(["c"], pa.large_string()), "x": [3]},
        "b/3.parquet": {"x": pa.array(["4"]), "s": ["d"], "y": [1.5]},
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        pq.write_table(pa.table(table), tmp_path / name)
    profile = profiled(run(profiler(source={"path": "{batch}"}))["b"])
    assert (profile.rows, profile.columns["x"].type, sums(profile)) == (4, "string", {"y": 1.5})
    # Whatever order columns with names have, and however Arrow lays them out.
    assert [(d.name, d.said) for d in delivered(profile).differing] == [
        ("3.parquet", "has column 'y' besides and has 'x' as string and not int64")
    ]


RAGGED = "a,b\n1,10\n2\n3,30,300\n4,40\n"


@pytest.mark.parametrize(("mode", "rows", "dropped", "total"), [("PERMISSIVE", 4, 0, 10), ("DROPMALFORMED", 2, 2, 5)])
def test_malformed_lines_are_counted(profiler: Make, tmp_path: Path, mode: str, rows: int, dropped: int, total: float) -> None:
    put(tmp_path, b=RAGGED)
    engine = profiler(source={**CSV, "options": {"header": True, "mode": mode}})
    profile = profiled(run(engine)["b"])
    # The numbers are those that the source's mode gives; the lines that are none are counted beside.
    assert (profile.rows, sums(profile)["a"], list(profile.columns)) == (rows, total, ["a", "b"])
    assert (delivered(profile).malformed_rows, delivered(profile).dropped_rows) == (2, dropped)
    assert engine.sample("t", "b", 10, 0).num_rows == rows


@pytest.mark.parametrize("file", ["csv", "json"])
def test_lines_that_a_dataframe_drops_are_dropped_whatever_is_asked(spark: Any, tmp_path: Path, file: str) -> None:
    """Spark drops by the columns that a query takes: a rule alone counted 4 rows, and beside a rule of the other column 2."""
    path = tmp_path / f"a.{file}"
    path.write_text(RAGGED if file == "csv" else '{"a":1,"b":10}\n{"a":\n{"a":3,"b":"x"}\n{"a":4,"b":40}\n')
    frame = spark.read.format(file).options(header=True, mode="dropmalformed").schema("a int, b int").load(str(path))
    assert len(frame.collect()) == 2
    rules = [c.has(of.size(), exactly=2), c.has(of.sum_("a"), exactly=5), c.is_in_range("a", 2)]
    together = avh.check(frame, [*rules, c.is_complete("b")])
    assert [v.status for v in together.verdicts] == ["pass", "pass", "fail", "pass"]
    alone = [avh.check(frame, rule).verdicts[0] for rule in rules]
    assert [(v.status, v.observed, v.failing) for v in alone] == [(v.status, v.observed, v.failing) for v in together.verdicts[:3]]
    assert [part.count() for part in together.split(frame)] == [1, 1]


def test_malformed_json_is_counted_and_is_no_column(profiler: Make, tmp_path: Path) -> None:
    put(tmp_path, b='{"a":1}\n{"a":\n[5]\n{"a":2}\n')
    for mode, rows in (("PERMISSIVE", 4), ("DROPMALFORMED", 2)):
        profile = profiled(run(profiler(source={"format": "json", "path": "{batch}", "options": {"mode": mode}}))["b"])
        assert (profile.rows, sums(profile), list(profile.columns)) == (rows, {"a": 3}, ["a"])
        assert (delivered(profile).malformed_rows, delivered(profile).dropped_rows) == (2, 4 - rows)


def test_malformed_lines_of_a_table_with_a_batch_column(profiler: Make, tmp_path: Path) -> None:
    put(tmp_path, all="day,a\nx,1\nx\ny,2\n", lines='{"day":"x","a":1}\n{"day":"y","a":2}\n')
    results = run(profiler(source={**CSV, "path": "all", "batch_column": "day"}))
    assert [(profiled(r).rows, delivered(profiled(r)).malformed_rows) for r in results.values()] == [(2, 1), (1, 0)]


TABLES = {
    # The odd file comes first, where Spark takes the columns from, and last; the column of batches is in the rows.
    "parts": ({"day=2__1": "b,a\n20,2\n", "day=3__1": "a,b\n3,30\n", "day=4__1": "a,b\n4,40\n"}, "2", ["b", "a", "day"]),
    "rows": ({"1": "day,a,b\n3,3,30\n", "2": "day,a,b\n4,4,40\n", "3": "day,b,c,a\n2,20,7,2\n"}, "2", ["day", "b", "c", "a"]),
}


@pytest.mark.parametrize("name", TABLES)
def test_files_of_a_csv_table_with_other_columns(profiler: Make, tmp_path: Path, name: str) -> None:
    """Spark read all by the columns of the first file: it refused every batch, or one that was right."""
    files, odd, columns = TABLES[name]
    put(tmp_path, **{f"t__{file}": content for file, content in files.items()})
    engine = profiler(source={**CSV, "path": "t", "batch_column": "day"})
    assert engine.batches("t") == ["2", "3", "4"]
    results = run(engine)
    assert {batch: sums(profiled(r))["b"] for batch, r in results.items()} == {"2": 20, "3": 30, "4": 40}
    assert {batch: sums(profiled(r))["a"] for batch, r in results.items()} == {"2": 2, "3": 3, "4": 4}
    assert list(profiled(results[odd]).columns) == columns


def test_a_batch_of_a_csv_table_in_files_that_differ_is_refused(profiler: Make, tmp_path: Path) -> None:
    put(tmp_path, t__1="day,a\nx,1\ny,1\n", t__2="day,b\ny,1\n", t__3="day,a\nz,1\n", u__1="day,a\nx,1\n", u__2="date,a\ny,1\n")
    engine = profiler(source={**CSV, "path": "t", "batch_column": "day"})
    results = run(engine)
    refused = results.pop("y")
    assert isinstance(refused, FailedBatch)
    assert f"{tmp_path}/t/2 lacks column 'a' and has column 'b' besides, unlike {tmp_path}/t/1" in refused.reason
    assert {batch: profiled(result).rows for batch, result in results.items()} == {"x": 1, "z": 1}
    with pytest.raises(SourceError, match=f"The file {tmp_path}/u/2 has no column 'day', which `batch_column` names"):
        profiler(source={**CSV, "path": "u", "batch_column": "day"}).batches("t")


def test_a_batch_of_malformed_lines_alone_says_so(profiler: Make, tmp_path: Path) -> None:
    put(tmp_path, b="a,b\n" + "1\n" * 1_234, one="a,b\n1\n", none="a,b\n", t__1="day,a\nx,1\ny\n", t__2="day,a\ny\n")
    dropping = {**CSV, "options": {"header": True, "mode": "DROPMALFORMED"}}
    engine = profiler(source=dropping)
    told = {batch: r.reason for batch, r in run(engine, ["b", "one", "none"]).items() if isinstance(r, FailedBatch) and r.fault == "empty"}
    assert told["b"].startswith("Batch 'b' of 't' is empty: all 1,234 lines are malformed.")
    assert told["one"].startswith("Batch 'one' of 't' is empty: its only line is malformed.")
    assert told["none"] == "Batch 'none' of 't' is empty: it has no rows. Was its delivery cut short?"
    with pytest.raises(EmptyBatchError, match="b is empty: all 1,234 lines are malformed"):
        engine.profile_path("t", str(tmp_path / "b"), "x", Watch())
    results = run(profiler(source={**dropping, "path": "t", "batch_column": "day"}))
    assert isinstance(results["y"], FailedBatch)
    assert "is empty: all 2 lines are malformed." in results["y"].reason


def test_a_partition_without_a_byte_is_an_empty_batch(profiler: Make, tmp_path: Path) -> None:
    """It is delivered, so that it is there; Spark knows of no row in it."""
    put(tmp_path, **{"t__day=x__1": "a\n1\n", "t__day=y__1": ""})
    engine = profiler(source={**CSV, "path": "t", "batch_column": "day"})
    assert engine.batches("t") == ["x", "y"]
    failed = run(engine)["y"]
    assert isinstance(failed, FailedBatch)
    assert (failed.fault, f"{tmp_path}/t/day=y has 0 bytes" in failed.reason) == ("empty", True)


def test_partitions_of_a_table(profiler: Make, tmp_path: Path) -> None:
    for day, columns in {"x": {"a": [1]}, "y": {"a": [2], "new": [3]}, "z": {"a": [4]}}.items():
        (tmp_path / "t" / f"day={day}").mkdir(parents=True)
        pq.write_table(pa.table(columns), tmp_path / "t" / f"day={day}" / "1.parquet")
    put(tmp_path, **{"t___temporary__0__task__day=z__1_dot_parquet": b""})
    results = run(profiler(source={"path": "t", "batch_column": "day"}), ["x", "y", "z"])
    assert (delivered(profiled(results["x"])).files, delivered(profiled(results["x"])).differing) == (1, ())
    assert delivered(profiled(results["y"])).differing[0].said.startswith("has column 'new' besides, and Spark does not read them")
    assert isinstance(failed := results["z"], FailedBatch)
    assert (failed.fault, "it is in _temporary beside it" in failed.reason) == ("unfinished", True)


def test_malformed_lines_that_lost_their_batch(profiler: Make, tmp_path: Path) -> None:
    put(tmp_path, lines='{"day":"x","a":1}\n{"day":\n{"day":"y","a":2}\n')
    results = run(profiler(source={"format": "json", "path": "lines", "batch_column": "day"}), ["x", "y"])
    for result in results.values():
        assert (profiled(result).rows, delivered(profiled(result)).malformed_rows) == (1, 0)
        assert delivered(profiled(result)).remarks == ("1 malformed line of the table has no batch.",)


def test_a_failfast_reader_names_the_file(profiler: Make, tmp_path: Path) -> None:
    put(tmp_path, b=RAGGED, good="a,b\n1,2\n")
    results = run(profiler(source={**CSV, "options": {"header": True, "mode": "FAILFAST"}}))
    assert isinstance(failed := results["b"], FailedBatch)
    # Spark 3.5 does not say which file it is.
    assert ("[MALFORMED_CSV_RECORD]" if older_than("4.0") else str(tmp_path / "b")) in failed.reason
    assert profiled(results["good"]).rows == 1


def test_damaged_files_are_not_passed_over(spark: Any, profiler: Make, tmp_path: Path) -> None:
    whole = gzip.compress(b"a,b\n" + b"".join(b"%d,%d\n" % (k, k * k) for k in range(20_000)))
    put(tmp_path, b__1_dot_csv_dot_gz=whole, b__2_dot_csv_dot_gz=whole[: len(whole) // 2])
    options = {"header": True, "ignoreCorruptFiles": True}
    (result,) = run(profiler(source={**CSV, "options": options}), ["b"]).values()
    assert isinstance(result, FailedBatch), result
    # And where nothing is damaged, the profile says that the setting was not used.
    (tmp_path / "b" / "2.csv.gz").write_bytes(whole)
    profile = profiled(run(profiler(source={**CSV, "options": options}), ["b"])["b"])
    assert profile.rows == 40_000
    assert any(note.startswith("ignoreCorruptFiles of the source's options is true and was not used") for note in profile.notes)


def test_files_that_spark_does_not_read_are_named(profiler: Make, tmp_path: Path) -> None:
    put(tmp_path, b__1_dot_csv="a\n1\n", b__sub__2_dot_csv="a\n2\n")
    profile = profiled(run(profiler(source=CSV))["b"])
    assert (profile.rows, delivered(profile).unread) == (1, ("sub/2.csv",))
    # What the source's options leave out is left out on purpose.
    profile = profiled(run(profiler(source={**CSV, "options": {"header": True, "pathGlobFilter": "1*"}}))["b"])
    assert delivered(profile).unread == ()


HEADED = {
    "comment": (b"# made by us\na,b\n1,2\n", {"comment": "#"}),
    "escape": (b'"a ""1""",b\n1,2\n', {"escape": '"'}),
    "lineSep": (b"a,b|1,2|", {"lineSep": "|"}),
    "multiLine": (b'"a\nx",b\n1,2\n', {"multiLine": True}),
    "UTF-16": ("a,b\n1,2\n".encode("utf-16"), {"encoding": "UTF-16", "multiLine": True}),
    "UTF-16LE": ("a,b\n1,2\n".encode("utf-16-le"), {"encoding": "UTF-16LE", "lineSep": "\n"}),
    "quote": (b'"a",b\n1,2\n', {"quote": ""}),
    "sep": (b"a||b\n1||2\n", {"sep": "||"}),
    "tab": (b"a\tb\n1\t2\n", {"sep": "\\t"}),
}
NAMES = {"escape": 'a "1"', "multiLine": "a\nx", "quote": '"a"'}


def test_options_that_change_the_first_line_are_honoured(profiler: Make, tmp_path: Path) -> None:
    for name, (content, options) in HEADED.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "b").write_bytes(content)
        profile = profiled(run(profiler(source={**CSV, "path": f"{name}/{{batch}}", "options": {"header": True, **options}}))["b"])
        assert (list(profile.columns), profile.rows, delivered(profile).malformed_rows) == ([NAMES.get(name, "a"), "b"], 1, 0), name


def test_compressed_files_are_read(profiler: Make, tmp_path: Path) -> None:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(b"a,b\n3,4\n")
    put(tmp_path, gz_dot_csv_dot_gz=gzip.compress(b"a,b\n1,2\n"), bz_dot_csv_dot_bz2=bz2.compress(b"a,b\n2,3\n"))
    put(tmp_path, zst_dot_csv_dot_zst=sink.getvalue().to_pybytes(), plain_dot_csv_dot_x=gzip.compress(b"a,b\n1,2\n"))
    results = run(profiler(source={**CSV, "path": "{batch}.csv.*"}))
    assert {name: sums(profiled(results[name]))["a"] for name in ("gz", "bz", "zst")} == {"gz": 1, "bz": 2, "zst": 3}
    assert isinstance(failed := results["plain"], FailedBatch)
    assert "it is compressed (gzip), and its name does not end in .gz" in failed.reason


def test_what_is_no_text_is_counted(profiler: Make, tmp_path: Path) -> None:
    put(tmp_path, b__1=b"a,s\n1,caf\xe9\n2,ok\n", b__2=b"\xef\xbb\xbfa,s\n3,x\n\xef\xbb\xbfa,s\n4,y\n5,pad\0\0\n")
    facts = delivered(profiled(run(profiler(source=CSV))["b"]))
    # A mark at the beginning of a file is no value; in the middle, where files were joined, it is.
    assert (facts.replaced, facts.boms, facts.controls, facts.others) == ({"s": 1}, {"a": 1}, {"s": 1}, 0)


def test_a_delivery_that_is_still_being_written(profiler: Make, tmp_path: Path) -> None:
    put(tmp_path, **{f"d{k}__part": json.dumps({"a": k}) for k in range(1, 6)}, **{f"d{k}___SUCCESS": "" for k in range(1, 5)})
    put(tmp_path, d2___temporary__0__part="{}")
    engine = profiler(source={"format": "json", "path": "{batch}"})
    results = run(engine)
    failed = {name: r for name, r in results.items() if isinstance(r, FailedBatch)}
    assert {name: r.fault for name, r in failed.items()} == {"d2": "unfinished", "d5": "unfinished"}
    assert "there is _temporary" in failed["d2"].reason
    assert "no _SUCCESS, as 4 of 4 beside it have" in failed["d5"].reason
    with pytest.raises(UnfinishedBatchError):
        engine.profile_path("t", str(tmp_path / "d2"), "d2", Watch())
    assert profiled(run(profiler(source={"format": "json", "path": "{batch}"}, rules={"delivery": "off"}), ["d5"])["d5"]).rows == 1


def test_files_of_json_with_other_keys(profiler: Make, tmp_path: Path) -> None:
    """Each line names its own columns, and what a line lacks is null: a file without a key passed unseen."""
    rows = [{"a": k, "b": k, "geo": {"lat": k}} for k in range(20)]
    same = "".join(json.dumps(row) + "\n" for row in rows)
    other = "".join(json.dumps({"a": row["a"], "c": 1}) + "\n" for row in rows)
    nulls = "".join(json.dumps({**row, "b": None}) + "\n" for row in rows)
    put(tmp_path, odd__1=same, odd__2=same, odd__3=other, fine__1=same, fine__2=nulls, one__1=other)
    results = run(profiler(source={"format": "json", "path": "{batch}"}))
    assert [(d.name, d.said) for d in delivered(profiled(results["odd"])).differing] == [
        ("3", "lacks columns 'b', 'geo' and has column 'c' besides")
    ]
    assert [delivered(profiled(results[name])).others for name in ("odd", "fine", "one")] == [1, 0, 0]
