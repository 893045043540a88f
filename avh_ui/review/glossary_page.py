"""The glossary as a page of Markdown, docs/glossary.md: every metric from its declaration."""

from __future__ import annotations

from avh_ui.review.batch_rules import BATCH_RULES
from avh_ui.review.glossary import Entry, glossary

_HEAD = """# Glossary of metrics

What each number means, with a rule on it as an example and its definition. Made of the metrics' declarations by `make glossary`;
`avh explain METRIC` says the same, and `G` opens it in the app.

"""
_RULES = """
## What is judged of the batch as a whole

By the names that a report gives it; `avh explain how_read` says the same.

| name | means | what to do |
|---|---|---|
"""


def page() -> str:
    """The text of docs/glossary.md."""
    rules = "".join(f"| {_plain(one.name)} | {one.means} | {one.do} |\n" for one in BATCH_RULES.values())
    return _HEAD + "\n".join(map(_entry, sorted(glossary(), key=lambda one: one.name))) + _RULES + rules


def _entry(one: Entry) -> str:
    of = "the batch as a whole" if not one.kinds else "rows" if "rows" in one.kinds else f"{', '.join(one.kinds)} columns"
    of += ", of a batch and the one before" if one.compares else ""
    defined = one.definition[:1].upper() + one.definition[1:]
    # Where nobody has found plainer words, the definition is what it means.
    more = f"Of {of}." if one.means == f"{defined}." else f"{_plain(defined)}; of {of}."
    lines = [f"## {one.name}", "", _plain(one.means)]
    lines += [f"*{_plain(one.rule)}*"] if one.rule else []
    lines += ["", more]
    lines += [f"Also: {', '.join(f'`{name}`' for name in one.also)}."] if one.also else []
    return "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    """A sentence with nothing in it that is Markdown's."""
    return "".join(f"\\{character}" if character in "*_`<>[]|" else character for character in text)
