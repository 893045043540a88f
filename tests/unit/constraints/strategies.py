"""Hypothesis strategies for constraints and programs."""

from __future__ import annotations

import math
from typing import Any

from hypothesis import strategies as st

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.pattern_constraint import Pattern, PatternConstraint
from avh_ui.constraints.program import ColumnSchema, Program, SchemaConstraint
from avh_ui.constraints.rising import NO_PRIOR, Prior
from avh_ui.constraints.transforms import Transform
from avh_ui.metrics.regexes import anchored

# Lone surrogates included: a column name may hold any bytes.
TEXTS = st.text(st.characters(exclude_categories=()), max_size=12)
FINITE = st.floats(allow_nan=False, allow_infinity=False)
NUMBERS = st.floats(allow_nan=False)
TRANSFORMS = st.builds(Transform, st.integers(0, 30), st.booleans())
DATA: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS | st.sampled_from(["$float", "$", "$$float"]), inner, max_size=3),
    max_leaves=8,
)
MAPPINGS = st.dictionaries(TEXTS | st.sampled_from(["$float"]), DATA, max_size=3)


@st.composite
def bounds(draw: st.DrawFn) -> tuple[float | None, float | None]:
    """A lower and an upper bound, either open."""
    low, high = draw(st.none() | NUMBERS), draw(st.none() | NUMBERS)
    return (low, high) if low is None or high is None or low <= high else (high, low)


@st.composite
def constraints(draw: st.DrawFn) -> Constraint:
    """Any constraint that there can be."""
    low, high = draw(bounds())
    return Constraint(
        draw(TEXTS),
        draw(TEXTS),
        draw(st.sampled_from(["numeric", "string", "boolean", "temporal"])),
        low,
        high,
        draw(TRANSFORMS),
        draw(NUMBERS),
        draw(st.integers(0, 3)),
        draw(st.sampled_from(["history", "corpus", "snapshot", "manual"])),
        draw(st.sampled_from(["error", "warning"])),
        draw(MAPPINGS),
    )


@st.composite
def pattern_constraints(draw: st.DrawFn) -> PatternConstraint:
    """Any pattern constraint that there can be; its regex is not tried."""
    base = draw(constraints())
    values = draw(st.integers(0, 10**9))
    kind = draw(st.sampled_from(["pattern", "type", "union", "dictionary", "regex"]))
    prior = draw(st.just(NO_PRIOR) | st.tuples(st.floats(0.01, 0.99), st.floats(0.1, 100)).map(lambda m: Prior(m[0] * m[1], m[1])))
    pattern = Pattern(draw(TEXTS), anchored(draw(TEXTS)), values, draw(st.integers(0, values)), kind, prior)
    fields = {f: getattr(base, f) for f in Constraint.__dataclass_fields__}
    return PatternConstraint(**fields, pattern=pattern, significance=draw(st.floats(0, 1)), usual=draw(st.integers(0, 10**6)))


PROGRAMS = st.builds(
    Program,
    pipeline=st.from_regex(r"[A-Za-z0-9_\-][A-Za-z0-9_.\-]{0,8}", fullmatch=True),
    version=st.integers(0, 10**6),
    constraints=st.lists(constraints() | pattern_constraints(), max_size=3).map(tuple),
    schema=st.builds(
        SchemaConstraint,
        st.lists(st.builds(ColumnSchema, TEXTS, TEXTS, TEXTS), max_size=3).map(tuple),
        level=st.sampled_from(["error", "warning", "off"]),
    ),
    created_at=TEXTS,
    author=TEXTS,
    message=TEXTS,
    fpr_target=st.floats(0, 1),
    evidence=MAPPINGS,
    sha256=st.just("") | st.from_regex(r"[0-9a-f]{64}", fullmatch=True),
)


def close(a: float, b: float, scale: float) -> bool:
    """Whether two numbers are equal to rounding at a scale."""
    return a == b or math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9 * max(scale, 1e-300))
