"""What is said of a Spark error: one line that tells, whoever raised it."""

from __future__ import annotations

import pytest

from avh_ui.spark.jobs import reason

IN_A_WORKER = """
An exception was thrown from the Python worker: Traceback (most recent call last):
  File "kernel.py", line 9, in <module>
    raise ValueError("Error: a text of the code")
ModuleNotFoundError: No module named 'datasketches'

During handling of the above exception, another exception occurred:
RuntimeError: later
\tat org.apache.spark.Exception.here(Here.scala:1)
"""


@pytest.mark.parametrize(
    ("message", "told"),
    [
        (IN_A_WORKER, "ModuleNotFoundError: No module named 'datasketches'"),
        (
            "An error occurred while calling o1.load.\n: java.sql.SQLException: no such table\n\tat a.B",
            "java.sql.SQLException: no such table",
        ),
        ("[TABLE_OR_VIEW_NOT_FOUND] The table `x`.\n'Project [*]", "[TABLE_OR_VIEW_NOT_FOUND] The table `x`."),
        ("just this", "just this"),
        ("", "ValueError"),
    ],
)
def test_the_line_that_says_what_happened(message: str, told: str) -> None:
    assert reason(ValueError(message)) == told
