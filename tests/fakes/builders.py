"""Small profiles, constraints, suggestions and programs for tests."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pyarrow as pa

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import FromHistory
from avh_ui.constraints.program import ColumnSchema, Program, SchemaConstraint
from avh_ui.metrics.profile import BatchProfile, ColumnProfile
from avh_ui.metrics.segment import Segment
from avh_ui.review.suggestion import Suggestion, SuggestionRun

# Texts that real column names, values, batch ids and messages have been seen to be.
HOSTILE = [
    "a/b", "../up", "..", ".", "", " ", "a b", "ü ñ 中", "line\nbreak", "it's \"quoted\" `so`", "nul\0", "\udc80", "\\u0041", "100%", "~",
    "x" * 1_000_000,
]  # fmt: skip


def profile(batch: str, pipeline: str = "p", /, **columns: list[Any]) -> BatchProfile:
    """A batch of columns by name, as lists of values (`None` is null)."""
    arrays = {name: pa.array(values) for name, values in columns.items()}
    rows = max((len(a) for a in arrays.values()), default=0)
    measured = {n: ColumnProfile.from_arrow(n, a) for n, a in arrays.items()}
    return BatchProfile(pipeline, batch, rows, measured, ("a note",), "2026-01-01", {"k": "v"})


def segmented(batch: str, by: str, /, **columns: list[Any]) -> BatchProfile:
    """A batch of pipeline `p` that is split by the values of a column."""
    rows: dict[Any, list[int]] = {}
    for k, value in enumerate(columns[by]):
        rows.setdefault(value, []).append(k)
    types = {name: pa.array(values).type for name, values in columns.items()}
    parts = {}
    for value, at in rows.items():
        measured = {n: ColumnProfile.from_arrow(n, pa.array([v[k] for k in at], types[n])) for n, v in columns.items()}
        parts[Segment(((by, value),))] = BatchProfile("p", batch, len(at), measured)
    return replace(profile(batch, **columns), segments=parts)


def constraint(column: str = "c", lower: float | None = 1.0, upper: float | None = 2.0, **more: Any) -> Constraint:
    """A constraint on the mean of a column."""
    return Constraint(column, more.pop("metric", "mean"), more.pop("kind", "numeric"), lower, upper, **more)


def suggestion(suggestion_id: str = "s1", *, pipeline: str = "p", **bounds: Any) -> Suggestion:
    """A suggestion of one constraint."""
    return Suggestion(suggestion_id, pipeline, constraint(**bounds), FromHistory(mu=1.5, caught=("nulls",), untold=60))


def run(*suggestions: Suggestion, pipeline: str = "p") -> SuggestionRun:
    """A run of these suggestions."""
    left_out = ({"column": "c", "metric": "max", "reason": "undefined"},)
    return SuggestionRun(pipeline, suggestions, left_out, 0.001, "2026-01-01", "2026-01-30", 30, "2026-01-31T00:00:00+00:00")


def program(pipeline: str = "p", **more: Any) -> Program:
    """A program of one constraint, not yet published."""
    fields: dict[str, Any] = {
        "pipeline": pipeline,
        "version": 0,
        "constraints": (constraint(),),
        "schema": SchemaConstraint((ColumnSchema("c", "double", "numeric"),)),
        "created_at": "2026-01-31T00:00:00+00:00",
        "author": "ann",
        "message": "first",
        "fpr_target": 0.001,
        "evidence": {"batches": 30},
    }
    return Program(**{**fields, **more})
