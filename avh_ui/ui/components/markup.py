"""HTML that cannot be injected: every text and attribute is escaped unless it was built here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

from avh_ui.commands_named import pasteable
from avh_ui.ui.theme import GLYPHS, OUTCOMES

_BETWEEN = re.compile(r"(?<=_)(?=[^_])|(?<=[^\W\d_][./])(?=[^\W\d_])")


class Markup(str):
    """HTML that is safe as it is; only `tag` and `join` make it."""

    __slots__ = ()


Content = str | int | float | None


def tag(name: str, *children: Content, **attributes: Content) -> Markup:
    """`tag("b", "a < b", cls="num")` is `<b class="num">a &lt; b</b>`. None as a child or attribute is left out.

    `cls` is the class; an underscore within a name is a hyphen (`aria_label`).
    """
    named = {("class" if key == "cls" else key.replace("_", "-")): value for key, value in attributes.items() if value is not None}
    written = "".join(f' {key}="{escape(_text(value), quote=True)}"' for key, value in named.items())
    return Markup(f"<{name}{written}>{join(*children)}</{name}>")


def join(*children: Content) -> Markup:
    """Several pieces one behind the other, each escaped unless it is `Markup`."""
    return Markup("".join(child if isinstance(child, Markup) else escape(_text(child)) for child in children if child is not None))


def _text(value: Content) -> str:
    # A lone surrogate cannot be sent to a browser, and a NUL is no character of HTML.
    return str(value).encode("utf-8", "replace").decode("utf-8").replace("\0", "\N{REPLACEMENT CHARACTER}")


def coded(said: str) -> Markup:
    """A sentence whose parts in backticks are what is typed."""
    return join(*(tag("code", part, cls="typed") if at % 2 else part for at, part in enumerate(said.split("`"))))


def status_mark(status: str) -> Markup:
    """A status with its glyph."""
    return tag("span", tag("span", GLYPHS[status], aria_hidden="true"), f" {status}", cls=f"status status-{status}")


def outcome_mark(status: str, word: str) -> Markup:
    """What became of a run or a result, with its glyph."""
    return tag("span", tag("span", OUTCOMES[status], aria_hidden="true"), f" {word}", cls=f"outcome outcome-{status}")


def fact(label: str, value: Content, note: Content = None, title: str | None = None) -> Markup:
    """A number with its name above it."""
    small = None if note is None else tag("small", " ", note)
    return tag("div", tag("dt", label), tag("dd", value, small), cls="fact", title=title)


def sign(shown: str, words: str) -> Markup:
    """A sign for the eyes, and in its place words for a screen reader."""
    return join(tag("span", shown, aria_hidden="true"), tag("span", words, cls="heard"))


def parted(name: str) -> Markup:
    """A name that may be broken where its words part (`sched_` `arr_` `time`); as in `dom.js`."""
    return Markup("<wbr>".join(escape(part) for part in _BETWEEN.split(name)))


def section(heading: str, *children: Content) -> Markup:
    """A part of the evidence under its own heading."""
    return tag("section", tag("h3", heading), *children, cls="section")


def empty(heading: str, *lines: Content, glyph: str = "◌", role: str | None = None) -> Markup:
    """Why there is nothing to see, and what to do about it."""
    return tag("div", tag("div", glyph, cls="glyph", aria_hidden="true"), tag("h2", heading), *lines, cls="empty", role=role)


def failure(heading: str, problem: object, place: str = "") -> Markup:
    """What cannot be shown since something cannot be read, and what to do about it where the error tells: its commands in backticks have
    `place`, the option that names the workspace.
    """
    said = getattr(problem, "message", str(problem)), getattr(problem, "hint", "")
    message, hint = (pasteable(text, place) for text in said)
    return empty(heading, tag("p", message), tag("p", hint) if hint else None, glyph="⚠", role="alert")


def table(
    heads: Sequence[str], rows: Iterable[Markup], cls: str = "plain", style: str | None = None, *, label: str | None = None
) -> Markup:
    """Rows below the names of their columns; `label` is what a screen reader calls them."""
    # Above bars stands no name: a header without one is announced as a header that is missing.
    names = tag("tr", *(tag("th", name, scope="col") if name else tag("td") for name in heads))
    return tag("table", tag("thead", names), tag("tbody", *rows), cls=cls, style=style, aria_label=label)


def loading(text: str) -> Markup:
    """Something is being read."""
    return tag("div", tag("div", "", cls="spinner", aria_hidden="true"), tag("p", text), cls="empty", role="status")
