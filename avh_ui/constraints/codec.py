"""The program as a versioned JSON document; `program.schema.json` beside this file is its published JSON Schema.

Floats are written so that they read back exactly, infinities as the texts "Infinity" and "-Infinity", an open bound as null.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable
from dataclasses import asdict, fields
from typing import Any, TypeVar, cast, get_args

from avh_ui.constraints.constraint import Constraint, Level, Origin
from avh_ui.constraints.pattern_constraint import Pattern, PatternConstraint, PatternKind
from avh_ui.constraints.plain_data import Node, canonical_bytes, canonical_json, float_name, from_plain, parse_json, to_plain
from avh_ui.constraints.program import FORMAT, ColumnSchema, Program, SchemaConstraint
from avh_ui.constraints.rising import NO_PRIOR, Prior
from avh_ui.constraints.transforms import Transform
from avh_ui.errors import UPGRADE, ConstraintError, NewerVersionError
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.regexes import body_of

# Left out of the hash: the hash itself, and what is made from it.
UNHASHED = ("sha256", "signature", "public_key")
_LEVELS = get_args(Level)
_T = TypeVar("_T")


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
    columns = [{"name": c.name, "type": c.type, "kind": c.kind} for c in program.schema.columns]
    return {
        "format": program.format,
        "pipeline": program.pipeline,
        "version": program.version,
        "created_at": program.created_at,
        "author": program.author,
        "message": program.message,
        "fpr_target": _number(program.fpr_target, "fpr_target"),
        "schema": {"level": program.schema.level, "columns": columns, **_about(program.schema)},
        "constraints": [constraint_to_record(c) for c in program.constraints],
        "evidence": to_plain(program.evidence, "evidence"),
        # Documents from before there was one keep their hash.
        **({"predecessor": program.predecessor} if program.predecessor else {}),
        "sha256": program.sha256,
        "signature": program.signature,
        "public_key": program.public_key,
    }


def program_from_record(document: Any) -> Program:
    """The program of a document's plain data; errors as in `program_from_json`."""
    root = Node(document)
    written = root.get("format").whole(1)
    if written > FORMAT:
        raise NewerVersionError(
            f"The program has format {written}; this avh_ui understands up to {FORMAT}.",
            hint=f"It was published by a newer avh_ui. {UPGRADE}",
        )
    schema = root.get("schema")
    columns = tuple(ColumnSchema(*(c.get(f).text() for f in ("name", "type", "kind"))) for c in schema.get("columns").items())
    level = cast(Any, schema.get("level").text((*_LEVELS, "off")))
    named = {part: tuple(name.text() for name in schema.find(part, []).items()) for part in ("include", "exclude")}
    covers_all, source_format = schema.find("covers_all", False).truth(), schema.find("source_format", "").text()
    return Program(
        pipeline=root.get("pipeline").text(),
        version=root.get("version").whole(),
        constraints=tuple(_constraint(c) for c in root.get("constraints").items()),
        schema=SchemaConstraint(columns, level, covers_all, source_format, **named),
        created_at=root.get("created_at").text(),
        author=root.get("author").text(),
        message=root.get("message").text(),
        fpr_target=root.get("fpr_target").number(),
        evidence=from_plain(root.find("evidence", {}).mapping()),
        predecessor=root.find("predecessor", "").text(),
        format=written,
        **{name: root.find(name, "").text() for name in UNHASHED},
    )


def _about(schema: SchemaConstraint) -> dict[str, Any]:
    """What release 0.1 did not say of the columns; nothing where it was not said, so that its documents keep their hash."""
    said = {"covers_all": schema.covers_all, "source_format": schema.source_format, "include": schema.include, "exclude": schema.exclude}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in said.items() if value}


def constraint_to_record(constraint: Constraint) -> dict[str, Any]:
    """A constraint as plain JSON data; `ConstraintError` when its provenance holds what JSON cannot."""
    record = {
        "column": constraint.column,
        "metric": constraint.metric,
        # Documents from before there was one keep their hash.
        **({} if constraint.measure.standard else {"measure": measure_to_record(constraint.measure)}),
        "kind": constraint.kind,
        "lower": _bound(constraint.lower),
        "upper": _bound(constraint.upper),
        "transform": {"lag": constraint.transform.lag, "log": constraint.transform.log},
        "fpr": _number(constraint.fpr, "fpr"),
        "proposition": constraint.proposition,
        "origin": constraint.origin,
        "level": constraint.level,
        "provenance": to_plain(constraint.provenance, "provenance"),
    }
    if isinstance(constraint, PatternConstraint):
        test = {"significance": _number(constraint.significance, "significance"), "usual": constraint.usual}
        record["pattern"] = pattern_to_record(constraint.pattern) | test
    return record


def measure_to_record(measure: Measure) -> dict[str, Any]:
    """A measure as plain JSON data; what it has not is left out."""
    parameters = {name: to_plain(value, name) for name, value in measure.parameters}
    said = {"name": measure.name, "columns": list(measure.columns), "where": measure.where, "parameters": parameters}
    return {name: value for name, value in said.items() if value}


def _measure(node: Node) -> Measure:
    where = node.find("where", "").text()
    parameters = {name: tuple(v) if isinstance(v, list) else v for name, v in from_plain(node.find("parameters", {}).mapping()).items()}
    columns = tuple(column.text() for column in node.find("columns", []).items())
    return Measure(node.get("name").text(), columns, where or None, tuple(parameters.items()))


def pattern_to_record(pattern: Pattern) -> dict[str, Any]:
    """A pattern as plain JSON data; without a prior no word of it, so that documents from before there was one keep their hash."""
    record = asdict(pattern)
    prior = record.pop("prior")
    return record | ({"prior": prior._asdict()} if prior.values else {})


def pattern_from_record(record: Any) -> Pattern:
    """From `pattern_to_record`; `ConstraintError` names the first field that is wrong."""
    return _pattern(Node(record, "pattern"))


def constraint_from_record(record: dict[str, Any]) -> Constraint:
    """From `constraint_to_record`; `ConstraintError` names the first field that is wrong."""
    return _constraint(Node(record))


def _constraint(node: Node) -> Constraint:
    transform = node.find("transform", {})
    lag, log = transform.find("lag", 0).whole(), transform.find("log", False).truth()
    made = _checked(
        node,
        lambda: Constraint(
            column=node.get("column").text(),
            metric=node.get("metric").text(),
            kind=node.get("kind").text(),
            lower=node.get("lower").bound(),
            upper=node.get("upper").bound(),
            transform=Transform(lag, log),
            fpr=node.find("fpr", 0.0).number(),
            proposition=node.find("proposition", 0).whole(),
            origin=cast(Any, node.find("origin", "history").text(get_args(Origin))),
            level=cast(Any, node.find("level", "error").text(_LEVELS)),
            provenance=from_plain(node.find("provenance", {}).mapping()),
            **({"measure": _measure(node.get("measure"))} if "measure" in node.mapping() else {}),
        ),
    )
    if "pattern" not in node.mapping():
        return made
    given = node.get("pattern")
    test = {"significance": given.find("significance", 0.0).number(), "usual": given.find("usual", 0).whole()}
    return PatternConstraint(**{f.name: getattr(made, f.name) for f in fields(made)}, pattern=_pattern(given), **test)  # type: ignore[arg-type]


def _pattern(node: Node) -> Pattern:
    regex = node.get("regex").text()
    body_of(regex)
    return _checked(
        node,
        lambda: Pattern(
            text=node.get("text").text(),
            regex=regex,
            values=node.get("values").whole(),
            bad=node.get("bad").whole(),
            kind=cast(Any, node.find("kind", "pattern").text(get_args(PatternKind))),
            prior=Prior(*(node.get("prior").get(part).number() for part in Prior._fields)) if "prior" in node.mapping() else NO_PRIOR,
        ),
    )


def _checked(node: Node, make: Callable[[], _T]) -> _T:
    """What `make` gives; the model's own objections get the path of the place."""
    try:
        return make()
    except ValueError as error:
        raise ConstraintError(f"{node.path or 'The constraint'} is wrong: {error}.") from error


def _bound(value: float | None) -> float | str | None:
    return None if value is None else _number(value, "bound")


def _number(value: float, name: str) -> float | str:
    if math.isnan(value):
        raise ConstraintError(f"{name} is not a number.")
    # float(): a whole number given as int and one read back from a document must give one hash.
    return float(value) if math.isfinite(value) else float_name(value)
