"""Spark Connect: one server, which a client starts in a process of its own, and another client that is given its address."""

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

from tests.fakes.ports import free_port
from tests.spark.conftest import environment, older_than, since

# Starts the server by `remote: local[2]`, and keeps it until its input ends. PySpark's client goes to port 15002 whatever the server was
# told to take: here to that, which is free.
SERVING = """
import sys
import avh_ui as avh
from avh_ui.spark.session import get_spark
from pyspark.sql.connect.client.core import DefaultChannelBuilder

ws = avh.open(sys.argv[1])
DefaultChannelBuilder.default_port = staticmethod(lambda: int(ws.config.spark.conf["spark.connect.grpc.binding.port"]))
spark = get_spark(ws.config.spark)
assert "connect" in type(spark).__module__
print(ws.profile("t").profiled, flush=True)
sys.stdin.read()
spark.stop()
"""
SCRIPT = """
import sys
import avh_ui as avh
from avh_ui.metrics.profiler import KnownTypes
from avh_ui.spark.profiler import profile_frame
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
nested = profile_frame(spark.sql("select named_struct('lat', id, 'tags', array(id)) as geo, parse_json('1') as v from range(4)"), "p", "b")
print(len(nested.columns), nested.columns["geo.lat"].single_metrics()["sum"], nested.columns["geo.tags.size()"].single_metrics()["sum"])
known = KnownTypes(types={"n": "number", "d": "string", "i": "number"}, source_format="csv")
untyped = profile_frame(spark.sql("select '1' as n, date'2024-01-01' as d, 1 as i"), "p", "b", known)
print([c.type for c in untyped.columns.values()])
"""
RULES = """
c = avh.checks
rows = spark.createDataFrame([(1, "a", 5.0), (2, "b", None), (2, "z", 7.0), (None, None, -1.0)], "id int, c string, x double")
codes = spark.createDataFrame([("a",), ("b",)], "code string")
rules = [c.is_complete("id"), c.is_unique("id"), c.is_in_range("x", 0, 9), c.satisfies("x > id"), c.refers_to("c", codes, "code"),
         c.custom_sql("SELECT count(*) FROM batch JOIN codes ON c = code", exactly=2), c.matches(rows, ["id"]),
         c.has_column_type("x", "double")]
run = avh.check(rows, rules, tables={"codes": codes})
print([(v.status, v.failing) for v in run.verdicts])
print([[f["rule"] for f in r["failed"]] for r in run.rows(rows).toArrow().to_pylist()], [part.count() for part in run.split(rows)])
print([(i.current.title, i.suggestion.evidence.backtest.judged) for i in ws.add("t", [c.is_complete("x"), c.has_column("x")]).items])
print([(one.measured, one.evidence.backtest.fired) for one in ws.try_rule("t", c.satisfies("x > 0")).rules])
"""
# The client of PySpark 4.0 copies no session: a query is not evaluated there.
QUERIED = "not_evaluated" if older_than("4.1") else "pass"
BEFORE_4_1 = """
from pyspark.sql.connect.session import SparkSession

if hasattr(SparkSession, "cloneSession"):
    del SparkSession.cloneSession
names = ["spark.sql.ansi.enabled", "spark.sql.adaptive.enabled", "spark.sql.shuffle.partitions"]
spark.conf.set(names[2], "7")
before = [spark.conf.get(name) for name in names]
rules = [c.is_unique("id"), c.satisfies("x > id"), c.custom_sql("SELECT count(*) FROM batch", exactly=4)]
run = avh.check(rows, rules)
print([(v.status, v.failing) for v in run.verdicts], "4.1 or newer" in run.verdicts[2].message)
print([part.count() for part in run.split(rows)], [spark.conf.get(name) for name in names] == before)
"""
# What the server asks of others.
TOKEN = "tests-token"


@pytest.fixture
def connect() -> None:
    if importlib.util.find_spec("grpc") is None:
        message = "Spark Connect's client is not installed: `pip install 'pyspark[connect]'`."
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)


def client(folder: Path, script: str, **spark: object) -> subprocess.Popen[str]:
    """A process with a workspace of two batches, and a session of this server."""
    (folder / "in").mkdir(parents=True)
    for batch in range(2):
        pq.write_table(pa.table({"x": [batch, 2, 3]}), folder / f"in/b{batch}.parquet")
    settings = {"pipelines": {"t": {"source": {"path": "in/{batch}.parquet"}}}, "spark": spark}
    (folder / "avh.yml").write_text(yaml.safe_dump(settings), encoding="utf-8")
    own = {**environment(), "SPARK_CONNECT_AUTHENTICATE_TOKEN": TOKEN}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with (folder / "said").open("w") as said:
        return subprocess.Popen([sys.executable, "-c", script, str(folder)], **pipes, stderr=said, text=True, env=own)


@since("4.0")
@pytest.mark.usefixtures("connect")
def test_a_server_that_one_client_starts_and_another_is_given(tmp_path: Path) -> None:
    port = free_port()
    listening = {"spark.connect.grpc.binding.port": str(port)}
    with client(tmp_path / "one", SERVING, remote="local[2]", conf=listening) as serving:
        try:
            assert serving.stdout is not None
            assert serving.stdout.readline() == "('b0', 'b1')\n", (tmp_path / "one/said").read_text()[-3_000:]
            with client(tmp_path / "other", f"{SCRIPT}{RULES}{BEFORE_4_1}spark.stop()", remote=f"sc://localhost:{port}") as other:
                said, _ = other.communicate(timeout=600)
            serving.communicate(timeout=600)
        finally:
            serving.kill()
    assert (other.returncode, serving.returncode) == (0, 0), (tmp_path / "other/said").read_text()[-3_000:]
    assert said.splitlines() == [
        "('b0', 'b1')",
        "6.0",
        "[(8.0, None), (1.0, None), (None, 'expression'), (None, 'expression')]",
        "5 6.0 4.0",
        "['number', 'string', 'number']",
        f"[('fail', 1), ('fail', 2), ('fail', 1), ('fail', None), ('fail', None), ('{QUERIED}', None), ('fail', None), ('pass', None)]",
        "[[], ['id is unique'], ['id is unique'], ['id is not null', 'x is at least 0 and at most 9']] [1, 3]",
        "[('x is not null', 2), ('there is a column x', 2)]",
        "[(2, ('b0',))]",
        "[('fail', 2), ('fail', None), ('not_evaluated', None)] True",
        "[2, 2] True",
    ]
