"""`avh decide`: headless decisions."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from avh_ui.cli.options import by_option, json_option, message_option, open_services, pipeline_argument, workspace_option
from avh_ui.cli.output import count, print_json, say

if TYPE_CHECKING:
    from avh_ui.review.decision import Action, ItemStatus
    from avh_ui.workflows.services import Services

STATUSES: tuple[ItemStatus, ...] = ("accepted", "edited", "rejected", "pending")
_ACTIONS = click.Choice(["accept", "reject", "edit", "reset"])
_DONE = {"accept": "accepted", "reject": "rejected", "edit": "edited", "reset": "reset"}


class _Bound(click.ParamType[float]):
    """A number, or `open`."""

    name = "NUMBER|open"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """NaN stands for open: no bound can be it."""
        if isinstance(value, float):
            return value
        if str(value).lower() == "open":
            return math.nan
        try:
            number = float(value)
        except ValueError:
            self.fail(f"{value!r} is neither a number nor the word open", param, ctx)
        if math.isnan(number):
            self.fail(f"{value!r} is no bound", param, ctx)
        return number


@click.command("decide")
@pipeline_argument
@click.argument("ids", nargs=-1, metavar="[ID]...")
@workspace_option()
@click.option("--accept", "action", flag_value="accept", type=_ACTIONS, help="Into the program.")
@click.option("--reject", "action", flag_value="reject", type=_ACTIONS, help="Not into the program.")
@click.option("--edit", "action", flag_value="edit", type=_ACTIONS, help="Into the program with other bounds.")
@click.option("--reset", "action", flag_value="reset", type=_ACTIONS, help="Take a decision back.")
@click.option("--all", "everything", is_flag=True, help="Every suggestion that waits for a decision (with --reset: every decided one).")
@click.option("--lower", type=_Bound(), help="With --edit: the lower bound, as in `avh suggest --json`. Not given, it stays.")
@click.option("--upper", type=_Bound(), help="With --edit: the upper bound.")
@by_option(required=True)
@message_option("Why.")
@json_option
def command(pipeline: str, ids: tuple[str, ...], root: Path, everything: bool, as_json: bool, **decision: Any) -> None:
    """Accept, reject or edit suggestions.

    Those of PIPELINE's draft with the IDs, or --all that are pending.
    """
    from avh_ui.errors import UsageError

    action: Action | None = decision["action"]
    if action is None:
        raise UsageError("What is to be decided?", hint="Give --accept, --reject, --edit or --reset.")
    if everything == bool(ids):
        raise UsageError("Which suggestions?", hint="Give their ids, or --all (not both).")
    bounds = {side: decision[side] for side in ("lower", "upper") if decision[side] is not None}
    if bounds and action != "edit":
        raise UsageError("Bounds belong to --edit.")
    if action == "edit" and (everything or not bounds):
        raise UsageError("What are the bounds?", hint="Give one id with --lower, --upper or both.")
    services = open_services(root)
    edit = _edited(services, pipeline, ids, bounds) if action == "edit" else {}
    revisions = _open_items(services, pipeline, action) if everything else None
    if revisions is not None and not revisions:
        say(f"{pipeline}: nothing to {action}, no suggestion is {'decided' if action == 'reset' else 'pending'}.", err=True)
        return
    chosen, by, why = list(revisions or ids), decision["by"], decision["message"]
    after = services.suggestions.decide(pipeline, chosen, action, by=by, why=why, expected=revisions, **edit)
    counts = {s: after.count(s) for s in STATUSES}
    if as_json:
        print_json({"pipeline": pipeline, "action": action, "decided": chosen, "by": by, "draft": counts, "digest": after.digest})
        return
    now = ", ".join(f"{n} {s}" for s, n in counts.items() if n)
    say(f"{pipeline}: {_DONE[action]} {count(len(set(chosen)), 'suggestion')}; now {now}. Draft {after.digest[:12]}.")


def _edited(services: Services, pipeline: str, ids: tuple[str, ...], given: dict[str, float]) -> dict[str, Any]:
    """The bounds after an edit: those given, else those that stand."""
    from avh_ui.errors import UsageError

    if len(ids) != 1:
        raise UsageError(f"Bounds can be edited of one suggestion at a time, not of {len(ids)}.")
    current = services.suggestions.required(pipeline).item(ids[0]).current
    bounds = {"lower": current.lower, "upper": current.upper} | given
    return {side: None if bound is None or math.isnan(bound) else bound for side, bound in bounds.items()}


def _open_items(services: Services, pipeline: str, action: Action) -> dict[str, int]:
    """What --all means, with revisions: what somebody else decides in this moment is not overridden."""
    wanted = [item for item in services.suggestions.required(pipeline).items if (item.status == "pending") == (action != "reset")]
    return {item.suggestion.id: item.revision for item in wanted}
