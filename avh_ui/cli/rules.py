"""`avh rules`: what people state of a table, in its draft."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from avh_ui.cli.options import by_option, json_option, open_services, pipeline_argument, stated_rules, workspace_option
from avh_ui.cli.output import count, print_json, print_table, progress, say, say_notes

if TYPE_CHECKING:
    from avh_ui.review.draft import Draft, DraftItem
    from avh_ui.workflows.stating import Weighed

# So many batches that would have alarmed are named.
_NAMED = 5


@click.group("rules")
def command() -> None:
    """State rules of a table: list, try, add and remove them.

    A rule is written as in avh.yml, such as `is_complete: carrier`, `is_unique: [id, day]` or `has: {measure: mean, column: x, above: 0}`.
    It waits in the draft for a decision, and is enforced once it is published.
    """


@command.command("list")
@pipeline_argument
@workspace_option()
@json_option
def list_rules(pipeline: str, root: Path, as_json: bool) -> None:
    """List the rules in the draft of PIPELINE."""
    draft = open_services(root).suggestions.draft(pipeline)
    _show(draft, pipeline, as_json=as_json)


@command.command("add")
@pipeline_argument
@click.argument("rules", nargs=-1, metavar="[RULE]...")
@workspace_option()
@by_option()
@json_option
def add(pipeline: str, rules: tuple[str, ...], root: Path, by: str | None, as_json: bool) -> None:
    """Add RULEs to the draft of PIPELINE, all or none.

    Those of avh.yml come along; without a RULE they alone are brought up to date.
    """
    suggestions = open_services(root).suggestions
    draft = suggestions.add(pipeline, stated_rules(rules), by=by)
    _show(draft, pipeline, as_json=as_json)
    say_notes(suggestions.remarks(pipeline), err=True)


@command.command("try")
@pipeline_argument
@click.argument("rules", nargs=-1, required=True, metavar="RULE...")
@workspace_option()
@click.option("--batches", type=click.IntRange(min=1), default=30, show_default=True, help="Of how many of the latest batches.")
@click.option("--measure", is_flag=True, help="Measure these batches at their source where the history does not know what a rule is of.")
@by_option()
@json_option
def try_rules(pipeline: str, rules: tuple[str, ...], root: Path, *, batches: int, measure: bool, by: str | None, as_json: bool) -> None:
    """Tell which past batches of PIPELINE would have broken RULEs; nothing is added."""
    suggestions, checks = open_services(root).suggestions, stated_rules(rules)
    untold: Mapping[str, str] = {}
    if measure:
        with progress(f"Measuring {pipeline}") as watch:
            tried = suggestions.try_rule(pipeline, checks, batches=batches, watch=watch, by=by)
        for batch, why in tried.skipped:
            say(f"Passed over: {batch}: {why.rstrip('.')}.", err=True)
        found: Sequence[Weighed] = tried.rules
        untold = tried.untold
    else:
        found = suggestions.weigh(pipeline, checks)
    if as_json:
        print_json([_tried(one, untold) for one in found])
        return
    for one in found:
        say(f"{one.constraint.title}: {_fared(one)}")
        if one.remark:
            say(f"  {one.remark}")
        if not one.measured and (reason := untold.get(one.constraint.column)):
            say(f"  {reason}")
    if any(not one.measured for one in found) and not measure:
        say("Measure the latest batches with --measure.")


@command.command("remove")
@pipeline_argument
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@workspace_option()
@by_option()
@json_option
def remove(pipeline: str, ids: tuple[str, ...], root: Path, by: str | None, as_json: bool) -> None:
    """Remove rules from the draft of PIPELINE: by their IDs, or their words.

    The live version keeps them until another is published.
    """
    draft = open_services(root).suggestions.remove(pipeline, ids, by=by)
    _show(draft, pipeline, as_json=as_json)


def _show(draft: Draft | None, pipeline: str, *, as_json: bool) -> None:
    items = [item for item in draft.items if item.current.origin == "manual"] if draft is not None else []
    if as_json:
        print_json([_record(item) for item in items])
        return
    if items:
        rows = [[i.suggestion.id, i.current.title, i.current.level, _place(i), _alarms(i), i.status] for i in items]
        print_table(["id", "rule", "level", "from", "would have alarmed", "status"], rows)
        if any(item.suggestion.evidence.backtest is None for item in items):
            say(f"`avh profile {pipeline} --again` measures past batches for new rules, and `avh suggest {pipeline}` judges them.")
    say(f"{pipeline}: {count(len(items), 'rule')} in the draft." + ("" if items else f" Add one with `avh rules add {pipeline} RULE`."))


def _place(item: DraftItem) -> str:
    from avh_ui.constraints.evidence import FromPerson

    known = item.suggestion.evidence
    return (known.file or known.by) if isinstance(known, FromPerson) else ""


def _alarms(item: DraftItem) -> str:
    record = item.suggestion.evidence.backtest
    return "not measured yet" if record is None else f"{len(record.fired)} of {record.judged}"


def _record(item: DraftItem) -> dict[str, Any]:
    """A rule as plain data; the field names are the command's contract."""
    from avh_ui.cli.suggest import record

    return {**record(item), "rule": item.current.title, "level": item.current.level, "from": _place(item)}


def _fared(one: Weighed) -> str:
    """What the history says of a rule, as the end of a sentence."""
    record = one.evidence.backtest
    if record is None:
        return f"none of the {count(one.batches, 'batch')} of the history was measured for it."
    named = ", ".join(record.fired[-_NAMED:]) + (" and others" if len(record.fired) > _NAMED else "")
    return f"would have alarmed on {len(record.fired) or 'none'} of {count(record.judged, 'batch')}{f' ({named})' if named else ''}."


def _tried(one: Weighed, untold: Mapping[str, str]) -> dict[str, Any]:
    record = one.evidence.backtest
    return {
        "rule": one.constraint.title,
        "judged": 0 if record is None else record.judged,
        "fired_on": [] if record is None else list(record.fired),
        "latest": one.latest,
        "batches": one.batches,
        "remark": one.remark,
        "not_measured": None if one.measured else untold.get(one.constraint.column),
    }
