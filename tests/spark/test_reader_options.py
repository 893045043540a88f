"""The options that Spark's readers have, by Spark's own list: none is taken for a slip of another's name."""

from __future__ import annotations

from typing import Any

import pytest

from avh_ui.config_options import check_reader_options

# Of options that take no other text a value.
VALUES = {"charset": "UTF-8", "encoding": "UTF-8", "mode": "PERMISSIVE", "locale": "de-DE", "timezone": "Europe/Rome"}


@pytest.mark.parametrize(("form", "options"), [("csv", "csv.CSVOptions"), ("json", "json.JSONOptions")])
def test_no_option_of_a_reader_is_taken_for_a_slip(spark: Any, form: str, options: str) -> None:
    found = spark._jvm
    for part in f"org.apache.spark.sql.catalyst.{options}".split("."):
        found = getattr(found, part)
    every = found.getAllOptions().toSeq()
    names = [every.apply(k) for k in range(every.size())]
    assert "multiLine" in names
    for name in names:
        # A switch takes true, and so does another option that takes any text.
        check_reader_options(form, {name: VALUES.get(name.lower(), "true")})
