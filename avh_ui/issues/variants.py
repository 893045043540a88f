"""D(C): variants of a column with injected data-quality issues (AVH, section 4.3 and Appendix B).

| type | numeric, temporal | string, boolean | magnitudes |
|---|---|---|---|
| 1 schema change | 3 | 3 | 1, 10, 100 % of the rows from a neighbouring column of the same kind |
| 2 change of unit | 6 | | x10, x100, x1000, of all values and of 10 % of them |
| 3 casing change | | 6 | 1, 10, 100 % of the values, to upper and to lower case |
| 4 increased nulls | 3 | 3 | 1, 50, 100 % of the values become 0 or the empty string |
| 5 change of volume | 4 | 4 | x2, x10, 50 %, 10 % of the rows |
| 6 change of distribution | 4 | 4 | the first and last 10, 50 % of the sorted values, repeated up to the old row count |
| 7 character perturbation | 3 | 3 | 1, 10, 100 % of the characters |
| 8 character insertion | 2 | 2 | one character into 10, 50 % of the values |
| 9 character deletion | 2 | 2 | one character out of 10, 50 % of the values |
| 10 padding | | 6 | a blank before or after 10, 50, 100 % of the values |
| in all | 27 | 33 | the paper's 60 |

`true_nulls` adds shares of real nulls: without them nothing would ever speak for `complete_ratio`. `sign` turns the sign of a share of the
numbers, and makes one count -1: negative counts are frequent real faults (13 of 57), and only a minimum of 0 speaks of them. `unit_of_half`
multiplies half of the numbers, by what coverage promises to notice; `renamed` gives a share of the rows of a column whose values repeat new
names for theirs, throughout: as long and of the same characters, so that only the mix of values moves. `mixed` moves a share of the most
frequent value's rows to the others: no value is new or lost, as one is where only the first or last are left. `one_value` gives a share of
the numbers the one in the middle, `default` a share of the values one of them; `tenth` divides by ten. Number kinds are edited in the
digits of their decimal text and read back; what has no digit left is null. What changes nothing is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.issues import text_edits
from avh_ui.issues.below_zero import below_zero
from avh_ui.issues.defaults import with_default
from avh_ui.issues.misspelling import misspelt
from avh_ui.issues.mixing import mixed
from avh_ui.issues.one_value import of_one_value
from avh_ui.issues.renaming import renamed, repeats, values_of_share
from avh_ui.issues.sample import NULL, Sample
from avh_ui.issues.swapping import differ, filled, some_of, swapped
from avh_ui.issues.text_edits import TextBytes
from avh_ui.metrics.column import Kind
from avh_ui.metrics.state import State

# A mile in kilometres: the smallest change of unit that tables of travel know, and far from a power of ten.
MILE = 1.609
# As a fault is called that has them: what names rows is in no unit.
IN_MILES = f"x{MILE:g}"
Shares = tuple[float, ...]


@dataclass(frozen=True)
class Magnitudes:
    """How strong the issues are. The defaults are those of Appendix B; an evaluation uses others than were trained on."""

    schema: Shares = (0.01, 0.1, 1.0)
    unit: Shares = (10.0, 100.0, 1000.0)
    unit_shares: Shares = (1.0, 0.1)
    sign: Shares = ()
    unit_of_half: Shares = ()
    renamed: Shares = ()
    mixed: Shares = ()
    half_schema: Shares = ()
    tenth: Shares = ()
    one_value: Shares = ()
    default: Shares = ()
    casing: Shares = (0.01, 0.1, 1.0)
    nulls: Shares = (0.01, 0.5, 1.0)
    true_nulls: Shares = ()
    volume: Shares = (2, 10, 0.5, 0.1)
    distribution: Shares = (0.1, 0.5)
    perturbation: Shares = (0.01, 0.1, 1.0)
    insertion: Shares = (0.1, 0.5)
    deletion: Shares = (0.1, 0.5)
    padding: Shares = (0.1, 0.5, 1.0)


PAPER = Magnitudes()
# Coverage tells of a tenth of nulls beside the paper's shares.
WITH_NULLS = replace(
    PAPER, half_schema=(0.5,), true_nulls=(0.01, 0.1, 0.5, 1.0), sign=(0.01, 0.1), unit_of_half=(10.0, MILE),
    renamed=(0.1, 0.5), mixed=(0.5,), tenth=(0.5, 1.0), one_value=(0.5, 1.0), default=(0.2,),
)  # fmt: skip


@dataclass(frozen=True)
class Variant:
    """One C' of D(C): `copies` times the rows of `sample`. `name` is unique within D(C), `magnitude` a share or a factor. Of `known`
    states, by key, the rows do not tell.
    """

    type: str
    name: str
    magnitude: float
    sample: Sample
    copies: int = 1
    known: Mapping[str, State] = field(default_factory=dict)

    @property
    def array(self) -> pa.Array:
        """The rows as an Arrow array."""
        return pa.concat_arrays([self.sample.to_arrow()] * self.copies)

    @cached_property
    def states(self) -> dict[str, State]:
        """Every state kept of the column's kind; copies are merged, not measured again."""
        once = self.sample.states()
        total, power = None, once
        for bit in range(self.copies.bit_length()):
            if self.copies >> bit & 1:
                total = power if total is None else {k: s.merge(power[k]) for k, s in total.items()}
            if self.copies >> (bit + 1):
                power = {k: s.merge(s) for k, s in power.items()}
        return {**(total or once), **self.known}


Made = Iterator[tuple[str, float, Sample | None, int]]


def synthetic_issues(
    array: pa.Array, neighbour: pa.Array | None = None, *, seed: int = 0, magnitudes: Magnitudes = PAPER, kind: Kind | None = None
) -> Iterator[Variant]:
    """D(C) of an Arrow array, in the table's order. The same seed gives the same variants, each with its own random stream."""
    sample = Sample.from_arrow(array, kind)
    return issues_of(sample, None if neighbour is None else Sample.from_arrow(neighbour), seed=seed, magnitudes=magnitudes)


def issues_of(sample: Sample, neighbour: Sample | None = None, *, seed: int = 0, magnitudes: Magnitudes = PAPER) -> Iterator[Variant]:
    """D(C) of a sample; see `synthetic_issues`. A neighbour of another kind, or without values, counts as none."""
    if not sample.rows or sample.kind == "skipped":
        return
    for number, (type_name, maker) in enumerate(_TYPES):
        rng = np.random.default_rng([seed, number])
        for label, magnitude, changed, copies in maker(sample, neighbour, magnitudes, rng):
            if changed is not None:
                yield Variant(type_name, f"{type_name} {label}", magnitude, changed, copies)


def _percent(share: float) -> str:
    return f"{100 * share:g}%"


def _schema(sample: Sample, neighbour: Sample | None, magnitudes: Magnitudes, rng: np.random.Generator) -> Made:
    if neighbour is None or neighbour.kind != sample.kind or not len(filled(neighbour)):
        return
    pool = neighbour.codes[filled(neighbour)]
    # What is half a neighbour's of texts shows in a hundredth of it.
    shares = (*magnitudes.schema, *magnitudes.half_schema) if sample.is_number else magnitudes.schema
    for share in shares:
        rows = some_of(np.arange(sample.rows), share, rng)
        yield _percent(share), share, swapped(sample, rows, neighbour.values, pool[rng.integers(len(pool), size=len(rows))]), 1


def _unit(sample: Sample, _: Sample | None, magnitudes: Magnitudes, rng: np.random.Generator) -> Made:
    if not sample.is_number:
        return
    for share in magnitudes.unit_shares:
        for factor in magnitudes.unit:
            rows = some_of(filled(sample), share, rng)
            with np.errstate(over="ignore", invalid="ignore"):
                scaled = np.asarray(sample.values) * factor
            label = f"x{factor:g}" if share >= 1 else f"x{factor:g} of {_percent(share)}"
            yield label, factor, swapped(sample, rows, scaled, sample.codes[rows]), 1
    for share in magnitudes.sign:
        rows = some_of(filled(sample), share, rng)
        turned = 0.0 - np.asarray(sample.values)
        yield f"x-1 of {_percent(share)}", -1.0, swapped(sample, rows, turned, sample.codes[rows]), 1
    if magnitudes.sign:
        yield "below zero", -1.0, below_zero(sample), 1
    for factor in magnitudes.unit_of_half:
        rows = some_of(filled(sample), 0.5, rng)
        with np.errstate(over="ignore", invalid="ignore"):
            scaled = np.asarray(sample.values) * factor
        yield f"x{factor:g} of 50%", factor, swapped(sample, rows, scaled, sample.codes[rows]), 1
    for share in magnitudes.tenth:
        rows = some_of(filled(sample), share, rng)
        yield f"a tenth of {_percent(share)}", 0.1, swapped(sample, rows, np.asarray(sample.values) / 10, sample.codes[rows]), 1


def _casing(sample: Sample, _: Sample | None, magnitudes: Magnitudes, rng: np.random.Generator) -> Made:
    if sample.is_number:
        return
    for direction, change in (("upper", pc.utf8_upper), ("lower", pc.utf8_lower)):
        changed = change(sample.values)
        for share in magnitudes.casing:
            rows = some_of(filled(sample), share, rng)
            yield f"{_percent(share)} to {direction} case", share, swapped(sample, rows, changed, sample.codes[rows]), 1


def _nulls(sample: Sample, _: Sample | None, magnitudes: Magnitudes, rng: np.random.Generator) -> Made:
    blank = np.zeros(1) if sample.is_number else pa.array([""], pa.large_string())
    word = "zero" if sample.is_number else "empty"
    for share in magnitudes.nulls:
        rows = some_of(filled(sample), share, rng)
        yield f"{_percent(share)} {word}", share, swapped(sample, rows, blank, np.zeros(len(rows), dtype=np.int64)), 1
    for share in magnitudes.true_nulls:
        rows = some_of(filled(sample), share, rng)
        yield f"{_percent(share)} null", share, swapped(sample, rows, blank, np.full(len(rows), NULL)), 1


def _volume(sample: Sample, _: Sample | None, magnitudes: Magnitudes, rng: np.random.Generator) -> Made:
    for factor in magnitudes.volume:
        if factor > 1:
            yield f"x{factor:g}", factor, sample, round(factor)
        else:
            rows = np.sort(some_of(np.arange(sample.rows), factor, rng))
            changed = Sample(sample.kind, sample.values, sample.codes[rows]).compact()
            yield _percent(factor), factor, changed if changed.rows < sample.rows else None, 1


def _distribution(sample: Sample, _: Sample | None, magnitudes: Magnitudes, __: np.random.Generator) -> Made:
    rows = filled(sample)
    order = np.argsort(sample.values, kind="stable") if sample.is_number else pc.sort_indices(sample.values).to_numpy()
    counts = np.bincount(sample.codes[rows], minlength=len(sample.values))
    ranked = np.repeat(order.astype(np.int64), counts[order])
    for share in magnitudes.distribution:
        size = max(1, round(share * len(ranked)))
        for end, picked in (("first", ranked[:size]), ("last", ranked[-size:])):
            refilled = np.resize(picked, len(ranked))
            same = not len(ranked) or not differ(sample.values, ranked, np.sort(refilled) if sample.is_number else refilled)
            same = same or np.array_equal(np.bincount(refilled, minlength=len(counts)), counts)
            new = sample.codes.copy()
            new[rows] = refilled
            yield f"{end} {_percent(share)}", share, None if same else Sample(sample.kind, sample.values, new).compact(), 1


def _perturbation(sample: Sample, _: Sample | None, magnitudes: Magnitudes, rng: np.random.Generator) -> Made:
    for share in magnitudes.perturbation:

        def edit(texts: TextBytes, rng: np.random.Generator, eligible: text_edits.Mask | None, share: float = share) -> TextBytes:
            return text_edits.perturb(texts, share, rng, eligible)

        yield f"{_percent(share)} of characters", share, misspelt(sample, 1.0, edit, rng), 1


def _insertion(sample: Sample, _: Sample | None, magnitudes: Magnitudes, rng: np.random.Generator) -> Made:
    for share in magnitudes.insertion:
        yield _percent(share), share, misspelt(sample, share, text_edits.insert, rng), 1


def _deletion(sample: Sample, _: Sample | None, magnitudes: Magnitudes, rng: np.random.Generator) -> Made:
    for share in magnitudes.deletion:
        yield _percent(share), share, misspelt(sample, share, text_edits.delete, rng), 1


def _padding(sample: Sample, _: Sample | None, magnitudes: Magnitudes, rng: np.random.Generator) -> Made:
    if sample.is_number:
        return
    blank, none = pa.scalar(" ", pa.large_string()), pa.scalar("", pa.large_string())
    for side, parts in (("leading", (blank, sample.values)), ("trailing", (sample.values, blank))):
        padded = pc.binary_join_element_wise(*parts, none)
        for share in magnitudes.padding:
            rows = some_of(filled(sample), share, rng)
            yield f"{_percent(share)} {side}", share, swapped(sample, rows, padded, sample.codes[rows]), 1


def _renamed(sample: Sample, _: Sample | None, magnitudes: Magnitudes, rng: np.random.Generator) -> Made:
    if not repeats(sample):
        return
    for share in magnitudes.renamed:
        yield _percent(share), share, renamed(sample, values_of_share(sample, share, rng)[0]), 1


def _mixed(sample: Sample, _: Sample | None, magnitudes: Magnitudes, rng: np.random.Generator) -> Made:
    for share in magnitudes.mixed:
        yield _percent(share), share, mixed(sample, share, rng), 1


def _one_value(sample: Sample, _: Sample | None, magnitudes: Magnitudes, rng: np.random.Generator) -> Made:
    for share in magnitudes.one_value if sample.kind == "numeric" else ():
        yield _percent(share), share, of_one_value(sample, some_of(filled(sample), share, rng)), 1


def _default(sample: Sample, _: Sample | None, magnitudes: Magnitudes, rng: np.random.Generator) -> Made:
    for share in magnitudes.default:
        yield _percent(share), share, with_default(sample, share, rng), 1


RENAMED, MIXED = "value_renamed", "mix_change"
_TYPES = (
    ("schema_change", _schema),
    ("unit_change", _unit),
    ("casing_change", _casing),
    ("increased_nulls", _nulls),
    ("volume_change", _volume),
    ("distribution_change", _distribution),
    ("character_perturbation", _perturbation),
    ("character_insertion", _insertion),
    ("character_deletion", _deletion),
    ("padding", _padding),
    (RENAMED, _renamed),
    (MIXED, _mixed),
    ("one_value", _one_value),
    ("default_value", _default),
)
