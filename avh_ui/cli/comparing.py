"""Two programs compared, or a draft with the live one, as text and JSON for commands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from avh_ui.cli.output import count, say
from avh_ui.cli.suggest import bounds, clipped

if TYPE_CHECKING:
    from avh_ui.constraints.constraint import Constraint
    from avh_ui.constraints.program import Program
    from avh_ui.review.difference import ConstraintChange, Difference
    from avh_ui.review.draft import DraftItem
    from avh_ui.workflows.preview import Preview
    from avh_ui.workflows.program_backtest import ProgramBacktest

# A list that is longer is in the JSON, and on the page Publish.
_LISTED = 20


def compare(old: Program, new: Program) -> dict[str, list[Any]]:
    """What a newer program adds, removes and changes, and how its expected columns differ."""
    from avh_ui.review.difference import columns_changed
    from avh_ui.review.plain import plain

    before, after = {c.key: c for c in old.constraints}, {c.key: c for c in new.constraints}

    def entry(key: str, text: str) -> dict[str, str]:
        c = after.get(key) or before[key]
        return {"id": key, "column": c.column, "metric": c.metric, "bounds": text, "plain": plain(c)}

    def full(constraint: Constraint) -> str:
        return f"{bounds(constraint)} [{constraint.level}]"

    def moved(key: str) -> str:
        columns = columns_changed(before[key], after[key])
        return f"{full(before[key])} -> {full(after[key])}{f'. {columns}'.removesuffix('.') if columns else ''}"

    schema = [f"Column {c.name!r} ({c.type}) is expected now." for c in new.schema.columns if c not in old.schema.columns]
    schema += [f"Column {c.name!r} ({c.type}) was expected before." for c in old.schema.columns if c not in new.schema.columns]
    if old.schema.level != new.schema.level:
        schema.append(f"Schema drift was {old.schema.level} and is {new.schema.level}.")
    return {
        "added": [entry(k, bounds(after[k])) for k in after if k not in before],
        "removed": [entry(k, bounds(before[k])) for k in before if k not in after],
        "changed": [entry(k, moved(k)) for k in after if k in before and before[k] != after[k]],
        "schema": schema,
    }


def say_compared(changes: dict[str, list[Any]]) -> None:
    """Print what `compare` found."""
    for what in ("added", "removed", "changed"):
        for c in changes[what]:
            say(f"{what:8} {c['plain']}" + (f" ({c['bounds']})" if what == "changed" else ""))
    for text in changes["schema"]:
        say(f"schema   {text}")
    if not any(changes.values()):
        say("They enforce the same.")


def say_preview(preview: Preview) -> None:
    """Print what publishing a draft would do."""
    say_difference(preview.difference)
    for text in preview.others:
        say(f"also     {text}")
    if not preview.difference.total and not preview.others:
        say("The draft enforces what the live version does.")
    for items, what in (
        (preview.unseen, "was accepted together with others, and nobody looked at it alone"),
        (preview.pending, "is not decided, and will not be enforced"),
    ):
        if items:
            many = what.replace("was ", "were ").replace("is not", "are not").replace("at it alone", "at them one by one")
            say(f"\n{count(len(items), 'rule')} {what if len(items) == 1 else many}:")
            say_rules(items)
    tried = preview.backtest
    say("\n" + "\n".join(filter(None, (tried.words, preview.taught_words, tried.stretch_words, tried.blamed_words))))
    _say_days(preview)
    if preview.authors:
        approve = "; another approver has to publish it" if preview.four_eyes else ""
        say(f"\nWhose change it is: {', '.join(preview.authors)}{approve}.")
    say(f"Draft {preview.draft[:12]} would be version {preview.version}.")


def say_difference(found: Difference) -> None:
    """Print a difference in sentences, with what people said of each change."""
    for change in found.changes:
        say(f"{change.kind:8} {change.sentence}{f' ({change.decided})' if change.decided else ''}")
        for sentence in change.reasons:
            say(f"{'':8} {clipped(sentence)}")


def say_rules(items: tuple[DraftItem, ...]) -> None:
    """Print rules in sentences, the first of many."""
    from avh_ui.review.plain import plain

    for item in items[:_LISTED]:
        say(f"  {clipped(plain(item.current))}")
    if len(items) > _LISTED:
        say(f"  and {len(items) - _LISTED:,} more")


def _say_days(preview: Preview) -> None:
    from avh_ui.review.plain import plain

    new = set(preview.new_days)
    for day in preview.backtest.failed[-_LISTED:]:
        words = [plain(c).rstrip(".") for c in day.failed[:2]]
        more = f" and {len(day.failed) - 2} more" if len(day.failed) > 2 else ""
        told = {"wrong": " (people called it wrong)", "right": " (people called it right)"}.get(day.said or "", "")
        fresh = " new:" if preview.before.judged and day.batch in new else ""
        say(f"  {day.batch}{told}{fresh} {clipped('; '.join(words))}{more}")
    if preview.gone_days:
        say(f"No longer: {clipped(', '.join(preview.gone_days))}")
    for sentence in preview.backtest.untold_words:
        say(clipped(sentence))


def preview_record(preview: Preview) -> dict[str, Any]:
    """The same for JSON."""
    found = preview.difference
    return {
        "pipeline": preview.pipeline,
        "version": preview.version,
        "draft": preview.draft,
        **{kind: [_change(c) for c in getattr(found, kind)] for kind in ("added", "changed", "removed")},
        "others": list(preview.others),
        "authors": list(preview.authors),
        "four_eyes": preview.four_eyes,
        "not_looked_at": [item.suggestion.id for item in preview.unseen],
        "pending": [item.suggestion.id for item in preview.pending],
        "backtest": backtest_record(preview.backtest),
        "new_days": list(preview.new_days),
        "gone_days": list(preview.gone_days),
    }


def backtest_record(tried: ProgramBacktest) -> dict[str, Any]:
    """A program on the whole history for JSON."""
    days = [
        {"batch": d.batch, "failed": [c.key for c in d.failed], "warned": [c.key for c in d.warned], "said": d.said} for d in tried.days
    ]
    return {"judged": tried.judged, "days": days, "untold": [c.key for c in tried.untold]}


def _change(change: ConstraintChange) -> dict[str, Any]:
    c, (before, after) = change.either, change.words
    text = f"{before} -> {after}" if before and after else after or before
    return {
        "id": c.key,
        "column": c.column,
        "metric": c.metric,
        "bounds": text,
        "plain": change.sentence,
        "decided": change.decided,
        "reasons": list(change.reasons),
    }
