"""Names with a dot in conditions: `net.amount` is the field of a struct, as in Spark, or else the table's column of that whole name.

Files have such columns, and who writes a condition of them seldom writes backticks. Spark refuses them without, and is told them with.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from avh_ui.metrics.sql.lexing import tokens_of

_NAMES = ("word", "backtick")


def own_parts(parts: Sequence[str], names: Sequence[str], *, exact: bool) -> tuple[str, ...]:
    """The parts of a name, those together that are the name of a column with dots where no column is called as the first is. Names in
    another case are the same unless they are `exact`.
    """
    known = {name if exact else name.lower() for name in names}
    plain = [part if exact else part.lower() for part in parts]
    if plain[0] not in known:
        for end in range(len(parts), 1, -1):
            if ".".join(plain[:end]) in known:
                return (".".join(parts[:end]), *parts[end:])
    return tuple(parts)


def as_own(text: str, names: Sequence[str], *, exact: bool = False) -> str:
    """A condition, or another piece of SQL, with backticks around what is the name of a column with dots in a table of these columns."""
    if "." not in text or not any("." in name for name in names):
        return text
    return "".join(_named(chain, names, exact=exact) for chain in _chains(text))


def _chains(text: str) -> Iterator[list[str]]:
    """The text in pieces: names with the dots between them, and each other token alone."""
    chain: list[str] = []
    before = ""
    for kind, token in tokens_of(text):
        goes_on = chain[-1] == "." if kind in _NAMES and chain else token == "." and bool(chain)
        if not goes_on:
            yield chain
            chain = []
        if goes_on or (kind in _NAMES and before != "."):
            chain.append(token)
        else:
            yield [token]
        before = token
    yield chain


def _named(chain: Sequence[str], names: Sequence[str], *, exact: bool) -> str:
    if len(chain) < 3 or chain[-1] == ".":
        return "".join(chain)
    parts = [part[1:-1].replace("``", "`") if part.startswith("`") else part for part in chain[::2]]
    first, *rest = own_parts(parts, names, exact=exact)
    if len(rest) + 1 == len(parts):
        return "".join(chain)
    whole = first.replace("`", "``")
    return ".".join([f"`{whole}`", *chain[::2][len(parts) - len(rest) :]])
