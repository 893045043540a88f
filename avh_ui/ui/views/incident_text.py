"""An incident as markup: the plain fact first, then what changed together, who carries it, and its timeline. `tag` escapes all of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from avh_ui.config_contacts import NOBODY, Contacts
from avh_ui.constraints.constraint import Verdict
from avh_ui.metrics.exchanged_columns import EXCHANGED
from avh_ui.review.feedback import EXCLUDING
from avh_ui.ui.components.markup import Markup, coded, empty, fact, failure, join, loading, parted, section, table, tag
from avh_ui.ui.state.incident_story import Cluster, Story, rows_said
from avh_ui.ui.state.incidents import IncidentsState
from avh_ui.ui.state.reading import count
from avh_ui.ui.state.runs_words import LABEL_WORDS, effect, in_app
from avh_ui.ui.views.broken_rows import broken_rows
from avh_ui.validator.alarms import ARROW
from avh_ui.validator.failing import failing_words
from avh_ui.validator.incidents import Incident, IncidentState
from avh_ui.validator.likeness import likeness

# So many labelled batches are read at a glance; `avh label` and the charts tell of all.
_LISTED = 10
# So many names stand in a line.
_NAMED = 4
# So many facts of another kind than the first are told at once: one batch has seldom more faults than that.
_ALSO = 3
# Of a longer name of matched rows the key is left out. A header that was not split is a name of hundreds of letters; a rule of three
# columns in words has some 50.
_WITH_KEY, _LONGEST = 40, 80
_UNTOLD = "Not labelled: nothing is learned from the batches that failed before somebody says what it was."
_APART = (
    "The profile of the batch that tells of it was not kept, so that it cannot be compared with others: "
    "`avh validate --input` keeps it with `--store`."
)
_MENDED = (
    "What alarmed here passes since the batch was validated again: its rows are others now, or the rules are. Nothing of it is kept back "
    "from learning."
)
# How a state is marked in a list: with the glyph and the colour of what asks for somebody, is handled, and is over.
MARKS: dict[IncidentState, tuple[str, str]] = {
    "open": ("✖", "outcome-fail"), "acknowledged": ("!", "outcome-warn"), "resolved": ("✔", "outcome-pass"),
}  # fmt: skip
# What is over by itself and nobody said what it was: no tick, which is of what people or their labels closed.
_UNTOLD_MARK = ("○", "outcome-not_evaluated")


def names_of(columns: Sequence[str]) -> str:
    """`a, b and 3 more`; the table for ''. Of a long name of matched rows (`a by b`) the key is left out, and each stands once."""
    named = list(dict.fromkeys(_short(name or "the table") for name in columns))
    return f"{', '.join(named[:_NAMED])}{f' and {len(named) - _NAMED} more' if len(named) > _NAMED else ''}"


def _short(name: str) -> str:
    if len(name) > _WITH_KEY:
        name = name.partition(" by ")[0]
    return name if len(name) <= _LONGEST else f"{name[:_LONGEST]}…"


def span_of(incident: Incident) -> str:
    """`2020-10-06`, `2020-10-06 to 2020-10-08`."""
    return incident.since if incident.since == incident.last else f"{incident.since} to {incident.last}"


def standing(incident: Incident, *, untold: bool = False) -> str:
    """How it stands, in a word: what passes again is over, and may be `untold`: nobody has said what it was."""
    if untold:
        return "passes again, not labelled"
    if incident.state != "resolved":
        return incident.state
    return "passes now" if incident.mended else "passes again" if incident.ended is not None else incident.state


def lines(state: IncidentsState) -> list[dict[str, str]]:
    """The incidents as lines to choose from."""
    made = []
    for one in state.listed:
        untold = state.untold(one)
        glyph, tone = _UNTOLD_MARK if untold else MARKS[one.state]
        owner = f" · {one.owner}" if one.owner else ""
        note = in_app(state.begun.get(one.id) or one.said) or f"{count(len(one.keys), 'rule')} on {names_of(one.places)}"
        made.append({"value": one.id, "label": span_of(one), "glyph": glyph, "tone": tone, "note": note})
        label = state.label_of(one)
        made[-1]["tag"] = f"{standing(one, untold=untold)}{f' · {LABEL_WORDS[label]}' if label else ''}{owner}"
    return made


def heading(state: IncidentsState) -> Markup:
    """How many there are."""
    found = state.incidents
    alarms = sum(len(one.alarms) for one in found)
    over = "it is over" if len(found) == 1 else "all are over"
    left = over if not state.open else "not resolved" if len(found) == 1 else f"{state.open:,} not resolved"
    said = f"{count(len(found), 'incident')} of {count(alarms, 'alarm')}; {left}"
    return tag("div", tag("h2", "Incidents", style="font-size: 15px; display: inline; margin-right: 10px"), tag("span", said, cls="quiet"))


def about(incident: Incident, story: Story | None = None, *, untold: bool = False, contacts: Contacts = NOBODY) -> Markup:
    """When it was, how it stands and who has it; how many rows the batch that tells of it has, once its story is read; and whom to ask."""
    glyph, tone = _UNTOLD_MARK if untold else MARKS[incident.state]
    mark = tag("span", tag("span", glyph, aria_hidden="true"), f" {standing(incident, untold=untold)}", cls=f"outcome {tone}")
    title = tag("div", tag("h2", span_of(incident), cls="clip", title=incident.id), mark, cls="title")
    ended = incident.ended or ("closed by a label" if incident.closed else "when validated again" if incident.mended else "not yet")
    numbers = (
        fact("First seen", incident.since),
        fact("Batches", f"{len(incident.batches):,}"),
        fact("Alarms", f"{len(incident.alarms):,}", f"of {count(len(incident.keys), 'rule')}"),
        _rows_of(story),
        fact("Passes again", ended),
        fact("Taken by", incident.owner or "nobody"),
        *whom_to_ask(contacts),
    )
    return join(title, tag("dl", *numbers, cls="facts", style="margin-top: 6px"))


def whom_to_ask(contacts: Contacts) -> list[Markup]:
    """Who delivers the table and who answers for its rules, for a list of facts: those that avh.yml names."""
    return [fact(what, who) for what, who in (("Delivered by", contacts.delivered_by), ("Rules answered for by", contacts.owner)) if who]


def _rows_of(story: Story | None) -> Markup | None:
    if story is None or story.told.rows is None:
        return None
    before = story.comparison.theirs.rows if story.comparison is not None else None
    # Of several batches it is to be said whose rows these are.
    on = f"on {story.incident.told_by}" if len(story.incident.batches) > 1 else ""
    was = "" if before is None else f"{before:,} on {story.against}"
    return fact("Rows", f"{story.told.rows:,}", "; ".join(part for part in (on, was) if part) or None)


def told(story: Story | None, *, listed: bool = False, problem: str = "") -> Markup:
    """What happened, in a sentence, and what changed together with what; bad rows as `views.broken_rows`."""
    if story is None:
        return loading("Reading the incident …")
    if not story.clusters:
        return empty("Its runs are gone", tag("p", "The results of its batch cannot be read any more."))
    first = story.clusters[0]
    # Said aloud when another incident is chosen by a key, which moves no focus.
    begun = tag("p", tag("b", story.begun), cls="prose wrap", style="font-size: 15px", role="status")
    again = first.fact if story.slipped or story.taken else ""
    sentences = (again, *story.new[:_ALSO], story.renamed, first.beside, _exchanged(story), _moved_farthest(story), *_strayed(story))
    parts = [begun, *map(_sentence, sentences)]
    if first.fact != first.message:
        parts.append(tag("p", first.measured, cls="quiet wrap") if first.measured else None)
    # Of rows that moved a table tells; of a rule that columns keep together these are the rows.
    if isinstance(first.result, Verdict) and (first.moved is None or not first.moved.rows):
        # A fact that names rows has said which.
        said = ARROW in first.message or all(sample in first.message for sample in first.result.samples)
        named = replace(first.result, samples=()) if said else first.result
        parts += broken_rows(named, story.told.rows, listed=listed, problem=problem)
    also, in_full = _others(story)
    parts += map(_sentence, also)
    if len(story.clusters) > in_full:
        parts.append(_all_that_changed(story))
    return join(*parts, _beside(story), _likeness(story))


def _sentence(said: str) -> Markup | None:
    return tag("p", said, cls="wrap") if said else None


def _exchanged(story: Story) -> str:
    """That two columns look like each other's, in a sentence; '' where none do."""
    if story.exchanged is None or EXCHANGED in story.clusters[0].fact:
        return ""
    one, other = story.exchanged
    return f"{one} looks like {other}, and {other} like {one}: they may be exchanged."


def _moved_farthest(story: Story) -> str:
    """Which column of those that a rule keeps together moved, in a sentence; '' where the rule is of one column."""
    mover = story.mover
    if not story.related or (story.clusters[0].moved is not None and story.clusters[0].moved.rows):
        return ""
    if (own := _fails_alone(story)) is not None:
        return f"{names_of(own.places)} fails by itself: {own.fact}"
    if mover is None:
        return "" if story.slipped else "None of its columns moved farther than usual by itself: the rows that fail show what does not fit."
    if story.mover_rows is not None:
        return f"{mover.column} moved farthest: {rows_said(story.mover_rows)}"
    said = f"its {mover.words} is {mover.now}, and was {mover.before} on {story.against} ({mover.rarity.far})."
    return f"{mover.column} moved farthest: {said}"


def _fails_alone(story: Story) -> Cluster | None:
    """What fails of one of these columns by a rule of its own, though it has moved as far before; None where nothing does."""
    own = [one for one in story.clusters[1:] if any(name.partition(" by ")[0] in story.related for name in one.columns)]
    return own[0] if own and story.mover is None else None


def _strayed(story: Story) -> list[str]:
    """Whose values columns have, where they are another one's; of several that the columns look shifted."""
    if EXCHANGED in story.clusters[0].fact:
        return []
    said = []
    for one in story.strayed:
        values = f"{', '.join(one.values[:_NAMED])}{' …' if len(one.values) > _NAMED else ''}"
        said.append(f"{one.column} has values of {one.of} ({values}) in {count(one.rows, 'row')}.")
    if story.taken:
        return [" ".join(said)]  # the sentence that it begins with says the rest
    return [" ".join([*said, "Fields seem to be shifted."])] if len(said) > 1 else said


def _others(story: Story) -> tuple[list[str], int]:
    """What else fails: each fact of another kind, the other columns and rules by name; and how many of the clusters are told in full."""
    first, *rest = story.clusters
    own = _fails_alone(story) if story.related else None
    told = (*first.places, *(own.places if own is not None else ()))
    ways = {alarm.name for alarm in first.alarms}
    alike = [one for one in rest if ways & {alarm.name for alarm in one.alarms}]
    others = [one for one in rest if one not in alike and set(one.places) - set(told)]
    said = _more_fail(alike, told, "the same way, if not in the same rows")
    said += [f"Also: {one.fact}{_whose(one, story.told.rows)}{one.such}" for one in others[:_ALSO]]
    return said + _more_fail(others[_ALSO:], told, "in another way"), 1 + (own is not None) + len(others[:_ALSO])


def _whose(one: Cluster, rows: int | None) -> str:
    """What the rows that fail have in common, as a sentence: `22 of 137 rows fail: in all of them Source is us.`"""
    return f" {failing_words(one.result, rows, ())}" if isinstance(one.result, Verdict) and one.shared and one.result.failing else ""


def _more_fail(some: Sequence[Cluster], told: Sequence[str], words: str) -> list[str]:
    names = [name for name in dict.fromkeys(name for one in some for name in one.places) if name not in told]
    return [f"{len(names)} more {'fails' if len(names) == 1 else 'fail'} {words}: {names_of(names)}."] if names else []


def _all_that_changed(story: Story) -> Markup:
    """Each fact of one batch, folded: the sentences above say what is to be read at once."""
    rows = [
        tag("tr", tag("td", parted(names_of(one.places)), cls="wrap", style="min-width: 104px"), tag("td", one.fact, cls="wrap"))
        for one in story.clusters
    ]
    title = f"All that changed on {story.incident.told_by}: {count(len(rows), 'fact')}"
    # Of an old file it stands open: what is wrong with it beside its age is what nobody looks for.
    return tag("details", tag("summary", title), table(("Columns", "What"), rows, "plain wide"), open="" if story.incident.copied else None)


def _beside(story: Story) -> Markup | None:
    """What else began or went on with the same batch, which may have the same cause."""
    others = [names_of(one.places) for one in story.told.beside]
    return _sentence(f"Another incident of the same batch: {'; '.join(others)}.") if others else None


def _likeness(story: Story) -> Markup | None:
    like = story.told.like
    if like is None:
        return None
    mark = f"{like.state}{f', {like.owner}' if like.owner else ''}"
    whole = likeness(story.incident, like) == 1
    same = "the same columns failed in the same way" if whole else "some of the same columns failed"
    return tag("p", f"Like {span_of(like)} ({mark}): {same}.", cls="wrap")


def learning(state: IncidentsState, *, kept: bool = True) -> Markup:
    """What the labels, or their lack, do to what is learned, and what cannot be shown where the profile was not `kept`."""
    incident = state.incident
    if incident is None:
        return Markup()
    if incident.mended:
        return tag("p", _MENDED, cls="wrap")
    waiting, labels = len(state.unlabelled), state.standing
    last = max(labels.values(), key=lambda entry: entry.seq, default=None)
    rest = f" {count(waiting, 'alarm')} without a label." if waiting else ""
    said = tag("p", f"{effect(last) if last is not None else _UNTOLD}{rest}", cls="wrap")
    return said if kept else join(said, tag("p", coded(_APART), cls="wrap quiet"))


def labelled(state: IncidentsState) -> Markup:
    """The batches that people labelled though nothing alarmed in them, and what that does."""
    found = state.labelled_whole
    if not found:
        return Markup()
    lines = [
        f"{one.batch}: {LABEL_WORDS[one.action]} ({one.by}{f', “{one.why}”' if one.why else ''}); "
        f"{'nothing is learned from it' if one.action in EXCLUDING else 'it is learned from'}."
        for one in found[:_LISTED]
    ]
    more = [f"{len(found) - _LISTED:,} more are not listed."] if len(found) > _LISTED else []
    return section("Labelled without an alarm", *(tag("p", line, cls="wrap") for line in (*lines, *more)))


def blank_page(state: IncidentsState) -> Markup:
    """Why there are no incidents, and what leads on."""
    name = state.session.pipeline
    if state.phase == "failed":
        return failure("The incidents cannot be read", state.problem, state.session.place)
    if state.phase in ("idle", "loading"):
        return loading("Reading the incidents …")
    if state.session.live is None:
        text = "Accept suggestions in the review and publish them: what alarms from then on is gathered here by its cause."
        return empty(f"No program is published for {name} yet", tag("p", text))
    text = "Alarms of one cause, over columns and batches, are one incident. They come with validations:"
    return empty(f"{name} has no incidents", tag("p", text), tag("code", state.session.command("validate", name, batch=True)), glyph="✔")
