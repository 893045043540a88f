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
    from avh_ui.review.draft import Draft
    from avh_ui.workflows.services import Services

STATUSES: tuple[ItemStatus, ...] = ("accepted", "edited", "rejected", "pending")
_DONE: dict[Action, str] = {"accept": "accepted", "reject": "rejected", "edit": "edited", "limit": "limited", "reset": "reset"}


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


def _action(decision: dict[str, Any]) -> Action | None:
    """The one action of a call."""
    from avh_ui.errors import UsageError

    given: list[Action] = [action for action in _DONE if decision.pop(action)]
    if len(given) > 1:
        raise UsageError(
            f"A suggestion is decided once, and the call has {' and '.join(f'--{one}' for one in given)}.", hint="Give one of them."
        )
    return given[0] if given else None


@click.command("decide")
@pipeline_argument
@click.argument("ids", nargs=-1, metavar="[ID]...")
@workspace_option()
@click.option("--accept", is_flag=True, help="Into the program.")
@click.option("--reject", is_flag=True, help="Not into the program.")
@click.option("--edit", is_flag=True, help="Into the program with other bounds, which stay.")
@click.option("--limit", is_flag=True, help="Into the program with bounds that follow within these limits.")
@click.option("--reset", is_flag=True, help="Take a decision back.")
@click.option("--all", "everything", is_flag=True, help="Every suggestion that waits for a decision (with --reset: every decided one).")
@click.option("--pile", type=click.Choice(["safe", "eyes", "redundant", "doubtful"]), help="What waits in a pile of `avh triage`.")
@click.option(
    "--reason",
    type=click.Choice(["too_loose", "too_tight", "meaningless", "duplicate", "known"]),
    help="With --reject: why, which teaches the next suggestion.",
)
@click.option("--key", metavar="COLUMN[,COLUMN]", help="Rows are matched by these columns with those of the batch before.")
@click.option("--no-key", is_flag=True, help="Rows are matched by no key.")
@click.option("--lower", type=_Bound(), help="With --edit or --limit: the lower bound, as in `avh suggest --json`. Not given, it stays.")
@click.option("--upper", type=_Bound(), help="With --edit or --limit: the upper bound.")
@click.option("--without", multiple=True, metavar="COLUMN", help="With --edit: take a column out of a rule that says the same of several.")
@by_option(required=True)
@message_option("Why.")
@json_option
def command(pipeline: str, ids: tuple[str, ...], root: Path, everything: bool, as_json: bool, **decision: Any) -> None:
    """Accept, reject, edit or limit suggestions.

    Those of PIPELINE's draft with the IDs, those of a --pile (what is safe is accepted and what is redundant rejected unless said
    otherwise), or --all that are pending; --accept --all accepts the key that was found, too. With --key or
    --no-key another one, or none.
    """
    from avh_ui.errors import UsageError

    action = decision["action"] = _action(decision)
    if decision["key"] is not None or decision["no_key"]:
        if action or ids or everything or (decision["key"] is not None and decision["no_key"]):
            raise UsageError("A key is said alone.", hint="Give --key or --no-key, without ids and other decisions.")
        _say_key(open_services(root), pipeline, decision, as_json=as_json)
        return
    if decision["reason"] is not None and action not in ("reject", None):
        raise UsageError(f"A reason belongs to --reject, not to --{action}.")
    if decision["pile"] is not None:
        if ids or everything or action in ("edit", "limit", "reset"):
            raise UsageError("A pile is accepted or rejected, and named alone.", hint="Give --pile alone, or with --accept or --reject.")
        _decide_pile(open_services(root), pipeline, decision, as_json=as_json)
        return
    if action is None:
        raise UsageError("What is to be decided?", hint="Give --accept, --reject, --edit, --limit or --reset.")
    if everything == bool(ids):
        raise UsageError("Which suggestions?", hint="Give their ids, or --all (not both).")
    bounds = _bounds(decision, action, everything=everything)
    services = open_services(root)
    edit = _edited(services, pipeline, ids, bounds, action) if action in ("edit", "limit") else {}
    edit |= {"without": (*services.suggestions.required(pipeline).item(ids[0]).out, *decision["without"])} if decision["without"] else {}
    revisions = _open_items(services, pipeline, action) if everything else None
    waits = everything and action == "accept" and _key_waits(services, pipeline)
    if waits:
        key = services.suggestions.say_key(pipeline, by=decision["by"]).run.row_key
        say(f"{pipeline}: rows are matched by {key.title if key else 'no key'}.", err=True)
    if revisions is not None and not revisions:
        say(f"{pipeline}: nothing to {action}, no suggestion is {'decided' if action == 'reset' else 'pending'}.", err=True)
        return
    chosen, by, why = list(revisions or ids), decision["by"], decision["message"]
    reason = decision["reason"]
    after = services.suggestions.decide(pipeline, chosen, action, by=by, why=why, reason=reason, expected=revisions, **edit)
    _tell(pipeline, action, chosen, by, after, as_json=as_json)


def _bounds(decision: dict[str, Any], action: Action, *, everything: bool) -> dict[str, float]:
    """The bounds that are given, where they can be."""
    from avh_ui.errors import UsageError

    bounds = {side: decision[side] for side in ("lower", "upper") if decision[side] is not None}
    if bounds and action not in ("edit", "limit"):
        raise UsageError("Bounds belong to --edit or --limit.")
    if decision["without"] and action != "edit":
        raise UsageError("Columns are taken out with --edit.")
    if action in ("edit", "limit") and (everything or not (bounds or decision["without"])):
        raise UsageError("What are the bounds?", hint="Give one id with --lower, --upper or both, or --without a column.")
    return bounds


def _tell(pipeline: str, action: Action, chosen: list[str], by: str, after: Draft, *, as_json: bool) -> None:
    """What was decided, and what the draft is now."""
    counts = {s: after.count(s) for s in STATUSES}
    if as_json:
        print_json({"pipeline": pipeline, "action": action, "decided": chosen, "by": by, "draft": counts, "digest": after.digest})
        return
    now = ", ".join(f"{n} {s}" for s, n in counts.items() if n)
    say(f"{pipeline}: {_DONE[action]} {count(len(set(chosen)), 'suggestion')}; now {now}. Draft {after.digest[:12]}.")


def _decide_pile(services: Services, pipeline: str, decision: dict[str, Any], *, as_json: bool) -> None:
    pile, by = decision["pile"], decision["by"]
    done = services.piles.decide_pile(pile, pipeline, action=decision["action"], reason=decision["reason"], by=by, why=decision["message"])
    chosen, after = list(done.get(pipeline, ())), services.suggestions.required(pipeline)
    if not chosen:
        say(f"{pipeline}: nothing is pending in the pile {pile}.", err=True)
        return
    _tell(pipeline, "accept" if after.item(chosen[0]).in_program else "reject", chosen, by, after, as_json=as_json)


def _say_key(services: Services, pipeline: str, decision: dict[str, Any], *, as_json: bool) -> None:
    from avh_ui.errors import UsageError

    columns = [name.strip() for name in (decision["key"] or "").split(",") if name.strip()]
    if not columns and not decision["no_key"]:
        raise UsageError("--key names no column.", hint="Name one, or say that there is no key with --no-key.")
    after = services.suggestions.say_key(pipeline, columns, by=decision["by"])
    known = after.run.row_key
    if as_json:
        print_json({"pipeline": pipeline, "key": columns, "by": decision["by"], "digest": after.digest})
        return
    said = f"rows are matched by {known.title}" if known is not None and columns else "rows are matched by no key"
    say(f"{pipeline}: {said}. Suggest anew with `avh suggest {pipeline}` to go by it.")


def _key_waits(services: Services, pipeline: str) -> bool:
    known = services.suggestions.required(pipeline).run.row_key
    return known is not None and known.waits


def _edited(services: Services, pipeline: str, ids: tuple[str, ...], given: dict[str, float], action: Action) -> dict[str, Any]:
    """The bounds after an edit, or the limits: those given, else those that stand."""
    from avh_ui.errors import UsageError

    if len(ids) != 1:
        raise UsageError(f"Bounds can be edited of one suggestion at a time, not of {len(ids)}.")
    current = services.suggestions.required(pipeline).item(ids[0]).current
    lower, upper = (current.limits if action == "limit" else None) or (current.lower, current.upper)
    bounds = {"lower": lower, "upper": upper} | given
    return {side: None if bound is None or math.isnan(bound) else bound for side, bound in bounds.items()}


def _open_items(services: Services, pipeline: str, action: Action) -> dict[str, int]:
    """What --all means, with revisions: what somebody else decides in this moment is not overridden."""
    wanted = [item for item in services.suggestions.required(pipeline).items if (item.status == "pending") == (action != "reset")]
    return {item.suggestion.id: item.revision for item in wanted}
