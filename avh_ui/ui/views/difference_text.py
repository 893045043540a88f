"""Two programs' difference as lists: what is added, changed and removed, with the bounds before and after."""

from __future__ import annotations

from avh_ui.review.difference import ConstraintChange, Difference
from avh_ui.review.metric_words import metric_words
from avh_ui.review.plain import plain
from avh_ui.ui.components.markup import Markup, tag

SIGNS = {"added": "+", "changed": "~", "removed": "\N{MINUS SIGN}"}


# Of each kind so many are listed: nobody reads further, and drawing all that another target changes on 200 columns took the browser
# 0.6 s, in which the slider that is being moved stands still.
_MOST = 50


def groups(found: Difference, titles: dict[str, str] | None = None) -> list[Markup]:
    """A list per kind of change that there is, in the order added, changed, removed; `titles` by kind, its own name else."""
    words = titles or {}
    return [
        _group(name, sign, words.get(name, name.capitalize()), getattr(found, name)) for name, sign in SIGNS.items() if getattr(found, name)
    ]


def _group(name: str, sign: str, title: str, found: tuple[ConstraintChange, ...]) -> Markup:
    rows = [_change(change, name, sign) for change in found[:_MOST]]
    more = tag("p", f"and {len(found) - _MOST:,} more", cls="quiet") if len(found) > _MOST else None
    return tag("section", tag("h3", f"{title} ({len(found):,})"), tag("ul", *rows, cls="changes"), more, cls="group")


def _change(change: ConstraintChange, name: str, sign: str) -> Markup:
    before, after = change.words
    words = metric_words(change.either.metric, change.either.kind)
    if before and after and before != after:
        bounds = tag("span", tag("span", before, cls="quiet"), " → ", tag("b", after), cls="num")
    else:
        bounds = tag("span", after or before, cls="num")
    return tag(
        "li",
        tag("span", sign, cls=f"sign sign-{name}", title=name),
        tag("span", plain(change.either), cls="wrap", style="font-weight: 550"),
        tag("span", words, cls="quiet wrap", title=f"{words}, {change.either.metric}"),
        bounds,
    )
