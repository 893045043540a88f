"""What is done with a table in hand, without a workspace: `avh.validate`, `avh.check` and `avh.measure` of Spark, pandas and Arrow."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from avh_ui.bootstrap import Later, key_folder, open_runs
from avh_ui.config import ColumnsSetting, Severity
from avh_ui.constraints.check import Check
from avh_ui.constraints.program import Program
from avh_ui.constraints.program_store import ProgramStore
from avh_ui.constraints.row_rules import row_rules
from avh_ui.errors import UsageError
from avh_ui.history.repository import HistoryRepository
from avh_ui.metrics.analysis import Analysis, AnalysisStates
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.profiler import KnownTypes, Watch
from avh_ui.review.feedback import FeedbackRepository
from avh_ui.tables_in_hand import IN_MEMORY, can_keep, home_of, measured_by_spark, not_a_table, profile_in_hand, rows_of
from avh_ui.validator.checking import NO_HISTORY, checks_of, judge_checks, measures_of
from avh_ui.validator.failing import with_counts
from avh_ui.validator.following import SoundValues, batches_before
from avh_ui.validator.run import Run, RunStore

if TYPE_CHECKING:
    from avh_ui.store.light_runs import LightRuns
    from avh_ui.store.runs_sql import RunsSql
    from avh_ui.store.signing import KeyRing


def validate(  # noqa: PLR0913 (a validation has these parts)
    df: Any,
    *,
    pipeline: str,
    batch: str,
    programs: str | Path | ProgramStore,
    history: str | Path | HistoryRepository,
    runs: str | RunStore | None = None,
    require_signature: bool = False,
    keys: str | Path | KeyRing | None = None,
    store: bool = True,
    delivery: Severity = "error",
    stale: Severity = "error",
    empty: Severity = "error",
    samples: bool = True,
    quarantine: str | Path | None = None,
) -> Run:
    """Judge a Spark or pandas DataFrame or a pyarrow Table by a pipeline's live program; Spark is needed for the first alone.

    `programs` and `history` are the stores, or paths or URLs of them. With `store` the batch's profile is kept, so that the next batch
    has its predecessor. Characters that are no text have the severity `delivery`, rows that were delivered before `stale`, and a table
    without rows `empty`. `runs` is the URL of the review database: the app then shows the run, and what is snoozed there warns.
    A batch that cannot be read gives a run that is not evaluated, as on the command line. `keys` is the folder (or ring) of the public
    keys that are trusted, by default the folder `keys` beside a local `programs`: where it holds any, a program that a stranger signed is
    refused (`TamperedProgramError`), and with `require_signature` so is one that nobody signed. `UsageError` for `keys` that trust nobody,
    and for keys of a store that is given as an object, which checks by its own. `ProgramNotFoundError` when nothing is published for the
    pipeline; `DeliveryError`, whose `run` is the verdict, when the profile or the run cannot be kept. Without `samples` no text of the data
    is kept or told, as with `samples: off` in avh.yml. The rows that break rules are kept in `quarantine`, each run's in a folder of its
    own (`workflows.bad_rows`).
    """
    from avh_ui.store.history_files import HistoryFiles
    from avh_ui.workflows.validating import Stores, deliver, judge

    if quarantine is not None:
        can_keep(df, str(quarantine))
    kept = HistoryFiles(str(history)) if isinstance(history, str | Path) else history
    published = _published(programs, keys, require_signature=require_signature)
    with _opened(runs) as (run_store, feedback):
        stores = Stores(published, kept, run_store, feedback)
        measured = partial(profile_of, df, batch=batch)
        judgement = judge(
            stores, pipeline, batch, measured, store=store, delivery=delivery, stale=stale, empty=empty, samples=samples,
            rows=partial(rows_of, df), quarantine=None if quarantine is None else str(quarantine),
        )  # fmt: skip
        judgement = replace(judgement, run=replace(judgement.run, tables=rows_of))
        deliver(judgement, stores)
    return judgement.run


@contextmanager
def _opened(runs: str | RunStore | None) -> Iterator[tuple[RunStore | None, FeedbackRepository | None]]:
    """Where runs are kept and, if there, what people say of them. A URL is opened when it is needed, and closed."""
    if not isinstance(runs, str):
        # Whoever gives a store of their own may have no feedback in it.
        yield runs, cast(FeedbackRepository, runs) if hasattr(runs, "feedback") else None
        return
    made: list[RunsSql | LightRuns] = []

    def make() -> RunsSql | LightRuns:
        made.append(open_runs(runs))
        return made[0]

    later = Later(make)
    try:
        yield cast(RunStore, later), cast(FeedbackRepository, later)
    finally:
        for database in made:
            database.close()


def measure(
    data: Any,
    measures: Iterable[Measure],
    *,
    keep_states: bool = False,
    tables: Mapping[str, Any] | None = None,
    watch: Watch | None = None,
) -> Analysis:
    """The measures' results on a Spark or pandas DataFrame or a pyarrow Table, and the states they follow from.

    On Spark by one job for all that need no grouping and one per set of grouping columns (ICDE 2019, Algorithm 1). What is wrong with
    one measure is its failed result. `.states` of disjoint parts merge without the data: `a.states.merge(b.states).results(measures)`;
    those of grouping ones are as large as their distinct values and kept with `keep_states` alone (off Spark always). NaN in pandas
    is null. In memory conditions are evaluated without Spark, names in any case and times in UTC; what has one that only Spark evaluates,
    and a query of SQL, is measured by a session on this machine, alone, and fails where there is none. `tables` are those by name that
    measures compare with, by one job each. `UsageError` for data of another kind, `SparkError`
    when it cannot be read, `CancelledError` by `watch`.
    """
    home = home_of(data)
    if home == "pyspark":
        from avh_ui.spark.analysis import analyze

        return analyze(data, measures, watch, keep_states=keep_states, tables=tables)
    if home not in IN_MEMORY:
        raise not_a_table(data, "measured")
    from avh_ui.metrics.tables import analyze_table
    from avh_ui.workflows.frames import table_of

    others = {name: table_of(_collected(other)) for name, other in (tables or {}).items()}
    return analyze_table(table_of(data), measures, partial(measured_by_spark, watch=watch, tables=others), others)


def _collected(table: Any) -> Any:
    """A table to compare one in memory with: of Spark, its rows."""
    home = home_of(table)
    if home not in (*IN_MEMORY, "pyspark"):
        raise not_a_table(table, "compared with")
    return table.toArrow() if home == "pyspark" else table


def check(
    data: Any,
    rules: Check | Iterable[Any],
    *,
    history: str | Path | HistoryRepository | None = None,
    pipeline: str = "",
    batch: str | None = None,
    tables: Mapping[str, Any] | None = None,
    samples: bool = True,
    watch: Watch | None = None,
) -> Run:
    """Whether a table keeps rules (`avh.checks`): a Spark or pandas DataFrame, a pyarrow Table, or states of one, of which no data is read.

    On Spark by one job for all rules that need no grouping and one per set of grouping columns; where rows break rules by one more, which
    counts them and (with `samples`) shows some of their values, and one for each set of values that should occur once and do not.
    `run.rows(df)` marks the rows, `run.split(df)` parts them; of this DataFrame they know by then which values occur twice. The run has one
    verdict per rule, in their order; one that cannot be measured (no such column, a condition that Spark refuses) is not evaluated, alone.
    Of states: those of `avh.measure(...)`, merged or not, of the rules' measures. Where bounds follow from the history
    (`checks.has_no_anomalies`), they do from the sound batches of `pipeline` in `history` (a store, or its path or URL): those before
    `batch`, or all. `tables` are those that rules name to compare with; a rule may hold its own. `UsageError` for what is no rule and for
    data of another kind, `SparkError` when the data cannot be read, `CancelledError` by `watch`.
    """
    from avh_ui.workflows.bad_rows import looked_at

    start, checks = time.monotonic(), checks_of(rules)
    measures = measures_of(checks)
    if isinstance(data, Analysis | AnalysisStates):
        states = data.states if isinstance(data, Analysis) else data
        results = states.results(measures)
    else:
        others = {name: table for check in checks for name, table in check.tables.items()} | dict(tables or {})
        analysis = measure(data, measures, tables=others, watch=watch)
        states, results = analysis.states, analysis.results
    values = _values_before(checks, history, pipeline, batch)
    run = replace(with_counts(judge_checks(checks, results, time.monotonic() - start, values), states), tables=rows_of)
    if isinstance(data, Analysis | AnalysisStates):
        return run
    run, _ = looked_at(run, partial(rows_of, data), watch or Watch(), samples=samples)
    if home_of(data) == "pyspark":
        from avh_ui.spark.repeated_values import none_repeated

        none_repeated(data, row_rules(run.verdicts))
    return replace(run, seconds=round(time.monotonic() - start, 3))


def _values_before(
    checks: Iterable[Check], history: str | Path | HistoryRepository | None, pipeline: str, batch: str | None
) -> SoundValues:
    """What the bounds of checks follow from."""
    constraints = [check.constraint() for check in checks]
    if history is None or all(c.strategy is None for c in constraints):
        return NO_HISTORY
    if not pipeline:
        raise UsageError("Which pipeline's history is it?", hint="Give `pipeline=` beside `history=`.")
    from avh_ui.store.history_files import HistoryFiles

    kept = HistoryFiles(str(history)) if isinstance(history, str | Path) else history
    return SoundValues.load(constraints, pipeline, kept, lambda: batches_before(pipeline, batch, kept), partial(kept.standings, pipeline))


def _published(programs: str | Path | ProgramStore, keys: str | Path | KeyRing | None, *, require_signature: bool) -> ProgramStore:
    """The store, which refuses what it is not to trust: whatever cannot be checked is an error, never passed over."""
    from avh_ui.store.folder import Folder
    from avh_ui.store.program_files import ProgramFiles
    from avh_ui.store.signing import KeyRing

    if not isinstance(programs, str | Path):
        if require_signature or keys is not None:
            hint = "Make it so: ProgramFiles(url, require_signature=True, keys=KeyRing(folder))."
            raise UsageError("A program store that is given as an object checks signatures by its own keys.", hint=hint)
        return programs
    if keys is None:
        folder = Folder(str(programs))
        ring = KeyRing(key_folder(Path(folder.root).parent)) if folder.local else None
    else:
        ring = KeyRing(keys) if isinstance(keys, str | Path) else keys
        if not ring.trusted():
            raise UsageError(f"{ring.folder} holds no public key, so no signature could be trusted.", hint="Copy the .pub file there.")
    return ProgramFiles(str(programs), require_signature=require_signature, keys=ring)


def profile_of(df: Any, program: Program, batch: str) -> BatchProfile:
    """The profile of a DataFrame or table; `UsageError` for anything else."""
    schema = program.schema
    types, columns = {c.name: c.type for c in schema.columns}, ColumnsSetting(include=schema.include, exclude=schema.exclude)
    known = KnownTypes(
        regexes=program.regexes, types=types, source_format=schema.format_of_batches, measures=program.measures, unique=program.unique
    )
    return profile_in_hand(df, program.pipeline, batch, known, columns, "validated")
