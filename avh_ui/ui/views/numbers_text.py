"""What the numbers of the review mean, said with those that are on the page."""

from __future__ import annotations

from avh_ui.review.draft import DraftItem
from avh_ui.review.plain import plain
from avh_ui.ui.components.markup import Markup, join, tag
from avh_ui.ui.state.budget import alarms_per_year
from avh_ui.ui.state.reading import cost, count
from avh_ui.ui.state.rows import LETTERS, SOURCES
from avh_ui.ui.state.session import SessionState
from avh_ui.workflows.calendar import batches_per_year
from avh_ui.workflows.coverage import alarms


def numbers(session: SessionState, item: DraftItem | None) -> Markup:
    """Of a suggestion and of the program that is accepted; nothing where there is no draft."""
    draft = session.draft
    if draft is None or item is None:
        return Markup()
    accepted, yearly = draft.accepted(), batches_per_year(session.cadence)
    told = [
        *_of_rule(item, yearly),
        (
            f"{alarms_per_year(accepted, session.cadence)} false alarms a year",
            f"The rates of the {count(len(accepted), 'accepted rule')} added up, times {yearly:,.0f} batches a year. "
            "Where it says ≤ it is at most so many, where it says ≈ about so many.",
        ),
        (" ".join(LETTERS.values()), "; ".join(f"{LETTERS[origin]}: {words}" for origin, words in SOURCES.items())),
    ]
    rows = [tag("tr", tag("th", name, scope="row"), tag("td", words, cls="wrap")) for name, words in told]
    looked = tag("p", "The rule looked at: ", tag("b", plain(item.current)), cls="wrap")
    return join(tag("h3", "What the numbers mean"), looked, tag("table", *rows, cls="plain wide numbers"))


def _of_rule(item: DraftItem, yearly: float) -> list[tuple[str, str]]:
    """Its rate and what it notices, each as on the page and in words."""
    short, words = cost(item.current)
    price = f"{alarms(item.current.fpr * yearly)}; " if item.current.fpr > 0 else ""
    told = [(f"False alarms {short}", f"How often a batch that is right breaks it: {price}{words}.")]
    if item.current.origin != "manual" and item.catches_known:
        caught, tried, only = len(item.caught), item.suggestion.variants, len(item.only_caught)
        said = f"Of {count(tried, 'fault')} that were put into a batch it notices {caught:,}, of these {only:,} alone in its column."
        told.append((f"Catches {caught:,} of {tried:,}", said))
    return told
