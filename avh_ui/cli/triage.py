"""`avh triage`: the suggestions of one table or all in four piles, what means the same together."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from avh_ui.cli.options import json_option, open_services, workspace_option
from avh_ui.cli.output import count, print_json, print_table, say
from avh_ui.cli.suggest import clipped

if TYPE_CHECKING:
    from avh_ui.review.triage import PileGroup, Triage


@click.command("triage")
@click.argument("pipelines", nargs=-1, metavar="[PIPELINE]...")
@workspace_option()
@click.option("--rules", is_flag=True, help="Name each rule of a group, with its id.")
@json_option
def command(pipelines: tuple[str, ...], root: Path, rules: bool, as_json: bool) -> None:
    """Show what to decide, in piles.

    Of the drafts of the PIPELINEs, all by default: what is safe to accept together, what needs your eyes (what may alarm most comes first),
    what others make redundant, and what is doubtful. Rules that mean the same stand in one line, over columns and tables.
    """
    services = open_services(root)
    found = services.piles.triage(*pipelines)
    if as_json:
        print_json(record(found))
        return
    show(found, rules=rules)
    drafts = dict.fromkeys(item.suggestion.pipeline for group in found.groups for item in group.items)
    for name in drafts:
        budget = services.piles.budget("safe", name)
        if budget.rules:
            say(f"Accepting what is safe: {budget.sentence} `avh decide {name} --pile safe` does that.")
    say(f"{found.progress[:1].upper()}{found.progress[1:]}.")


def show(found: Triage, *, rules: bool) -> None:
    """Print the piles, a line for each group."""
    from avh_ui.review.plain import plain
    from avh_ui.review.triage import NAMES

    for pile, name in NAMES.items():
        groups = found.pile(pile)
        if not groups:
            continue
        say(f"{name}: {count(len(found.items(pile)), 'suggestion')} in {count(len(groups), 'group')}")
        print_table(["rules", "what", "why", "decided"], [[f"{len(g.items)}", clipped(g.label), g.why, _decided(g)] for g in groups])
        if rules:
            for item in (item for group in groups for item in group.items):
                say(f"  {item.suggestion.id}  {item.suggestion.pipeline}: {plain(item.current)}")
        say()


def record(found: Triage) -> dict[str, Any]:
    """The piles as plain data; the field names are the command's contract."""
    return {
        "decisions": found.decisions,
        "left": found.left,
        "minutes": round(found.minutes, 1),
        "groups": [
            {
                "pile": group.pile,
                "what": group.label,
                "why": group.why,
                "suggestions": [
                    {"pipeline": m.item.suggestion.pipeline, "id": m.item.suggestion.id, "status": m.item.status, "why": m.why}
                    for m in group.members
                ],
            }
            for group in found.groups
        ],
    }


def _decided(group: PileGroup) -> str:
    done = sum(item.status != "pending" for item in group.items)
    return f"{done} of {len(group.items)}" if done else ""
