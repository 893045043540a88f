"""The tools whose rules are read: one line each."""

from __future__ import annotations

from collections.abc import Callable

from avh_ui.constraints.importing import dbt, deequ, dqdl, great_expectations, soda
from avh_ui.constraints.importing.imported import Imported
from avh_ui.errors import NotFoundError

IMPORTERS: dict[str, Callable[..., Imported]] = {
    "dqdl": dqdl.read,
    "great-expectations": great_expectations.read,
    "dbt": dbt.read,
    "soda": soda.read,
    "deequ": deequ.read,
}


# Those whose documents may be of several tables.
_OF_TABLES = frozenset({"dbt", "soda"})


def read_rules(text: str, tool: str, *, table: str | None = None) -> Imported:
    """The rules of another tool's document as checks, what of it is none and why, and what is enforced otherwise.

    `tool` is `dqdl` (AWS Glue), `great-expectations` (suites of 0.x and 1.x, JSON), `dbt` (tests of a schema file), `soda` (SodaCL or a
    data contract) or `deequ` (suggestions as JSON, or a suite in Scala or Python). `table` is the one whose rules are read where a document
    of dbt or Soda is of several. `NotFoundError` for another tool or table, `ConstraintError` where the document is none of that tool.
    """
    if tool not in IMPORTERS:
        raise NotFoundError("tool", tool, IMPORTERS)
    return IMPORTERS[tool](text, table) if tool in _OF_TABLES else IMPORTERS[tool](text)
