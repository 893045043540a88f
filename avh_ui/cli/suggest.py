"""`avh suggest`: rules from a table's past, as its draft."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from avh_ui.cli.options import by_option, json_option, open_services, pipeline_argument, workspace_option
from avh_ui.cli.output import count, print_json, print_table, progress, say, say_misnamed, say_notes

if TYPE_CHECKING:
    from avh_ui.constraints.constraint import Constraint
    from avh_ui.constraints.known_key import KnownKey
    from avh_ui.review.draft import Draft, DraftItem
    from avh_ui.review.triage import Placed, Triage

# Of a longer pattern the table shows the beginning.
_PATTERN = 40
# Of a longer rule its beginning: a list of values has no end. The app and --json have all of it.
_RULE = 110


@click.command("suggest", short_help="Suggest rules from a table's past.")
@pipeline_argument
@workspace_option()
@click.option("--fpr", type=float, help="False alarms allowed per column and batch; that of avh.yml by default.")
@click.option("--table-fpr", type=float, help="False alarms allowed per batch, shared out among the columns, instead of --fpr.")
@click.option("--upto", metavar="BATCH", help="The last batch to learn from; the newest by default.")
@click.option("--window", type=int, default=120, show_default=True, help="How many batches to learn from at most.")
@click.option(
    "--method", type=click.Choice(["calibrated", "paper"]), default="calibrated", show_default=True, help="How costs are bounded."
)
@click.option("--max-clauses", type=int, default=5, show_default=True, help="How many rules a column may have.")
@click.option("--single-distribution-only", is_flag=True, help="No rule that compares a batch with an earlier one.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the sample and of the synthetic issues.")
@click.option(
    "--exclude", multiple=True, metavar="BATCH|A..B", help="Batches not to learn from, such as a known incident; may be repeated."
)
@click.option(
    "--source",
    "sources",
    multiple=True,
    type=click.Choice(["history", "values", "corpus", "snapshot", "relations"]),
    help="What suggests: may be repeated; by default all that avh.yml names.",
)
@click.option("--forget", is_flag=True, help="Suggest what was rejected with a reason, too.")
@by_option()
@json_option
def command(pipeline: str, root: Path, as_json: bool, **options: Any) -> None:
    """Suggest rules from history, values, corpus, latest batch and relations.

    For every column of PIPELINE; they wait in the draft for a decision. The history bounds metrics, the values that came give closed sets,
    the corpus gives patterns of texts, relations are what columns keep together in every row, and the snapshot is the latest batch by
    Deequ's rules: the false-positive rates of values and snapshot are estimates from the batches so far.
    Decisions on rules that are suggested again with the same bounds are kept. In JSON, `lower` and `upper` are in the
    transform's space, and `notes` say of the whole table what is not measured. Exits with 3 when avh.yml states rules on columns that are
    not there; the suggestions are kept.
    """
    services = open_services(root)
    if (first := services.batches.unstarted(pipeline)) is not None:
        raise first
    with progress(f"Suggesting for {pipeline}") as watch:
        sources = options.pop("sources") or None
        draft = services.suggestions.suggest(pipeline, watch=watch, sources=sources, **options)
    lasting, misnamed = services.suggestions.lasting(pipeline), services.programs.misnamed(pipeline)
    if as_json:
        say_notes([f"{change.words} {change.answer}" for change in lasting], err=True)
        notes = services.batches.notes(pipeline, draft.run.last_batch)
        # A list of suggestions is what readers of the command know; without one, nothing would say it.
        say_notes(notes, err=True)
        from avh_ui.workflows.column_kinds import kind_record

        placed = services.piles.triage(pipeline).placed
        print_json(
            [
                {
                    **record(item),
                    **pile_of(placed[item.suggestion.id]),
                    "kind": kind_record(draft, item.current.column, item.current.metric),
                    "notes": list(notes),
                }
                for item in draft.items
            ]
        )
    else:
        show(draft, services.piles.triage(pipeline), misnamed.unsaid)
        for change in lasting:
            say(f"{change.words} {change.answer}")
    if say_misnamed(misnamed):
        click.get_current_context().exit(3)


def show(draft: Draft, piled: Triage, unsaid: Callable[[Iterable[str]], Iterable[str]] = tuple) -> None:
    """Print a draft's items with their piles and what it was based on. What is not measured other commands say; of what is left out
    `unsaid` gives what nothing else says.
    """
    from avh_ui.constraints.several import columns_of

    if draft.items:
        piles = {i: one.pile for i, one in piled.placed.items()}
        rows = [_row(item, piles[item.suggestion.id]) for item in draft.items]
        print_table(["id", "source", "pile", "rule", "metric", "catches", "status"], rows)
    if draft.run.kinds:
        rows = [[name, f"{k.kind}{' (corrected)' if k.corrected else ''}", k.why] for name, k in draft.run.kinds.items()]
        print_table(["column", "kind", "why"], rows)
    run = draft.run
    whole = sorted(
        {
            f"{out['column']}: {out['reason']}" if out["column"] else out["reason"]
            for out in run.left_out
            if out.get("lesson") or (not out["metric"] and not out.get("issue"))
        }
    )
    for out in run.left_out:
        if out.get("issue"):
            say(f"Not covered: {out['column'] or 'the table'}: {out['reason']}.")
    for text in unsaid(whole):
        say(f"Left out: {text.rstrip('.')}.")
    if run.row_key is not None:
        say(f"Key: {_key(run.row_key, draft.pipeline)}")
    rules = sum(bool(out.get("rule")) for out in run.left_out)
    if rules:
        say(f"Left out: {count(rules, 'rule')} on the latest batch broken by an earlier one, implied by others or catching nothing more.")
    if covered := sum(len(item.suggestion.evidence.also) for item in draft.items):
        say(f"Also covered: {count(covered, 'rule')} that these make superfluous; --json and the app name each.")
    named = {*columns_of(item.current for item in draft.items if not item.current.of_table)}
    # A rule of several columns is of none; drafts of before know no kinds.
    columns = count(len(named & run.kinds.keys() or named), "column")
    span = f"{count(run.batches, 'batch')} ({run.first_batch} to {run.last_batch})"
    total = count(len(draft.items), "suggestion")
    say(f"{draft.pipeline}: {total} for {columns} from {span}, at {run.fpr:g} false alarms per column and batch.")
    _say_piles(draft, piled)


def _say_piles(draft: Draft, piled: Triage) -> None:
    """How many decisions there are to make, and how."""
    from avh_ui.review.decision import ItemStatus
    from avh_ui.review.triage import NAMES

    for pile, title in NAMES.items():
        if groups := piled.pile(pile):
            say(f"  {title}: {count(len(piled.items(pile)), 'suggestion')} in {count(len(groups), 'group')} ({pile}).")
    name = draft.pipeline
    if piled.left:
        say(f"{piled.progress[:1].upper()}{piled.progress[1:]}. See them by `avh triage {name}`; review them with `avh review`,")
        say(f"or accept all with `avh decide {name} --accept --all`.")
    elif not draft.items:
        again = f" `avh suggest {name} --forget` suggests what was rejected with a reason, too." if draft.run.lessons else ""
        say(f"Nothing is left to decide.{again}")
    else:
        decided = ", ".join(f"{number:,} {status}" for status in get_args(ItemStatus) if (number := draft.count(status)))
        further = (
            f"Publish it with `avh publish {name}`"
            if draft.accepted()
            else f"Decide otherwise with `avh decide {name} --accept --all`, or by their ids"
        )
        say(f"All is decided, as it was before: {decided}. {further}.")


def _key(key: KnownKey, pipeline: str) -> str:
    """By what rows are matched, on what grounds, and how to say otherwise."""
    if not key.columns:
        return f"none. {key.why}"
    if key.filed or key.by:
        return f"{key.title} ({'avh.yml says it' if key.filed else f'{key.by} said so'}). {key.why}"
    return f"{key.title}, found. {key.why} `avh decide {pipeline} --accept --all` accepts it; --key or --no-key says otherwise."


def record(item: DraftItem) -> dict[str, Any]:
    """One suggestion as plain data; the field names are the command's contract."""
    from avh_ui.constraints.pattern_constraint import PatternConstraint
    from avh_ui.review.explaining import explanation, source_of
    from avh_ui.review.plain import plain

    suggestion, constraint = item.suggestion, item.current
    pattern = constraint.pattern if isinstance(constraint, PatternConstraint) else None
    return {
        "id": suggestion.id,
        "column": constraint.column,
        "of_table": constraint.of_table,
        "source": source_of(constraint),
        "metric": constraint.metric,
        "plain": plain(constraint),
        "pattern": pattern.text if pattern else None,
        "regex": pattern.regex if pattern else None,
        "lower": constraint.lower,
        "upper": constraint.upper,
        "transform": constraint.transform.record,
        "fpr": constraint.fpr,
        "caught": list(item.caught),
        "only_caught": list(item.only_caught),
        "also_covered": list(suggestion.evidence.also),
        "explanation": explanation(suggestion),
        "status": item.status,
    }


def pile_of(placed: Placed) -> dict[str, Any]:
    """The pile that a suggestion is in, and why, as plain data."""
    return {"pile": placed.pile, "pile_why": placed.why}


def _row(item: DraftItem, pile: str) -> list[str]:
    from avh_ui.review.explaining import source_of
    from avh_ui.review.plain import plain

    caught = f"{len(item.caught)} of {item.meant}"
    return [item.suggestion.id, source_of(item.current), pile, clipped(plain(item.current)), item.current.metric, caught, item.status]


def clipped(text: str) -> str:
    """A rule in a table: its beginning, where it is long."""
    return text if len(text) <= _RULE else f"{text[: _RULE - 1]}…"


def bounds(constraint: Constraint) -> str:
    """The bounds as people read them, of a pattern with the pattern; those of a lagged metric are of its change."""
    from avh_ui.constraints.pattern_constraint import PatternConstraint
    from avh_ui.constraints.reading import Reader, percent

    if isinstance(constraint, PatternConstraint):
        text = constraint.pattern.text
        most = f", but for {percent(constraint.upper)}" if constraint.upper else ""
        return f"{text if len(text) <= _PATTERN else f'{text[:_PATTERN]}…'}{most}"

    lag = constraint.transform.lag
    text = Reader.of(constraint).bounds(constraint.lower, constraint.upper)
    return f"{text} against {'the batch before' if lag == 1 else f'{lag} batches before'}" if lag else text
