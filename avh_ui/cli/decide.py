"""`avh decide`: headless decisions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from avh_ui.cli.options import by_option, json_option, message_option, open_workspace, pipeline_argument, workspace_option
from avh_ui.cli.output import count, print_json, say

if TYPE_CHECKING:
    from avh_ui.review.decision import Action, ItemStatus
    from avh_ui.workflows.workspace import Workspace

STATUSES: tuple[ItemStatus, ...] = ("accepted", "edited", "rejected", "pending")


_ACTIONS = click.Choice(["accept", "reject", "reset"])
_DONE = {"accept": "accepted", "reject": "rejected", "reset": "reset"}


@click.command("decide")
@pipeline_argument
@click.argument("ids", nargs=-1, metavar="[ID]...")
@workspace_option()
@click.option("--accept", "action", flag_value="accept", type=_ACTIONS, help="Into the program.")
@click.option("--reject", "action", flag_value="reject", type=_ACTIONS, help="Not into the program.")
@click.option("--reset", "action", flag_value="reset", type=_ACTIONS, help="Take a decision back.")
@click.option("--all", "everything", is_flag=True, help="Every suggestion that waits for a decision (with --reset: every decided one).")
@by_option(required=True)
@message_option("Why.")
@json_option
def command(pipeline: str, ids: tuple[str, ...], root: Path, everything: bool, as_json: bool, **decision: Any) -> None:
    """Accept or reject suggestions.

    Those of PIPELINE's draft with the IDs, or --all that are pending.
    """
    from avh_ui.errors import UsageError

    action: Action | None = decision["action"]
    if action is None:
        raise UsageError("What is to be decided?", hint="Give --accept, --reject or --reset.")
    if everything == bool(ids):
        raise UsageError("Which suggestions?", hint="Give their ids, or --all (not both).")
    workspace = open_workspace(root)
    revisions = _open_items(workspace, pipeline, action) if everything else None
    if revisions is not None and not revisions:
        say(f"{pipeline}: nothing to {action}, no suggestion is {'decided' if action == 'reset' else 'pending'}.", err=True)
        return
    chosen = list(revisions or ids)
    after = workspace.decide(pipeline, chosen, action, by=decision["by"], why=decision["message"], expected=revisions)
    counts = {s: after.count(s) for s in STATUSES}
    if as_json:
        print_json({"pipeline": pipeline, "action": action, "decided": chosen, "by": decision["by"], "draft": counts})
        return
    now = ", ".join(f"{n} {s}" for s, n in counts.items() if n)
    say(f"{pipeline}: {_DONE[action]} {count(len(set(chosen)), 'suggestion')}; now {now}.")


def _open_items(workspace: Workspace, pipeline: str, action: Action) -> dict[str, int]:
    """What --all means, with revisions: what somebody else decides in this moment is not overridden."""
    from avh_ui.errors import NotFoundError

    draft = workspace.draft(pipeline)
    if draft is None:
        raise NotFoundError("draft of pipeline", pipeline, (), hint=f"Make one with `avh suggest {pipeline}`.")
    wanted = [item for item in draft.items if (item.status == "pending") == (action != "reset")]
    return {item.suggestion.id: item.revision for item in wanted}
