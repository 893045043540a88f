"""Which Python the workers of Spark run."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from avh_ui.config import SparkSettings
from avh_ui.spark import session


@pytest.mark.parametrize(
    ("variable", "named", "runs"),
    [("", "", sys.executable), ("/opt/python", "", "/opt/python"), ("/opt/python", "./avh_env/bin/python", "./avh_env/bin/python")],
)
def test_what_is_named_comes_before_the_variable(monkeypatch: pytest.MonkeyPatch, variable: str, named: str, runs: str) -> None:
    monkeypatch.setattr(session, "find_java", lambda: session.Java(Path("/java"), 17, "here"))
    monkeypatch.setattr(os, "environ", {"PYSPARK_PYTHON": variable} if variable else {})
    session.prepare_environment(named)
    assert os.environ["PYSPARK_PYTHON"] == runs


def test_settings_of_spark_may_be_numbers() -> None:
    settings = SparkSettings.model_validate({"conf": {"spark.cores.max": 2, "spark.speculation": True}})
    assert settings.conf == {"spark.cores.max": "2", "spark.speculation": "true"}
