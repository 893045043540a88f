"""A cluster on loopback: a master and two workers in the run's Java, and a driver of its own whose executors are their processes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pyspark
import pytest
import yaml

import avh_ui as avh
from tests.spark.conftest import environment

# Two executors of one core, with the half gigabyte that Spark asks for at least.
WORKERS, CORES, MEGABYTES = 2, 1, 512
# What the tests' other Java is started with has a heap that such an executor may not have.
JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
DRIVER = """
import json, sys
import avh_ui as avh
from avh_ui.spark.session import get_spark

ws, bare = avh.open(sys.argv[1]), sys.argv[2]
done = ws.profile("t")
spark = get_spark(ws.config.spark)
spark.conf.set("spark.sql.execution.pyspark.python", bare)
failed = ws.profile("u")
print(json.dumps({"profiled": done.profiled, "executors": spark.sparkContext._jsc.sc().getExecutorMemoryStatus().size() - 1,
                  "failed": str(failed.failed)}))
spark.stop()
"""


@pytest.fixture(scope="module")
def master(spark: Any) -> Iterator[str]:
    """The address of a standalone cluster that ends with the module."""
    java = spark._jvm.org.apache.spark
    cluster = java.deploy.LocalSparkCluster.apply(WORKERS, CORES, MEGABYTES, java.SparkConf())
    yield cluster.start()[0]
    cluster.stop()


def test_executors_measure_as_this_machine_and_say_what_they_lack(master: str, tmp_path: Path) -> None:
    for pipeline in ("t", "u"):
        for batch in ("b1", "b2", "b3"):
            folder = tmp_path / pipeline / f"day={batch}"
            folder.mkdir(parents=True)
            pq.write_table(pa.table({"x": [len(batch), 2, None], "s": ["a", batch, "c"]}), folder / "part.parquet")
    pipelines = {name: {"source": {"path": f"{tmp_path / name}/day={{batch}}"}} for name in ("t", "u")}
    loopback = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    executors = {"spark.executor.memory": f"{MEGABYTES}m", "spark.executor.extraJavaOptions": JAVA, "spark.task.maxFailures": "1"}
    settings = {"pipelines": pipelines, "engine": "spark", "spark": {"master": master, "conf": loopback | executors}}
    (tmp_path / "avh.yml").write_text(yaml.safe_dump(settings))
    # A Python of the same release that has PySpark's worker and nothing else: no site-packages, so no avh_ui.
    library = ":".join(str(found) for found in (Path(pyspark.__file__).parent / "python" / "lib").glob("*.zip"))
    bare = tmp_path / "bare-python"
    bare.write_text(f'#!/bin/sh\nPYTHONPATH="{library}" exec "{sys.executable}" -S "$@"\n')
    bare.chmod(0o755)

    run = subprocess.run(
        [sys.executable, "-c", DRIVER, str(tmp_path), str(bare)],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

    assert run.returncode == 0, run.stderr[-3000:]
    said = json.loads(run.stdout.splitlines()[-1])
    assert said["profiled"] == ["b1", "b2", "b3"]
    assert said["executors"] == WORKERS
    assert "No module named 'avh_ui'" in said["failed"]
    assert "install it there, or name one that has them: spark.pyspark.python" in said["failed"]

    here = tmp_path / "here"
    here.mkdir()
    (here / "avh.yml").write_text(yaml.safe_dump({"pipelines": {"t": pipelines["t"]}, "engine": "local"}))
    avh.open(here).profile("t")
    for batch in said["profiled"]:
        by_cluster, by_machine = (avh.open(root).batch("t", batch) for root in (tmp_path, here))
        assert by_cluster.columns.keys() == by_machine.columns.keys()
        for name, column in by_machine.columns.items():
            assert by_cluster.columns[name].single_metrics() == pytest.approx(column.single_metrics(), nan_ok=True), name
