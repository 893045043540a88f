"""`avh programs`: what is published."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from avh_ui.cli.options import by_option, json_option, message_option, open_services, pipeline_argument, workspace_option
from avh_ui.cli.output import count, print_json, print_table, say, write_text
from avh_ui.cli.suggest import bounds, clipped

if TYPE_CHECKING:
    from avh_ui.constraints.constraint import Constraint
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
        print_table(["pipeline", "version", "published", "by", "constraints", "age", "sha256", "message"], rows)


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
@click.argument("old", type=int)
@click.argument("new", type=int, required=False)
@workspace_option()
@json_option
def diff(pipeline: str, old: int, new: int | None, root: Path, as_json: bool) -> None:
    """Compare version OLD of PIPELINE's program with NEW (the newest by default)."""
    services = open_services(root)
    changes = compare(services.programs.load(pipeline, old), services.programs.load(pipeline, new))
    if as_json:
        print_json(changes)
        return
    for what in ("added", "removed", "changed"):
        for c in changes[what]:
            say(f"{what:8} {c['plain']}" + (f" ({c['bounds']})" if what == "changed" else ""))
    for text in changes["schema"]:
        say(f"schema   {text}")
    if not any(changes.values()):
        say("They enforce the same.")


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
    say(f"{pipeline} version {program.version} for {tool}: {count(len(program.constraints), 'constraint')}{without}.", err=True)


@command.command("rollback")
@pipeline_argument
@click.argument("version", type=int)
@workspace_option()
@by_option(required=True)
@message_option("Why.")
@json_option
def rollback(pipeline: str, version: int, root: Path, by: str, message: str, as_json: bool) -> None:
    """Publish VERSION of PIPELINE's program again, as its newest version."""
    program = open_services(root).programs.rollback(pipeline, version, by=by, message=message)
    if as_json:
        print_json(_about(program))
    else:
        say(f"{pipeline} version {program.version} is version {version} again\n{program.sha256}")


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


def compare(old: Program, new: Program) -> dict[str, list[Any]]:
    """What a newer program adds, removes and changes, and how its expected columns differ."""
    from avh_ui.review.plain import plain

    before, after = {c.key: c for c in old.constraints}, {c.key: c for c in new.constraints}

    def entry(key: str, text: str) -> dict[str, str]:
        c = after.get(key) or before[key]
        return {"id": key, "column": c.column, "metric": c.metric, "bounds": text, "plain": plain(c)}

    def full(constraint: Constraint) -> str:
        return f"{bounds(constraint)} [{constraint.level}]"

    schema = [f"Column {c.name!r} ({c.type}) is expected now." for c in new.schema.columns if c not in old.schema.columns]
    schema += [f"Column {c.name!r} ({c.type}) was expected before." for c in old.schema.columns if c not in new.schema.columns]
    if old.schema.level != new.schema.level:
        schema.append(f"Schema drift was {old.schema.level} and is {new.schema.level}.")
    return {
        "added": [entry(k, bounds(after[k])) for k in after if k not in before],
        "removed": [entry(k, bounds(before[k])) for k in before if k not in after],
        "changed": [entry(k, f"{full(before[k])} -> {full(after[k])}") for k in after if k in before and before[k] != after[k]],
        "schema": schema,
    }


def _about(program: Program) -> dict[str, Any]:
    names = ("pipeline", "version", "sha256", "created_at", "author", "message")
    return {**{name: getattr(program, name) for name in names}, "constraints": len(program.constraints)}
