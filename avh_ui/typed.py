"""Fields of JSON and YAML by type, read by pydantic: exact types, and sentences that name the place and the value of what is wrong."""

from __future__ import annotations

import operator
from datetime import date
from functools import cached_property, partial
from typing import Annotated, Any, Generic, TypeVar

from pydantic import (
    ConfigDict,
    Field,
    PlainValidator,
    Strict,
    TypeAdapter,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WithJsonSchema,
    WrapValidator,
)  # fmt: skip
from pydantic_core import ErrorDetails, PydanticCustomError, PydanticSerializationError, PydanticUseDefault

from avh_ui.errors import ConstraintError

_T = TypeVar("_T")
# Of a dataclass that is an object of a document.
CLOSED = ConfigDict(extra="forbid")
# Of a field that is not written where it is empty.
LEFT_OUT = Field(exclude_if=operator.not_)
_OBJECT = "an object (names with values)"
# What pydantic calls in words of Python.
_WORDS = {
    "string_type": "a text", "int_type": "a whole number", "int_parsing": "a whole number", "float_type": "a number",
    "float_parsing": "a number", "bool_type": "true or false", "bool_parsing": "true or false", "tuple_type": "a list",
    "list_type": "a list", "dict_type": _OBJECT, "dataclass_type": _OBJECT, "model_type": _OBJECT,
}  # fmt: skip
_INPUT = "Input should be "


def expected(what: str) -> PydanticCustomError:
    """The error for a value that is not what is expected there."""
    return PydanticCustomError("expected", _INPUT + "{what}", {"what": what})


def instance(kind: type, what: str, value: Any) -> Any:
    """The value where it is of that kind; else it is not `what` is expected."""
    if not isinstance(value, kind):
        raise expected(what)
    return value


# pydantic's own texts refuse half a surrogate pair, which names of columns may hold.
Text = Annotated[str, PlainValidator(partial(instance, str, "a text")), WithJsonSchema({"type": "string"})]
Whole = Annotated[int, Strict(), Field(ge=0)]
Truth = Annotated[bool, Strict()]


def _or_default(value: Any, read_as: ValidatorFunctionWrapHandler) -> Any:
    try:
        return read_as(value)
    except ValidationError:
        raise PydanticUseDefault from None


# Of what other releases and tools wrote: where it is not of its type, the field has its default, as if nothing were there.
KNOWN = WrapValidator(_or_default)
KnownText = Annotated[Text, KNOWN]
KnownTexts = Annotated[tuple[Text, ...], KNOWN]
KnownWhole = Annotated[Annotated[int, Strict()] | None, KNOWN]
KnownNumber = Annotated[Annotated[float, Strict()] | None, KNOWN]


class Adapter(Generic[_T]):
    """Reads and writes values of a type. pydantic's own adapter is made when it is first used: all of them take 0.1 s, and a command
    needs few.
    """

    def __init__(self, kind: Any) -> None:
        self._kind = kind

    @cached_property
    def made(self) -> TypeAdapter[_T]:
        """Pydantic's."""
        return TypeAdapter(self._kind)


def read(adapter: Adapter[_T], data: Any, what: str, path: str = "") -> _T:
    """What the data is by its type; `ConstraintError` names the first place that is wrong, below `path`; `what` is all of it."""
    try:
        return adapter.made.validate_python(data)
    except ValidationError as error:
        raise ConstraintError(faults(error, what, path)[0]) from error


def write(adapter: Adapter[_T], value: _T) -> dict[str, Any]:
    """An object as plain JSON data; what a field's own writer raises."""
    try:
        record: dict[str, Any] = _listed(adapter.made.dump_python(value, by_alias=True))
    except PydanticSerializationError as error:
        raise error.__cause__ or error from None
    return record


def _listed(value: Any) -> Any:
    """With lists for tuples. pydantic's own way to it refuses half a surrogate pair in a key."""
    if isinstance(value, dict):
        return {key: _listed(part) for key, part in value.items()}
    return [_listed(part) for part in value] if isinstance(value, list | tuple) else value


def faults(error: ValidationError, what: str, path: str = "") -> list[str]:
    """What pydantic found wrong, a sentence each."""
    return [fault(detail, what, path) for detail in error.errors(include_url=False)]


def fault(detail: ErrorDetails, what: str, path: str) -> str:
    """One of them."""
    place, kind = path, detail["type"]
    for part in detail["loc"]:
        if isinstance(part, int):
            place += f"[{part}]"
        elif not part.startswith("("):  # one of several types of an object, which no document names
            place += f".{part}" if place else part
    if kind == "missing":
        return f"{place} is missing."
    if kind in ("extra_forbidden", "unexpected_keyword_argument"):
        return f"{place} is unknown: correct its name or remove it."
    if kind == "value_error":
        said = str(detail["ctx"]["error"])
        return f"{place or what} is wrong: {said}{'' if said.endswith(('.', '?')) else '.'}"
    wanted = _WORDS.get(kind) or detail["msg"].removeprefix(_INPUT)
    return f"{place or what} should be {wanted}, not {shown(detail['input'])}."


def shown(value: Any) -> str:
    """A value in a sentence, cut where it is long."""
    try:
        text = repr(str(value) if isinstance(value, date) else value)
    except RecursionError:
        return f"a deeply nested {type(value).__name__}"
    return text if len(text) <= 80 else f"{text[:80]}…"
