"""Tables as CSV that people open in a spreadsheet."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Sequence
from typing import Any

from avh_ui.history.rarity import Rarity
from avh_ui.history.series import History
from avh_ui.review.difference import ConstraintChange
from avh_ui.review.draft import DraftItem
from avh_ui.ui.state.evidence import EvidenceState
from avh_ui.ui.state.issues import issue_rows
from avh_ui.ui.state.ladder import LadderState
from avh_ui.ui.state.overview import OverviewState
from avh_ui.ui.state.pipeline_health import PipelineHealth
from avh_ui.ui.state.rows import table_row

# A spreadsheet takes a cell that begins so for a formula: blanks in front and the wide signs of East Asian keyboards count, too.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


# How rare a movement is (`history.rarity`), as columns.
RARITY = ("times as far as usual", "batches as far", "of batches")


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table as CSV; a text that would be a formula gets an apostrophe in front, numbers stay as they are."""
    text = io.StringIO()
    write = csv.writer(text)
    write.writerow([_cell(name) for name in header])
    write.writerows([_cell(value) for value in row] for row in rows)
    return text.getvalue().encode("utf-8", "replace").decode("utf-8")


def suggestions_csv(items: Iterable[DraftItem], history: History | None) -> str:
    """The review's table: what each suggestion enforces, costs and catches, and what stands decided of it."""
    header = ("id", "column", "metric", "bounds", "fpr", "caught", "only_caught", "variants", "status", "decided_by", "decided_at", "why")
    rows = []
    for item in items:
        row = table_row(item, history, drawn=False)
        decided = (item.decided_by, item.decided_at, item.why)
        numbers = (item.current.fpr, row["caught"], row["only"], row["variants"])
        rows.append((row["id"], row["column"], row["metric"], row["bounds"], *numbers, item.status, *decided))
    return csv_text(header, rows)


def history_csv(evidence: EvidenceState) -> str:
    """A metric's history under the bounds in the form, a line per batch: numbers as they are, None where they are open or unknown."""
    trial = evidence.trial()
    header = ("batch", "value", "compared", "lower", "upper", "judged", "fired", "learned from")
    if trial is None:
        return csv_text(header, ())
    result = trial.result
    numbers = (result.observed, result.transformed, result.lower, result.upper)
    columns = [[v if math.isfinite(v) else None for v in series.tolist()] for series in numbers]
    flags = [flag.tolist() for flag in (result.judged, result.fired, trial.learned)]
    return csv_text(header, zip(trial.axis.batches, *columns, *flags, strict=True))


def issues_csv(evidence: EvidenceState) -> str:
    """The injected issues by type and magnitude: `only` this suggestion of the column catches it, `caught`, or `missed`."""
    item, draft = evidence.item, evidence.session.draft
    siblings = [i for i in draft.items if item is not None and i.current.column == item.current.column] if draft is not None else []
    rows = [(row.type, magnitude, mark) for row in issue_rows(item, siblings) for magnitude, mark in row.cells] if item is not None else []
    return csv_text(("type", "magnitude", "caught"), rows)


def ladder_csv(ladder: LadderState) -> str:
    """The alternatives of a pattern, with how many values conform and what the corpus says of them."""
    header = ("pattern", "regex", "values", "not conforming", "corpus fpr", "corpus coverage", "suggested", "in use")
    used = ladder.current.regex if ladder.current is not None else ""
    rows = [
        (r.pattern.text, r.pattern.regex, r.pattern.values, r.pattern.bad, r.fpr, r.coverage, r.chosen, r.pattern.regex == used)
        for r in ladder.rungs
    ]
    return csv_text(header, rows)


def pipelines_csv(pipelines: Iterable[PipelineHealth]) -> str:
    """The list of pipelines: health, batches, the last run, and what waits for a person."""
    header = (
        "pipeline",
        "health",
        "batches",
        "last",
        "expected",
        "late",
        "last run",
        "status",
        "open alarms",
        "to review",
        "live",
        "problem",
    )
    return csv_text(
        header,
        [
            (
                p.name, p.health, p.batches, p.last, p.expected, p.late, p.run.started if p.run else "", p.run.status if p.run else "",
                p.open_alarms, p.pending, p.version, p.problem,
            )
            for p in pipelines
        ],
    )  # fmt: skip


def cell_csv(overview: OverviewState) -> str:
    """The metrics of the cell looked at, the furthest moved first."""
    rows = [(overview.column, overview.batch, m.metric, m.value, m.usual, *rarity_cells(m.rarity)) for m in overview.moved()]
    return csv_text(("column", "batch", "metric", "value", "usual", *RARITY), rows)


def rarity_cells(rarity: Rarity) -> tuple[float | None, int, int]:
    """How rare something is as cells of a table (`RARITY`)."""
    return None if math.isnan(rarity.times) else round(rarity.times, 4), rarity.as_far, rarity.of


def changes_csv(changes: Iterable[ConstraintChange]) -> str:
    """A difference of two programs: what each constraint enforced before and enforces then."""
    header = ("change", "id", "column", "metric", "before", "after", "fpr")
    rows = []
    for change in changes:
        about = change.either
        rows.append((change.kind, about.key, about.column, about.metric, *change.words, about.fpr))
    return csv_text(header, rows)


def _cell(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.lstrip(" ").startswith(_FORMULA) else value
