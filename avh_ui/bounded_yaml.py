"""YAML of a bounded size: a few lines of aliases can stand for billions of values, and deep nesting ends the interpreter."""

from __future__ import annotations

from typing import Any

import yaml

# A thousand pipelines with every setting are 50,000 values, 2 MB and five levels deep. One word of 4 MB takes PyYAML 2 seconds.
MOST_CHARACTERS = 4_000_000
MOST_VALUES = 2_000_000
DEEPEST = 50


def load(text: str, *, once: bool = False) -> Any:
    """The document in a text, with plain values; `ValueError` when it is no YAML, too large once its aliases are followed, or too deep;
    with `once` also for a mapping that has a key twice, of which YAML's reader takes the last.
    """
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"it has {len(text):,} characters, and {MOST_CHARACTERS:,} are read")
    try:
        loader = yaml.SafeLoader(text)  # which reads it: control characters are refused here
    except yaml.YAMLError as error:
        raise ValueError(_said(error, text)) from error
    try:
        node = loader.get_single_node()
        if node is None:
            return None
        _size(node, {}, 1)
        if once:
            _each_once(node)
        # Also what is no date or number although it looks like one.
        return loader.construct_document(node)
    except yaml.YAMLError as error:
        if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark and r"'\t'" in (error.problem or ""):
            raise ValueError(f"line {error.problem_mark.line + 1} is indented by a tab: indent by spaces") from error
        raise ValueError(_said(error, text)) from error
    except RecursionError as error:
        raise ValueError(f"it is nested more than {DEEPEST} deep") from error
    finally:
        loader.dispose()


def _said(error: yaml.YAMLError, text: str) -> str:
    """What is wrong and where, on one line; PyYAML's own words stand on several, with a piece of the text."""
    if isinstance(error, yaml.reader.ReaderError):
        before = text[: error.position]
        return f"{error.reason}: #x{error.character:04x} (line {before.count(chr(10)) + 1}, column {len(before) - before.rfind(chr(10))})"
    if not isinstance(error, yaml.MarkedYAMLError):
        return str(error)
    mark = error.problem_mark or error.context_mark
    said = ", ".join(part for part in (error.context, error.problem) if part)
    return said if mark is None else f"{said} (line {mark.line + 1}, column {mark.column + 1})"


def _size(node: yaml.Node, known: dict[int, int], depth: int) -> int:
    """How many values a node stands for, each alias counted as what it repeats; what was counted is not counted anew."""
    if depth > DEEPEST:
        raise ValueError(f"it is nested more than {DEEPEST} deep (or an alias holds itself)")
    if id(node) in known:
        return known[id(node)]
    children: list[yaml.Node] = []
    if isinstance(node, yaml.SequenceNode):
        children = node.value
    elif isinstance(node, yaml.MappingNode):
        children = [part for pair in node.value for part in pair]
    total = 1 + sum(_size(child, known, depth + 1) for child in children)
    if total > MOST_VALUES:
        raise ValueError(f"its aliases make more than {MOST_VALUES:,} values of it")
    known[id(node)] = total
    return total


def _each_once(whole: yaml.Node) -> None:
    """`ValueError` for a key that a mapping has twice; `<<` may come again."""
    waiting = [whole]
    seen: set[int] = set()
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            waiting += node.value
        elif isinstance(node, yaml.MappingNode):
            lines: dict[tuple[str, str], int] = {}
            for key, value in node.value:
                line = key.start_mark.line + 1
                if isinstance(key, yaml.ScalarNode) and key.value != "<<":
                    if (before := lines.get((key.tag, key.value))) is not None:
                        raise ValueError(f"{key.value!r} stands in line {before} and again in line {line}: keep one of them")
                    lines[key.tag, key.value] = line
                waiting.append(value)
