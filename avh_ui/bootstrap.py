"""The composition root: wires the engine and the stores into a workspace. Opening one reads avh.yml and nothing else."""

from __future__ import annotations

import re
import threading
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from avh_ui.config import Config, Source, SparkSettings, load_config
from avh_ui.constraints.program_store import ProgramStore
from avh_ui.history.repository import HistoryRepository
from avh_ui.review.feedback import FeedbackRepository
from avh_ui.review.repository import ReviewRepository
from avh_ui.settings import load_settings
from avh_ui.spark.packages import package_of_avro as package_of_avro  # noqa: PLC0414 (for the commands)
from avh_ui.tables_in_hand import profile_in_hand, rows_of
from avh_ui.validator.row_table import Engine
from avh_ui.validator.run import RunStore
from avh_ui.workflows.corpus import Corpus
from avh_ui.workflows.services import Services
from avh_ui.workflows.stating import check_files
from avh_ui.workflows.telling import Notify, tells_nobody

if TYPE_CHECKING:
    from avh_ui.inference.by_history.measured import MeasuredRepository
    from avh_ui.scan.looking_files import SeenTable
    from avh_ui.spark.session import Java
    from avh_ui.store.light_runs import LightRuns
    from avh_ui.store.runs_sql import RunsSql
    from avh_ui.store.signing import KeyRing

KEYS = "keys"


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
    check_files(config)
    reviews, profiles = resolve_database(config.store.reviews, folder), resolve(history or config.store.history, folder)
    runs = Later(lambda: open_runs(reviews))
    return Services(
        folder,
        config,
        profiler=cast(Engine, Later(lambda: open_profiler(config, folder))),
        history=cast(HistoryRepository, Later(lambda: _history(profiles))),
        reviews=cast(ReviewRepository, Later(lambda: _reviews(reviews))),
        programs=cast(ProgramStore, Later(lambda: _programs(resolve(programs or config.store.programs, folder), config, folder))),
        runs=cast(RunStore, runs),
        feedback=cast(FeedbackRepository, runs),
        measured=cast("MeasuredRepository", Later(lambda: _measured(profiles))),
        actor=load_settings().actor,
        tables=rows_of,
        profile_table=profile_in_hand,
        notify=_notifier(config, folder),
    )


def _notifier(config: Config, root: Path) -> Notify:
    """What tells of runs; loads nothing where avh.yml names nobody to tell."""
    if not config.notify:
        return tells_nobody
    from avh_ui.notices.telling import Notifier
    from avh_ui.validator.lineage import datasets_of

    return Notifier(config.notify, load_settings(), datasets=datasets_of(config, root)).tell


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


def key_ring(root: Path) -> KeyRing:
    """The keys of the workspace in a folder; `ConfigError` when it is none, since keys made elsewhere would never be found."""
    from avh_ui.store.signing import KeyRing

    load_config(root)
    return KeyRing(key_folder(root.resolve()))


def open_corpus(master: str = "local[*]") -> Corpus:
    """Corpora of tables, read by this process and indexed by Spark at `master`, which is started when an index is built."""
    from avh_ui.spark.corpus_scan import SparkCorpus

    return Corpus(SparkCorpus(master))


def find_java() -> Java:
    """The Java that Spark would run on; `JavaNotFoundError`."""
    from avh_ui.spark import session

    return session.find_java()


def check_pyspark(version: str, packages: Sequence[str] = (), remote: str = "") -> bool:
    """`SparkError` where PySpark or packages do not fit, or no server is at `remote`; whether one was asked. PySpark is not imported."""
    from avh_ui.spark.remote import require_server
    from avh_ui.spark.versions import require_known

    require_known(version, packages=packages)
    return require_server(remote)


def check_secrets(source: Source) -> None:
    """`SourceError` where what a database is logged in with is a variable that the environment has not."""
    from avh_ui.spark.drivers import with_secrets

    if source.format == "jdbc":
        with_secrets(source.options)


def check_writable(url: str) -> None:
    """Write and delete a file as large as a profile in a store (a full disk takes an empty one); `AvhError` or `OSError` says why not."""
    from avh_ui.store.folder import Folder

    folder, name = Folder(url), f"avh-doctor-{uuid.uuid4().hex}"
    folder.replace(name, bytes(1 << 16))
    folder.delete(name)


def open_profiler(config: Config, root: Path) -> Engine:
    """What measures the batches of a config, by its `engine`; starts no Spark before it is needed."""
    from avh_ui.local.profiler import LocalProfiler
    from avh_ui.local.small_samples import SmallSamples

    spark = cast(Engine, Later(lambda: _spark_profiler(config, root)))
    if config.engine == "spark":
        return cast(Engine, SmallSamples(config, root, spark))
    return LocalProfiler(config, root, spark, only=config.engine == "local")


def look_at_tables(names: Sequence[str], settings: SparkSettings) -> list[SeenTable]:
    """What tables of Spark's catalog look like, by their names; starts Spark, or reaches it as the settings say."""
    from avh_ui.spark.looking_tables import look_at_table
    from avh_ui.spark.session import get_spark

    spark = get_spark(settings)
    return [look_at_table(spark, name) for name in names]


def _spark_profiler(config: Config, root: Path) -> Engine:
    from avh_ui.spark.profiler import SparkProfiler

    return SparkProfiler(config, root)


def _history(url: str) -> HistoryRepository:
    from avh_ui.store.history_files import HistoryFiles

    return HistoryFiles(url)


def _measured(url: str) -> MeasuredRepository:
    from avh_ui.store.measured_files import MeasuredFiles

    return MeasuredFiles(url)


def _reviews(url: str) -> ReviewRepository:
    from avh_ui.store.light_reviews import reviews_of

    return reviews_of(url)


def open_runs(url: str) -> RunsSql | LightRuns:
    """The runs and what people say of them, in a database by its URL; the caller closes it."""
    from avh_ui.store.light_runs import LightRuns, file_of

    if (file := file_of(url)) is not None:
        return LightRuns(url, file)
    from avh_ui.store.runs_sql import RunsSql

    return RunsSql(url)


def _programs(url: str, config: Config, root: Path) -> ProgramStore:
    from avh_ui.store.program_files import ProgramFiles

    keys = cast("KeyRing", Later(lambda: key_ring(root)))
    return ProgramFiles(url, require_signature=config.store.require_signature, keys=keys)
