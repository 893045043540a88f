"""What is said where Spark does not start."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pyspark.sql import SparkSession

from avh_ui.config import SparkSettings
from avh_ui.errors import SparkError
from avh_ui.spark import session


def failing(error: Exception) -> Callable[..., Any]:
    def start(*_: object) -> Any:
        raise error

    return start


def test_packages_of_another_spark_are_told_before_it_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SparkSession, "getActiveSession", lambda: None)
    monkeypatch.setattr(SparkSession.Builder, "getOrCreate", failing(AssertionError("it was started")))
    with pytest.raises(SparkError, match=r"delta-spark_2.13:3.2.1 is of Spark 3.5"):
        session.get_spark(SparkSettings(packages=("io.delta:delta-spark_2.13:3.2.1",)))


@pytest.mark.parametrize(
    ("master", "error", "remedy"),
    [
        ("local[*]", FileNotFoundError(2, "No such file or directory", "/no/bin/spark-submit"), "SPARK_HOME"),
        (
            "spork://x:1",
            RuntimeError("[JAVA_GATEWAY_EXITED] Java gateway process exited"),
            "`master: spork://x:1` of avh.yml is none: write local[N]",
        ),
        ("spark://x:1", RuntimeError("[JAVA_GATEWAY_EXITED] Java gateway process exited"), "avh doctor"),
        ("local[2,4]", RuntimeError("no"), "avh doctor"),
    ],
)
def test_a_spark_that_does_not_start_has_its_remedy(monkeypatch: pytest.MonkeyPatch, master: str, error: Exception, remedy: str) -> None:
    monkeypatch.setattr(SparkSession, "getActiveSession", lambda: None)
    monkeypatch.setattr(session, "prepare_environment", lambda _: None)
    monkeypatch.setattr(SparkSession.Builder, "getOrCreate", failing(error))
    with pytest.raises(SparkError, match="could not start at") as caught:
        session.get_spark(SparkSettings(master=master))
    assert remedy in caught.value.hint
