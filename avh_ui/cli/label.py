"""`avh label`: say what alarms were, and which change is the new normal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from avh_ui.cli.options import by_option, message_option, open_services, pipeline_argument, workspace_option
from avh_ui.cli.output import count, say

if TYPE_CHECKING:
    from avh_ui.review.feedback import Feedback, FeedbackAction
    from avh_ui.workflows.services import Services

# The key of all of a batch (`Runs.give_feedback`).
WHOLE = ""
# So many batches are named in a sentence.
_NAMED = 4
LABELS: dict[str, FeedbackAction] = {
    "expected": "expected_change",
    "false-alarm": "false_alarm",
    "known-error": "known_error",
    "real-issue": "real_issue",
    "none": "unlabel",
}


@click.command("label")
@pipeline_argument
@click.argument("label", type=click.Choice(list(LABELS)), metavar="LABEL")
@workspace_option()
@click.option("--batch", metavar="ID", help="Label what alarmed in its last run, else all of the batch; with none, take its labels back.")
@click.option("--since", metavar="ID", help="With expected or none: the batch that a lasting change begins with, alarm or not.")
@click.option("--column", metavar="NAME", help="Of this column alone; with --since, what has changed (without it the number of rows).")
@by_option()
@message_option("Why.")
def command(pipeline: str, label: str, root: Path, batch: str | None, since: str | None, column: str | None, **who: Any) -> None:
    """Say what an alarm was, or that a change is the new normal.

    Each LABEL says what is learned from the batch:

    \b
      expected     the change is the new normal: the history begins anew with it
      false-alarm  the data are right: they are learned from
      known-error  the data are wrong: nothing is learned from the batch
      real-issue   the same, to be looked into
      none         take every label of the batch back: the old state returns

    With --batch what alarmed in the batch is labelled; all of the batch where nothing did, or without a run. An expected change begins
    with the first of the batches that alarmed of it one after the other; --since names another.
    """  # noqa: D301 (the \\b is click's mark of a paragraph to leave as it is)
    if (batch is None) == (since is None):
        raise click.UsageError("Give either --batch ID (what alarmed in it) or --since ID (a change that began with it).")
    services, given_by = open_services(root), {"by": who["by"], "why": who["message"]}
    if since is not None:
        if label not in ("expected", "none"):
            raise click.UsageError(f"A change is expected or none, not {label}; label the batch with --batch {since}.")
        services.runs.expect(pipeline, column, since, **given_by, back=label == "none")
        what = f"column {column}" if column else "the number of rows"
        anew = f"begins anew with batch {since}: bounds are wide at first and tight within 7 batches"
        say(f"{pipeline}: the history of {what} {'goes on as before' if label == 'none' else anew}.")
        if label == "expected" and not column and (others := _not_the_rows(services, pipeline, since)):
            say(f"What alarmed in that batch is {_shortened(others)}: of a column say `--column {others[0]}`.", err=True)
        return
    if label == "none":
        _take_back(services, pipeline, str(batch), column, given_by)
        return
    labelled = _alarms(services, pipeline, str(batch), column, LABELS[label])
    entries = services.runs.label(pipeline, [(str(batch), key) for _, key in labelled], LABELS[label], **given_by)
    for name, key in labelled:
        given = next(entry for entry in entries if entry.key == key)
        since_then = f": its history begins anew with batch {given.change.since}" if given.change else ""
        say(f"{pipeline} {batch}: {name} is labelled {label}{since_then}{_also(entries, given, 'so are')}.")
    if any(key for _, key in labelled):
        say(f"{count(len(entries), 'alarm')} labelled.")
    if label == "false-alarm" and (fixed := _fixed(services, pipeline, str(batch), {key for _, key in labelled})):
        say(f"{_shortened(fixed)}: what was approved stands, and alarms on such a batch again, until `avh suggest` and `avh publish`.")


def _fixed(services: Services, pipeline: str, batch: str, keys: set[str]) -> list[str]:
    """What is labelled and has the bounds that were approved, as they are read: those of other rules follow what is learned."""
    from avh_ui.review.plain import plain

    run = next(iter(services.runs.recent(pipeline, batches=[batch])), None)
    verdicts = [] if run is None else services.runs.load(pipeline, run.id).verdicts
    asked = [one.constraint for one in verdicts if one.constraint.key in keys]
    return [f"“{plain(made).removesuffix('.')}”" for made in asked if made.recipe is None and made.origin != "manual"]


def _take_back(services: Services, pipeline: str, batch: str, column: str | None, given_by: dict[str, Any]) -> None:
    """Every label that stands of the batch (of a column): of its alarms, of all of it, and of a change that begins with it."""
    from avh_ui.review.feedback import standing_labels

    before = services.runs.feedback(pipeline)
    names = _names(services, pipeline, batch)
    standing = [(key, *_named(key, names)) for labelled, key in standing_labels(before) if labelled == batch]
    found = [(key, name) for key, of, name in standing if column is None or of == column]
    if not found:
        which = f" in column {column!r}" if column else ""
        raise click.UsageError(f"Nothing is labelled{which} in batch {batch!r} of {pipeline!r}: there is nothing to take back.")
    entries = services.runs.label(pipeline, [(batch, key) for key, _ in found], "unlabel", **given_by)
    for key, name in found:
        given = next(entry for entry in entries if entry.key == key)
        say(f"{pipeline} {batch}: the label of {name} is taken back{_also(entries, given, 'so are those of')}.")
    say(f"{count(len(entries), 'label')} taken back.")
    if judged := _judged(services, pipeline, before, entries):
        say(f"Judged meanwhile as if it were normal: {_shortened(judged)}. To judge them again, `avh validate {pipeline} --batch ID`.")


def _also(entries: Sequence[Feedback], given: Feedback, so: str) -> str:
    """On which other batches the same was said."""
    others = [entry.batch for entry in entries if entry.key == given.key and entry.batch != given.batch]
    return f"; {so} its alarms on {_shortened(others)}, which are of the same change" if others else ""


def _names(services: Services, pipeline: str, batch: str) -> dict[str, tuple[str, str]]:
    """What the batch's last run judged, by its key: the column, and how it is shown."""
    run = next(iter(services.runs.recent(pipeline, batches=[batch])), None)
    if run is None:
        return {}

    from avh_ui.review.metric_words import metric_words
    from avh_ui.review.plain import plain

    said = {one.constraint.key: plain(one.constraint).removesuffix(".") for one in services.runs.load(pipeline, run.id).verdicts}
    return {
        o.key: (o.column, f"“{said[o.key]}”" if o.key in said else f"{metric_words(o.name)} of {o.column or 'the table'}")
        for o in run.outcomes
    }


def _named(key: str, names: dict[str, tuple[str, str]]) -> tuple[str, str]:
    """The column and the name of what is labelled; `names` are those of the batch's last run, which may ask other rules by now."""
    from avh_ui.review.feedback import CHANGE

    rule, slash, column = key.partition("/")
    if key == WHOLE:
        return "", "all of the batch"
    if rule == CHANGE and slash:
        return column, f"the change of {f'column {column}' if column else 'the number of rows'}"
    return names.get(key) or (column, f"{rule} of {column or 'the table'}" if slash else f"a rule that is asked no more ({key})")


def _alarms(services: Services, pipeline: str, batch: str, column: str | None, action: FeedbackAction) -> list[tuple[str, str]]:
    """What alarmed in the batch's last run (of a column), as it is shown and by its key; all of a batch in which nothing alarmed."""
    run = next(iter(services.runs.recent(pipeline, batches=[batch])), None)
    found = [] if run is None else [o for o in run.alarms if column is None or o.column == column]
    if not found and column is None and action != "expected_change":
        return [("all of the batch", WHOLE)]
    if run is None:
        raise click.UsageError(f"There is no run of batch {batch!r} of {pipeline!r}: validate it first, or say `--since {batch}`.")
    if not found:
        which = f" in column {column!r}" if column else ""
        raise click.UsageError(f"Nothing alarmed{which} in batch {batch!r}: there is nothing to label {action.replace('_', ' ')}.")
    names = _names(services, pipeline, batch)
    return [(names[o.key][1], o.key) for o in found]


def _not_the_rows(services: Services, pipeline: str, batch: str) -> list[str]:
    """The columns that alarmed in a batch whose number of rows did not."""
    from avh_ui.metrics.counts import ROW_COUNT

    run = next(iter(services.runs.recent(pipeline, batches=[batch])), None)
    alarms = () if run is None else run.alarms
    return [] if any(o.name == ROW_COUNT.name for o in alarms) else sorted({o.column for o in alarms if o.column})


def _judged(services: Services, pipeline: str, before: Sequence[Feedback], entries: Sequence[Feedback]) -> list[str]:
    """The batches that passed since a change was expected that is taken back now; `before` is the log as it was."""
    from avh_ui.review.feedback import standing_labels
    from avh_ui.workflows.changes import judged_since

    labels = standing_labels(before)
    taken = [labels[entry.batch, entry.key] for entry in entries if (entry.batch, entry.key) in labels]
    runs = services.runs.recent(pipeline) if taken else []
    passed = {batch for entry in taken for batch in judged_since(runs, entry)}
    return [run.batch for run in runs if run.batch in passed]


def _shortened(batches: Sequence[str]) -> str:
    more = len(batches) - _NAMED
    return f"{', '.join(batches[:_NAMED])} and {more} more" if more > 1 else ", ".join(batches)
