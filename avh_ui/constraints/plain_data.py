"""Numbers and free-form data (evidence, provenance) as JSON: strict reading and the one canonical form.

JSON has no NaN and no infinities: a free-form number that is not finite is written as `{"$float": "NaN"}`. A key that begins with
`$` is written with one `$` more, so no data can be mistaken for that form.
"""

from __future__ import annotations

import json
import math
from functools import partial
from typing import Annotated, Any

import numpy as np
import rfc8785
from pydantic import PlainSerializer, PlainValidator, WithJsonSchema

from avh_ui.errors import ConstraintError
from avh_ui.typed import expected, instance

_FLOAT = "$float"
# Ours are some eight deep. A parser follows further than what then walks through the values.
_DEEPEST = 50
# A program of 5,000 columns with its evidence is 30 MB.
_MOST_CHARACTERS = 256_000_000
_INFINITIES = ("Infinity", "-Infinity")
_SPECIAL = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def json_number(value: float | None) -> float | str | None:
    """A number as JSON can hold it: one that is not finite by its name, `NaN`, `Infinity` or `-Infinity`."""
    if value is None or math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")


def to_plain(value: Any, path: str = "") -> Any:
    """Free-form data as strict JSON. Tuples become lists and NumPy scalars plain numbers.

    `ConstraintError` names the place of what cannot be kept in a document, such as a Python callable.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {_FLOAT: json_number(value)}
    if isinstance(value, list | tuple):
        return [to_plain(v, f"{path}[{k}]") for k, v in enumerate(value)]
    if isinstance(value, dict):
        return {_key(k, path): to_plain(v, f"{path}.{k}" if path else str(k)) for k, v in value.items()}
    raise ConstraintError(
        f"{path or 'The value'} is a {type(value).__name__}, which a document cannot hold.",
        hint="Keep numbers, texts, lists and mappings; bounds are data, not Python functions.",
    )


def from_plain(value: Any, depth: int = 0) -> Any:
    """The inverse of `to_plain` (lists stay lists); `ConstraintError` for what is nested deeper than any document of ours."""
    if depth > _DEEPEST:
        raise ConstraintError(f"The document is nested more than {_DEEPEST} deep.", hint="No avh_ui writes such a document.")
    if isinstance(value, list):
        return [from_plain(v, depth + 1) for v in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1 and value.get(_FLOAT) in list(_SPECIAL):
        return _SPECIAL[value[_FLOAT]]
    return {k.removeprefix("$"): from_plain(v, depth + 1) for k, v in value.items()}


def _key(key: Any, path: str) -> str:
    if not isinstance(key, str):
        raise ConstraintError(f"{path or 'The value'} has the key {key!r}; a document's keys are texts.")
    return f"${key}" if key.startswith("$") else key


def parse_json(text: str, what: str) -> Any:
    """Strict JSON; `ConstraintError` when it is none, repeats a key or holds a bare NaN or Infinity."""
    if len(text) > _MOST_CHARACTERS:
        raise ConstraintError(f"{what} has {len(text):,} characters; {_MOST_CHARACTERS:,} are read.")
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise ConstraintError(f"{what} is not valid JSON: {error}.", hint="It may have been cut off or edited by hand.") from error


def canonical_json(document: dict[str, Any]) -> str:
    """The one text of a record: sorted keys, no blanks, ASCII; what the hashes of drafts, audit entries and format 1 are taken of."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def canonical_bytes(document: dict[str, Any]) -> bytes:
    """The canonical form that every language has a library for (JCS, RFC 8785).

    It has none for half a surrogate pair in a name and for whole numbers beyond 2**53: documents with these have `canonical_json`. No two
    documents share a form, since a reader of JSON makes of each form the document it is of.
    """
    try:
        return rfc8785.dumps(document)
    except (rfc8785.CanonicalizationError, UnicodeEncodeError):
        return canonical_json(document).encode("ascii")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    # Parsers differ in which of two equal keys they believe: what one person approved, another machine would read differently.
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [k for k, _ in pairs]
        raise ValueError(f"the key {next(k for k in names if names.count(k) > 1)!r} is there twice")
    return found


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _read_number(value: Any) -> float:
    if isinstance(value, str) and value in _INFINITIES:
        return _SPECIAL[value]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise expected('a number, "Infinity" or "-Infinity"')
    try:
        return float(value)
    except OverflowError:
        raise expected("a number in the range of a double") from None


def _write_number(value: float) -> float | str | None:
    if math.isnan(value):
        raise ConstraintError("A rate or bound is not a number (NaN), which a document cannot hold.")
    # float(): a whole number given as int and one read back from a document must give one hash.
    return json_number(float(value))


def _read_free(value: Any) -> Any:
    return from_plain(instance(dict, "an object (names with values)", value))


# Numbers of a document: exact, infinities by their names, never NaN.
Number = Annotated[
    float,
    PlainValidator(_read_number),
    PlainSerializer(_write_number),
    WithJsonSchema({"anyOf": [{"type": "number"}, {"enum": list(_INFINITIES)}]}),
]
# Free-form data: any mapping that `to_plain` takes.
Free = Annotated[dict[str, Any], PlainValidator(_read_free), PlainSerializer(to_plain), WithJsonSchema({"type": "object"})]


def named(name: str) -> PlainSerializer:
    """Of a field of free-form data: what cannot be written there is told with the field's name."""
    return PlainSerializer(partial(to_plain, path=name))
