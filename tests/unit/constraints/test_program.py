"""Programs and the schema they expect."""

from __future__ import annotations

from avh_ui.constraints.program import ColumnSchema, SchemaConstraint
from avh_ui.constraints.transforms import Transform
from tests.fakes.builders import constraint, program

A, B = ColumnSchema("a", "bigint", "numeric"), ColumnSchema("b", "string", "string")


def test_the_same_columns_in_any_order_are_no_drift() -> None:
    assert SchemaConstraint((A, B)).drift((B, A)) == []
    assert SchemaConstraint(()).drift(()) == []


def test_every_difference_is_a_sentence() -> None:
    found = SchemaConstraint((A, B)).drift((ColumnSchema("a", "string", "string"), ColumnSchema("new", "int", "numeric")))
    assert found == [
        "Column 'b' is missing.",
        "Column 'new' is new; it was not there when the program was approved.",
        "Column 'a' changed type from bigint to string.",
    ]


def test_a_change_of_case_is_two_differences() -> None:
    assert len(SchemaConstraint((A,)).drift((ColumnSchema("A", "bigint", "numeric"),))) == 2


def test_how_far_a_program_looks_back() -> None:
    assert program(constraints=()).lags() == 0
    assert program(constraints=(constraint(), constraint(transform=Transform(7)), constraint(transform=Transform(1)))).lags() == 7
