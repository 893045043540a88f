"""An incident's batches and what people said of them, in order, as markup. Every value of the data goes through `tag`, which escapes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from avh_ui.constraints.constraint import Verdict
from avh_ui.history.series import batch_order
from avh_ui.review.feedback import Feedback
from avh_ui.ui.components.markup import Markup, section, table, tag
from avh_ui.ui.state.incident_story import Cluster, Story
from avh_ui.ui.state.reading import count, when
from avh_ui.ui.state.runs_words import LABEL_WORDS, OUTCOME_WORDS
from avh_ui.ui.views.incident_text import names_of
from avh_ui.validator.failing import failing_words

# A word or two, as `first seen: failed`, stay in one line beside a long sentence.
_SHORT = 20
# So many batches of a long incident are told.
_DAYS = 30
_DID = {
    "own": "Assigned to", "resolve": "Resolved", "reopen": "Opened again", "comment": "Comment", "unlabel": "Label taken back",
    "snooze": "Snoozed", "wake": "Not snoozed any more",
}  # fmt: skip


def timeline(story: Story) -> Markup:
    """Its batches and what people said, in the order of the batches; what was said of a batch stands below it."""
    incident, said = story.incident, story.told.said
    batches = sorted({*incident.batches, *(entry.batch for entry in said)}, key=batch_order)
    shown = batches if len(batches) <= _DAYS else [*batches[: _DAYS // 2], *batches[-_DAYS // 2 :]]
    # Batches that say the same, of which nobody said anything, have one line.
    heard = {entry.batch for entry in said}
    rows: list[Markup] = []
    for (what, rest, one), some in groupby(shown, key=lambda batch: (*_alarmed(story, batch), batch if batch in heard else "")):
        alike = list(some)
        if what:
            span = alike[0] if len(alike) == 1 else f"{alike[0]} to {alike[-1]}"
            rows.append(_line(span, what if len(alike) == 1 else f"{what}, {count(len(alike), 'batch')}", rest))
        rows += _heard([entry for entry in said if entry.batch == one])
    if incident.ended is not None:
        rows.append(_line(incident.ended, "passes again", "All of it passes."))
    if incident.mended:
        rows.append(_line(incident.last, "passes now", "Validated again, nothing of it alarms."))
    more = tag("p", f"{len(batches) - len(shown):,} batches between are not listed.", cls="quiet") if len(shown) < len(batches) else None
    found = table(("Batch", "What", "Which rules, or who"), rows, "plain wide", label="Timeline")
    return section("Timeline", tag("div", found, style="overflow-x: auto"), more)


def _alarmed(story: Story, batch: str) -> tuple[str, str]:
    """What became of a batch, and why; nothing of one that people spoke of and that has no alarm."""
    alarms = story.incident.on(batch)
    if not alarms:
        return "", ""
    worst = next((OUTCOME_WORDS[status] for status in ("fail", "warn", "not_evaluated") if any(a.status == status for a in alarms)), "")
    columns = names_of(list(dict.fromkeys(alarm.place for alarm in alarms)))
    first = "first seen: " if batch == story.incident.since else ""
    return f"{first}{worst}", f"{count(len(alarms), 'rule')} on {columns}. {_fact_of(story, batch)}"


def _heard(said: Sequence[Feedback]) -> list[Markup]:
    """What people said of a batch, several times the same once."""
    heads: dict[tuple[str, str, str, str], int] = {}
    for entry in said:
        what = LABEL_WORDS.get(entry.action) or _DID.get(entry.action, entry.action)
        about = (what, entry.by, entry.at, entry.why)
        heads[about] = heads.get(about, 0) + 1
    made = []
    for (what, by, at, why), times in heads.items():
        word = f"{what} {why or 'nobody'}" if what == _DID["own"] else what
        reason = f" · “{why}”" if why and what != _DID["own"] else ""
        made.append(_line("", f"{word} ({count(times, 'alarm')})" if times > 1 else word, f"{by}, {when(at)}{reason}"))
    return made


def _fact_of(story: Story, batch: str) -> str:
    """What happened on a batch, in a sentence: the page begins with that of the batch that tells of it."""
    result = story.told.worst.get(batch)
    if result is None or batch == story.incident.told_by:
        return ""
    said = Cluster(story.incident.on(batch), result).fact
    return f"{said} {failing_words(result, None, ())}" if isinstance(result, Verdict) and result.failing else said


def _line(batch: str, what: str, rest: str) -> Markup:
    return tag(
        "tr",
        tag("td", batch, cls="num"),
        tag("td", what, style="white-space: nowrap") if len(what) <= _SHORT else tag("td", what, cls="wrap"),
        tag("td", rest, cls="wrap quiet"),
    )
