"""Rows and nulls: `row_count` and `complete_ratio` (AVH, Tables 3 and 4; Deequ's Size and Completeness)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from avh_ui.metrics.column import SINGLE_KINDS, Column
from avh_ui.metrics.frequencies import FrequencyState
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.row_forms import Present, RowForm, first_column
from avh_ui.metrics.rows import Need, Rows, RowTest
from avh_ui.metrics.state import InFields
from avh_ui.metrics.wording import Wording


@dataclass(frozen=True)
class CountState(InFields):
    """How many rows there are and how many are null. NaN is a value, as in Deequ."""

    key: ClassVar[str] = "counts"
    rows: int = 0
    nulls: int = 0

    @classmethod
    def identity(cls) -> CountState:
        """No rows."""
        return cls()

    @classmethod
    def of(cls, column: Column) -> CountState:
        """Counts of a column."""
        return cls(column.rows, column.nulls)

    @classmethod
    def of_rows(cls, rows: Rows, need: Need) -> CountState:
        """Counts of a column of any type, or of the rows themselves."""
        return cls(rows.count, rows.columns[need.columns[0]].null_count if need.columns else 0)

    def merge(self, other: CountState) -> CountState:
        """Element-wise sum."""
        return CountState(self.rows + other.rows, self.nulls + other.nulls)


def _complete_ratio(state: CountState) -> float | None:
    return (state.rows - state.nulls) / state.rows if state.rows else None


def _rows_wanted(measure: Measure) -> tuple[Need, ...]:
    """Of a condition how often it is true, so that one which is null everywhere has no count."""
    if measure.columns or measure.where is None:
        return (Need(CountState, measure.columns, measure.where),)
    return (Need(FrequencyState, (RowTest(measure.where),)),)


def _rows(state: CountState | FrequencyState) -> float | None:
    if isinstance(state, CountState):
        return state.rows
    return state.table.get("true", 0) if state.n else None


ROW_COUNT = Metric(
    "row_count", SINGLE_KINDS, (CountState,), 3, "rows", "number of rows", single=_rows, wants=_rows_wanted, least=0, lowest=0, whole=True,
    volume=True, total=True, grows=True, always_defined=True, plain="always", sql="COUNT(*)",
    forms={
        "deequ": "hasSize({bound})", "dqdl": "RowCount", "dqx": "count *", "soda": "row_count",
        "great-expectations": "expect_table_row_count_to_be_between", "odcs": "completeness",
    },
    says=Wording(
        "How many rows a batch has.", "the number of rows", "Between {low} and {high} rows a batch", "At least {low} rows a batch",
        "At most {high} rows a batch", "Always {low} rows a batch", {1.0: "Always one row a batch"},
    ),
)  # fmt: skip
COMPLETE_RATIO = Metric(
    "complete_ratio", SINGLE_KINDS, (CountState,), 3, "ratio", "share of non-null values", single=_complete_ratio,
    # Nulls are counted whatever the type.
    of=(SINGLE_KINDS | {"skipped"},),
    lowest=0, highest=1, always_defined=True, of_every_value=True, outbreaks=True, plain="always",
    row_form=RowForm(lambda m: Present(first_column(m)), "both", lambda s: (s.nulls, s.rows - s.nulls)),
    sql="COUNT({column}) * 1E0 / COUNT(*)",
    forms={
        "deequ": "hasCompleteness({column}, {bound})", "dqdl": "Completeness {column}",
        "dqx": "avg CASE WHEN {column} IS NULL THEN 0E0 ELSE 1E0 END",
        "great-expectations": "expect_column_proportion_of_non_null_values_to_be_between", "odcs": "completeness",
    },
    says=Wording(
        "How many of the rows have a value, as a share: 100% where none is null.", "the share of {column} that is not null",
        "Between {not_high} and {not_low} of {column} are null", "At most {not_low} of {column} are null",
        "At least {not_high} of {column} are null", "{not_low} of {column} are null, always",
        {1.0: "{column} is never null", 0.0: "{column} is always null"}, "{not_value} of {column} are null",
    ),
)  # fmt: skip
