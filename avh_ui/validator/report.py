"""A run as text for people, as JSON and as JUnit XML; and the same of a validation that reached no verdict at all: no program, a wrong
avh.yml, an error that nobody foresaw.

`run.schema.json` and `no_verdict.schema.json` beside this file are the published JSON Schemas.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal
from xml.etree import ElementTree as ET

from avh_ui.constraints.constraint import Status, Verdict
from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.validator.failing import failing_words
from avh_ui.validator.results import RuleResult
from avh_ui.validator.run import Run
from avh_ui.validator.run_records import json_of, named, run_to_record
from avh_ui.validator.unmeasured import NOT_MEASURED

Format = Literal["text", "json", "junit"]
_WORDS: dict[Status, str] = {"fail": "failed", "warn": "warned", "not_evaluated": "not evaluated", "pass": "passed"}
_MARKS: dict[Status, str] = {"fail": "FAIL", "warn": "WARN", "not_evaluated": "SKIP", "pass": "ok"}
# Of rules that are not evaluated for one reason as many are named as stand on two lines of a terminal.
_NAMED = 3
# Control characters of a terminal, bidirectional overrides, and lone surrogates; neither XML nor a terminal takes them.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


def render(run: Run, form: Format = "text") -> str:
    """The report in a format, ending in a newline."""
    return {"text": text_report, "json": json_report, "junit": junit_report}[form](run)


def render_all(runs: Sequence[Run], form: Format = "text") -> str:
    """The reports of several runs: text after text, an array of JSON objects, or one document of JUnit suites."""
    if form == "json":
        return json.dumps([run_to_record(run) for run in runs], indent=1, allow_nan=False) + "\n"
    if form == "text":
        said = set[str]()
        return "".join(text_report(noted_once(run, said)) for run in runs)
    suites = ET.Element("testsuites")
    suites.extend(map(_suite, runs))
    return _document(suites)


def noted_once(run: Run, said: set[str]) -> Run:
    """The run for people who read several: without the notes that were `said` of an earlier one; its own are added to them."""
    fresh = tuple(note for note in run.notes if note not in said)
    said.update(fresh)
    return replace(run, notes=fresh)


def text_report(run: Run) -> str:
    """A sentence per result that is no pass, worst first, the notes on what was not measured, the incidents, whom to ask, and a line of
    counts.

    Of a batch that was not measured at all, only the reason is told, and not once more for every constraint.
    """
    told = run.results if run.row_count else run.rules
    order: tuple[Status, ...] = ("fail", "warn", "not_evaluated")
    lines = [line for status in order[:2] for r in _once(r for r in told if r.status == status) for line in _lines(r, run)]
    lines += [line for group in _alike(r for r in told if r.status == "not_evaluated") for line in _skipped(group)]
    # A rule that could not be evaluated says so itself, by its sentence; the note has its SQL.
    asked = tuple(f"{v.constraint.column}{NOT_MEASURED}" for v in run.verdicts if v.status == "not_evaluated" and v.constraint.worded)
    lines += [f"Note: {printable(note)}" for note in run.notes if not (asked and note.startswith(asked))]
    lines += [printable(words) for words in (*(incident.words for incident in run.incidents), run.asks.words) if words]
    counts = ", ".join(f"{run.count(s)} {_WORDS[s]}" for s in (*order, "pass") if run.count(s)) or "nothing to check"
    rows = "not read" if run.row_count is None else f"{run.row_count:,} row{'s' * (run.row_count != 1)}"
    if run.delivery is not None and (run.delivery.files or 0) > 1:
        rows += f" of {run.delivery.files:,} files"
    head = f"{printable(run.pipeline)} {printable(run.batch)}: {run.status.upper().replace('_', ' ')}"
    compared = f"; compared with {printable(run.baseline.words)}" if run.baseline is not None and run.baseline.words else ""
    program = f"program version {run.program_version} ({run.program_sha256[:12]})" if run.program_version else "no program"
    return "\n".join([*lines, f"{head}: {counts}; {rows}, {program}, {run.seconds:.1f} s{compared}"]) + "\n"


def _once(alarms: Iterable[RuleResult | Verdict]) -> Iterable[RuleResult | Verdict]:
    """The alarms, of which each fact is told by the first alone: three rules of a column that is null say it in three other ways."""
    said: set[str] = set()
    for result in alarms:
        fact = "" if isinstance(result, RuleResult) else result.fact
        rest = result.message.removeprefix(fact).strip()
        yield replace(result, message=rest) if fact in said and rest else result
        said |= {fact} - {""}


def _alike(skipped: Iterable[RuleResult | Verdict]) -> Iterable[list[RuleResult | Verdict]]:
    """What was not evaluated, together where the same is said of it."""
    groups: dict[str, list[RuleResult | Verdict]] = {}
    for result in skipped:
        said = result.message if isinstance(result, RuleResult) else result.message.removeprefix(result.constraint.alarmed)
        groups.setdefault(said, []).append(result)
    return groups.values()


def _skipped(group: list[RuleResult | Verdict]) -> list[str]:
    """One sentence, and below it of what else it is true."""
    first, *others = group
    said = [f"{_MARKS['not_evaluated']}  {printable(first.message)}"]
    if others:
        named = [r.message if isinstance(r, RuleResult) else r.constraint.alarmed.replace("The ", "the ", 1) for r in others[:_NAMED]]
        more = f"; and {len(others) - _NAMED:,} more" if len(others) > _NAMED else ""
        said.append(f"      The same of {len(others):,} other{'s' * (len(others) > 1)}: {printable('; '.join(named))}{more}.")
    return said


def _lines(result: RuleResult | Verdict, run: Run) -> list[str]:
    """A result, and below it the rows that break it."""
    said = f"{_MARKS[result.status]}  {printable(result.message)}"
    if isinstance(result, RuleResult) or result.failing is None:
        return [said]
    # The samples of a pattern are in its sentence, and so are the rows that moved, which need not be those that fail.
    told = isinstance(result.constraint, PatternConstraint) or (result.moved is not None and result.samples == result.moved.named)
    samples = () if told else result.samples
    return [said, f"      {printable(failing_words(result, run.row_count, samples))}"]


def json_report(run: Run) -> str:
    """One object; ASCII, so that no terminal or log can break it."""
    return json_of(run)


def junit_report(run: Run) -> str:
    """One test suite with a case per result: failures fail, warnings pass with a note, the rest is skipped or an error."""
    return _document(_suite(run))


def _suite(run: Run) -> ET.Element:
    errors = 1 if run.status == "not_evaluated" and run.row_count is None else 0
    suite = ET.Element(
        "testsuite",
        name=printable(f"{run.pipeline} {run.batch}"),
        tests=str(len(run.results)),
        failures=str(run.count("fail")),
        errors=str(errors),
        skipped=str(run.count("not_evaluated") - errors),
        timestamp=run.started,
        time=f"{run.seconds:.3f}",
    )
    properties = ET.SubElement(suite, "properties")
    for name, value in (("program.version", run.program_version), ("program.sha256", run.program_sha256), ("status", run.status)):
        ET.SubElement(properties, "property", name=name, value=str(value))
    told = (*(("note", note) for note in run.notes), *(("incident", one.words) for one in run.incidents))
    for name, said in (*told, *run.asks.to_record().items()):
        ET.SubElement(properties, "property", name=name, value=printable(said))
    for k, result in enumerate(run.results):
        _case(suite, run, result, is_error=bool(errors) and k == 0)
    return suite


def _document(suite: ET.Element) -> str:
    ET.indent(suite)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(suite, encoding="unicode") + "\n"


def printable(text: str) -> str:
    """The text with what a terminal or XML cannot take written as escapes."""
    return _UNSAFE.sub(lambda m: m[0].encode("unicode_escape", "surrogatepass").decode("ascii"), text)


def _case(suite: ET.Element, run: Run, result: RuleResult | Verdict, *, is_error: bool) -> None:
    column, name = named(result)
    label = f"{name}({column})" if column else name
    case = ET.SubElement(suite, "testcase", classname=printable(f"avh.{run.pipeline}"), name=printable(label))
    message = printable(result.message)
    if result.status == "fail":
        ET.SubElement(case, "failure", message=message, type=name)
    elif is_error:
        ET.SubElement(case, "error", message=message, type=name)
    elif result.status == "not_evaluated":
        ET.SubElement(case, "skipped", message=message)
    elif result.status == "warn":
        ET.SubElement(case, "system-out").text = f"warning: {message}"


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
    return _document(suite)


def _subject(found: NoVerdict) -> str:
    return " ".join(part for part in (found.pipeline, found.batch) if part) or "avh validate"
