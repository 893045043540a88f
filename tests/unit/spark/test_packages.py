"""Which packages of Spark fit which Spark, and what is said of others."""

from __future__ import annotations

import pytest

from avh_ui.config import SparkSettings
from avh_ui.errors import SparkError
from avh_ui.spark import session
from avh_ui.spark.packages import require_fitting, settings_of


@pytest.fixture(autouse=True)
def of_pyspark(monkeypatch: pytest.MonkeyPatch) -> None:
    """The Spark is PySpark's own."""
    monkeypatch.delenv("SPARK_HOME", raising=False)


@pytest.mark.parametrize(
    ("package", "version"),
    [
        ("io.delta:delta-spark_2.12:3.2.1", "3.5.1"),
        ("io.delta:delta-spark_2.12:3.3.2", "3.5.3"),
        ("io.delta:delta-spark_2.13:4.0.1", "4.0.1"),
        ("io.delta:delta-spark_2.13:9.9.0", "4.3.0"),  # of what is not known yet nothing is said
        ("io.delta:delta-spark_2.13:4.3.1", "4.1.0"),
        ("io.delta:delta-spark_4.1_2.13:4.4.0", "4.1.0"),
        ("io.delta:delta-spark_2.13:4.4.0", "4.2.0"),
        ("org.apache.spark:spark-avro_2.13:4.3.0", "4.3.0"),
        ("org.apache.spark:spark-avro_2.12:3.5.1", "3.5.7"),
        ("org.apache.iceberg:iceberg-spark-runtime-4.0_2.13:1.10.0", "4.0.1"),
        ("org.apache.hudi:hudi-spark3.5-bundle_2.12:1.0.2", "3.5.7"),
        ("org.postgresql:postgresql:42.7.4", "4.0.1"),
        ("com.databricks:spark-xml_2.12:0.18.0", "3.5.7"),
        ("dev.mauch:spark-excel_2.13:4.0.0_0.31.2", "4.0.0"),
        ("io.delta:delta-spark_2.13:4.0.1", "4.0.1.dev0"),
    ],
)
def test_what_fits(package: str, version: str) -> None:
    require_fitting([package], version)


@pytest.mark.parametrize(
    ("package", "version", "said"),
    [
        ("io.delta:delta-spark_2.12:3.3.2", "3.5.1", "needs Spark 3.5.3 or newer, and Spark 3.5.1 takes it: io.delta:delta-spark 3.2 fits"),
        ("io.delta:delta-spark_2.13:4.0.1", "4.3.0", "is of Spark 4.0, and Spark 4.3.0 takes it"),
        ("io.delta:delta-spark_2.13:4.4.0", "4.3.0", "is of Spark 4.2, and Spark 4.3.0 takes it"),
        ("io.delta:delta-spark_4.1_2.13:4.4.0", "4.3.0", "is of Spark 4.1, and Spark 4.3.0 takes it"),
        ("io.delta:delta-spark_2.13:3.3.2", "4.0.1", "is of Spark 3.5, and Spark 4.0.1 takes it"),
        ("io.delta:delta-spark_2.12:4.0.1", "4.0.1", "is of Scala 2.12, and Spark 4.0 of 2.13: its name ends with _2.13"),
        ("org.apache.spark:spark-avro_2.13:4.0.0", "4.3.0", "is of another Spark than 4.3.0: both have the same version"),
        ("org.apache.spark:spark-avro_2.13:4.30.0", "4.3.0", "is of another Spark than 4.3.0"),
        ("org.apache.iceberg:iceberg-spark-runtime-3.5_2.13:1.10.0", "4.0.1", "is of Spark 3.5, and Spark 4.0.1 takes it"),
        ("org.apache.hudi:hudi-spark3.5-bundle_2.12:1.0.2", "4.0.1", "is of Scala 2.12"),
        ("delta-spark", "4.0.1", "is no package: one is GROUP:ARTIFACT:VERSION"),
        ("io.delta:delta-spark_2.13", "4.0.1", "is no package"),
        ("a:b:c:d", "4.0.1", "is no package"),
    ],
)
def test_what_does_not_is_told(package: str, version: str, said: str) -> None:
    with pytest.raises(SparkError) as told:
        require_fitting(["org.postgresql:postgresql:42.7.4", package], version)
    assert told.value.message.startswith(f"{package} {said}")
    assert "packages: [...]" in told.value.hint


def test_a_spark_of_ones_own_may_be_of_another_scala(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_HOME", "/opt/spark")
    require_fitting(["io.delta:delta-spark_2.13:3.2.1"], "3.5.7")
    with pytest.raises(SparkError, match=r"is of Spark 3\.5"):
        require_fitting(["io.delta:delta-spark_2.13:3.2.1"], "4.0.1")


def test_delta_brings_its_settings_with_its_package() -> None:
    packages = ["org.xerial:sqlite-jdbc:3.46.1.3", "io.delta:delta-spark_2.13:4.0.1"]
    assert settings_of(packages)["spark.sql.extensions"] == "io.delta.sql.DeltaSparkSessionExtension"
    assert settings_of(packages[:1]) == {}
    conf = session._conf(SparkSettings(packages=tuple(packages)))
    assert conf["spark.sql.catalog.spark_catalog"] == "org.apache.spark.sql.delta.catalog.DeltaCatalog"
    assert conf["spark.jars.packages"] == ",".join(packages)
