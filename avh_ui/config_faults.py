"""What is wrong in avh.yml, by what pydantic found: the line, the field, and what to write there."""

from __future__ import annotations

import difflib
import types
from collections.abc import Iterator
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from avh_ui import bounded_yaml
from avh_ui.typed import fault, shown

_Place = tuple[int | str, ...]
_SOURCE = "`source: {format: csv, path: 'data/{date}.csv'}`"
# What other tools and people call it.
_OTHER_WORDS = {
    "separator": "options: {sep: ...}", "skip": "skip_lines", "skiprows": "skip_lines", "file": "path", "files": "path", "folder": "path",
    "location": "path", "type": "format", "tz": "timezone", "schedule": "cadence", "frequency": "cadence", "interval": "cadence",
    "primary_key": "key", "unique_key": "key", "slack": "form: slack", "url": "webhook", "mail": "email",
    "provider": "delivered_by", "supplier": "delivered_by", "producer": "delivered_by", "contact": "delivered_by", "team": "owner",
}  # fmt: skip


def told(error: ValidationError, whole: type[BaseModel], text: str) -> str:
    """A sentence for each fault, the line of the file before it."""
    found = []
    for detail in error.errors(include_url=False):
        line = bounded_yaml.line_of(text, detail["loc"])
        found.append(f"{f'line {line}: ' if line else ''}{_said(detail, whole)}")
    return " ".join(found)


def _said(detail: ErrorDetails, whole: type[BaseModel]) -> str:
    kind, loc, value = detail["type"], detail["loc"], detail["input"]
    name, place = loc[-1] if loc else "", _written(loc)
    if kind == "extra_forbidden":
        return f"{place} is unknown{_hint_of(loc, whole)}"
    if kind == "missing":
        return f"{place} is missing: write {_SOURCE if name == 'source' else f'`{name}: ...`'}."
    if kind == "value_error":
        said = fault(detail, "", "")
        return said if loc else said.removeprefix(" is wrong: ")
    if value is None:
        return f"{place} is empty: {f'write {_SOURCE}' if name == 'source' else 'give it a value, or remove the line'}."
    if what := _of_type(kind, name, value, _at(whole, loc)):
        return f"{place} should be {what}"
    said = fault(detail, "The file", "").replace("less than or equal to", "at most").replace("greater than or equal to", "at least")
    return said + (_meant(value, _choices(detail)) if kind == "literal_error" and isinstance(value, str) else "")


def _choices(detail: ErrorDetails) -> list[str]:
    """What pydantic says is allowed: `'csv', 'json' or 'orc'`."""
    return [part.strip("'") for part in detail["ctx"]["expected"].replace(" or ", ", ").split(", ")]


def _of_type(kind: str, name: int | str, value: Any, section: type[BaseModel] | None) -> str:
    """What a value of another type should be, and how it is written; '' where the type is not what is wrong."""
    if kind == "tuple_type" and isinstance(value, dict):
        return f"a list: begin each of its parts with a hyphen (`- {next(iter(value), '...')}: ...`)."
    if kind == "tuple_type":
        return f"a list, not {shown(value)}: write `{name}: [{value}]`."
    if kind == "string_type":
        return f"a text, not {shown(value)}: {_as_text(value, name)}"
    if kind not in ("dict_type", "model_type"):
        return ""
    if name == "source":
        return f"names with values, not {shown(value)}: write {_SOURCE}."
    first = next((field for field in _names(section) if field != "name"), "name") if section else "name"
    return f"names with values (`{first}: ...`, each in a line of its own), not {shown(value)}."


def _as_text(value: Any, name: int | str) -> str:
    if isinstance(value, list):
        return f"write `{name}: {value[0]}`." if len(value) == 1 else "keep one of them."
    if isinstance(value, dict):
        return "put it in quotes where it has braces."
    written = str(value).lower() if isinstance(value, bool) else str(value)
    return f"put it in quotes (`{name}: '{written}'`)."


def _hint_of(loc: _Place, whole: type[BaseModel]) -> str:
    """What to do with an unknown field: where it belongs, what is written nearly so, or what there is."""
    name, above = str(loc[-1]), _at(whole, loc[:-1])
    known = _names(above) if above else []
    first, between, rest = name.replace(":", " ", 1).partition(" ")
    if between and first in known:
        return f": write `{first}: {rest.strip()}`, with a space after the colon."
    if name != name.strip():
        return ": it has a no-break space, which looks like a space of YAML's and is none: write spaces."
    if home := next((home for home, model in _sections(whole) if model is not above and name in _names(model)), ""):
        return f" there: it belongs {home}."
    other = _OTHER_WORDS.get(name.casefold(), "")
    if other.partition(":")[0] in known:
        return f": write `{other}`."
    if meant := _meant(name, known):
        return f".{meant}"
    return f": correct its name or remove it. There is {', '.join(known)}."


def _meant(name: str, known: list[str]) -> str:
    like = [one for one in known if one.casefold() == name.casefold()]
    like = like or difflib.get_close_matches(name, known, n=1)
    return f" Did you mean {like[0]!r}?" if like else ""


def _names(model: type[BaseModel]) -> list[str]:
    """The fields of a section as they are written; the name of a pipeline is its key."""
    fields = [field.alias or name for name, field in model.model_fields.items()]
    return [name for name in fields if (name, model.__name__) != ("name", "Pipeline")]


def _written(loc: _Place) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc).lstrip(".") or "The file"


def _at(whole: type[BaseModel], loc: _Place) -> type[BaseModel] | None:
    """The section at a place; None where there is none."""
    kind: Any = whole
    for part in loc:
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            field = next((f for name, f in kind.model_fields.items() if str(part) in (name, f.alias)), None)
            kind = field.annotation if field else None
        else:
            kind = _inner(kind)
    return kind if isinstance(kind, type) and issubclass(kind, BaseModel) else None


def _inner(kind: Any) -> Any:
    """What a mapping or list holds."""
    if get_origin(kind) in (Union, types.UnionType):
        kind = next(part for part in get_args(kind) if part is not type(None))
    parts = [part for part in get_args(kind) if part is not Ellipsis]
    return parts[-1] if parts else None


def _sections(model: type[BaseModel], place: str = "") -> Iterator[tuple[str, type[BaseModel]]]:
    """All sections with how they are reached: `pipelines: NAME: source:`."""
    yield f"under `{place}`" if place else "to the file as a whole: do not indent it", model
    for name, field in model.model_fields.items():
        kind = field.annotation
        here = f"{place} {field.alias or name}:".strip()
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from _sections(kind, here)
        elif isinstance(inner := _inner(kind), type) and issubclass(inner, BaseModel):
            yield from _sections(inner, f"{here} NAME:" if get_origin(kind) is dict else here)
