"""How this workspace was made by release 0.1.0; kept to be understood, not to be run again: later releases write other files.

Three batches of a table with a column of every kind, split in segments; a draft with every kind of decision, notes, a run that
failed, labels and a snooze; version 1 published before there was a key, version 2 signed. The private key was thrown away.
"""

from __future__ import annotations

import sys
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pyarrow as pa

from avh_ui.bootstrap import key_folder
from avh_ui.config import load_config
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.pattern_constraint import Pattern, PatternConstraint
from avh_ui.constraints.transforms import Transform
from avh_ui.metrics.regexes import anchored
from avh_ui.review.suggestion import RunSettings, Suggestion, SuggestionRun
from avh_ui.store.history_files import HistoryFiles
from avh_ui.store.measured_files import MeasuredFiles
from avh_ui.store.program_files import ProgramFiles
from avh_ui.store.reviews_sql import ReviewsSql
from avh_ui.store.runs_sql import RunsSql
from avh_ui.store.signing import KeyRing
from avh_ui.workflows.services import Services
from avh_ui.workspace import Workspace
from tests.fakes.profiler import FakeProfiler

BATCHES = ("2026-01-01", "2026-01-02", "2026-01-03")
CONFIG = """\
version: 1
pipelines:
  orders:
    source: {path: "data/{batch}.parquet"}
    segments: [country]
store: {history: history/, programs: programs/, reviews: "sqlite:///reviews.db"}
"""


def table(k: int, rows: int = 40) -> pa.Table:
    """Batch k: a column of every kind, without a random number."""
    day = date(2026, 1, 1) + timedelta(days=k)
    return pa.table(
        {
            "id": pa.array([1_000 * k + r for r in range(rows)], pa.int64()),
            "items": pa.array([None if r % 9 == 0 else r % 5 for r in range(rows)], pa.int32()),
            "amount": pa.array([10.0 + (r * 7 + k) % 13 / 4 for r in range(rows)], pa.float64()),
            "price": pa.array([Decimal(r * 31 % 97) / 100 for r in range(rows)], pa.decimal128(10, 2)),
            "country": pa.array([("DE", "FR", None)[r % 3] for r in range(rows)], pa.string()),
            "code": pa.array([f"{'ABC'[r % 3]}{(r * 37 + k) % 1000:03}" for r in range(rows)], pa.string()),
            "paid": pa.array([r % 4 != 0 for r in range(rows)], pa.bool_()),
            "day": pa.array([day] * rows, pa.date32()),
            "at": pa.array([datetime(2026, 1, 1 + k, r % 24, r, tzinfo=UTC) for r in range(rows)], pa.timestamp("us", "UTC")),
            "nothing": pa.nulls(rows),
        }
    )


def constraints() -> tuple[Constraint, ...]:
    """One of one batch, lagged, of two batches, of text, of a pattern, and of the snapshot's rules."""
    pattern = Pattern("<letter><digit>{3}", anchored("[A-Z][0-9]{3}"), 120, 0)
    return (
        Constraint("amount", "row_count", "numeric", 30.0, 50.0, fpr=0.0001),
        Constraint("amount", "mean", "numeric", 10.0, 13.0, fpr=0.0002, proposition=3, provenance={"mu": 11.5}),
        Constraint("id", "min", "numeric", 999.5, 1_000.5, Transform(lag=1), fpr=0.0001),
        Constraint("country", "js_div", "string", 0.0, 0.1, fpr=0.0003, proposition=2),
        PatternConstraint("code", "nonconforming_ratio", "string", None, 0.1, fpr=0.01, origin="corpus", pattern=pattern, significance=0.01,
                          usual=40),
        Constraint("paid", "complete_ratio", "boolean", 1.0, 1.0, origin="snapshot"),
    )  # fmt: skip


def workspace(root: Path) -> Workspace:
    """The stores of the folder, with tables in the place of a source."""
    runs = RunsSql(f"sqlite:///{root / 'reviews.db'}")
    profiler = FakeProfiler({"orders": {batch: table(k) for k, batch in enumerate(BATCHES)}}, segments=("country",))
    profiler.tables["orders"]["2026-01-04"] = table(3).slice(0, 20)
    services = Services(
        root,
        load_config(root),
        profiler=profiler,
        history=HistoryFiles(str(root / "history")),
        reviews=ReviewsSql(f"sqlite:///{root / 'reviews.db'}"),
        programs=ProgramFiles(str(root / "programs"), keys=KeyRing(key_folder(root))),
        runs=runs,
        feedback=runs,
        actor="ann",
        measured=MeasuredFiles(str(root / "history")),
    )
    return Workspace(services)


def make(root: Path) -> None:
    """Write the workspace into a folder that has none."""
    (root / "avh.yml").write_text(CONFIG, encoding="utf-8")
    ws = workspace(root)
    ws.profile("orders", batches="2026-01-01..2026-01-03")
    suggestions = tuple(Suggestion(c.key, "orders", c, ("nulls 50%",), (), 60, {"mu": 1.0}) for c in constraints())
    left_out = ({"column": "nothing", "metric": "mean", "reason": "undefined"},)
    settings = RunSettings(table_fpr=0.01, own={"amount": 0.002})
    run = SuggestionRun(
        "orders", suggestions, left_out, 0.001, BATCHES[0], BATCHES[-1], 3, "2026-01-04T00:00:00+00:00", (), settings, "cleo"
    )
    ws.services.suggestions._reviews.save_run(run)
    count, mean, lagged, moved, pattern, complete = (s.id for s in suggestions)
    ws.decide("orders", [count, mean, lagged, pattern, complete], "accept", by="ann", why="as the contract says")
    ws.decide("orders", [moved], "reject", by="bob", why="countries come and go")
    ws.comment("orders", [mean], "is this with tax?", by="bob")
    ws.assign("orders", [moved], "ann", by="bob")
    ws.publish("orders", by="ann", message="first version")
    KeyRing(key_folder(root)).generate()
    ws.decide("orders", [mean], "edit", by="bob", why="with tax", lower=10.0, upper=14.0)
    ws.publish("orders", by="ann", message="with tax")
    (key_folder(root) / "signing.key").unlink()
    ws.validate("orders", batch="2026-01-03")
    failed = ws.validate("orders", batch="2026-01-04", store=False)
    alarm = next(v for v in failed.verdicts if v.status == "fail").constraint.key
    ws.give_feedback("orders", "2026-01-04", alarm, "real_issue", by="bob", why="half of it is missing")
    ws.give_feedback("orders", "2026-01-04", alarm, "snooze", by="bob", why="the vendor knows", days=30)
    for store in (ws.services.suggestions._reviews, ws.services.runs._runs):
        store.close()  # type: ignore[attr-defined]


if __name__ == "__main__":
    make(Path(sys.argv[1]))
