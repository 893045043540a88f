"""HTML that cannot be injected: every text and attribute is escaped unless it was built here."""

from __future__ import annotations

from html import escape


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
