"""Where a slip in a YAML text is, and what to write: its reader points at what it met first after it, often the next line."""

from __future__ import annotations

import contextlib

import yaml

_UNCLOSED = "expected ',' or "
# What a log must not show of a line, although avh.yml is no place for it.
_SECRET = ("password", "secret", "token")
_TAB = r"'\t'"


def said(error: yaml.YAMLError, text: str) -> str:
    """What is wrong, at the line of the slip, and what to write; else PyYAML's words on one line."""
    if isinstance(error, yaml.reader.ReaderError):
        before = text[: error.position]
        return f"{error.reason}: #x{error.character:04x} (line {before.count(chr(10)) + 1}, column {len(before) - before.rfind(chr(10))})"
    if not isinstance(error, yaml.MarkedYAMLError):
        return str(error)
    if (mark := error.problem_mark or error.context_mark) is None:
        return ", ".join(part for part in (error.context, error.problem) if part)
    slip = _Slip(error, mark, text)
    looks = (slip.open_quote, slip.without_colon, slip.bracket, slip.indented, slip.unquoted, slip.within)
    return next(filter(None, (look() for look in looks)), "") or slip.plain()


class _Slip:
    """A syntax error with the tokens before it; each method knows some slips, and gives '' for the others."""

    def __init__(self, error: yaml.MarkedYAMLError, mark: yaml.Mark, text: str) -> None:
        self._context, self._problem, self._begun, self._mark = error.context or "", error.problem or "", error.context_mark, mark
        self._lines = text.splitlines()
        self._before: list[yaml.Token] = []
        with contextlib.suppress(yaml.YAMLError):
            # Where the tokens are fine and their order is not, those after the error are left out.
            self._before += (token for token in yaml.scan(text, yaml.SafeLoader) if token.end_mark.index <= mark.index)

    def open_quote(self) -> str:
        """A quote that is not closed: the next one, lines below, closes it, and what follows there is the text of that line."""
        for token in self._before:
            if isinstance(token, yaml.ScalarToken) and token.style in ("'", '"') and token.start_mark.line < token.end_mark.line:
                after = self._line(token.end_mark.line)[token.end_mark.column :].strip()
                if after and after[0] not in ",]}:#":
                    return self._not_closed(token.start_mark)
        if self._context == "while scanning a quoted scalar" and self._begun:
            return self._not_closed(self._begun)
        if "escape" in self._problem:
            line = self._mark.line
            return f"line {line + 1} has a backslash in double quotes, where it begins a code: take single ones: {self._shown(line)}"
        return ""

    def _not_closed(self, mark: yaml.Mark) -> str:
        return f"line {mark.line + 1} opens a quote that it does not close: {self._shown(mark.line)}"

    def without_colon(self) -> str:
        """A name and its value without a colon, or without a space after it; or a colon more."""
        if "expected ':'" in self._problem and self._begun:
            line = self._begun.line
        elif "mapping values" in self._problem:
            line = self._scalar_from(self._mark.line)
            if line == self._mark.line:
                return f"line {line + 1} has a second colon: write a value that has one in quotes: {self._shown(line)}"
            if self._named(line):
                return self._other_indent(self._mark.line)
        else:
            return ""
        held = self._line(line).split("#")[0].strip()
        lacks = "a space after its colon" if ":" in held.rstrip(":") else "a colon after its name"
        return f"line {line + 1} lacks {lacks} (`name: value`): {self._shown(line)}"

    def _scalar_from(self, line: int) -> int:
        """The line in which the last text before the error begins."""
        scalars = [token for token in self._before if isinstance(token, yaml.ScalarToken)]
        return int(scalars[-1].start_mark.line) if scalars else line

    def _named(self, line: int) -> bool:
        """Whether a line has a value after a colon, which a deeper line goes on with."""
        return any(isinstance(token, yaml.ValueToken) and token.start_mark.line == line for token in self._before)

    def bracket(self) -> str:
        """A bracket that is not closed, or not open."""
        if self._problem.startswith("expected <block end>") and self._problem[-2:] in ("}'", "]'"):
            return f"line {self._mark.line + 1} closes a bracket that is not open ({self._problem[-2]}): {self._shown(self._mark.line)}"
        if not (self._problem.startswith(_UNCLOSED) and self._begun):
            return ""
        opened, met = self._begun.line, self._mark.line
        if "stream end" in self._problem or (met > opened and self._indent(met) <= self._indent(opened)):
            return f"line {opened + 1} opens a bracket that is not closed: {self._shown(opened)}"
        return ""

    def within(self) -> str:
        """What does not fit in brackets."""
        if not self._problem.startswith(_UNCLOSED):
            return ""
        met = self._mark.line
        what = "values with { } or [ ] in them stand in quotes" if self._problem[-2:] in ("{'", "['", "}'", "]'") else "a comma is missing"
        return f"line {met + 1}, column {self._mark.column + 1}: {what}: {self._shown(met)}"

    def indented(self) -> str:
        """A tab, or a line that begins where no line above it does."""
        line = self._mark.line
        if _TAB in self._problem:
            begins = not self._line(line)[: self._mark.column].strip()
            return f"line {line + 1} {'is indented by a tab: indent by spaces' if begins else 'has a tab: write a space there'}"
        if not self._problem.startswith("expected <block end>"):
            return ""
        if "start>" in self._problem or self._problem.endswith("'-'") or "'?'" in self._problem:
            return self._other_indent(line)
        return ""

    def _other_indent(self, line: int) -> str:
        above = next((n for n in reversed(range(line)) if self._line(n).strip() and not self._line(n).lstrip().startswith("#")), 0)
        spaces = f"line {line + 1} is indented by {self._indent(line)} and line {above + 1} above it by {self._indent(above)}"
        return f"{spaces}, which does not fit: {self._shown(line)}"

    def unquoted(self) -> str:
        """What YAML reads as a sign of its own."""
        line = self._mark.line
        if "another document" in self._problem:
            return f"line {line + 1} begins a second document (---): keep one of them"
        if any(sign in self._line(line) for sign in "“”„"):
            return f"line {line + 1} has quotes of a text processor (“ ”), which YAML takes for letters: write ' or \": {self._shown(line)}"
        if self._problem.startswith("expected <block end>") or any(
            word in self._problem + self._context for word in ("cannot start any token", "alias", "anchor", "tag")
        ):
            hint = "a value with signs of YAML's stands in quotes, in double ones where it has an apostrophe"
            return f"line {line + 1}, column {self._mark.column + 1}: {hint}: {self._shown(line)}"
        return ""

    def plain(self) -> str:
        """PyYAML's own words, which stand on several lines, with a piece of the text."""
        words = ", ".join(part for part in (self._context, self._problem) if part)
        return f"{words} (line {self._mark.line + 1}, column {self._mark.column + 1})"

    def _line(self, line: int) -> str:
        return self._lines[line] if line < len(self._lines) else ""

    def _indent(self, line: int) -> int:
        return len(self._line(line)) - len(self._line(line).lstrip(" "))

    def _shown(self, line: int) -> str:
        held = self._line(line).strip()
        if any(word in held.lower() for word in _SECRET):
            return "it is not shown here, since it may hold a secret"
        return f"`{held if len(held) <= 80 else held[:80] + '…'}`"
