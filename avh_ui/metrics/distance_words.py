"""How a distance between a batch and the one before is said in plain words."""

from __future__ import annotations

import math

from avh_ui.metrics.wording import Wording

# Relative entropy has no upper end. Where half of the rows before have values that came no more it is that of one bit.
_HALF_GONE = math.log(2)


def changes_by(what: str, how: str, highest: float, slight: float) -> Wording:
    """Of a distance between a batch and the one before: what of the column changes how far, and of which distance at most (`highest`); of a
    relative entropy, which has no upper end, how large it is where half of the values are gone. Up to one that is `slight` it barely
    changes.
    """
    means = f"How far {what.format(column='the values')} is from the batch before: {how}. It is 0 where nothing has changed."
    of = f"a wholly other one: {highest:.2g}" if math.isfinite(highest) else f"half of its values gone: {_HALF_GONE:.2g}"
    return Wording(
        means, f"the change of {what}", f"{what} changes by {{low}} to {{high}}",
        f"{what} changes by {{low}} or more", f"{what} changes by at most {{high}} ({of})", f"{what} changes by {{low}}",
        {0.0: f"{what} is that of the batch before"}, little=f"{what} barely changes (at most {{high}})", slight=slight,
    )  # fmt: skip


def moves_in_spreads(how: str, slight: float) -> Wording:
    """Of the difference of two averages in standard deviations."""
    moves, spread = "the average {column} moves by", "of the spread of its values"
    return Wording(
        f"By how much the average moves against the batch before, in spreads of the values: {how}. It is 0 where it is the same.",
        "the move of the average of {column} in spreads of its values", f"{moves} {{low}} to {{high}} {spread}",
        f"{moves} {{low}} or more {spread}",
        f"{moves} at most {{high}} {spread}", f"{moves} {{low}} {spread}", {0.0: "the average {column} is that of the batch before"},
        little=f"the average {{column}} barely moves (at most {{high}} {spread})", slight=slight,
    )  # fmt: skip


def moves_by(how: str) -> Wording:
    """Of the area between two distributions: it is by how much the values move on average, in the column's unit."""
    moves, each = "the values of {column} move by", "on average from batch to batch"
    return Wording(
        f"By how much the values move on average against the batch before: {how}. It is 0 where nothing has changed.",
        "the average move of the values of {column}", f"{moves} {{low}} to {{high}} {each}", f"{moves} {{low}} or more {each}",
        f"{moves} at most {{high}} {each}", f"{moves} {{low}} {each}",
        {0.0: "the values of {column} are those of the batch before"},
    )  # fmt: skip
