"""The tokens of DQDL: texts in double quotes, numbers, words and signs; and where brackets end."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from avh_ui.constraints.importing.imported import UnreadError
from avh_ui.errors import ConstraintError

_TOKEN = re.compile(
    r"""(?P<skip>\s+|\#[^\n]*)|(?P<text>"(?:[^"\\]|\\.)*")|(?P<number>-?\d+(?:\.\d+)?(?![A-Za-z_]))|(?P<word>\$?[A-Za-z_][A-Za-z0-9_.]*)"""
    r"""|(?P<sign>>=|<=|!=|[][(){},:=<>!+*/-])""",
    re.DOTALL,
)
_OPEN, _CLOSE = {"[": "]", "(": ")", "{": "}"}, {"]", ")", "}"}


@dataclass(frozen=True)
class Token:
    """A part of the text; `kind` is text, number, word or sign."""

    kind: str
    value: str
    line: int
    start: int
    end: int


class Reading:
    """Tokens that are read one after the other; `at` is the place of the next one."""

    def __init__(self, tokens: Sequence[Token], at: int = 0) -> None:
        self.tokens, self.at = tokens, at

    @property
    def value(self) -> str:
        """Of the next token; '' behind the last one, as its `kind`."""
        return self.tokens[self.at].value if self.at < len(self.tokens) else ""

    @property
    def kind(self) -> str:
        """Of the next token."""
        return self.tokens[self.at].kind if self.at < len(self.tokens) else ""

    def take(self) -> Token:
        """The next token, which is read by that; `UnreadError` behind the last one."""
        if self.at >= len(self.tokens):
            raise UnreadError("it ends too early")
        self.at += 1
        return self.tokens[self.at - 1]


def tokens_of(text: str) -> Iterator[Token]:
    """The tokens of a text, without comments; `ConstraintError` for what is none."""
    at, line = 0, 1
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            what = "a text that does not end" if text[at] == '"' else repr(text[at])
            raise ConstraintError(f"Line {line} has {what}.", hint='DQDL is `Rules = [ IsComplete "id", ... ]`.')
        if found.lastgroup != "skip":
            yield Token(str(found.lastgroup), found.group(), line, at, found.end())
        line += found.group().count("\n")
        at = found.end()


def end_of(tokens: Sequence[Token], at: int) -> int:
    """The place behind the bracket that closes the one at `at`; behind the token itself where it is none."""
    open_: list[Token] = []
    for place in range(at, len(tokens)):
        token = tokens[place]
        if token.kind == "sign" and token.value in _OPEN:
            open_.append(token)
        elif token.kind == "sign" and token.value in _CLOSE:
            if not open_ or _OPEN[open_[-1].value] != token.value:
                raise wrong(token, "no such bracket")
            open_.pop()
        if not open_:
            return place + 1
    raise wrong(open_[0] if open_ else tokens[-1], "a bracket that is closed")


def split(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """The parts between commas that stand in no bracket."""
    begin = at = 0
    while at < len(tokens):
        if tokens[at].value == "," and tokens[at].kind == "sign":
            yield tokens[begin:at]
            begin = at = at + 1
        else:
            at = end_of(tokens, at)
    if begin < len(tokens):
        yield tokens[begin:]


def unquoted(text: str) -> str:
    """A text without its quotes."""
    return re.sub(r"\\(.)", r"\1", text[1:-1]) if re.search(r'\\["\\]', text) else text[1:-1]


def wrong(token: Token, expected: str) -> ConstraintError:
    """What is wrong there."""
    return ConstraintError(
        f"Line {token.line} has {token.value[:60]!r} where {expected} was expected.", hint="Is the document DQDL, and whole?"
    )
