"""Validation runs and the feedback on their alarms in SQLite or PostgreSQL: `RunStore` and `FeedbackRepository`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from avh_ui.constraints.constraint import Verdict
from avh_ui.errors import ConflictError, NotFoundError
from avh_ui.history.series import batch_order
from avh_ui.review.feedback import Feedback, last_entry
from avh_ui.store.audit_log import add_links
from avh_ui.store.database import Database, inserted
from avh_ui.store.records import result_from_text, result_to_text
from avh_ui.store.reviews_schema import FEEDBACK, RESULTS, VALIDATIONS
from avh_ui.validator.results import Outcome, RuleResult
from avh_ui.validator.run import Run, RunSummary, Unpassed


class RunsSql(Database):
    """Over the URL of the review database. Runs and feedback are only ever added."""

    def add(self, run: Run) -> int:
        """Keep a run and return its id."""
        records = [(Outcome.of(result), result_to_text(result)) for result in run.results]
        names = ("pipeline", "batch", "status", "program_version", "program_sha256", "started", "seconds", "partition", "quiet")
        values = {**{name: getattr(run, name) for name in names}, "rows": run.row_count}
        with self._writing(run.pipeline) as connection:
            run_id = inserted(connection.execute(sa.insert(VALIDATIONS).values(**values)))
            rows = [{"validation_id": run_id, "position": k, **asdict(one), "record": record} for k, (one, record) in enumerate(records)]
            if rows:
                connection.execute(sa.insert(RESULTS), rows)
        return run_id

    def recent(self, pipeline: str, limit: int, batches: Sequence[str] | None = None, *, quiet: bool = True) -> list[RunSummary]:
        """The newest run of each of the batches validated last, in natural order of the batches; without `quiet`, of those told of."""
        wanted = _newest(pipeline, limit, batches, quiet=quiet)
        columns = [RESULTS.c[name] for name in ("validation_id", "key", "column", "name", "status")]
        with self._reading() as connection:
            runs = connection.execute(sa.select(VALIDATIONS).join(wanted, wanted.c.id == VALIDATIONS.c.id)).all()
            results = sa.select(*columns).join(wanted, wanted.c.id == RESULTS.c.validation_id).order_by(RESULTS.c.position)
            outcomes: dict[int, list[Outcome]] = {}
            for run_id, key, column, name, status in connection.execute(results):
                outcomes.setdefault(run_id, []).append(Outcome(key, column, name, status))
        found = [_summary(row, tuple(outcomes.get(row.id, ()))) for row in runs]
        return sorted(found, key=lambda run: batch_order(run.batch))

    def unpassed(self, pipeline: str, limit: int) -> list[Unpassed]:
        """What did not pass in the newest run of each of the batches validated last, in natural order of the batches."""
        wanted = _newest(pipeline, limit)
        with self._reading() as connection:
            about = sa.select(VALIDATIONS.c.id, VALIDATIONS.c.batch, VALIDATIONS.c.rows).join(wanted, wanted.c.id == VALIDATIONS.c.id)
            runs = connection.execute(about).all()
            records = sa.select(RESULTS.c.validation_id, RESULTS.c.record).join(wanted, wanted.c.id == RESULTS.c.validation_id)
            found: dict[int, list[RuleResult | Verdict]] = {}
            for run_id, text in connection.execute(records.where(RESULTS.c.status != "pass").order_by(RESULTS.c.position)):
                found.setdefault(run_id, []).append(result_from_text(text))
        made = [Unpassed(row.id, row.batch, row.rows, tuple(found.get(row.id, ()))) for row in runs]
        return sorted(made, key=lambda run: batch_order(run.batch))

    def mended(self, pipeline: str, limit: int) -> list[Unpassed]:
        """What did not pass in an earlier run of these batches and does now, each key as it was last, by run."""
        wanted, now, still = _newest(pipeline, limit), sa.alias(VALIDATIONS), sa.alias(RESULTS)
        last = sa.select(sa.func.max(RESULTS.c.validation_id).label("id"), RESULTS.c.key)
        last = last.join(VALIDATIONS, VALIDATIONS.c.id == RESULTS.c.validation_id).join(now, now.c.batch == VALIDATIONS.c.batch)
        last = last.join(wanted, wanted.c.id == now.c.id).where(VALIDATIONS.c.pipeline == pipeline, VALIDATIONS.c.id != now.c.id)
        failing = sa.select(still.c.key).where(still.c.validation_id == now.c.id, still.c.status != "pass").correlate(now)
        last = last.where(RESULTS.c.status != "pass", RESULTS.c.key.not_in(failing)).group_by(VALIDATIONS.c.batch, RESULTS.c.key)
        found = last.subquery()
        query = sa.select(VALIDATIONS.c.id, VALIDATIONS.c.batch, VALIDATIONS.c.rows, RESULTS.c.record)
        query = query.join(RESULTS, RESULTS.c.validation_id == VALIDATIONS.c.id)
        query = query.join(found, (found.c.id == RESULTS.c.validation_id) & (found.c.key == RESULTS.c.key))
        made: dict[tuple[int, str, int | None], list[RuleResult | Verdict]] = {}
        with self._reading() as connection:
            for run_id, batch, rows, text in connection.execute(query.order_by(VALIDATIONS.c.id, RESULTS.c.position)):
                made.setdefault((run_id, batch, rows), []).append(result_from_text(text))
        return [Unpassed(*about, tuple(results)) for about, results in made.items()]

    def load(self, pipeline: str, run_id: int) -> Run:
        """One run with its sentences; `NotFoundError`."""
        with self._reading() as connection:
            query = sa.select(VALIDATIONS).where(VALIDATIONS.c.id == run_id, VALIDATIONS.c.pipeline == pipeline)
            row = connection.execute(query).one_or_none()
            records = sa.select(RESULTS.c.record).where(RESULTS.c.validation_id == run_id).order_by(RESULTS.c.position)
            results = [result_from_text(text) for text in connection.execute(records).scalars()]
        if row is None:
            raise NotFoundError(f"run of {pipeline!r} with id", str(run_id), ())
        rules = tuple(r for r in results if isinstance(r, RuleResult))
        verdicts = tuple(r for r in results if not isinstance(r, RuleResult))
        about = (pipeline, row.batch, row.program_version, row.program_sha256, row.started, row.seconds, row.rows)
        return Run(*about, rules, verdicts, partition=row.partition, quiet=row.quiet)

    def give(self, pipeline: str, feedback: Feedback, expected: int | None = None) -> Feedback:
        """Append an entry and return it numbered; `ConflictError` names who was first."""
        with self._writing(pipeline) as connection:
            last = last_entry(_log(connection, pipeline, feedback.key), feedback.batch, feedback.key, label=feedback.is_label)
            if expected is not None and last is not None and last.seq != expected:
                raise ConflictError(
                    f"{last.by} has meanwhile set this alarm to {last.action.replace('_', ' ')}.",
                    hint="Look at it again before you decide.",
                )
            values = {**asdict(feedback), "pipeline": pipeline}
            del values["seq"]
            seq = inserted(connection.execute(sa.insert(FEEDBACK).values(**values)))
            add_links(connection, pipeline, "feedback", [seq])
            return replace(feedback, seq=seq)

    def feedback(self, pipeline: str) -> list[Feedback]:
        """Every entry, oldest first."""
        with self._reading() as connection:
            return _log(connection, pipeline)


def _newest(pipeline: str, limit: int, batches: Sequence[str] | None = None, *, quiet: bool = True) -> sa.Subquery:
    """The ids of the newest run of each of the batches validated last."""
    newest = sa.select(sa.func.max(VALIDATIONS.c.id).label("id")).where(VALIDATIONS.c.pipeline == pipeline)
    if batches is not None:
        newest = newest.where(VALIDATIONS.c.batch.in_(list(batches)))
    if not quiet:
        newest = newest.where(~VALIDATIONS.c.quiet)
    return newest.group_by(VALIDATIONS.c.batch).order_by(sa.desc("id")).limit(limit).subquery()


def _summary(row: sa.Row[Any], outcomes: tuple[Outcome, ...]) -> RunSummary:
    about = (row.id, row.pipeline, row.batch, row.status, row.program_version, row.started, row.seconds, row.rows)
    return RunSummary(*about, outcomes, row.partition)


def _log(connection: Connection, pipeline: str, key: str | None = None) -> list[Feedback]:
    query = sa.select(FEEDBACK).where(FEEDBACK.c.pipeline == pipeline).order_by(FEEDBACK.c.seq)
    if key is not None:
        query = query.where(FEEDBACK.c.key == key)
    return [Feedback(r.batch, r.key, r.action, r.by, r.at, r.why, r.until, r.seq) for r in connection.execute(query)]
