"""What is said of columns whose values are of another type, or written otherwise."""

from __future__ import annotations

import pyarrow as pa
import pytest

from avh_ui.constraints.schema import ColumnSchema, SchemaConstraint
from avh_ui.constraints.writing import Writing
from avh_ui.metrics.profile import BatchProfile
from avh_ui.validator.schema_drift import drift_results
from avh_ui.workflows.frames import profile_table

PRICE = ColumnSchema("price", "number", "numeric", written=Writing(digits=(0.98,), places=2))


def batch(values: list[str] | list[float]) -> BatchProfile:
    return profile_table(pa.table({"price": pa.array(values)}), "p", "b")


@pytest.mark.parametrize(
    ("texts", "because"),
    [
        (["$7.50", "$3.20", "9.10"], ": 2 of 3 have a currency sign."),
        (["7.5", "n.v."], ": 1 of 2 values is no number, such as 'n.v.'."),
        (["007", "12"], ": 1 of 2 begin with 0, as codes do."),
    ],
)
def test_a_column_of_numbers_that_becomes_text_is_told_with_what_made_it_so(texts: list[str], because: str) -> None:
    found = drift_results(SchemaConstraint((PRICE,), source_format="csv"), batch(texts))
    assert [one.message for one in found] == [f"Column 'price' changed type from number to string{because}"]
    # What was no number of a source without types has no such reason.
    typed = drift_results(SchemaConstraint((ColumnSchema("price", "double", "numeric"),), source_format="parquet"), batch(texts))
    assert [one.message for one in typed] == [f"Column 'price' changed type from double to string{because}"]


@pytest.mark.parametrize("level", ["error", "warning", "off"])
def test_values_that_are_written_otherwise_are_told_as_a_changed_type_is(level: str) -> None:
    schema = SchemaConstraint((PRICE,), source_format="csv", level=level)  # type: ignore[arg-type]
    found = drift_results(schema, batch([float(k) for k in range(40)]))
    said = "Column 'price' changed how its numbers are written: none of 40 has a fraction, and in all batches before at least 98% had."
    status = {"error": "fail", "warning": "warn"}.get(level)
    assert [(one.rule, one.column, one.status, one.message) for one in found] == (
        [("type_changed", "price", status, said)] if status else []
    )
    assert drift_results(schema, batch([k + 0.5 for k in range(40)])) == ()


def test_a_column_of_another_type_is_told_once() -> None:
    texts = ColumnSchema("price", "string", "string", written=Writing(padded=0.9))
    found = drift_results(SchemaConstraint((texts,), source_format="parquet"), batch([float(k) for k in range(40)]))
    assert [one.message for one in found] == ["Column 'price' changed type from string to double."]
