"""The corpus scan against the same evidence added up in memory, and the exported regexes in Java against Python."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner, Result

from avh_ui.cli.patterns import command
from avh_ui.errors import CancelledError, SourceError
from avh_ui.inference.by_corpus.candidates import dictionary
from avh_ui.inference.by_corpus.corpus_index import open_index
from avh_ui.inference.by_corpus.formats import DOMAINS
from avh_ui.inference.by_corpus.impurities import IndexRules
from avh_ui.inference.by_corpus.language import CLASSES, parse, to_regex
from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.regexes import conforming, portable
from avh_ui.spark.corpus_files import COLUMNS_AT_ONCE, encoded, list_files, read_columns
from avh_ui.spark.corpus_scan import build_index
from tests.unit.by_corpus.making import index_of

CODES = [f"{c}{k}" for k in range(20) for c in "ABC"]
TIMES = [f"{k % 12}:{k:02}" for k in range(60)]
TRICKY = [
    *["", " ", "\n", "a\n", "12\n", "\r\n", "\u2028", "\x85", "\x00", "a\x00", "\x0b", "\t1"],
    *["1", "12", "-1.5", "+2e10", "1.", ".5", "1.2.3.4", "256.1.1.1", "0x1F", "1,5"],
    *["ab", "AB", "Ab", "ä", "Ñ", "ß", "ſ", "K", "Ω", "я", "日本", "한글", "ب", "١٢", "x\u0301", "\U0001f600", "\U0001d54f", "ÿ", "×", "÷"],
    *["2020-01-02", "2020-1-2", "2020-01-02T10:00:00Z", "2020-01-02 10:00:00.5+01:00", "12:30", "a-b_c", "<5", "a|b", "a\\b", "^$", "{2}"],
    *["a@b.cd", "http://a.b/c?d#e", "https://a:80", "::1", "1::", "fe80::1:2", "1:2:3:4:5:6:7:8", "v1.2.3-rc.1+b", "1.0.0"],
    *["123e4567-e89b-12d3-a456-426614174000", "DEADBEEF", "deadbeef", "AB12", "12AB", "a b", "a  b", "é1", "A1b2"],
]
# As people type them.
TYPED = [
    "N[0-9]+",
    "\\d{1,3}",
    "(a|b)?-\\w+",
    "a.b?",
    "[^\\d]+",
    "[à-ü]+",
    "\\s*\\S+",
    "[.+-]{2}",
    "(?:a{1}){2}",
    "\\u0041b",
    "[\\x41-\\x43]b",
    "é1",
]
PATTERNS = [
    *[f"<{kind}>{suffix}" for kind in CLASSES for suffix in ("+", "{1}", "{2}", "{8}")],
    *[f"<{name}>" for name in DOMAINS],
    *["<num>", "<alphanum>+-<alphanum>+", "<upper>{2}<digit>+", "<letter>+ <letter>+", "\\<<num>", "<num>,<num>", "a\\u{a}", "\\u{0}"],
    *["<[letter ]>{1,}", "<[digit -.]>{2,8}", "<[letter digit \\u{0}\\u{a} ]>{1,4}", "<[-\\]\\\\^[&|\\<]>{1,2}", "<[é\U0001f600×]>{1,3}"],
    *["<alphanum>+|<alphanum>+", "<letter>+\\\\<letter>+", "^$", "{<digit>+}", "<letter>+\u0301", "\U0001f600", "<digit>+:<digit>{2}"],
]


def test_java_and_python_mean_the_same(spark: Any) -> None:
    from pyspark.sql import functions as F

    regexes = [to_regex([parse(pattern)]) for pattern in PATTERNS]
    regexes += [to_regex([parse("<digit>+"), parse("<upper>+-<num>")]), dictionary(TRICKY[1:20], 0.1, {"x": 1.0}).regex]
    regexes += [portable(typed) for typed in TYPED]
    frame = spark.createDataFrame([(k, text) for k, text in enumerate(TRICKY)], "k int, v string").repartition(1)
    rows = frame.select("k", *[F.col("v").rlike(regex).alias(f"r{i}") for i, regex in enumerate(regexes)]).collect()
    verdicts = {(row["k"], i): row[f"r{i}"] for row in rows for i in range(len(regexes))}
    wrong = [(TRICKY[k], regexes[i]) for (k, i), java in verdicts.items() if java != (re.search(regexes[i], TRICKY[k]) is not None)]
    assert len(verdicts) == len(TRICKY) * len(regexes)
    assert wrong == []
    texts = pa.array(TRICKY, pa.large_string())
    ours = {(k, i): bool(fits) for i, regex in enumerate(regexes) for k, fits in enumerate(conforming(texts, regex))}
    assert [(TRICKY[k], regexes[i]) for (k, i), java in verdicts.items() if java != ours[k, i]] == []


def test_spark_builds_what_memory_builds(spark: Any, write: Callable[..., Path], tmp_path: Path) -> None:
    write("a/t1.parquet", {"code": CODES, "n": list(range(60))})
    write("a/t2.parquet", {"code": CODES, "n": list(range(60))})
    write("b/other.parquet", {"time": TIMES, "code": [*CODES[:59], None]})
    (tmp_path / "c.csv").write_text("when,what\n" + "".join(f"{t},{c}\n" for t, c in zip(TIMES, CODES, strict=True)))
    index = build_index(spark, list_files(str(tmp_path)), least_columns=1, licence="CC0")
    expected = index_of([CODES, CODES, TIMES, CODES[:59], TIMES, CODES], families=["a", "a", "b", "c", "d", "e"])
    assert np.array_equal(index.keys, expected.keys)
    assert np.array_equal(index.columns, expected.columns)
    assert np.allclose(index.whole.astype(int), expected.whole.astype(int), atol=1)
    assert index.about["columns"] == 6
    assert index.about["families"] == 3
    assert index.about["values"] == 6 * 60 - 1
    assert index.about["licence"] == "CC0"


def test_what_cannot_be_read_is_counted(spark: Any, write: Callable[..., Path], tmp_path: Path) -> None:
    write("good.parquet", {"code": CODES})
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 no more")
    (tmp_path / "empty.csv").write_text("")
    problems: list[str] = []
    index = build_index(spark, list_files(str(tmp_path)), least_columns=1, on_unreadable=problems.append)
    assert index.about["unreadable_files"] == 1
    assert [problem.split("cannot be read")[0].split("/")[-1] for problem in problems] == ["bad.parquet "]
    assert index.about["columns"] == 1
    with pytest.raises(SourceError, match="no text columns"):
        build_index(spark, list_files(str(tmp_path / "bad.parquet")))


def test_no_files_is_told(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no CSV or Parquet"):
        list_files(str(tmp_path / "*.parquet"))


def test_a_wide_table_is_read_by_parts(write: Callable[..., Path]) -> None:
    wide = write("wide.parquet", {f"c{k}": ["x" * 1000] * 5 for k in range(COLUMNS_AT_ONCE + 5)})
    columns = list(read_columns(str(wide)))
    assert [c.column for c in columns] == sorted(f"c{k}" for k in range(COLUMNS_AT_ONCE + 5))
    assert len({c.table_family for c in columns}) == 1
    assert columns[0].size == 5000
    assert max(len(v or "") for v in columns[0].values) < 1000


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())])
def test_texts_of_every_type_are_read_alike(kind: pa.DataType) -> None:
    parts = [["a", None, "bb", "a"], ["é" * 1000, "", "é" * 1001]]
    found = encoded("t", "c", pa.chunked_array([pa.array(part, kind) for part in parts]))
    assert found.values == ["a", None, "bb", "a", "é" * 401, "", "é" * 401]
    assert found.size == 4 + 2 * 2001


def test_csv_values_stay_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(b'a,b\n007,"two\nlines"\nragged\nNA,\xff\n')
    found = {c.column: c.values for c in read_columns(str(path))}
    assert found == {"a": ["007", "NA"], "b": ["two\nlines", "\ufffd"]}


def test_copies_of_a_table_count_once_over_all_tasks(spark: Any, write: Callable[..., Path], tmp_path: Path) -> None:
    days = [[f"{c}{k % 7}{d}" for k in range(40)] for d in range(40) for c in "xy"]
    for d in range(40):
        write(f"day_{d:02}.parquet", {"a": days[2 * d], "b": days[2 * d + 1]})
    index = build_index(spark, list_files(str(tmp_path)), least_columns=1)
    expected = index_of(days, families=["a", "b"] * 40)
    assert (index.about["columns"], index.about["families"]) == (80, 1)
    assert np.array_equal(index.keys, expected.keys)
    assert np.array_equal(index.group_columns, expected.group_columns)
    assert np.allclose(index.within.astype(int), expected.within.astype(int), atol=1)


def test_a_cancel_ends_the_scan(spark: Any, write: Callable[..., Path], tmp_path: Path) -> None:
    write("t.parquet", {"code": CODES})
    watch = Watch()
    watch.cancelled.set()
    with pytest.raises(CancelledError):
        build_index(spark, list_files(str(tmp_path)), watch=watch)


def invoke(*args: object) -> Result:
    return CliRunner().invoke(command, ["index", *map(str, args)])


def test_an_index_grows_by_merging(spark: Any, write: Callable[..., Path], tmp_path: Path) -> None:
    old, new, both = (tmp_path / f"{name}.avhpidx" for name in ("old", "new", "both"))
    for k in range(8):
        write(f"{'ab'[k % 2]}/t{'abcdefgh'[k]}.parquet", {"code": CODES, f"time{k}": TIMES})
    (tmp_path / "b" / "cut.parquet").write_bytes((tmp_path / "b" / "tb.parquet").read_bytes()[:-9])
    (tmp_path / "b" / "more.csv").write_text("code\n" + "\n".join(CODES))
    (tmp_path / "b" / "notes.txt").write_text("no table")
    assert invoke("--source", tmp_path / "a", "--output", old).exit_code == 0
    # Into its own place, too.
    new.write_bytes(old.read_bytes())
    grown = invoke("--source", tmp_path / "b", "--output", new, "--merge", new)
    assert (grown.exit_code, "cut.parquet cannot be read" in grown.output) == (0, True), grown.output
    assert invoke("--source", tmp_path / "a", "--source", tmp_path / "b" / "*", "--output", both).exit_code == 0
    merged, together = open_index(new), open_index(both)
    assert merged.about["least_columns"] == 3
    assert merged.columns.max() >= 3
    rare = invoke("--source", tmp_path / "a", "--output", new, "--coverage", 5)
    assert (rare.exit_code, open_index(new).about["least_columns"]) == (0, 5)
    assert len(open_index(new).keys) < len(open_index(old).keys)
    assert [merged.about[name] for name in ("columns", "families", "values")] == [17, 9, 17 * 60]
    assert np.array_equal(merged.keys, together.keys)
    assert np.array_equal(merged.columns, together.columns)
    assert open_index(old).about["columns"] == 8
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b", "both.avhpidx", "new.avhpidx", "old.avhpidx"]


def test_what_an_index_cannot_be_made_of_is_told_before_the_work(write: Callable[..., Path], tmp_path: Path) -> None:
    table = write("t/a.parquet", {"code": CODES})
    output, older, ruled = (tmp_path / f"{name}.avhpidx" for name in ("x", "older", "ruled"))
    for path, rules in ((older, IndexRules()), (ruled, IndexRules(tau=8))):
        index_of([CODES], rules).save(path)
    older.write_bytes(older.read_bytes()[:8] + b"\x00" + older.read_bytes()[9:])
    (tmp_path / "none").mkdir()
    given = "--source", table.parent
    for args, problem in (
        (("--source", tmp_path / "none", "--output", output), "no CSV or Parquet file"),
        ((*given, "--output", output, "--merge", older), "version 0"),
        ((*given, "--output", output, "--merge", ruled), "different rules"),
        ((*given, "--output", output, "--merge", table), "not a pattern index"),
        ((*given, "--output", table), "is not overwritten"),
        ((*given, "--output", tmp_path / "nowhere" / "x.avhpidx"), "no folder"),
    ):
        answer = invoke(*args)
        assert problem in str(answer.exception), args
    assert not output.exists()
    assert table.read_bytes()[:4] == b"PAR1"


def test_the_commands(spark: Any, write: Callable[..., Path], tmp_path: Path) -> None:
    for k in range(8):
        write(f"t{'abcdefgh'[k]}.parquet", {"code": CODES, f"time{k}": TIMES})
    output = tmp_path / "x.avhpidx"
    made = CliRunner().invoke(command, ["index", "--source", str(tmp_path), "--output", str(output)], catch_exceptions=False)
    assert made.exit_code == 0, made.output
    assert open_index(output).about["columns"] == 16
    inferring = ["infer", "--index", str(output), "--input", str(tmp_path / "ta.parquet"), "--column", "code"]
    found = CliRunner().invoke(command, inferring, catch_exceptions=False)
    assert "Regex: ^(?:" in found.output
    assert '"regex"' in CliRunner().invoke(command, [*inferring, "--json"], catch_exceptions=False).output
