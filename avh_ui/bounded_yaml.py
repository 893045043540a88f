"""YAML of a bounded size: a few lines of aliases can stand for billions of values, and deep nesting ends the interpreter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import yaml

from avh_ui.yaml_slips import said

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
        raise ValueError(said(error, text)) from error
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
        raise ValueError(said(error, text)) from error
    except RecursionError as error:
        raise ValueError(f"it is nested more than {DEEPEST} deep") from error
    finally:
        loader.dispose()


def line_of(text: str, place: Sequence[int | str]) -> int:
    """The line of a field of a document that `load` has read, or of the nearest one above it that the text has; 0 where there is none."""
    node, line = yaml.compose(text, yaml.SafeLoader), 0
    for part in place:
        if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            line = node.start_mark.line + 1
        elif isinstance(node, yaml.MappingNode) and (found := [pair for pair in node.value if pair[0].value == str(part)]):
            key, node = found[0]
            line = key.start_mark.line + 1
        else:
            break
    return line


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
