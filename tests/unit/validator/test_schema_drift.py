"""What is said of columns whose values are of another type, or written otherwise."""

from __future__ import annotations

import pyarrow as pa
import pytest

from avh_ui.constraints.constraint import Constraint, Verdict
from avh_ui.constraints.schema import ColumnSchema, SchemaConstraint
from avh_ui.constraints.writing import Writing
from avh_ui.metrics.profile import BatchProfile
from avh_ui.validator.results import RuleResult
from avh_ui.validator.run import Run
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


POINTED = "are whole with a decimal point (5.0 for 5), and none was."


def verdict(column: str, observed: float) -> Verdict:
    known = Constraint(column, "complete_ratio", kind="numeric", lower=1, upper=1, fpr=1e-3, origin="history")
    return Verdict(known, "pass" if observed == 1 else "fail", observed, 1, 1, "")


@pytest.mark.parametrize("verdicts", [(), (verdict("n", 1), verdict("other", 0.5)), (verdict("other", 0.2), verdict("n", 0.5))])
def test_what_is_wrong_with_a_columns_values_comes_before_the_point_that_it_brings(verdicts: tuple[Verdict, ...]) -> None:
    """Half of the values null: what writes the others with a point makes no other fault of it. A column that is named first stays so."""
    pointed = RuleResult("type_changed", "n", "fail", "error", "Column 'n' changed how its numbers are written: 2 of 3 " + POINTED)
    gone = RuleResult("missing_column", "x", "fail", "error", "Column 'x' is missing.")
    told = Run("p", "b", 1, "", "", 0.0, 3, (gone, pointed), verdicts).results
    at = told.index(pointed)
    assert told[0] is gone
    assert told[1:at] == [one for one in verdicts if one.constraint.column == "n" and one.status == "fail"]
    assert {*map(id, told)} == {id(gone), id(pointed), *map(id, verdicts)}


def test_lost_fractions_and_zeros_stay_before_what_they_break() -> None:
    lost = RuleResult("type_changed", "n", "fail", "error", "Column 'n' changed how its numbers are written: none of 3 has a fraction.")
    assert Run("p", "b", 1, "", "", 0.0, 3, (lost,), (verdict("n", 0.5),)).results[0] is lost
