"""A program as Deequ's checks (github.com/awslabs/deequ), Scala source: one `Check` per level."""

from __future__ import annotations

import json

from avh_ui.constraints.exporting.clauses import (
    NOTES,
    Clause,
    Exported,
    InexpressibleError,
    NotExported,
    clauses,
    document,
    nameable,
    plain_decimal,
)
from avh_ui.constraints.program import Program

# Parameters that are texts of their own in Scala.
_TEXTS = frozenset({"predicate", "pattern"})
_NOTES = (*NOTES, "Medians and numbers of distinct values are approximate in Deequ's checks.")


def export(program: Program) -> Exported:
    """Scala values `error` and `warning` for a `VerificationSuite`; the schema has no rule in Deequ."""
    written, left_out = clauses(program, lambda clause: (clause.constraint.level, _call(clause)))
    if program.schema.level != "off":
        left_out.append(NotExported(f"the schema of {len(program.schema.table)} columns", "a Check has no rule for it"))
    parts = ["", "import com.amazon.deequ.checks.{Check, CheckLevel}\n"]
    name = f"{program.pipeline} version {program.version}" if program.version else program.pipeline
    for level, word in (("error", "Error"), ("warning", "Warning")):
        calls = [call for of, call in written if of == level]
        if calls:
            parts.append(f"val {level} = Check(CheckLevel.{word}, {_text(name)})\n" + "".join(f"  {call}\n" for call in calls))
    return document(program, "\n".join(parts), left_out, _NOTES, "//")


def _call(clause: Clause) -> str:
    measure, where = clause.constraint.measure, clause.where
    hint = f"Some({_text(clause.constraint.learned.hint or clause.name)})"
    if not all(map(nameable, measure.columns)) and not clause.of_table:
        raise InexpressibleError("it cannot name a column with a dot or a backtick, and its other checks would fail with it")
    rows = "" if where is None else f".where({_text(where)})"
    if (form := clause.said("deequ")) is not None:
        texts = {name: _raw(str(value)) if name == "pattern" else _text(str(value)) for name, value in measure.parameters if name in _TEXTS}
        label = {"label": _text(clause.constraint.learned.says or str(clause.condition))} if clause.condition is not None else {}
        return (
            "."
            + clause.filled(form, _text, bound=f"{_assertion(clause)}, {hint}", named=_assertion(clause), hint=hint, **texts, **label)
            + rows
        )
    regex = clause.pattern
    if '"""' in regex or clause.upper is None:
        raise InexpressibleError("its pattern cannot be written in Scala")
    quoted = "`" + clause.constraint.column.replace("`", "``") + "`"
    there = _text(f"{quoted} IS NOT NULL AND {quoted} <> ''")
    conforming = plain_decimal(1 - clause.upper)
    return f'.hasPattern({_text(clause.constraint.column)}, """{regex}""".r, v => v >= {conforming}, hint = {hint}).where({there})'


def _assertion(clause: Clause) -> str:
    return "v => " + " && ".join(f"v {sign} {plain_decimal(bound)}" for sign, bound in clause.sides)


def _raw(text: str) -> str:
    """A literal in which nothing is escaped."""
    if '"""' in text or text.endswith('"'):
        raise InexpressibleError("its pattern cannot be written in Scala")
    return f'"""{text}"""'


def _text(text: str) -> str:
    """A string literal: Scala's escapes are those of JSON."""
    return json.dumps(text, ensure_ascii=True)
