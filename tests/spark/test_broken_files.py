"""What is said of files that Spark cannot read."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from typing import Any

import pytest

from avh_ui.errors import SparkError
from avh_ui.metrics.profiler import Watch
from avh_ui.spark.jobs import collect


def test_what_spark_says_of_real_files(spark: Any, tmp_path: Path) -> None:
    def said(frame: Any) -> str:
        with pytest.raises(SparkError) as caught:
            collect(frame.mapInArrow(lambda batches: batches, "x string"), Watch())
        assert not {"awaitResult", "Exception", "\n"} & set(re.split(r"\b", str(caught.value)))
        return str(caught.value)

    def read(kind: str, name: str, content: bytes) -> Any:
        (tmp_path / name).write_bytes(content)
        return spark.read.format(kind).schema("x string").load(str(tmp_path / name))

    rows = gzip.compress(b"".join(b"%d\n" % (k * k) for k in range(50_000)))
    assert f"{tmp_path}/cut.csv.gz cannot be read: Unexpected end" in said(read("csv", "cut.csv.gz", rows[:2000]))
    assert f"{tmp_path}/bad.parquet cannot be read: " in said(read("parquet", "bad.parquet", b"PAR1 none PAR1"))
    vanishing = read("csv", "1.csv", b"1\n")
    (tmp_path / "1.csv").unlink()
    assert f"{tmp_path}/1.csv cannot be read: it vanished" in said(vanishing)
    assert said(spark.sql("select cast(cast(x as int) as string) x from values ('secret') t(x)")).count("secret") == 0
