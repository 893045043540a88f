"""Spark Connect: its servers are processes of their own, since a process has one kind of session."""

from __future__ import annotations

import importlib.util
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pyspark
import pytest
import yaml

from avh_ui.spark.session import find_java

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
# Of the run's own Spark and Java nothing may leak in.
ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith(("PYSPARK_GATEWAY", "SPARK_"))}


@pytest.fixture
def connect() -> None:
    if importlib.util.find_spec("grpc") is None:
        message = "Spark Connect's client is not installed: `pip install 'pyspark[connect]'`."
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)


@pytest.fixture
def server(connect: None) -> Iterator[str]:
    """The address of a Spark Connect server, as a cluster would run one."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = {"connect.grpc.binding.address": "127.0.0.1", "connect.grpc.binding.port": port, "driver.bindAddress": "127.0.0.1"}
    settings |= {"driver.host": "127.0.0.1", "ui.enabled": "false"}
    home = Path(pyspark.__file__).parent
    command = [str(home / "bin/spark-submit"), "--master", "local[2]"]
    command += [part for key, value in settings.items() for part in ("--conf", f"spark.{key}={value}")]
    command += ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "spark-internal"]
    own = {**ENVIRONMENT, "SPARK_HOME": str(home), "PYSPARK_PYTHON": sys.executable, "JAVA_HOME": str(find_java().home)}
    with subprocess.Popen(command, env=own, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        said = []
        for line in process.stdout:
            said.append(line)
            if "Spark Connect server started" in line:
                break
        else:
            pytest.fail("The server did not start: " + "".join(said[-20:]))
        # Else it stands still when nobody reads what it says.
        threading.Thread(target=process.stdout.read, daemon=True).start()
        try:
            yield f"sc://127.0.0.1:{port}"
        finally:
            process.kill()


def check(folder: Path, remote: str, more: str = "") -> list[str]:
    """A profile and analyzers, by a client in a process of its own; what it prints of `more`."""
    (folder / "in").mkdir()
    for batch in range(2):
        pq.write_table(pa.table({"x": [batch, 2, 3]}), folder / f"in/b{batch}.parquet")
    settings = {"pipelines": {"t": {"source": {"path": "in/{batch}.parquet"}}}, "spark": {"remote": remote}}
    (folder / "avh.yml").write_text(yaml.safe_dump(settings), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", f"{SCRIPT}{more}spark.stop()", str(folder)], capture_output=True, text=True, env=ENVIRONMENT, timeout=600
    )
    assert done.returncode == 0, done.stderr[-3_000:]
    said = done.stdout.splitlines()
    told = said.index("('b0', 'b1')") + 5
    assert said[told - 5 : told] == [
        "('b0', 'b1')",
        "6.0",
        "[(8.0, None), (1.0, None), (None, 'expression'), (None, 'expression')]",
        "5 6.0 4.0",
        "['number', 'string', 'number']",
    ]
    return said[told:]


@pytest.mark.usefixtures("connect")
@pytest.mark.spark
def test_a_server_that_the_client_starts(tmp_path: Path) -> None:
    assert check(tmp_path, "local[2]") == []


@pytest.mark.spark
def test_a_server_elsewhere(tmp_path: Path, server: str) -> None:
    assert check(tmp_path, server, RULES) == [
        "[('fail', 1), ('fail', 2), ('fail', 1), ('fail', None), ('fail', None), ('pass', None), ('fail', None), ('pass', None)]",
        "[[], ['id is unique'], ['id is unique'], ['id is not null', 'x is at least 0 and at most 9']] [1, 3]",
        "[('x is not null', 2), ('there is a column x', 2)]",
        "[(2, ('b0',))]",
    ]
