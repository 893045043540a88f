"""How a distance between a batch and the one before is said in plain words."""

from __future__ import annotations

import math
from collections.abc import Callable

from avh_ui.metrics.wording import Wording

# Relative entropy has no upper end. Where half of the rows before have values that came no more it is that of one bit.
_HALF_GONE = math.log(2)
# What barely changes: a tenth of what two batches can be apart, and of nats, which have no end, as many (by Pinsker's inequality less than
# 23 % of the rows have other values then).
SLIGHT = 0.1
# The distances that are told in rows: how many have another value, how much one value's share moves, and how many more are below a number.
# Nobody knows what 0.0006 of a divergence is; that hardly a value is another one says it. Of "written as in the batch before in nearly all
# rows" readers of four tables asked written how, and in how many. Of numbers "the distribution changes by at most 12% of its rows" was kept
# 5 of 7 times, "at most 17% lie in another range" or "move to another tenth" none of 3. Of "the mix of wl is that of the batch before" a
# reader missed the bound.
_LITTLE = {"the mix of {column}": "{column} has the values of the batch before, about as often each"}
_WRITTEN, _FORM = "the mix of ways of writing {column}", "(letters, digits and marks in {order})"
_IN_ROWS = {
    "the distribution of {column}": "the distribution of {column} differs from that of the batch before by at most {moved} of its rows",
    _WRITTEN: "at most {moved} of the values of {column} have another form than in the batch before " + _FORM.format(order="another order"),
}
_SAME = {
    _WRITTEN: "the values of {column} have the forms of the batch before, as many of each " + _FORM.format(order="their order"),
    "the mix of {column}": "each value of {column} has the same share of the rows as in the batch before",
}
TOLD_IN_ROWS = frozenset({"l1", "linf", "pat_l1", "pat_linf", "ks_dist"})


def rows_moved(name: str) -> Callable[[float], float] | None:
    """By the name of a distance the share of the rows that have another value at most where it is so large: half of L1 (total variation),
    and by Pinsker's inequality less than a root of the divergences; None of those that do not tell it.
    """
    of: dict[str, Callable[[float], float]] = {
        "l1": lambda far: far / 2, "js_div": lambda far: math.sqrt(2 * far), "kl_div": lambda far: math.sqrt(far / 2),
    }  # fmt: skip
    return of.get(name.removeprefix("pat_"))


def changes_by(
    what: str, how: str, highest: float, slight: float, moved: Callable[[float], float] | None = None, *, in_rows: bool = False
) -> Wording:
    """Of a distance between a batch and the one before: what of the column changes how far, and which share of its rows is `moved` at most;
    where that is not known, of which distance at most (`highest`), of one without an end how large it is where half of the values are gone.
    Up to one that is `slight` it barely changes. What is told `in_rows` is these alone.
    """
    means = f"How far {what.format(column='the values')} is from the batch before: {how}. It is 0 where nothing has changed."
    of = f" (a wholly other one: {highest:.2g})" if math.isfinite(highest) else f" (half of its values gone: {_HALF_GONE:.2g})"
    of = of if moved is None else ", which is at most {moved} of its rows"
    most = _IN_ROWS.get(what, f"{what} changes by at most {{moved}} of its rows") if in_rows else f"{what} changes by at most {{high}}{of}"
    little = most if in_rows else _LITTLE.get(what, f"{what} barely changes (at most {{high}})")
    return Wording(
        means, f"the change of {what}", f"{what} changes by {{low}} to {{high}}",
        f"{what} changes by {{low}} or more", most, f"{what} changes by {{low}}",
        {0.0: _SAME.get(what, f"{what} is that of the batch before")}, little=little, slight=slight, moved=moved,
    )  # fmt: skip


def share_moves(share: str, means: str) -> Wording:
    """Of a distance that is how far a `share` of the rows moves against the batch before, with what it `means`."""
    most, never = f"{share} changes by at most {{points}} against the batch before", f"{share} is that of the batch before"
    return Wording(f"{means} It is 0 where nothing has changed.", f"the change of {share}", most=most, at={0.0: never})


BELOW_ANY_VALUE = share_moves(
    "the share of rows below any value of {column}",
    "How far the values are from the batch before: the largest gap between their shares of rows below one value (Kolmogorov-Smirnov).",
)


SHARES_MOVE = changes_by(
    "the distribution of {column}", "L1 distance over the baseline's deciles", 2, SLIGHT * 2, rows_moved("l1"), in_rows=True
)


def mix_moves(name: str, mix: str, how: str, highest: float) -> Wording:
    """Of a distance of shares of texts, by its `name`: of which mix, how it is measured, and the highest that it can be."""
    if not name.endswith("linf"):
        return changes_by(
            mix, how, highest, SLIGHT * highest if math.isfinite(highest) else SLIGHT, rows_moved(name), in_rows=name.endswith("l1")
        )
    one = mix.replace("mix of ways", "share of any way").replace("mix of", "share of any value of")
    return share_moves(one, f"How far {mix.format(column='the values')} is from the batch before: {how}.")


def moves_in_spreads(how: str, slight: float) -> Wording:
    """Of the difference of two averages in standard deviations."""
    moves, spread = "the average {column} moves by", "of the spread of its values"
    return Wording(
        f"By how much the average moves against the batch before, in spreads of the values: {how}. It is 0 where it is the same.",
        "the move of the average of {column} in spreads of its values", f"{moves} {{low}} to {{high}} {spread}",
        f"{moves} {{low}} or more {spread}",
        f"{moves} at most {{high}} {spread}", f"{moves} {{low}} {spread}", {0.0: "the average {column} is that of the batch before"},
        little=f"the average {{column}} barely moves (at most {{high}} {spread})", slight=slight,
        sized=f"{moves} at most about {{far}} against the batch before ({{high}} {spread})",
        lately=f"{moves} at most {{high}} {spread} against the batch before (lately {{large}}, so by about {{far}})",
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
