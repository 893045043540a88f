"""How many values of a column do not conform to a regex: what a pattern constraint is judged by (Auto-Validate, section 4).

Nulls and empty texts are no values here, as in inference. This state is measured on demand, by the regexes of a program; the history
does not keep it.
"""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.errors import ConstraintError
from avh_ui.metrics.column import Column, Counts
from avh_ui.metrics.distribution import DistributionState
from avh_ui.metrics.frequencies import KEY_LIMIT, FrequencyState
from avh_ui.metrics.regexes import conforming
from avh_ui.metrics.rows import Need, Rows
from avh_ui.metrics.state import pack, unpack

# Values shown of those that do not conform, and characters shown of each.
SAMPLES, SHOWN = 5, 200
_SHORTENED = re.compile(r"… #[0-9a-f]{16}\Z")


@dataclass(frozen=True)
class Conformance:
    """Of `values` values `bad` do not conform; `samples` are the first of these in their order as texts, cut to `SHOWN` characters."""

    values: int = 0
    bad: int = 0
    samples: tuple[str, ...] = ()

    @property
    def ratio(self) -> float:
        """The share that does not conform; NaN without values."""
        return self.bad / self.values if self.values else float("nan")

    def merge(self, other: Conformance) -> Conformance:
        """Of both sets of values."""
        samples = tuple(sorted({*self.samples, *other.samples})[:SAMPLES])
        return Conformance(self.values + other.values, self.bad + other.bad, samples)


@dataclass(frozen=True)
class ConformanceState:
    """The conformance to each regex that was asked for. Merging the states of parts that were asked alike is that of the union."""

    key: ClassVar[str] = "conformance"
    by_regex: dict[str, Conformance] = field(default_factory=dict)

    @classmethod
    def identity(cls) -> ConformanceState:
        """Nothing counted."""
        return cls()

    @classmethod
    def of(cls, column: Column) -> ConformanceState:  # noqa: ARG003 (as every state)
        """Nothing: regexes are asked for by `of_regexes`."""
        return cls()

    @classmethod
    def of_rows(cls, rows: Rows, need: Need) -> ConformanceState:
        """Of a text column, against the regexes that the need's detail names."""
        return cls.of_regexes(rows.column(need.columns[0]), need.detail)

    @classmethod
    def of_regexes(cls, column: Column, regexes: Iterable[str]) -> ConformanceState:
        """Count a text column against each regex; one that cannot be used is left out, so that it takes nothing else with it."""
        found: dict[str, Conformance] = {}
        for regex in regexes:
            with contextlib.suppress(ConstraintError):
                found[regex] = conformance(column.texts.values, column.texts.counts, regex)
        return cls(found)

    def merge(self, other: ConformanceState) -> ConformanceState:
        """Regex by regex."""
        merged = dict(self.by_regex)
        for regex, found in other.by_regex.items():
            merged[regex] = merged[regex].merge(found) if regex in merged else found
        return ConformanceState(merged)

    def to_record(self) -> bytes:
        """As bytes."""
        return pack({"regexes": [[regex, c.values, c.bad, list(c.samples)] for regex, c in self.by_regex.items()]})

    @classmethod
    def from_record(cls, record: bytes) -> ConformanceState:
        """From `to_record`."""
        header, _ = unpack(record)
        return cls({regex: Conformance(values, bad, tuple(samples)) for regex, values, bad, samples in header["regexes"]})


def conformance(texts: pa.Array, counts: Counts, regex: str) -> Conformance:
    """The conformance of distinct non-null texts with their counts, shape (D,)."""
    full = pc.greater(pc.binary_length(texts), 0).to_numpy(zero_copy_only=False).astype(bool)
    bad = full & ~conforming(texts, regex)
    # Sorted by their bytes, whatever engine and however many parts: that makes the samples of a union those of the merged parts.
    wrong = sorted(v.decode("utf-8", "surrogateescape") for v in texts.filter(pa.array(bad)).cast(pa.large_binary()).to_pylist())
    return Conformance(int(counts[full].sum()), int(counts[bad].sum()), tuple(sorted({v[:SHOWN] for v in wrong})[:SAMPLES]))


def conformance_of_states(states: Mapping[str, object], regex: str) -> Conformance | None:
    """The conformance of a column by its states: of its texts, or of its numbers as `number_text` writes them.

    None where the states do not hold all values whole. Of numbers, more distinct ones than a table keeps are estimated from their sketch
    (1.3 % rank error), and at least one of them does not conform: no list is as long.
    """
    table = whole_table(states)
    if table is not None:
        return conformance_of(table, regex)
    state = states.get(DistributionState.key)
    if not isinstance(state, DistributionState):
        return None
    values, shares = state.support()
    counts = np.rint(shares * state.n).astype(np.int64)
    found = conformance_of({number_text(float(v)): int(n) for v, n in zip(values, counts, strict=True)}, regex)
    return Conformance(state.n, min(max(found.bad, 1), state.n), found.samples)


def whole_table(states: Mapping[str, object]) -> dict[str, int] | None:
    """All values of a column as texts with their counts; None where its states do not hold all of them whole."""
    texts, numbers = states.get(FrequencyState.key), states.get(DistributionState.key)
    if isinstance(texts, FrequencyState):
        shortened = max(map(len, texts.table), default=0) > KEY_LIMIT and any(_SHORTENED.search(value) for value in texts.table)
        return dict(texts.table) if texts.exact and not shortened else None
    if isinstance(numbers, DistributionState) and numbers.exact:
        return {number_text(float(v)): int(n) for v, n in zip(numbers.values, numbers.counts, strict=True)}
    return None


def number_text(value: float) -> str:
    """A number as a text that is the same in every engine: whole ones without a point."""
    return str(int(value)) if math.isfinite(value) and value == int(value) else repr(value)


def conformance_of(table: Mapping[str, int], regex: str) -> Conformance:
    """The conformance of texts with their counts. Texts that no engine can read (lone surrogates) do not conform."""
    readable = {v: n for v, n in table.items() if v.isascii() or not re.search("[\ud800-\udfff]", v)}
    texts, counts = pa.array(list(readable), pa.large_string()), np.fromiter(readable.values(), np.int64, len(readable))
    found = conformance(texts, counts, regex)
    broken = {v: n for v, n in table.items() if v not in readable}
    return found.merge(Conformance(sum(broken.values()), sum(broken.values()), tuple(v[:SHOWN] for v in broken))) if broken else found


def regexes_measured(states: Mapping[str, object]) -> Mapping[str, Conformance]:
    """What was counted of a column, by regex."""
    state = states.get(ConformanceState.key)
    return state.by_regex if isinstance(state, ConformanceState) else {}
