"""Which PySpark is supported, and what is said of another."""

from __future__ import annotations

import tomllib

import pytest

from avh_ui.errors import SparkError
from avh_ui.spark.versions import require_known
from tests.conventions.sources import ROOT


@pytest.mark.parametrize("version", ["3.5.0", "3.5.7", "4.0.1", "4.3.0", "4.12.0.dev1"])
def test_what_fits(version: str) -> None:
    require_known(version, python=(3, 11))


@pytest.mark.parametrize(
    ("version", "remote", "python", "said"),
    [
        ("3.4.4", False, (3, 11), "PySpark 3.4.4 is not supported."),
        ("5.0.0", False, (3, 11), "PySpark 5.0.0 is not supported."),
        ("3.5.6", True, (3, 11), "over Spark Connect. Use `master:`"),
        ("3.5.6", False, (3, 13), "does not run on Python 3.13. Use Python 3.11"),
    ],
)
def test_what_does_not_is_told_with_the_remedy(version: str, remote: bool, python: tuple[int, int], said: str) -> None:
    with pytest.raises(SparkError, match=said):
        require_known(version, remote=remote, python=python)


def test_the_hint_names_the_bound_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    with pytest.raises(SparkError) as told:
        require_known("2.4.0")
    (bound,) = (text for text in project["dependencies"] if text.startswith("pyspark"))
    assert f"`pip install '{bound}'`" in told.value.hint
