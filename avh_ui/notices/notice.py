"""What a notice of a run says: as JSON, and as a text that Slack and mail readers take."""

from __future__ import annotations

import json
from typing import Any

from avh_ui.validator.lineage import Dataset, event_of
from avh_ui.validator.report import printable, text_report
from avh_ui.validator.results import Outcome, RuleResult
from avh_ui.validator.run import Run
from avh_ui.validator.run_records import contacts_of, head_of

# Of a run with hundreds of alarms the first say what is wrong; Slack cuts texts at 40,000 characters, people far earlier.
_MOST_ALARMS = 20
_LONGEST = 3_000


def record_of(run: Run) -> dict[str, Any]:
    """The notice as plain data; of many `alarms` the first 20, with `alarm_count`. What else was not evaluated is counted apart."""
    alarms = [r for r in run.results if Outcome.of(r).alarms(run.row_count)]
    return {
        **head_of(run),
        "rows": run.row_count,
        **contacts_of(run),
        "text": text_of(run),
        "alarms": [
            {
                "column": r.column if isinstance(r, RuleResult) else r.constraint.own_column,
                "metric": r.rule if isinstance(r, RuleResult) else r.constraint.metric,
                "status": r.status,
                "message": printable(r.message),
            }
            for r in alarms[:_MOST_ALARMS]
        ],
        "alarm_count": len(alarms),
        "not_evaluated_count": run.count("not_evaluated"),
    }


def text_of(run: Run) -> str:
    """The verdict first, then whom to ask, then its reasons; at most 3,000 characters."""
    *reasons, verdict = text_report(run).rstrip("\n").split("\n")
    kept = [] if not run.partition else [f"It is {'' if run.accepted else 'not '}kept in the table."]
    asked = printable(run.asks.words)
    # Above the reasons, since a long text is cut at its end.
    text = "\n".join([verdict, *kept, *([asked] if asked else []), *(line for line in reasons if not asked or line != asked)])
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def subject_of(run: Run) -> str:
    """One line for a mail's subject."""
    return printable(f"[avh] {run.pipeline} {run.batch}: {run.status.replace('_', ' ')}")


def body_of(run: Run, form: str, dataset: Dataset | None = None) -> bytes:
    """What is posted; ASCII, so that no proxy changes a byte that is signed. `dataset` is what lineage calls the table."""
    if form == "openlineage":
        return json.dumps(event_of(run, dataset), allow_nan=False).encode("ascii")
    said = {"text": _for_slack(text_of(run))} if form == "slack" else record_of(run)
    return json.dumps(said, allow_nan=False).encode("ascii")


def _for_slack(text: str) -> str:
    """With Slack's three signs escaped: a value of the data such as `<!channel>` would call everybody."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
