"""What there is to do about an incident now: only what holds of the case, in sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from avh_ui.constraints.constraint import Verdict
from avh_ui.constraints.schema import Drift
from avh_ui.review.feedback import EXCLUDING, Feedback
from avh_ui.ui.state.incident_story import Story
from avh_ui.validator.incidents import Incident
from avh_ui.validator.stale import RULE as STALE

_OVER = "Label it Real issue or Known error if the data were wrong, False alarm if they were right: the rules learn from your answer."
_KEPT_UP = "Nothing more is to be done: it closes with the next batch that passes, or by Resolve."
_WAITS = "Take it, so that others know; or open its run and snooze it there: it warns until the snooze ends."
_RULE = "Open its rule and change the bounds, or reject it; the change holds once it is published."
_RIGHT = "The rules learn from that answer, and the incident closes."
# Of columns that came, went or changed their type the program has a list, and no bounds that follow.
_STAYS = (
    "Label it Expected change, then suggest anew and publish: the next version knows the columns as they are now. Until then it alarms on "
    "every batch."
)
_OF_COLUMNS: frozenset[str] = frozenset(get_args(Drift))


@dataclass(frozen=True)
class Step:
    """What to do `when`, in a sentence; `option` of `avh validate` does more of it, where no button does."""

    when: str
    do: str
    option: str = ""


def steps_of(incident: Incident, story: Story | None, label: Feedback | None, *, untold: bool, asked: str) -> list[Step]:
    """What to do about an incident with its newest `label`; none where nothing is left to do. `asked` is who delivers the table, '' where
    nobody is named; `untold` as of `IncidentsState.untold`.
    """
    who = asked or "whoever delivers the table (delivered_by in avh.yml names them)"
    again = f"Validate batch {incident.last} again once it has come anew."
    if untold:
        return [Step("It is over by itself", _OVER)]
    if incident.state == "resolved":
        return []
    if label is not None and label.action in EXCLUDING:
        return [Step("The data are wrong", f"Ask {who}, with the findings below. {again}"), Step("If it has to wait", _WAITS)]
    if label is not None:
        return [Step("The data are right", _KEPT_UP)]
    if story is not None and not story.told.rows:
        # Of no row there is nothing that is right or wrong.
        return [Step("The batch could not be judged", f"Ask {who} when it comes. {again}")]
    if incident.copied or any(alarm.name == STALE for alarm in incident.on(incident.since)):
        return [
            Step("It is an old file", f"Ask {who} for the right one. {again}"),
            Step("If it is right", f"Label it False alarm. {_RIGHT}"),
        ]
    columns = bool(incident.alarms) and all(alarm.name in _OF_COLUMNS for alarm in incident.alarms)
    wrong = f"Label it Real issue, and ask {who}, with the findings below. {again}"
    return [
        Step("If the data are wrong", wrong, _kept_apart(incident, story)),
        Step("If it stays so", _STAYS)
        if columns
        else Step("If they are right", f"Label it False alarm if it was chance, Expected change if it stays so. {_RIGHT}"),
        *(() if columns else (Step("If the rule is wrong", _RULE),)),
        Step("If it has to wait", _WAITS),
    ]


def _kept_apart(incident: Incident, story: Story | None) -> str:
    """The options that keep the rows that fail apart; '' where no row fails by itself, or where they are kept already."""
    results = story.told.results if story is not None else ()
    failing = [result for result in results if isinstance(result, Verdict) and result.failing]
    return "" if not failing or any(result.kept for result in failing) else f"--batch {incident.told_by} --quarantine bad_rows"
