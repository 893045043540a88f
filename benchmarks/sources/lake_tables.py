"""Writes Delta and Iceberg tables of three batches and profiles them through `avh.yml`; run by `lakes` in its environment."""

from __future__ import annotations

import argparse
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyspark
import yaml

import avh_ui as avh
from avh_ui.spark.java import prepare_environment

BATCHES = ("2024-01-01", "2024-01-02", "2024-01-10")
ROWS = [(day, 10 * k + i, f"v{i}") for k, day in enumerate(BATCHES) for i in range(4)]
DELTA_CONF = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
}
ICEBERG_CONF = {"spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog", "spark.sql.catalog.lake.type": "hadoop"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--delta", default="")
    parser.add_argument("--iceberg", default="")
    parser.add_argument("--remote", choices=("yes", "no"), default="no")
    options = parser.parse_args()
    packages = [p for p in (options.delta, options.iceberg) if p]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        conf = {**(DELTA_CONF if options.delta else {}), "spark.jars.ivy": str(Path.home() / ".ivy2"), "spark.sql.warehouse.dir": str(folder / "w")}
        if options.iceberg:
            conf |= {**ICEBERG_CONF, "spark.sql.catalog.lake.warehouse": str(folder / "iceberg")}
        if options.remote == "yes":
            with _server(packages, conf) as address:
                _try(folder, {"remote": address}, options)
        else:
            _try(folder, {"master": "local[2]", "packages": packages, "conf": conf}, options)


def _try(folder: Path, spark_settings: dict[str, Any], options: argparse.Namespace) -> None:
    sources: dict[str, dict[str, str]] = {}
    if options.delta:
        sources["delta by path"] = {"format": "delta", "path": "delta", "batch_column": "day"}
        sources["delta, a table a batch"] = {"format": "delta", "path": "days/{batch}"}
        sources["delta by name"] = {"format": "delta", "table": "events", "batch_column": "day"}
    if options.iceberg:
        sources["iceberg by name"] = {"format": "iceberg", "table": "lake.db.events", "batch_column": "day"}
        sources["iceberg as a table"] = {"format": "table", "table": "lake.db.events", "batch_column": "day"}
        sources["iceberg by query"] = {"format": "query", "query": "select x, s from lake.db.events where day = '{batch}'"}
    pipelines = {title.replace(",", "").replace(" ", "-"): {"source": source} for title, source in sources.items()}
    (folder / "avh.yml").write_text(yaml.safe_dump({"pipelines": pipelines, "spark": spark_settings}), encoding="utf-8")
    ws = avh.open(str(folder))
    _write(ws, folder, options)
    for title, name in zip(sources, pipelines, strict=True):
        listed = "{batch}" not in sources[title].get("query", "")
        span = None if listed else f"{BATCHES[0]}..{BATCHES[-1]}"
        batches = ws.profile(name, batches=span).profiled if listed else tuple(b for day in BATCHES for b in ws.profile(name, batches=day).profiled)
        sums = [ws.batch(name, batch).columns["x"].single_metrics()["sum"] for batch in batches]
        good = tuple(batches) == BATCHES and sums == [6.0, 46.0, 86.0]
        print(f"{'Connect' if 'remote' in spark_settings else 'classic'} | pyspark {pyspark.__version__} | {title} | {'ok' if good else ('FAILED', batches, sums)}", flush=True)
        if not good:
            sys.exit(1)


def _write(ws: Any, folder: Path, options: argparse.Namespace) -> None:
    from avh_ui.spark.session import get_spark

    spark = get_spark(ws.config.spark)
    rows = spark.createDataFrame(ROWS, "day string, x bigint, s string")
    if options.delta:
        rows.write.format("delta").save(str(folder / "delta"))
        rows.write.format("delta").saveAsTable("events")
        for day in BATCHES:
            rows.where(f"day = '{day}'").drop("day").write.format("delta").save(str(folder / "days" / day))
    if options.iceberg:
        rows.writeTo("lake.db.events").createOrReplace()


@contextmanager
def _server(packages: list[str], conf: dict[str, str]) -> Iterator[str]:
    """A Spark Connect server that has the packages, as a cluster would."""
    prepare_environment()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    home = Path(pyspark.__file__).parent
    conf = {**conf, "spark.connect.grpc.binding.port": str(port), "spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}
    command = [str(home / "bin" / "spark-submit"), "--master", "local[2]", "--packages", ",".join(packages)]
    command += [part for key, value in conf.items() for part in ("--conf", f"{key}={value}")]
    command += ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "spark-internal"]
    own = {**os.environ, "SPARK_HOME": str(home), "PYSPARK_PYTHON": sys.executable}
    with tempfile.NamedTemporaryFile("w+") as log:
        process = subprocess.Popen(command, env=own, stdout=subprocess.PIPE, stderr=log, text=True, start_new_session=True)
        try:
            with subprocess.Popen(["tail", "-n", "+1", "-F", log.name], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as tail:
                assert tail.stdout is not None
                for line in tail.stdout:
                    if "Spark Connect server started" in line:
                        break
                    if process.poll() is not None:
                        raise RuntimeError("The server ended: " + Path(log.name).read_text(encoding="utf-8")[-2_000:])
                tail.kill()
            yield f"sc://127.0.0.1:{port}"
        finally:
            os.killpg(process.pid, signal.SIGKILL)


if __name__ == "__main__":
    main()
