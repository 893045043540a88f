"""A trial as markup: what the program says of the fault, told as an incident is, and what people would do now. `tag` escapes all of it."""

from __future__ import annotations

from avh_ui.issues.faults import TABLE
from avh_ui.review.feedback import LABELS, Feedback
from avh_ui.ui.components.markup import Markup, empty, failure, join, loading, outcome_mark, section, table, tag
from avh_ui.ui.state.reading import count
from avh_ui.ui.state.runs_words import LABEL_WORDS, OUTCOME_WORDS, effect
from avh_ui.ui.state.session import SessionState
from avh_ui.ui.state.trial import TrialState, story_of
from avh_ui.ui.views import incident_text
from avh_ui.ui.views.contributions_text import contributions
from avh_ui.workflows.trials import Trial

_SPREAD = (
    "No value of another column carries more of it than its share of the rows: a trial breaks rows at random. Of a real fault, such as "
    "five districts that became 0, the values are listed here."
)


def trial_text(state: TrialState) -> Markup:
    """What came of the last trial, or what there is to do for one."""
    if state.session.live is None:
        return empty("Nothing is published yet", tag("p", "A trial asks the published program. Accept some suggestions and publish them."))
    if state.job.busy:
        return loading(f"A trial: {state.job.note} …")
    if state.problem is not None:
        return failure("The trial could not be made", state.problem, state.session.place)
    if state.trial is None:
        return empty("No trial yet", tag("p", "Choose a fault and press “Break it and judge”: you see the alarms as they would come."))
    return outcome_text(state.trial)


def outcome_text(found: Trial) -> Markup:
    """The verdict on the fault, and what an incident would say of it."""
    alarms = found.alarms
    verdict = f"Caught by {count(len(alarms), 'rule')}" if alarms else "Not caught: no rule alarms because of it"
    mark = outcome_mark(found.run.status, OUTCOME_WORDS[found.run.status]) if alarms else None
    title = tag("div", tag("h2", verdict, style="font-size: 18px"), mark, cls="title")
    what = tag(
        "p", tag("b", f"Trial on {found.batch}"), f" ({count(found.rows, 'row')}), version {found.run.program_version}: {found.words}."
    )
    story = story_of(found)
    advice = tag("p", "The coverage says which rule would notice it, and its price.", cls="wrap")
    body = advice if story is None else section("What its incident would say", incident_text.told(story))
    clean = sum(result.status in ("fail", "warn") for result in found.clean.results)
    alone = "1 rule alarms too; it is not counted" if clean == 1 else f"{clean:,} rules alarm too; they are not counted"
    anyway = tag("p", f"On this batch without the fault {alone}.", cls="quiet wrap")
    return join(title, what, body, anyway if clean else None)


def now_text(found: Trial, session: SessionState) -> Markup:
    """Below its rows: who carries the change, what people would do now, and that nothing of it is kept."""
    moved = found.changed.moved
    # Rows that nothing tells from the rest share a value by chance.
    told = found.changed.carried if found.fault.column == TABLE or (moved is not None and moved.group is not None) else ()
    carried = contributions(told) or section("Who carries the change", tag("p", _SPREAD, cls="wrap quiet"))
    name = found.pipeline
    kept = tag("p", "Nothing of this is kept: no run, no profile, and nothing is learned from it.", cls="legend")
    watch = tag("code", session.command("watch", name))
    daily = tag("p", "Batches that come are judged alike, and what fails opens an incident: ", watch, ", or ",
        tag("code", session.command("validate", name, "--new")), " from a scheduler.", cls="wrap", style="margin-top: 10px")  # fmt: skip
    return join(*((carried, _what_now()) if found.caught else ()), kept, daily)


def _what_now() -> Markup:
    rows = [
        tag("tr", tag("td", tag("b", LABEL_WORDS[label])), tag("td", effect(Feedback("", "", label, "", "")), cls="wrap"))
        for label in LABELS
    ]
    text = (
        "Its incident would stand on the page of incidents, and whom “notify:” of avh.yml names would hear of it. Take it there, so that "
        "others know whose it is, show these rows to who delivers the data, and say what it was:"
    )
    return section("What now, if it were real", tag("p", text, cls="wrap"), table(("Label", "What it does"), rows, "plain wide"))
