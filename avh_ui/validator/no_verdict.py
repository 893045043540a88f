"""What a validation reports that reached no verdict at all: no program, a wrong avh.yml, an error that nobody foresaw.

`no_verdict.schema.json` beside this file is the JSON Schema of its JSON.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree as ET

from avh_ui.validator.report import Format, printable


@dataclass(frozen=True)
class NoVerdict:
    """Why there is none. `pipeline` and `batch` are None where the command line did not say them; `log` is a file with the stack."""

    pipeline: str | None
    batch: str | None
    kind: str
    message: str
    hint: str = ""
    log: str | None = None

    @property
    def sentence(self) -> str:
        """Message and hint."""
        return f"{self.message} {self.hint}".strip()

    def to_record(self) -> dict[str, Any]:
        """As plain data; `status` is that of a run which is not evaluated, so that who reads it alone is not misled."""
        error = {"kind": self.kind, "message": self.message, "hint": self.hint, "log": self.log}
        return {"pipeline": self.pipeline, "batch": self.batch, "status": "not_evaluated", "error": error}


def render_no_verdict(found: NoVerdict, form: Format = "text") -> str:
    """The report in a format, ending in a newline."""
    if form == "json":
        return json.dumps(found.to_record(), indent=1) + "\n"
    if form == "junit":
        return _junit(found)
    return f"{printable(_subject(found))}: NOT EVALUATED: {printable(found.sentence)}\n"


def _junit(found: NoVerdict) -> str:
    """One test suite with one case, which is an error."""
    suite = ET.Element("testsuite", name=printable(_subject(found)), tests="1", failures="0", errors="1", skipped="0")
    case = ET.SubElement(suite, "testcase", classname=printable(f"avh.{found.pipeline or 'validate'}"), name="verdict")
    ET.SubElement(case, "error", message=printable(found.sentence), type=found.kind)
    ET.indent(suite)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(suite, encoding="unicode") + "\n"


def _subject(found: NoVerdict) -> str:
    return " ".join(part for part in (found.pipeline, found.batch) if part) or "avh validate"
