"""Deequ's suggestions (JSON): the code of each, with the values that it lists as literals, however they were written."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from avh_ui.constraints.check import Check
from avh_ui.constraints.importing.deequ_source import MethodCall, calls
from avh_ui.constraints.importing.imported import FoundRules
from avh_ui.errors import ConstraintError

# The values of a suggestion, in Scala or Python, and what Deequ puts between them.
_VALUES = re.compile(r"(Array\(|\[)(\".*?\")(\)|\])(?=(?:\s*,\s*(?:_|lambda)\b.*)?\)$)", re.DOTALL)
_JOIN = '", "'
# Escaped, a backspace or a form feed; no value of a table has one, but names of folders have a backslash before these letters.
_NO_ESCAPES = re.compile("[\b\f]")

_Reader = Callable[[MethodCall], list[Check]]


def add(data: Any, found: FoundRules, checks: _Reader) -> None:
    """Adds the rules of a document: suggestions, as `checks` reads their calls, and results, which hold no bound."""
    suggestions = data.get("constraint_suggestions") if isinstance(data, Mapping) else data
    if not isinstance(suggestions, list) or not all(isinstance(entry, Mapping) for entry in suggestions):
        raise ConstraintError("The document holds no list of suggestions.", hint="Give Deequ's `constraint_suggestions`.")
    for entry in suggestions:
        if code := entry.get("code_for_constraint"):
            rule = str(entry.get("suggesting_rule", "()"))
            # The rules of the engine of PyDeequ 2 have names without brackets.
            found.add(str(code), partial(_checks, str(code), checks, escaped="(" in rule))
            if rule.startswith("HasMean("):
                found.note("HasMean of Deequ suggests the largest value as the mean: see whether its rule holds.")
        elif "constraint" in entry:
            found.leave(str(entry["constraint"]), "a result does not hold its bound, which is code in Deequ: give the suite's source")
        else:
            found.leave(str(dict(entry)), "it has neither `code_for_constraint` nor `constraint`")


def _checks(code: str, checks: _Reader, *, escaped: bool) -> list[Check]:
    return [check for call in calls(source_of(code, escaped=escaped)) for check in checks(call)]


def source_of(code: str, *, escaped: bool = True) -> str:
    """`.isContainedIn("x", Array("a, b", ...))` with its values as literals. Deequ escapes them as Java does, and the engine of PyDeequ 2
    (`escaped=False`) does not: then one that holds `", "` itself comes as two.
    """
    return _VALUES.sub(lambda found: _listed(*found.groups(), escaped=escaped), code)


def _listed(begin: str, body: str, end: str, *, escaped: bool) -> str:
    if (begin, end) == ("[", ")"):  # PyDeequ makes the first bracket that closes behind `Array(` a square one, in a value too
        body, end = body.replace("]", ")", 1), "]"
    return f"{begin}{', '.join(map(json.dumps, _values(body, escaped=escaped)))}{end}"


def _values(body: str, *, escaped: bool) -> list[str]:
    if escaped:
        try:
            values = list(map(str, json.loads(f"[{body}]", strict=False)))  # what Java escapes, JSON reads
        except ValueError:
            values = []
        if values and not any(map(_NO_ESCAPES.search, values)):
            return values
    return body[1:-1].split(_JOIN)
