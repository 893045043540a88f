"""`avh coverage`: which faults a program notices, and what would close its holes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from avh_ui.cli.options import json_option, open_services, pipeline_argument, workspace_option
from avh_ui.cli.output import count, print_json, print_table, progress, say, say_notes

if TYPE_CHECKING:
    from avh_ui.workflows.coverage import Cell, Coverage

# A screenful below the grid; `--holes 0` lists all.
_HOLES = 20


@click.command("coverage")
@pipeline_argument
@workspace_option()
@click.option("--draft", "of", flag_value="draft", help="Of the draft, as it would be published.")
@click.option("--all", "of", flag_value="all", help="Of all suggestions that nobody rejected.")
@click.option("--version", type=click.IntRange(1), metavar="N", help="Of an older version; without one of the published, else the draft.")
@click.option("--holes", type=click.IntRange(0), default=_HOLES, show_default=True, help="How many holes are listed; 0 lists all.")
@json_option
def command(pipeline: str, root: Path, of: Any, version: int | None, holes: int, as_json: bool) -> None:
    """Show which faults are noticed.

    The faults are put into a sample of PIPELINE's latest batch: rows lost or doubled, nulls, yesterday's rows, another type, format or
    unit, new or lost values, duplicates and rows mixed up, each in 1, 10, 50 and 100 % of the rows. The table says from which share on
    every such fault is noticed; below it stand the holes, the worst first, each with the rule that would close it and its price.
    """
    from avh_ui.errors import UsageError

    if of is not None and version is not None:
        raise UsageError("A version is published; a draft has none.", hint="Give --version, or --draft or --all.")
    with progress(f"coverage of {pipeline}") as watch:
        found = open_services(root).coverages.coverage(pipeline, of, version=version, watch=watch)
    if as_json:
        print_json(record(found))
    else:
        show(found, holes or len(found.holes))


def show(found: Coverage, holes: int) -> None:
    """Print the grid, the worst holes and what it was told on."""
    from avh_ui.issues.faults import CLASSES, TABLE
    from avh_ui.workflows.coverage import percent_of

    rows = [[name or "(whole rows)", *(_from(found.by_place[name, cls]) for cls in CLASSES)] for name in (TABLE, *found.columns)]
    print_table(["noticed from", *CLASSES], rows)
    if found.holes:
        say()
        lines = [[c.column or "(whole rows)", c.cls, _missed(c), c.worst.fault.way, c.worst.advice] for c in found.holes[:holes] if c.worst]
        print_table(["hole in", "class", "missed at", "such as", "what would notice it"], lines)
        if len(found.holes) > holes:
            say(f"And {count(len(found.holes) - holes, 'hole')} more: --holes 0 lists all.")
    say()
    say_notes(found.notes)
    noticed, of = found.share(0.5)
    who = f"{found.of} ({count(found.rules, 'rule')}) notice{'' if found.of.endswith('suggestions') else 's'}"
    say(f"{found.pipeline}, {found.batch}: of faults in {percent_of(0.5)} of the rows {who}")
    say(f"all ways in {noticed} of {of} columns and classes; told in {found.seconds:.1f} s.")
    if found.of == "the draft" and not found.rules:
        say("None of its suggestions is accepted yet: --all tells it of all that nobody rejected.")


def record(found: Coverage) -> dict[str, Any]:
    """The coverage as plain data; the field names are the command's contract."""
    return {
        "pipeline": found.pipeline,
        "of": found.of,
        "batch": found.batch,
        "rules": found.rules,
        "notes": list(found.notes),
        "seconds": found.seconds,
        "faults": [
            {
                "column": one.fault.column or None,
                "class": one.fault.cls,
                "severity": one.fault.severity,
                "way": one.fault.way,
                "noticed_by": list(one.by),
                "closing": None
                if one.closing is None
                else {
                    "rule": one.closing.words,
                    "false_alarms_a_year": one.closing.price,
                    "within_budget": one.closing.affordable,
                    "suggestion": one.closing.suggestion or None,
                },
                "why": one.why or None,
            }
            for cell in found.cells
            for one in cell.findings
        ],
    }


def _from(cell: Cell) -> str:
    from avh_ui.workflows.coverage import percent_of

    if not cell.findings:
        return ""
    return "never" if cell.least is None else percent_of(cell.least)


def _missed(cell: Cell) -> str:
    severities = sorted({one.fault.severity for one in cell.missed})
    return f"{', '.join(f'{100 * s:g}' for s in severities)}%"
