"""The grammar of AWS Glue's Data Quality Definition Language: a document as rules, nothing of their meaning.

`Rules = [ ... ]` of rules `Type "parameter" ... condition [where "sql"] [with threshold condition]`, alone or joined by `and` or `or` in
brackets. Texts stand in double quotes, comments begin with #. Beside `Rules` there may be `Metadata`, `DataSources`, `Analyzers` and
constants (`name = ...`, used as `$name`). The source of the facts: docs.aws.amazon.com/glue/latest/dg/dqdl.html.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from avh_ui.constraints.importing import dqdl_dynamic
from avh_ui.constraints.importing.dqdl_tokens import Reading, Token, end_of, split, tokens_of, unquoted, wrong
from avh_ui.constraints.importing.imported import UnreadError
from avh_ui.errors import ConstraintError

_SIGNS = ("=", "!=", ">", ">=", "<", "<=")
_UNITS = {"minutes": 60, "minute": 60, "hours": 3_600, "hour": 3_600, "days": 86_400, "day": 86_400}
KEYWORDS = ("NULL", "EMPTY", "WHITESPACES_ONLY")
# The words behind a rule's parameters, which may stand without quotes.
_BEHIND = ("between", "in", "matches", "not", "where", "with", "labels", "tags")
_NO_VALUE = "it compares with an expression that is no value"


@dataclass(frozen=True)
class Keyword:
    """NULL, EMPTY or WHITESPACES_ONLY."""

    name: str


@dataclass(frozen=True)
class Moment:
    """Now, so many seconds later (or earlier)."""

    seconds: int


@dataclass(frozen=True)
class Duration:
    """A length of time in seconds."""

    seconds: int


Operand = int | float | str | Keyword | Moment | Duration | dqdl_dynamic.Dynamic


@dataclass(frozen=True)
class Condition:
    """An operator (`=`, `!=`, `>`, `>=`, `<`, `<=`, between, in, matches; these `not` too) and what it compares with."""

    operator: str
    operands: tuple[Operand, ...]


@dataclass(frozen=True)
class DqdlRule:
    """One rule, as it is written in `text`."""

    type: str
    parameters: tuple[str, ...]
    condition: Condition | None
    where: str | None
    threshold: Condition | None
    text: str


@dataclass(frozen=True)
class Document:
    """Each entry of `Rules`: its text and line with its tokens, and how many analyzers there are beside."""

    entries: tuple[tuple[str, int, tuple[Token, ...]], ...]
    analyzers: int
    text: str


def document(text: str) -> Document:
    """The entries of a document; `ConstraintError` where it is none."""
    tokens = list(tokens_of(text))
    constants: dict[str, tuple[Token, ...]] = {}
    entries: tuple[tuple[str, int, tuple[Token, ...]], ...] | None = None
    analyzers = at = 0
    while at < len(tokens):
        name = tokens[at]
        if name.kind != "word" or at + 2 >= len(tokens) or tokens[at + 1].value != "=":
            raise wrong(name, "a section, such as `Rules = [ ... ]`")
        end = end_of(tokens, at + 2)
        inner = tokens[at + 3 : end - 1]
        if name.value == "Rules":
            entries = tuple(_entry(text, part) for part in split(_filled(inner, constants)))
        elif name.value == "Analyzers":
            analyzers = len(list(split(inner)))
        elif name.value not in ("Metadata", "DataSources", "Sources", "DefaultLabels"):
            constants[f"${name.value}"] = tuple(tokens[at + 2 : end])
        at = end
    if entries is None:
        hint = "Its `Analyzers` measure and state nothing." if analyzers else "Is it of another tool?"
        raise ConstraintError("The document has no `Rules = [ ... ]`.", hint=hint)
    return Document(entries, analyzers, text)


def composite(tokens: Sequence[Token]) -> tuple[str, tuple[Sequence[Token], ...]]:
    """The operator and the parts of an entry in brackets, nested ones as one part; '' and the entry itself where it is a single rule."""
    if not tokens or tokens[0].value != "(":
        return "", (tokens,)
    parts, operators, at = [], set(), 0
    while True:
        if at >= len(tokens) or tokens[at].value != "(":
            raise UnreadError("a rule in brackets was expected after `and` or `or`")
        end = end_of(tokens, at)
        parts.append(tokens[at + 1 : end - 1])
        at = end
        if at == len(tokens) or _labels(tokens, at):
            break
        operators.add(tokens[at].value.lower())
        at += 1
    if len(operators) > 1 or not operators <= {"and", "or"}:
        raise UnreadError(f"rules are joined by `and` or by `or`, not by {' and '.join(sorted(operators))}")
    return (operators or {"and"}).pop(), tuple(parts)


def _labels(tokens: Sequence[Token], at: int) -> bool:
    """Whether `labels=[...]` stands there: of who looks at the results, and nothing of what must hold."""
    return at + 1 < len(tokens) and tokens[at].value.lower() in ("labels", "tags") and tokens[at + 1].value == "="


def rule(tokens: Sequence[Token], text: str) -> DqdlRule:
    """A single rule; `UnreadError` where it is none."""
    return _Parser(tokens, text).rule()


class _Parser(Reading):
    """Reads the tokens of one rule."""

    def __init__(self, tokens: Sequence[Token], text: str) -> None:
        super().__init__(tokens)
        self.text = text

    def rule(self) -> DqdlRule:
        """All of it."""
        name = self.take()
        if name.kind != "word":
            raise UnreadError(f"a rule begins with its type, not with {name.value}")
        found = DqdlRule(name.value, self._parameters(), None, None, None, self.text[name.start : self.tokens[-1].end])
        while self.at < len(self.tokens):
            word = self.value.lower()
            if _labels(self.tokens, self.at):
                self.at = end_of(self.tokens, self.at + 2)
            elif word == "where" and found.where is None:
                self.take()
                found = replace(found, where=self._text())
            elif word == "with" and found.threshold is None:
                self.take()
                if (tag := self.take().value).lower() != "threshold":
                    raise UnreadError(f"`with {tag}` is not known, only `with threshold`")
                found = replace(found, threshold=self._condition())
            elif found.condition is None:
                found = replace(found, condition=self._condition())
            else:
                raise UnreadError(f"{self.value!r} is not understood there")
        return found

    def _parameters(self) -> tuple[str, ...]:
        """Columns and tables, in quotes or as single words: `of "a" and b`."""
        found: list[str] = []
        while self.kind in ("text", "word") and self.value.lower() not in _BEHIND:
            token = self.take()
            joins = token.value.lower() == ("and" if found else "of") and self.kind in ("text", "word")
            if token.kind == "text" or not joins:
                found.append(unquoted(token.value) if token.kind == "text" else token.value)
        return tuple(found)

    def _condition(self) -> Condition:
        negated = ""
        if self.value.lower() in ("not", "!"):
            self.take()
            negated = "not "
        operator = self.take().value
        if operator.lower() in ("between", "in", "matches"):
            operator = operator.lower()
        elif operator not in _SIGNS or negated:
            raise UnreadError(f"{operator!r} is no operator")
        if operator == "between":
            low = self._operand()
            if self.take().value.lower() != "and":
                raise UnreadError("`between` takes two bounds with `and`")
            return Condition(negated + operator, (low, self._operand()))
        if operator == "in":
            return Condition(negated + operator, self._list())
        if operator == "matches":
            return Condition(negated + operator, (self._text(),))
        return Condition(operator, (self._operand(),))

    def _list(self) -> tuple[Operand, ...]:
        if self.take().value != "[":
            raise UnreadError("`in` takes a list in square brackets")
        found = [self._operand()]
        while (sign := self.take().value) == ",":
            found.append(self._operand())
        if sign != "]":
            raise UnreadError(f"{sign!r} is not understood in a list")
        return tuple(found)

    def _operand(self) -> Operand:
        if dqdl_dynamic.begins(self.tokens, self.at):
            dynamic, self.at = dqdl_dynamic.read(self.tokens, self.at)
            return dynamic
        token = self.take()
        if token.kind == "text":
            return unquoted(token.value)
        if token.kind == "number":
            value = float(token.value) if "." in token.value else int(token.value)
            if self.value.lower() in _UNITS:
                return Duration(int(value * _UNITS[self.take().value.lower()]))
            if self.value in ("+", "-", "*", "/"):
                raise UnreadError(_NO_VALUE)
            return value
        if token.value.upper() in KEYWORDS:
            return Keyword(token.value.upper())
        if token.value == "(":
            found = self._operand()
            if self.take().value != ")":
                raise UnreadError(_NO_VALUE)
            return found
        if token.value == "now":
            return self._moment()
        if token.kind == "word":
            raise UnreadError(_NO_VALUE if self.value == "(" else f"{token.value!r} is no value")
        raise UnreadError(f"{token.value!r} is no value")

    def _moment(self) -> Moment:
        if (self.take().value, self.take().value) != ("(", ")"):
            raise UnreadError("`now()` was expected")
        value = self.value
        if value in ("+", "-"):
            self.take()
            length = self._operand()
        elif value.startswith("-") and self.kind == "number":  # now() -3 days
            length = self._operand()
            return Moment(length.seconds) if isinstance(length, Duration) else _no_span()
        else:
            return Moment(0)
        if not isinstance(length, Duration):
            return _no_span()
        return Moment(length.seconds if value == "+" else -length.seconds)

    def _text(self) -> str:
        token = self.take()
        if token.kind != "text":
            raise UnreadError(f"a text was expected, not {token.value}")
        return unquoted(token.value)


def _no_span() -> Moment:
    raise UnreadError("`now()` is moved by a number of days, hours or minutes")


def _entry(text: str, tokens: Sequence[Token]) -> tuple[str, int, tuple[Token, ...]]:
    if not tokens:
        return "", 0, ()
    return text[tokens[0].start : tokens[-1].end], tokens[0].line, tuple(tokens)


def _filled(tokens: Sequence[Token], constants: dict[str, tuple[Token, ...]]) -> list[Token]:
    return [part for token in tokens for part in (constants.get(token.value, (token,)) if token.kind == "word" else (token,))]
