"""The composition root: wires the engine and the stores into a workspace. Opening one reads avh.yml and nothing else."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from avh_ui.config import Config, Severity, load_config
from avh_ui.constraints.program import Program
from avh_ui.constraints.program_store import ProgramStore
from avh_ui.errors import UsageError
from avh_ui.history.repository import HistoryRepository
from avh_ui.metrics.analysis import Analysis
from avh_ui.metrics.analyzer import Analyzer
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.profiler import KnownTypes, Profiler, Watch
from avh_ui.review.feedback import FeedbackRepository
from avh_ui.review.repository import ReviewRepository
from avh_ui.settings import load_settings
from avh_ui.validator.run import Run
from avh_ui.validator.run_store import RunStore
from avh_ui.workflows.services import Services

if TYPE_CHECKING:
    from avh_ui.inference.by_history.measured import MeasuredRepository
    from avh_ui.store.runs_sql import RunsSql
    from avh_ui.store.signing import KeyRing

KEYS = "keys"
# The packages whose tables are measured without Spark.
_IN_MEMORY = ("pandas", "pyarrow")


class Later:
    """Stands for an adapter that is made when it is first used: Spark, the database, files on another machine."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._lock = threading.RLock()
        self._made: Any = None

    def __getattr__(self, name: str) -> Any:
        if self._made is None:
            # The app's threads may all come first.
            with self._lock:
                if self._made is None:
                    self._made = self._make()
        return getattr(self._made, name)


def open_services(root: str | Path = ".", *, programs: str | None = None, history: str | None = None) -> Services:
    """The services of the workspace in a folder; `ConfigError` when it has no valid avh.yml. Starts no Spark and opens no database.

    `programs` and `history` are URLs that take the place of those in avh.yml.
    """
    folder = Path(root).expanduser().resolve()
    config = load_config(folder)
    reviews, profiles = resolve_database(config.store.reviews, folder), resolve(history or config.store.history, folder)
    runs = Later(lambda: _runs(reviews))
    return Services(
        folder,
        config,
        profiler=cast(Profiler, Later(lambda: _profiler(config, folder))),
        history=cast(HistoryRepository, Later(lambda: _history(profiles))),
        reviews=cast(ReviewRepository, Later(lambda: _reviews(reviews))),
        programs=cast(ProgramStore, Later(lambda: _programs(resolve(programs or config.store.programs, folder), config, folder))),
        runs=cast(RunStore, runs),
        feedback=cast(FeedbackRepository, runs),
        measured=cast("MeasuredRepository", Later(lambda: _measured(profiles))),
        actor=load_settings().actor,
    )


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
    stale: Severity = "error",
    samples: bool = True,
) -> Run:
    """Judge a Spark or pandas DataFrame or a pyarrow Table by a pipeline's live program; Spark is needed for the first alone.

    `programs` and `history` are the stores, or paths or URLs of them. With `store` the batch's profile is kept, so that the next batch
    has its predecessor. An empty batch fails, and one whose rows were delivered before has the severity `stale`. `runs` is the URL of the
    review database: the app then shows the run, and what is snoozed there warns.
    A batch that cannot be read gives a run that is not evaluated, as on the command line. `keys` is the folder (or ring) of the public
    keys that are trusted, by default the folder `keys` beside a local `programs`: where it holds any, a program that a stranger signed is
    refused (`TamperedProgramError`), and with `require_signature` so is one that nobody signed. `UsageError` for `keys` that trust nobody,
    and for keys of a store that is given as an object, which checks by its own. `ProgramNotFoundError` when nothing is published for the
    pipeline; `DeliveryError`, whose `run` is the verdict, when the profile or the run cannot be kept. Without `samples` no text of the data
    is kept or told, as with `samples: off` in avh.yml.
    """
    from avh_ui.metrics.withholding import without_texts
    from avh_ui.store.history_files import HistoryFiles
    from avh_ui.workflows.validating import Stores, deliver, judge
    from avh_ui.workflows.withholding import silent

    kept = HistoryFiles(str(history)) if isinstance(history, str | Path) else history
    published = _published(programs, keys, require_signature=require_signature)
    with _opened(runs) as (run_store, feedback):
        stores = Stores(published, kept, run_store, feedback)

        def measured(program: Program) -> BatchProfile:
            if samples:
                return profile_of(df, program, batch)
            with silent(f"Batch {batch!r}"):
                return without_texts(profile_of(df, program, batch))

        judgement = judge(stores, pipeline, batch, measured, store=store, stale=stale)
        deliver(judgement, stores)
    return judgement.run


@contextmanager
def _opened(runs: str | RunStore | None) -> Iterator[tuple[RunStore | None, FeedbackRepository | None]]:
    """Where runs are kept and, if there, what people say of them. A URL is opened when it is needed, and closed."""
    if not isinstance(runs, str):
        # Whoever gives a store of their own may have no feedback in it.
        yield runs, cast(FeedbackRepository, runs) if hasattr(runs, "feedback") else None
        return
    made: list[RunsSql] = []

    def make() -> RunsSql:
        made.append(_runs(runs))
        return made[0]

    later = Later(make)
    try:
        yield cast(RunStore, later), cast(FeedbackRepository, later)
    finally:
        for database in made:
            database.close()


def measure(data: Any, analyzers: Iterable[Analyzer], *, keep_states: bool = False, watch: Watch | None = None) -> Analysis:
    """The analyzers' results on a Spark or pandas DataFrame or a pyarrow Table, and the states they follow from.

    On Spark by one job for all that need no grouping and one per set of grouping columns (ICDE 2019, Algorithm 1). What is wrong with
    one analyzer is its failed result. `.states` of disjoint parts merge without the data: `a.states.merge(b.states).results(analyzers)`;
    those of grouping analyzers are as large as their distinct values and kept with `keep_states` alone (off Spark always). Without
    Spark there is no SQL: `where` and `compliance` fail, and NaN in pandas is null. `UsageError` for data of another kind,
    `SparkError` when it cannot be read, `CancelledError` by `watch`.
    """
    home = _home(data)
    if home == "pyspark":
        from avh_ui.spark.analysis import analyze

        return analyze(data, analyzers, watch, keep_states=keep_states)
    if home not in _IN_MEMORY:
        raise _not_a_table(data, "measured")
    from avh_ui.metrics.tables import analyze_table

    return analyze_table(data, analyzers)


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
    from avh_ui.config import Columns
    from avh_ui.workflows.frames import profile_table, table_of

    schema = program.schema
    types, columns = {c.name: c.type for c in schema.columns}, Columns(include=schema.include, exclude=schema.exclude)
    known = KnownTypes(regexes=program.regexes, types=types, source_format=schema.format_of_batches, measures=program.measures)
    home = _home(df)
    if home == "pyspark":
        from avh_ui.spark.profiler import profile_frame

        return profile_frame(df, program.pipeline, batch, known, columns)
    if home not in _IN_MEMORY:
        raise _not_a_table(df, "validated")
    return profile_table(table_of(df), program.pipeline, batch, known, columns, loose=home == "pandas")


def _home(data: Any) -> str:
    """The package of a table's class: importing it to ask would load Spark for who has none."""
    return str(type(data).__module__).split(".")[0]


def _not_a_table(data: Any, verb: str) -> UsageError:
    kind = f"{type(data).__module__}.{type(data).__qualname__}"
    return UsageError(f"A {kind} cannot be {verb}.", hint="Give a Spark or pandas DataFrame or a pyarrow Table.")


def resolve(location: str, root: Path) -> str:
    """A store's location: a URL as it is, a path relative to the workspace."""
    if "://" in location:
        return location
    return str(root / Path(location).expanduser())


def resolve_database(url: str, root: Path) -> str:
    """A database URL; a relative `sqlite:///reviews.db` lies in the workspace."""
    if not re.match(r"sqlite(\+\w+)?:///", url):
        return url
    scheme, path = url.split(":///", 1)
    if not path or path.startswith((":memory:", "file:", "/")):
        return url
    return f"{scheme}:///{root / path}"


def key_folder(root: Path) -> Path:
    """Where a workspace keeps its signing keys."""
    return root / KEYS


def _profiler(config: Config, root: Path) -> Profiler:
    from avh_ui.spark.profiler import SparkProfiler

    return SparkProfiler(config, root)


def _history(url: str) -> HistoryRepository:
    from avh_ui.store.history_files import HistoryFiles

    return HistoryFiles(url)


def _measured(url: str) -> MeasuredRepository:
    from avh_ui.store.measured_files import MeasuredFiles

    return MeasuredFiles(url)


def _reviews(url: str) -> ReviewRepository:
    from avh_ui.store.reviews_sql import ReviewsSql

    return ReviewsSql(url)


def _runs(url: str) -> RunsSql:
    from avh_ui.store.runs_sql import RunsSql

    return RunsSql(url)


def _programs(url: str, config: Config, root: Path) -> ProgramStore:
    from avh_ui.store.program_files import ProgramFiles
    from avh_ui.store.signing import KeyRing

    return ProgramFiles(url, require_signature=config.store.require_signature, keys=KeyRing(key_folder(root)))
