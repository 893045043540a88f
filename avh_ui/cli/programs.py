"""`avh programs`: what is published."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from avh_ui.cli.options import by_option, json_option, message_option, open_services, pipeline_argument, workspace_option
from avh_ui.cli.output import count, print_json, print_table, say, write_text
from avh_ui.cli.suggest import clipped

if TYPE_CHECKING:
    from avh_ui.constraints.program import Program
    from avh_ui.constraints.program_store import CheckedVersion
    from avh_ui.workflows.services import Services


# As in `constraints.exporting.catalogue`, which `--help` need not load.
TOOLS = ("deequ", "dqdl", "dqx", "great-expectations", "soda", "odcs")


@click.group("programs")
def command() -> None:
    """Look at published programs, roll back, export."""


@command.command("list")
@click.argument("pipeline", required=False)
@workspace_option()
@json_option
def list_programs(pipeline: str | None, root: Path, as_json: bool) -> None:
    """List the published versions of PIPELINE, or the live version of every pipeline."""
    services = open_services(root)
    programs = services.programs
    found = programs.versions(pipeline) if pipeline else [p for p in map(programs.live, services.pipelines()) if p is not None]
    if as_json:
        print_json([_about(p) for p in found])
    elif not found:
        say(f"Nothing is published{f' for {pipeline}' if pipeline else ''} yet.")
    else:
        ages = [programs.promise(p.pipeline, p).age for p in found]
        rows = [
            [p.pipeline, str(p.version), p.created_at, p.author, str(len(p.constraints)), _age(age), p.sha256[:12], p.message]
            for p, age in zip(found, ages, strict=True)
        ]
        print_table(["pipeline", "version", "published", "by", "rules", "age", "sha256", "message"], rows)


def _age(age: int | None) -> str:
    """How many batches came since a program was learned, and whether that is past what its promise was measured for."""
    from avh_ui.validator.aging import HORIZON

    return "" if age is None else f"{age:,}{' (past its horizon)' if age > HORIZON else ''}"


@command.command("show")
@pipeline_argument
@click.argument("version", type=int, required=False)
@workspace_option()
@json_option
@click.option("--envelope", "as_envelope", is_flag=True, help="Print the signed document as a DSSE envelope.")
def show(pipeline: str, version: int | None, root: Path, as_json: bool, as_envelope: bool) -> None:
    """Print version VERSION of PIPELINE's program (the newest by default); --json prints the document itself."""
    services = open_services(root)
    program = services.programs.load(pipeline, version)
    if as_envelope:
        from avh_ui.constraints.dsse import envelope

        print_json(envelope(program))
        return
    if as_json:
        from avh_ui.constraints.codec import program_to_json

        click.echo(program_to_json(program), nl=False)
        return
    say(f"{pipeline} version {program.version}, published {program.created_at} by {program.author}: {program.message}")
    say(f"sha256 {program.sha256}, {'signed' if program.signature else 'not signed'}, fpr target {program.fpr_target:g}")
    from avh_ui.review.plain import plain

    promise = services.programs.promise(pipeline, program)
    say(f"Expected: {promise.expected_words}. Observed: {promise.observed_words}.")
    if promise.age_words:
        say(f"Age: {promise.age_words}.")
    rows = [[c.key, clipped(plain(c)), c.metric, c.level, f"{c.fpr:.2g}"] for c in program.constraints]
    print_table(["id", "rule", "metric", "level", "fpr"], rows)


@command.command("diff")
@pipeline_argument
@click.argument("old", type=int, required=False)
@click.argument("new", type=int, required=False)
@workspace_option()
@json_option
def diff(pipeline: str, old: int | None, new: int | None, root: Path, as_json: bool) -> None:
    """Compare version OLD of PIPELINE's program with NEW (the newest by default); without versions the live one with the draft.

    Of a draft it says what publishing would change and why, which rules nobody has looked at, and on which days of the history the
    program would have failed.
    """
    from avh_ui.cli.comparing import compare, preview_record, say_compared, say_preview

    programs = open_services(root).programs
    if old is None:
        preview = programs.preview(pipeline)
        if as_json:
            print_json(preview_record(preview))
        else:
            say_preview(preview)
        return
    changes = compare(programs.load(pipeline, old), programs.load(pipeline, new))
    if as_json:
        print_json(changes)
    else:
        say_compared(changes)


@command.command("export")
@pipeline_argument
@click.argument("version", type=int, required=False)
@workspace_option()
@click.option("--to", "tool", required=True, type=click.Choice(TOOLS), help="The tool to write it for.")
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), help="Write the document to a file.")
def export(pipeline: str, version: int | None, root: Path, tool: str, output: Path | None) -> None:
    """Write version VERSION of PIPELINE's program (the newest by default) for another tool.

    What the tool cannot say is listed in the document and on stderr.
    """
    from avh_ui.constraints.exporting.catalogue import EXPORTERS

    program = open_services(root).programs.load(pipeline, version)
    exported = EXPORTERS[tool](program)
    if output is None:
        click.echo(exported.text, nl=False)
    else:
        write_text(output, exported.text)
    for line in (*exported.notes, *map(str, exported.left_out)):
        say(line, err=True)
    without = f", {count(len(exported.left_out), 'part')} left out" if exported.left_out else ""
    say(f"{pipeline} version {program.version} for {tool}: {count(len(program.constraints), 'rule')}{without}.", err=True)


@command.command("rollback")
@pipeline_argument
@click.argument("version", type=int)
@workspace_option()
@by_option(required=True)
@message_option("Why it is enforced again.", required=True)
@json_option
def rollback(pipeline: str, version: int, root: Path, by: str, message: str, as_json: bool) -> None:
    """Publish VERSION of PIPELINE's program again, as its newest version, and print what that changes.

    `avh programs diff PIPELINE LIVE VERSION` prints the same before.
    """
    from avh_ui.cli.comparing import say_difference

    programs = open_services(root).programs
    program = programs.rollback(pipeline, version, by=by, message=message)
    if as_json:
        print_json(_about(program))
        return
    say(f"{pipeline} version {program.version} is version {version} again\n{program.sha256}")
    say_difference(programs.compare(pipeline, program.version - 1, program.version))


@command.command("verify")
@click.argument("pipeline", required=False)
@workspace_option()
@json_option
def verify(pipeline: str | None, root: Path, as_json: bool) -> None:
    """Check every published version, and the audit log.

    Of each version hash and signature, and that none is missing; of the audit log that nothing was changed or taken out. Exits with 3
    when something is wrong.
    """
    from avh_ui.errors import TamperedProgramError

    services = open_services(root)
    names = [pipeline] if pipeline else services.pipelines()
    found = {name: services.programs.verify(name) for name in names}
    audits = {name: _audit(services, name) for name in names}
    if as_json:
        records = [_checked(name, v) for name, verification in found.items() for v in verification.versions]
        print_json([*records, *({"pipeline": name, "valid": False, "problem": p} for name, wrong in audits.items() for p in wrong)])
    for name, verification in found.items():
        for v in verification.versions if not as_json else ():
            holds = f"hash holds, {'signature valid' if v.program and v.program.signature else 'not signed'}"
            say(f"BAD {v.problem}" if v.program is None or v.problem else f"{name} version {v.version}: {holds}")
        for note in verification.notes:
            say(note, err=True)
        for problem in audits[name] if not as_json else ():
            say(f"BAD {problem}")
    problems = [problem for verification in found.values() for problem in verification.problems]
    problems += [problem for wrong in audits.values() for problem in wrong]
    if problems:
        raise TamperedProgramError(f"{count(len(problems), 'fault')} found: {problems[0]}")
    if not as_json:
        say(f"{count(sum(len(v.versions) for v in found.values()), 'version')} checked.")


def _audit(services: Services, pipeline: str) -> list[str]:
    """What is wrong with the audit log; that it cannot be read hides no version."""
    from avh_ui.errors import AvhError

    try:
        return services.programs.check_audit(pipeline)
    except AvhError as error:
        return [f"The audit log of {pipeline!r} is not checked: {error}"]


def _checked(pipeline: str, checked: CheckedVersion) -> dict[str, Any]:
    program = checked.program
    about = _about(program) if program is not None else {"pipeline": pipeline, "version": checked.version}
    signed = program is not None and bool(program.signature)
    return {**about, "signed": signed, "valid": not checked.problem, "problem": checked.problem}


def _about(program: Program) -> dict[str, Any]:
    names = ("pipeline", "version", "sha256", "created_at", "author", "message")
    return {**{name: getattr(program, name) for name in names}, "constraints": len(program.constraints)}
