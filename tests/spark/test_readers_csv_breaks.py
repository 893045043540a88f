"""Arrow's reader of CSV with `multiLine` gives the rows that Spark's gives, or declines the file: one Spark job."""

from __future__ import annotations

import random
from collections import Counter
from functools import reduce
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from avh_ui.scan.kernel import strip_scheme
from avh_ui.spark.reading import FILE, FLAG, file_rows
from tests.spark.test_readers_csv import DOUBLED, QUOTED, STRAY, WORDS, Row, Written, by_arrow, seen

HEADED = {"header": "true", "multiLine": "true"}
GROUPS: dict[str, dict[str, str]] = {
    "usual": HEADED,
    "rfc": {**HEADED, "escape": '"'},
    "tabs": {"sep": "\\t", "multiLine": "TRUE", "escape": '"'},
    "null": {**HEADED, "sep": ";", "nullValue": "NA", "escape": '"', "mode": "DROPMALFORMED"},
    "empty": {**HEADED, "sep": "|", "quote": "'", "emptyValue": "E", "escape": "'"},
    "both": {**HEADED, "nullValue": "NA", "emptyValue": "NA"},
    "latin": {**HEADED, "encoding": "ISO-8859-1", "escape": '"'},
}
BROKEN = ("Qa|Q", "Qa||bQ", "Q|Q", "Q| SbQ", "Q |a|Q", "Q# |1S2|Q")
# Regular in every group: `\\` is the escape of those that say nothing.
CLEAN = (*(one for one in (*WORDS, *QUOTED) if not {"X", "\\"} & set(one) and one != "Qit's #Q"), "aQb", "aQ", " Q", " QaQ")

# Line ends of rows, and within quotes.
ENDS = {"lf": ("\n", "\n"), "crlf": ("\r\n", "\r\n"), "excel": ("\r\n", "\n"), "web": ("\n", "\r\n"), "cr": ("\n", "\r")}


def broken(kinds: tuple[str, ...], end: str) -> tuple[str, ...]:
    """The kinds of fields with line breaks, each `|` of those one such."""
    return (*kinds, *(one.replace("|", end) for one in BROKEN))


def write_group(group: str, folder: Path) -> set[str]:
    """The files of a group; those that Arrow must not decline."""
    folder.mkdir()
    write = Written(folder, GROUPS[group], random.Random(group))
    must = set()
    quote = GROUPS[group].get("quote", '"')
    escaped = GROUPS[group].get("escape") == quote
    for name, (end, within) in ENDS.items():
        write(f"{name}.csv", broken(CLEAN, within), end=end)
        write(f"{name} ends.csv.gz", broken(CLEAN, within), end=end, lines=300)
        write(f"{name} doubled.csv", broken((*CLEAN, "QaQQbQ", "QQQaQQQ", "QQQQ", "QaQQ" + within + "QQQ"), within), end=end)
        must |= {f"{name}.csv", f"{name} ends.csv.gz"} | ({f"{name} doubled.csv"} if escaped else set())
        write(f"{name} stray.csv", broken((*WORDS, *QUOTED, *DOUBLED, *STRAY), within), end=end, lines=8)
    write("mixed.csv", broken(CLEAN, "\n"))
    write("mac.csv", broken(CLEAN, "\r"), end="\r")
    first = b"a,b,c".replace(b",", write._option("sep", "delimiter", ",").replace("\\t", "\t").encode())
    row = first.replace(b"b", f"{quote}b\nb{quote}".encode())
    contents = {
        "mark": b"\xef\xbb\xbf" + first + b"\n" + row,
        "empty first": b"\n\n" + first + b"\n\n" + row + b"\n\n",
        "blanks first": b" \n\t\n" + first + b"\n" + row,
        "header alone": first,
        "header again": first + b"\n" + first + b"\n",
        "blanks last": first + b"\n" + row + b"\n  ",
        "not UTF-8": first + b"\n" + row.replace(b"a", b"\xff\xe4\xf6") + b"\n" + row.replace(b"b\nb", b"\xed\xa0\x80\n"),
        "NUL": first + b"\n" + row + b"\n" + first.replace(b"b", b"\0"),
        "long": first + b"\n" + (row.replace(b"b\nb", b"b\n" * 300_000) + b"\n") * 4,
        "long rows of Windows": b"\r\n".join([first, row.replace(b"b\nb", b"b\r\n" * 800_001), row.replace(b"\n", b"\r\n"), b""]),
    }
    for name, content in contents.items():
        write.bytes(f"{name}.csv", content)
    write.bytes("open.csv", row + b"\n" + row.replace(f"b{quote}".encode(), b"b") + b"\n" + first)
    write.bytes("NUL within.csv", first + b"\n" + row.replace(b"\n", b"\0\n"))
    return must | {f"{name}.csv" for name in contents}


def test_rows_of_several_lines_are_read_as_spark_reads_them(spark: Any, tmp_path: Path) -> None:
    from pyspark.sql import functions as F

    frames, arrow, declined, must = [], {}, set(), set()
    for group, options in GROUPS.items():
        must |= {str(tmp_path / group / name) for name in write_group(group, tmp_path / group)}
        asked = seen(tmp_path / group, options)
        rows, left = by_arrow(*asked)
        arrow |= rows
        declined |= left
        frame = file_rows(spark, *asked[:2], [asked[2]])
        texts = F.array(*(F.col(name) for name in frame.columns if name not in (FLAG, FILE)))
        frames.append(frame.select(F.col(FILE).alias("file"), F.col(FLAG).alias("flag"), texts.alias("texts")))
    wanted: dict[str, Counter[Row]] = {}
    for file, flag, texts in reduce(lambda one, other: one.unionAll(other), frames).collect():
        wanted.setdefault(unquote(strip_scheme(file)), Counter())[flag, tuple(texts)] += 1
    wrong = {}
    for path, rows in arrow.items():
        if rows != (spark_rows := wanted.get(path, Counter())):
            wrong[path[len(str(tmp_path)) :]] = (list((rows - spark_rows).items())[:3], list((spark_rows - rows).items())[:3])
    assert not wrong
    assert not must & declined
    assert sum(map(len, arrow.values())) > 10_000
    assert {Path(path).name for path in declined} >= {"mixed.csv", "mac.csv", "open.csv", "NUL within.csv", "lf stray.csv"}
