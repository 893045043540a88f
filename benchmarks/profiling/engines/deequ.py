"""Deequ on its own Spark, as an engine of the benchmarks: the analyzers nearest to what avh_ui measures, in one analysis run.

Numeric columns: Completeness, Minimum, Maximum, Mean, Sum, StandardDeviation, ApproxQuantile(0.5), ApproxCountDistinct.
String columns: Completeness, ApproxCountDistinct, Histogram, MinLength, MaxLength. The table: Size. Deequ shares one scan among all
but Histogram, which is one grouping job per column. Timestamps are handed over as seconds, since its analyzers take numbers alone.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any

from benchmarks.profiling.engines.protocol import serve

COORDINATES = "com.amazon.deequ:deequ:2.0.7-spark-3.5"
# Deequ names a native BLAS that it does not need here and that is no longer found in every repository.
_EXCLUDED = "net.sourceforge.f2j:arpack_combined_all"


def start(master: str, driver_memory: str, ivy: str, batch_column: str) -> Mapping[str, Callable[..., dict[str, Any]]]:
    from pyspark.sql import SparkSession
    from pyspark.sql import functions as F

    conf = {
        "spark.driver.memory": driver_memory,
        "spark.jars.packages": COORDINATES,
        "spark.jars.excludes": _EXCLUDED,
        "spark.jars.ivy": ivy,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.session.timeZone": "UTC",
        # As avh_ui's session: 200 would cost Deequ's groupings time.
        "spark.sql.shuffle.partitions": "8",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
    }
    builder = SparkSession.builder.master(master)
    for key, value in conf.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    jvm: Any = spark.sparkContext._jvm

    def profile(path: str) -> dict[str, Any]:
        frame = spark.read.parquet(path).drop(batch_column)
        times = [f.name for f in frame.schema.fields if f.dataType.typeName().startswith("timestamp")]
        for name in times:
            frame = frame.withColumn(name, F.col(name).cast("double"))
        texts = {f.name for f in frame.schema.fields if f.dataType.typeName() == "string"}
        runner = jvm.com.amazon.deequ.analyzers.runners.AnalysisRunner.onData(frame._jdf)
        for analyzer in analyzers(jvm, frame.columns, texts):
            runner = runner.addAnalyzer(analyzer)
        context = runner.run()
        described = jvm.com.amazon.deequ.analyzers.runners.AnalyzerContext
        metrics = described.successMetricsAsJson(context, getattr(described, "successMetricsAsJson$default$2")())
        kept = [m for m in json.loads(metrics) if not m["name"].startswith("Histogram")]
        return {"metrics": kept, "analyzers": context.metricMap().size()}

    return {"profile": profile}


def analyzers(jvm: Any, columns: list[str], texts: set[str]) -> list[Any]:
    """Size, and each column's analyzers."""
    package, none = jvm.com.amazon.deequ.analyzers, jvm.scala.Option.empty()
    chosen = [package.Size(none)]
    for name in columns:
        chosen += [package.Completeness(name, none, none), package.ApproxCountDistinct(name, none)]
        if name in texts:
            histogram = package.Histogram
            # 1,000 details, as many values as avh_ui keeps and Deequ's own default.
            defaults = [getattr(histogram, f"apply$default${k}")() for k in (2, 3, 4, 5, 6)]
            chosen += [histogram(name, *defaults), package.MinLength(name, none, none), package.MaxLength(name, none, none)]
        else:
            chosen += [package.Minimum(name, none, none), package.Maximum(name, none, none), package.Mean(name, none)]
            chosen += [package.Sum(name, none), package.StandardDeviation(name, none), package.ApproxQuantile(name, 0.5, 0.01, none)]
    return chosen


if __name__ == "__main__":
    serve(lambda: start(*sys.argv[1:]))
