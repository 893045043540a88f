"""Writes Delta and Iceberg tables of three batches and profiles them through `avh.yml`; run by `lakes` in its environment."""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyspark
import yaml

import avh_ui as avh
from avh_ui.spark.session import get_spark, prepare_environment

BATCHES = ("2024-01-01", "2024-01-02", "2024-01-10")
ROWS = [(day, 10 * k + i, f"v{i}") for k, day in enumerate(BATCHES) for i in range(4)]
SUMS = [6.0, 46.0, 86.0]
# What each needs of a session, as its own documentation says.
CONF = {
    "delta": {
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    },
    "iceberg": {"spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog", "spark.sql.catalog.lake.type": "hadoop"},
}
SOURCES: dict[str, dict[str, dict[str, str]]] = {
    "delta": {
        "by-path": {"format": "delta", "path": "delta", "batch_column": "day"},
        "a-table-a-batch": {"format": "delta", "path": "days/{batch}"},
        "by-name": {"format": "delta", "table": "events", "batch_column": "day"},
    },
    "iceberg": {
        "by-name": {"format": "iceberg", "table": "lake.db.events", "batch_column": "day"},
        "as-a-table": {"format": "table", "table": "lake.db.events", "batch_column": "day"},
        "by-query": {"format": "query", "query": "select x, s from lake.db.events where day = '{batch}'"},
    },
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("packages", nargs="+", metavar="delta=MAVEN:COORDINATES", help="which lakes to try, each with its package")
    parser.add_argument("--remote", action="store_true", help="through a Spark Connect server")
    options = parser.parse_args()
    packages = dict(package.split("=", 1) for package in options.packages)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        conf = {"spark.sql.warehouse.dir": str(folder / "warehouse"), "spark.sql.catalog.lake.warehouse": str(folder / "iceberg")}
        for lake in packages:
            conf |= CONF[lake]
        if options.remote:
            with _server(list(packages.values()), conf) as address:
                good = _try(folder, packages, {"remote": address})
        else:
            good = _try(folder, packages, {"master": "local[2]", "packages": list(packages.values()), "conf": conf})
    sys.exit(0 if good else 1)


def _try(folder: Path, lakes: dict[str, str], settings: dict[str, Any]) -> bool:
    pipelines = {f"{lake}-{title}": {"source": source} for lake in lakes for title, source in SOURCES[lake].items()}
    (folder / "avh.yml").write_text(yaml.safe_dump({"pipelines": pipelines, "spark": settings}), encoding="utf-8")
    ws = avh.open(str(folder))
    spark = get_spark(ws.config.spark)
    _write(spark, folder, lakes)
    how = "Spark Connect" if "remote" in settings else "classic"
    found = []
    for name, pipeline in pipelines.items():
        _profile(ws, name, pipeline["source"])
        sums = _sums(ws, name)
        found.append(sums == SUMS)
        print(f"| {name} | {how} | {'as it should be' if found[-1] else f'WRONG: {sums} instead of {SUMS}'} |", flush=True)
    for lake in lakes:
        name = f"{lake}-by-name"
        table = SOURCES[lake]["by-name"]["table"]
        # A correction of one batch: profiled again, it replaces the old profile and no other.
        spark.sql(f"delete from {table} where day = '{BATCHES[1]}' and x = 10").collect()
        ws.profile(name, batches=BATCHES[1], again=True)
        found.append(_sums(ws, name) == [6.0, 36.0, 86.0])
        print(f"| {name}, a batch corrected | {how} | {'as it should be' if found[-1] else f'WRONG: {_sums(ws, name)}'} |", flush=True)
    # Before its server ends: a client whose server is gone tries for minutes to say goodbye.
    spark.stop()
    return all(found)


def _profile(ws: Any, name: str, source: dict[str, str]) -> None:
    if "{batch}" not in source.get("query", ""):
        ws.profile(name)
        return
    # The batches of a query are not listed: each is named.
    for batch in BATCHES:
        ws.profile(name, batches=batch)


def _sums(ws: Any, name: str) -> list[float]:
    return [ws.batch(name, batch).columns["x"].single_metrics()["sum"] for batch in ws.batches(name)]


def _write(spark: Any, folder: Path, lakes: dict[str, str]) -> None:
    rows = spark.createDataFrame(ROWS, "day string, x bigint, s string")
    if "delta" in lakes:
        rows.write.format("delta").save(str(folder / "delta"))
        rows.write.format("delta").saveAsTable("events")
        for day in BATCHES:
            rows.where(f"day = '{day}'").drop("day").write.format("delta").save(str(folder / "days" / day))
    if "iceberg" in lakes:
        rows.writeTo("lake.db.events").createOrReplace()


@contextlib.contextmanager
def _server(packages: list[str], conf: dict[str, str]) -> Iterator[str]:
    """The address of a Spark Connect server that has the packages, as a cluster would."""
    prepare_environment()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    home = Path(pyspark.__file__).parent
    local = {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1", "spark.connect.grpc.binding.port": str(port)}
    command = [str(home / "bin" / "spark-submit"), "--master", "local[2]", "--packages", ",".join(packages)]
    command += [part for key, value in {**conf, **local}.items() for part in ("--conf", f"{key}={value}")]
    command += ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "spark-internal"]
    own = {**os.environ, "SPARK_HOME": str(home), "PYSPARK_PYTHON": sys.executable}
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(command, env=own, stdout=log, stderr=log, start_new_session=True)
        try:
            _await(process, port)
            yield f"sc://127.0.0.1:{port}"
        finally:
            os.killpg(process.pid, signal.SIGKILL)


def _await(process: subprocess.Popen[bytes], port: int) -> None:
    """Returns once somebody listens at the port; a server that ends before is an error."""
    while process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.5)
    raise RuntimeError("The Spark Connect server ended before it listened.")


if __name__ == "__main__":
    main()
