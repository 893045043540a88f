"""One validation of one batch against one program version, what it means to who called, and the port to where runs are kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from avh_ui.config_contacts import NOBODY, Contacts
from avh_ui.constraints.constraint import Status, Verdict
from avh_ui.constraints.row_rules import row_rules
from avh_ui.constraints.surprise import delivered_before, names_farthest, of_few_rows, spoiled_keys, surprise, tells_rows
from avh_ui.errors import UsageError
from avh_ui.history.standings import Baseline
from avh_ui.metrics.delivery import Delivery
from avh_ui.validator.results import Outcome, RuleResult
from avh_ui.validator.row_table import FAILED, RowTable
from avh_ui.validator.schema_drift import merely_written

RunStatus = Literal["pass", "warn", "fail", "not_evaluated"]
# Of an ingested batch how it lies in the table that was there: after all its batches, in the place of one, or otherwise (the first of
# all, or between others); "" of a validation.
Partition = Literal["", "new", "appended", "replaced"]
# From the worst on: what could not be evaluated is never shown as passed.
_WORST: tuple[RunStatus, ...] = ("fail", "warn", "not_evaluated")
# Less surprising than any column that alarms, and more than those that do not.
_BEHIND = 1e-9
FailAt = Literal["error", "warning", "never"]
# What the outcome means to the process that called the validator; 4 is of results that could not be delivered.
PASS, FAIL, WARN, NOT_EVALUATED, NOT_DELIVERED = range(5)


@dataclass(frozen=True)
class RunIncident:
    """An incident (`validator/incidents.py`) as a run tells it: on how many batches it has alarmed by now, and of this one the `columns`
    ('' is the table) and the `keys` that do; whether one of them `fails`.
    """

    id: str
    state: str
    owner: str
    since: str
    batches: int
    columns: tuple[str, ...]
    keys: tuple[str, ...]
    fails: bool = True

    @property
    def words(self) -> str:
        """`4 rules on 3 columns fail: one incident, open since 2020-10-06 (3 batches), 2020-10-06.3fa21c`."""
        named = [name for name in self.columns if name]
        rules, many = len(self.keys), self.batches > 1
        where = f" on {len(named)} column{'s' if len(named) > 1 else ''}" if named else ""
        whole = f"since {self.since} ({self.batches} batches)"
        # "Resolved since" would name the batch that it began with.
        going = f"{whole}, resolved" if self.state == "resolved" else f"{self.state} {whole}"
        begun = going if many else "new" if self.state == "open" else self.state
        owner = f", owned by {self.owner}" if self.owner else ""
        # What does not fail warns, or is a batch that could not be measured.
        does = f"{'fail' if self.fails else 'alarm'}{'' if rules > 1 else 's'}"
        return f"{rules} rule{'s' if rules > 1 else ''}{where} {does}: one incident, {begun}{owner}, {self.id}"

    def to_record(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "id": self.id, "state": self.state, "owner": self.owner, "since": self.since, "batches": self.batches,
            "columns": [name for name in self.columns if name], "rules": len(self.keys),
        }  # fmt: skip


@dataclass(frozen=True)
class Run:
    """What a validation found. `row_count` is None when the batch could not be read. Times are ISO 8601 in UTC, `seconds` wall time.

    `baseline` is what two-distribution metrics compared with; None where none did. `delivery` is how the batch was delivered; None where it
    was not measured. Both are None of a run that was read from the database. `notes` are sentences on what was not measured or compared.
    Where the columns agree they are part of that result's message too, so that they are kept with it. `tables` gives the rows of a table
    that somebody has; None of a run that was read from the database. With a `partition` the batch was ingested: the rows are those of the
    whole table with it, and it was kept where the run is `accepted`. `incidents` are those that its alarms are of, where the runs before
    could be read; they change no verdict, and are not stored with the run, as little as `contacts`: whom to ask. Nobody is told of a run
    that is `quiet`.
    """

    pipeline: str
    batch: str
    program_version: int
    program_sha256: str
    started: str
    seconds: float
    row_count: int | None
    rules: tuple[RuleResult, ...]
    verdicts: tuple[Verdict, ...]
    baseline: Baseline | None = None
    delivery: Delivery | None = None
    notes: tuple[str, ...] = ()
    partition: Partition = ""
    incidents: tuple[RunIncident, ...] = field(default=(), compare=False)
    tables: Callable[[Any], RowTable] | None = field(default=None, compare=False, repr=False)
    quiet: bool = False
    contacts: Contacts = field(default=NOBODY, compare=False)

    def rows(self, data: Any, *, name: str = FAILED) -> Any:
        """A table (a Spark or pandas DataFrame, a pyarrow Table) with one more column `name`: of each row the rules that it breaks, as an
        array of {rule, why, level}, empty where it breaks none.

        A rule speaks of rows where its metric does: nulls, conditions, patterns, ranges, extremes, lengths, uniqueness (all rows of a value
        that occurs twice). A condition that is null breaks nothing, and neither does a row outside a rule's `where`; what was not evaluated
        marks no row. On Spark nothing runs before the result is used. `UsageError` where the table lacks what a rule is of, or has a column
        `name`.
        """
        return self._table(data).marked(row_rules(self.verdicts), name)

    def split(self, data: Any, *, name: str = FAILED, to: str | Path | None = None) -> tuple[Any, Any]:
        """The rows that break no rule of the level error, as they were, and the others with the column `name` (see `rows`).

        With `to`, a path or URL that is not there yet, both are written now as Parquet under `to`, by one look at the rows and with the
        column `name`, in `avh_rows=good` and `avh_rows=bad`: on a disk whole or not at all. Spark's two DataFrames read them there.
        Without it each of them judges the rows when it is used. `DeliveryError` where it is there already, or cannot be written.
        """
        return self._table(data).split(row_rules(self.verdicts), name, None if to is None else str(to))

    def to_json(self) -> str:
        """What `avh validate --format json` prints: one object, whose JSON Schema is `run.schema.json`."""
        from avh_ui.validator.run_records import json_of

        return json_of(self)

    def to_pandas(self) -> Any:
        """A DataFrame with one row for each result, worst first: `rule` (in words), `column`, `status`, `level`, `observed`, `lower`,
        `upper` (NaN where there is none), `failing` (rows; null where they are not counted) and `message`.
        """
        from avh_ui.validator.results_frame import frame_of

        return frame_of(self.results)

    def _table(self, data: Any) -> RowTable:
        if self.tables is None:
            raise UsageError("This run was read from a store.", hint="Judge the table anew: avh.check(df, rules) or avh.validate(df, ...).")
        return self.tables(data)

    @property
    def results(self) -> list[RuleResult | Verdict]:
        """Rules, then verdicts: first that the batch is an earlier one (`delivered_before`), then which rows came, where that is wrong
        (`tells_rows`), then the columns that are most out of line (`surprise`), the others in the order of the program. Of one column what
        says how many rows did what comes before the row that moved farthest (`names_farthest`); keys whose own values are wrong come after
        the columns that say so (`spoiled_keys`), and what hardly any row breaks after the rest (`of_few_rows`). That whole numbers have a
        decimal point now comes after what else is wrong with these.
        """
        worst: dict[str, float] = {}
        spoiled, few = spoiled_keys(self.verdicts), of_few_rows(self.verdicts, self.row_count)
        for verdict in self.verdicts:
            column = verdict.constraint.column
            far = _BEHIND if surprise(verdict) and column in few else surprise(verdict)
            worst[column] = max(worst.get(column, 0.0), far)

        def place(verdict: Verdict) -> tuple[int, float, bool]:
            fails = surprise(verdict) > 0
            first = 2 * delivered_before(verdict) or tells_rows(verdict.constraint)
            if verdict.constraint.key in spoiled:
                return 0, -_BEHIND, False
            return -first if fails else 0, -worst[verdict.constraint.column], fails and names_farthest(verdict.constraint)

        verdicts = sorted(self.verdicts, key=place)
        before = {id(rule): _behind_which(rule, verdicts) for rule in self.rules if merely_written(rule)}
        moved = {id(verdict) for some in before.values() for verdict in some}
        rules = [result for rule in self.rules for result in (*before.get(id(rule), ()), rule)]
        return [*rules, *(verdict for verdict in verdicts if id(verdict) not in moved)]

    @property
    def statuses(self) -> list[Status]:
        """The status of every result."""
        return [result.status for result in self.results]

    @property
    def status(self) -> RunStatus:
        """The worst of the results; what could not be evaluated is never shown as passed."""
        found = self.statuses
        return next((status for status in _WORST if status in found), "pass" if found else "not_evaluated")

    @property
    def asks(self) -> Contacts:
        """Whom to ask of what did not pass; nobody where all did."""
        return NOBODY if self.status == "pass" else self.contacts

    @property
    def accepted(self) -> bool:
        """Whether nothing failed and everything was evaluated: an ingested batch is kept then, and only then."""
        return _accepted(self.statuses)

    def count(self, status: Status) -> int:
        """How many results have the status."""
        return self.statuses.count(status)


def _accepted(statuses: Sequence[Status]) -> bool:
    return bool(statuses) and {*statuses} <= {"pass", "warn"}


def exit_code(run: Run, fail_at: FailAt = "error") -> int:
    """The process exit code of a run.

    `fail_at` is the severity that fails: `warning` turns warnings into 1, `never` turns failures and warnings into 0. Whatever it is,
    what could not be evaluated is never passed over: unless the run fails, it gives 3, also beside warnings.
    """
    if (run.status == "fail" and fail_at != "never") or (run.status == "warn" and fail_at == "warning"):
        return FAIL
    if "not_evaluated" in run.statuses or not run.statuses:
        return NOT_EVALUATED
    return WARN if run.status == "warn" and fail_at == "error" else PASS


@dataclass(frozen=True)
class RunSummary:
    """A kept run without its sentences. `rows` is None when the batch could not be read; times are ISO 8601 in UTC. `partition` as of the
    run.
    """

    id: int
    pipeline: str
    batch: str
    status: RunStatus
    program_version: int
    started: str
    seconds: float
    rows: int | None
    outcomes: tuple[Outcome, ...]
    partition: Partition = ""

    @property
    def accepted(self) -> bool:
        """As of the run."""
        return _accepted([outcome.status for outcome in self.outcomes])

    @property
    def alarms(self) -> tuple[Outcome, ...]:
        """What failed or warned; of a batch that was not measured at all, only the reason."""
        return tuple(outcome for outcome in self.outcomes if outcome.alarms(self.rows))


@dataclass(frozen=True)
class Unpassed:
    """Of the newest run of a batch the results that did not pass. `rows` is None when the batch could not be read."""

    id: int
    batch: str
    rows: int | None
    results: tuple[RuleResult | Verdict, ...]


class RunStore(Protocol):
    """Runs per pipeline, only ever added to. Every call is one transaction."""

    def add(self, run: Run) -> int:
        """Keep a run and return its id; `DeliveryError` when it cannot be written."""
        ...

    def recent(self, pipeline: str, limit: int, batches: Sequence[str] | None = None, *, quiet: bool = True) -> list[RunSummary]:
        """The newest run of each of the `limit` batches (of `batches` alone) validated last, in natural order of the batches. Without
        `quiet`, runs that nobody was told of are passed over.
        """
        ...

    def unpassed(self, pipeline: str, limit: int) -> list[Unpassed]:
        """What did not pass in the newest run of each of the `limit` batches validated last, in natural order of the batches."""
        ...

    def mended(self, pipeline: str, limit: int) -> list[Unpassed]:
        """Of the `limit` batches validated last what did not pass in an earlier run and does now, or is not judged any more: each key as it
        was last, by run, the oldest first.
        """
        ...

    def load(self, pipeline: str, run_id: int) -> Run:
        """One run with its sentences; `NotFoundError`."""
        ...


def _behind_which(rule: RuleResult, verdicts: Sequence[Verdict]) -> list[Verdict]:
    """The verdicts that fail or warn on a rule's column alone."""
    of = ((verdict, verdict.constraint.measure.columns) for verdict in verdicts if surprise(verdict) > 0)
    return [verdict for verdict, columns in of if columns == (rule.column,)]
