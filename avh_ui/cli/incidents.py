"""`avh incidents`: alarms of one cause as one event, and what people say of it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from avh_ui.cli.options import by_option, json_option, open_services, pipeline_argument, workspace_option
from avh_ui.cli.output import count, print_json, print_table, say

if TYPE_CHECKING:
    from avh_ui.config_contacts import Contacts
    from avh_ui.validator.incidents import Incident
    from avh_ui.workflows.incidents import ToldIncident

# So many columns are named in a line of the list.
_NAMED = 3
# And so many sentences say what happened on the batch that tells of it, the most surprising first.
_TOLD = 3


@click.command("incidents")
@pipeline_argument
@click.argument("incident", required=False, metavar="[ID]")
@workspace_option()
@click.option("--open", "unresolved", is_flag=True, help="Those alone that are not resolved.")
@click.option("--own", metavar="NAME", help="Whose the incident is; '' for nobody's.")
@click.option("--resolve", is_flag=True, help="It is over. What alarms again in a later batch opens it again.")
@click.option("--reopen", is_flag=True, help="It is not over.")
@click.option("--comment", metavar="TEXT", default="", help="What there is to say; with --resolve or --reopen why.")
@click.option("--findings", is_flag=True, help="What was found, as a text for whoever delivers the table.")
@by_option()
@json_option
def command(pipeline: str, incident: str | None, root: Path, unresolved: bool, as_json: bool, **said: Any) -> None:
    """List PIPELINE's incidents, or show and change one.

    Alarms of one cause, over columns and batches, are one incident: it begins with the first, goes on while the same rules or columns
    alarm to the same side, and ends when they pass again or a label says that the data are right. ID may be cut short.
    """
    from avh_ui.errors import UsageError

    services, tells = open_services(root), said["own"] is not None or any(said[name] for name in ("resolve", "reopen", "comment"))
    service = services.incidents
    if incident is None:
        if tells or said["findings"]:
            raise UsageError("Of which incident?", hint=f"Give its ID: `avh incidents {pipeline}` lists them.")
        found = service.incidents(pipeline, unresolved=unresolved)
        _list(pipeline, found, unresolved) if not as_json else print_json([one.to_record() for one in found])
        return
    if unresolved:
        raise UsageError("--open is about the list.", hint="Leave it out, or the ID.")
    if tells:
        incident = service.tell_incident(pipeline, incident, **{name: what for name, what in said.items() if name != "findings"}).id
    told, settings = service.incident(pipeline, incident), services.pipeline(pipeline)
    if said["findings"]:
        from avh_ui.workflows.findings import findings_of

        say(findings_of(settings, told).text.rstrip())
        return
    asked = settings.contacts
    print_json({**record(told), **({"contacts": asked.to_record()} if asked.words else {})}) if as_json else _show(told, asked)


def record(told: ToldIncident) -> dict[str, Any]:
    """One incident as plain data, with its alarms and what was said; the field names are the command's contract."""
    alarms = [
        {"batch": a.batch, "column": a.column, "name": a.name, "status": a.status, "side": {1: "above", -1: "below"}.get(a.sign)}
        for a in told.incident.alarms
    ]
    said = [{name: value for name, value in asdict(entry).items() if name not in ("seq", "until")} for entry in told.said]
    like = None if told.like is None else told.like.id
    return {**told.incident.to_record(), "alarmed": alarms, "said": said, "like": like}


def _list(pipeline: str, found: list[Incident], unresolved: bool) -> None:
    if not found:
        say(f"{pipeline}: no {'open ' if unresolved else ''}incident.")
        return
    again = {one.id: one.ended or ("validated again" if one.mended else "") for one in found}
    rows = [
        [one.id, one.state, one.owner, one.last, f"{len(one.batches):,}", f"{len(one.keys):,}", _columns(one), again[one.id]]
        for one in found
    ]
    print_table(["incident", "state", "owner", "last", "batches", "rules", "columns", "passed again"], rows)
    alarms = sum(len(one.alarms) for one in found)
    say(f"{count(alarms, 'alarm')} are {count(len(found), 'incident')}." if alarms > 1 else "One alarm is one incident.")


def _columns(incident: Incident) -> str:
    names = [name or "(table)" for name in incident.places]
    return ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")


def _show(told: ToldIncident, asked: Contacts) -> None:
    one = told.incident
    ended = f", passes again since {one.ended}" if one.ended else ", passes since it was validated again" if one.mended else ""
    say(f"{one.id}: {one.state}{f', owned by {one.owner}' if one.owner else ''}")
    say(f"from {one.since} to {one.last} ({count(len(one.batches), 'batch')}){ended}; {count(len(one.alarms), 'alarm')}")
    from avh_ui.review.metric_words import metric_words
    from avh_ui.validator.incidents import copy_of

    if one.copied:
        say(f"  {copy_of('an earlier batch')}")
    for result in told.results[:_TOLD]:
        say(f"  {result.message}")
    rows = [[a.batch, a.place or "(table)", metric_words(a.name), {1: "above", -1: "below"}.get(a.sign, ""), a.status] for a in one.alarms]
    print_table(["batch", "column", "what is measured", "side", "status"], rows)
    for entry in told.said:
        say(f"{entry.at} {entry.by}: {entry.action.replace('_', ' ')} {entry.why}".rstrip())
    if told.like is not None:
        say(f"Like {told.like.id}.")
    if asked.words:
        say(asked.words)
