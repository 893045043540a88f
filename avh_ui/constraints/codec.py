"""The program as a versioned JSON document: the dataclasses of this package say what stands in it, and pydantic reads and writes them.

Floats are written so that they read back exactly, infinities as the texts "Infinity" and "-Infinity", an open bound as null. The published
JSON Schema, `program.schema.json` beside this file, is generated (`make schema`).
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.pattern_constraint import AnyConstraint, record_of
from avh_ui.constraints.plain_data import canonical_bytes, canonical_json, parse_json
from avh_ui.constraints.program import FORMAT, Program
from avh_ui.errors import UPGRADE, ConstraintError, NewerVersionError
from avh_ui.typed import Adapter, read, write

# Left out of the hash: the hash itself, and what is made from it.
UNHASHED = ("sha256", "signature", "public_key")
_PROGRAM: Adapter[Program] = Adapter(Program)
_CONSTRAINT: Adapter[Constraint] = Adapter(AnyConstraint)


def program_to_json(program: Program) -> str:
    """The document of a program, indented for people; `ConstraintError` when its evidence holds what JSON cannot."""
    return json.dumps(program_to_record(program), indent=1, ensure_ascii=True, allow_nan=False) + "\n"


def program_from_json(text: str) -> Program:
    """The program of a document. The hash is kept, not checked: `document_sha256` says what it should be.

    `NewerVersionError` for a format of a later release; `ConstraintError` names the first field that is wrong.
    """
    return program_from_record(parse_json(text, "The program"))


def program_sha256(program: Program) -> str:
    """The content hash: of everything but the hash and the signature."""
    return document_sha256(program_to_record(program))


def document_sha256(document: dict[str, Any]) -> str:
    """SHA-256, in hexadecimal, of `document_content`."""
    return hashlib.sha256(document_content(document)).hexdigest()


def document_content(document: dict[str, Any]) -> bytes:
    """What is hashed and signed: a document's canonical JSON (RFC 8785; of format 1 sorted ASCII) without hash and signature."""
    content = {name: value for name, value in document.items() if name not in UNHASHED}
    return canonical_json(content).encode("ascii") if content.get("format") == 1 else canonical_bytes(content)


def program_to_record(program: Program) -> dict[str, Any]:
    """The document as plain data, fields in reading order."""
    return write(_PROGRAM, program)


def program_from_record(document: Any) -> Program:
    """The program of a document's plain data; errors as in `program_from_json`."""
    if isinstance(document, dict):
        written = document.get("format")
        if written is None:
            raise ConstraintError("format is missing.")
        if isinstance(written, int) and written > FORMAT:
            raise NewerVersionError(
                f"The program has format {written}; this avh_ui understands up to {FORMAT}.",
                hint=f"It was published by a newer avh_ui. {UPGRADE}",
            )
    return read(_PROGRAM, document, "The document")


def constraint_to_record(constraint: Constraint) -> dict[str, Any]:
    """A constraint as plain JSON data; `ConstraintError` when its provenance holds what JSON cannot."""
    # An adapter of both kinds only chooses one, and takes 28 ms to make.
    return record_of(constraint)


def constraint_from_record(record: Any) -> Constraint:
    """From `constraint_to_record`; `ConstraintError` names the first field that is wrong."""
    return read(_CONSTRAINT, record, "The constraint")


class _Plain(GenerateJsonSchema):
    """Without the title of a field, which is its name once more, and without defaults: a writer leaves nothing to them."""

    def field_title_should_be_set(self, _: Any) -> bool:
        return False

    def default_schema(self, schema: Any) -> Any:
        return self.generate_inner(schema["schema"])


def schema_text() -> str:
    """The JSON Schema of a program's document, as `program.schema.json` holds it."""
    made = _PROGRAM.made.json_schema(mode="serialization", schema_generator=_Plain)
    head = {"$schema": GenerateJsonSchema.schema_dialect, "$id": f"urn:avh_ui:program:{FORMAT}"}
    # What has a default here is written always, and read by the number of its format.
    return json.dumps(head | made | {"required": ["format", *made["required"]]}, indent=1) + "\n"
