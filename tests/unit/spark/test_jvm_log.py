"""What is read of the log of a Java that ends before Spark is there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from avh_ui.config import SparkSettings
from avh_ui.errors import SparkError
from avh_ui.spark import session
from avh_ui.spark.jvm_log import JvmLog, why_ended

UNRESOLVED = """\
\tHost packages.example.org not found. url=https://packages.example.org/io/delta/delta-spark_2.13/4.0.9/delta-spark_2.13-4.0.9.pom
\t\t::          UNRESOLVED DEPENDENCIES         ::
\t\t:: io.delta#delta-spark_2.13;4.0.9: not found
\t\t:: io.delta#delta-spark_2.13;4.0.9: not found
Exception in thread "main" java.lang.RuntimeException: [unresolved dependency: io.delta#delta-spark_2.13;4.0.9: not found]
\tat org.apache.spark.util.MavenUtils$.resolveMavenCoordinates(MavenUtils.scala:539)
"""
NO_HOST = UNRESOLVED.replace("packages.example.org", "maven.example.org", 1)
HALF = 'Exception in thread "main" java.lang.RuntimeException: [download failed: a.b#c_2.13;1.0!c_2.13.jar]\n'
HEAP = "Invalid maximum heap size: -Xmx4gg\nError: Could not create the Java Virtual Machine.\n"
OPTION = "Unrecognized VM option 'Nope'\nError: Could not create the Java Virtual Machine.\n"
YARN = 'Exception in thread "main" org.apache.spark.SparkException: When running with master yarn HADOOP_CONF_DIR must be set.\n\tat a.b\n'


@pytest.mark.parametrize(
    ("text", "says", "remedy"),
    [
        (UNRESOLVED, "the package io.delta:delta-spark_2.13:4.0.9 cannot be had: nothing of this name and version", "Correct it under"),
        (NO_HOST, "the package io.delta:delta-spark_2.13:4.0.9 cannot be had: Maven Central cannot be reached.", "Name a mirror by"),
        (HALF, "the package a.b:c_2.13:1.0 cannot be had", "Correct it under"),
        (UNRESOLVED + HALF, "the packages io.delta:delta-spark_2.13:4.0.9, a.b:c_2.13:1.0 cannot be had", "Correct it under"),
        (HEAP, "Invalid maximum heap size: -Xmx4gg.", "What Java wrote is in x.log."),
        (OPTION, "Unrecognized VM option 'Nope'.", "What Java wrote is in x.log."),
        (YARN, "When running with master yarn HADOOP_CONF_DIR must be set.", "What Java wrote is in x.log."),
        ("WARNING: Using incubator modules\n", "", ""),
    ],
)
def test_the_reason_of_an_end(text: str, says: str, remedy: str) -> None:
    said, hint = why_ended(text, Path("x.log"))
    assert (said.startswith(says), hint.startswith(remedy)) == (True, True), (said, hint)
    assert bool(said) == bool(says)


def test_what_java_wrote_since_is_in_the_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    JvmLog().path.write_text(HEAP)  # of a start before

    def ends(_: object) -> None:
        os.write(2, UNRESOLVED.encode())
        raise RuntimeError("[JAVA_GATEWAY_EXITED] Java gateway process exited before sending its port number.")

    monkeypatch.setattr(SparkSession, "getActiveSession", lambda: None)
    monkeypatch.setattr(session, "prepare_environment", lambda _: None)
    monkeypatch.setattr(SparkSession.Builder, "getOrCreate", ends)
    with pytest.raises(SparkError, match=r"^Spark could not start at 'local\[1\]': the package io.delta:delta-spark_2.13:4.0.9 ") as caught:
        session.get_spark(SparkSettings(master="local[1]"))
    assert "packages: [...]" in caught.value.hint
