"""Spark Connect: a server on this machine, in a process of its own, since a process has one kind of session."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

SCRIPT = """
import sys
import avh_ui as avh
from avh_ui.spark.session import get_spark

ws = avh.open(sys.argv[1])
print(ws.profile("t").profiled)
print(ws.batch("t", "b1").columns["x"].single_metrics()["sum"])
spark = get_spark(ws.config.spark)
assert "connect" in type(spark).__module__
of = avh.analyzers
asked = [of.mean("id", where="id > 5"), of.uniqueness("id"), of.compliance("nope > 1"), of.compliance("raise_error('x') is null")]
found = avh.measure(spark.range(11), asked).results
print([(found[a].value, found[a].cause) for a in asked])
spark.stop()
"""


@pytest.fixture
def connect() -> None:
    if importlib.util.find_spec("grpc") is None:
        message = "Spark Connect's client is not installed: `pip install 'avh_ui[connect]'`."
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)


@pytest.mark.usefixtures("connect")
@pytest.mark.spark
def test_profiles_and_analyzers(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for batch in range(2):
        pq.write_table(pa.table({"x": [batch, 2, 3]}), tmp_path / f"in/b{batch}.parquet")
    settings = {"pipelines": {"t": {"source": {"path": "in/{batch}.parquet"}}}, "spark": {"remote": "local[2]"}}
    (tmp_path / "avh.yml").write_text(yaml.safe_dump(settings), encoding="utf-8")
    # Of the run's own Spark and Java nothing may leak in but where Java is.
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYSPARK_GATEWAY", "SPARK_"))}
    done = subprocess.run([sys.executable, "-c", SCRIPT, str(tmp_path)], capture_output=True, text=True, env=environment, timeout=300)
    assert done.returncode == 0, done.stderr[-3_000:]
    assert done.stdout.splitlines()[-3:] == [
        "('b0', 'b1')",
        "6.0",
        "[(8.0, None), (1.0, None), (None, 'expression'), (None, 'expression')]",
    ]
