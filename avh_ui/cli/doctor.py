"""`avh doctor`: what is installed, reachable and writable."""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import click

from avh_ui.cli.options import json_option, port_option, require_free, workspace_option
from avh_ui.cli.output import print_json, say
from avh_ui.config_options import no_master
from avh_ui.errors import AvhError, BatchNotFoundError, NoFolderError
from avh_ui.extras import EXTRAS, install, lacking
from avh_ui.version import __version__

if TYPE_CHECKING:
    from avh_ui.config import Config, Pipeline
    from avh_ui.metrics.profile import BatchProfile
    from avh_ui.workflows.services import Services

PACKAGES = ("pyspark", "pyarrow", "numpy", "scipy", "datasketches", "sqlalchemy")


@dataclass(frozen=True)
class Examined:
    """One thing looked at: whether it is fine, what was found, and what to do if not."""

    name: str
    ok: bool
    found: str
    hint: str = ""


@click.command("doctor")
@workspace_option()
@port_option()
@json_option
def command(root: Path, port: int, as_json: bool) -> None:
    """Check that all avh needs is there.

    Python, packages, Java, the workspace and its stores, the port. Exits with 1 when something is wrong.
    """
    findings = list(examine(root, port))
    bad = sum(not f.ok for f in findings)
    if as_json:
        print_json([asdict(f) for f in findings])
    else:
        for finding in findings:
            say(f"{'ok ' if finding.ok else 'BAD'} {finding.name}: {finding.found} {finding.hint}".rstrip())
        say("Everything is fine." if not bad else f"{bad} of {len(findings)} checks failed.")
    if bad:
        click.get_current_context().exit(1)


def examine(root: Path, port: int) -> Iterator[Examined]:
    """Look at everything; one thing that is wrong hides no other."""
    yield Examined("avh_ui", True, f"{__version__} on Python {platform.python_version()} ({sys.executable})")
    yield from map(_package, PACKAGES)
    yield _check("spark", _spark)
    yield from map(_extra, EXTRAS)
    yield _check("java", _java)
    yield _check("port", partial(_port, port))
    yield from _workspace(root)


def _check(name: str, look: Callable[[], str]) -> Examined:
    try:
        return Examined(name, True, look())
    except AvhError as error:
        return Examined(name, False, error.args[0] if not error.hint else error.message, error.hint)
    except OSError as error:
        return Examined(name, False, f"{error.filename or ''} {error.strerror or error}".strip())


def _package(name: str) -> Examined:
    try:
        return Examined(name, True, metadata.version(name))
    except metadata.PackageNotFoundError:
        return Examined(name, False, "not installed.", f"Install it with `pip install {name}`.")


def _extra(name: str) -> Examined:
    """The packages of an extra: who does without them is fine."""
    if missing := lacking(name):
        return Examined(f"extra {name}", True, f"without {', '.join(missing)}.", install(name))
    # The name that is imported is that of the package, but for _ and -.
    return Examined(f"extra {name}", True, ", ".join(f"{package} {metadata.version(package)}" for package in EXTRAS[name]))


def _spark(packages: Sequence[str] = ()) -> str:
    from avh_ui.bootstrap import check_pyspark

    try:
        version = metadata.version("pyspark")
    except metadata.PackageNotFoundError:
        return "without PySpark only local files are measured"
    check_pyspark(version, packages)
    return f"PySpark {version} fits"


def _remote(remote: str) -> str:
    from avh_ui.bootstrap import check_pyspark

    if check_pyspark(metadata.version("pyspark"), remote=remote):
        return f"somebody answers at {remote}"
    return f"{remote} is started here" if remote.startswith("local") else f"{remote} was not asked: a proxy may stand before it"


def _java() -> str:
    from avh_ui.bootstrap import find_java

    java = find_java()
    return f"Java {java.version} at {java.home} ({java.found})"


def _port(port: int) -> str:
    require_free(port)
    return f"{port} is free"


def _workspace(root: Path) -> Iterator[Examined]:
    from avh_ui.config import CONFIG_NAME, load_config

    if not (root / CONFIG_NAME).exists():
        yield Examined("workspace", True, f"{root} is none yet.", "Make one with `avh init`, or try `avh demo`.")
        return
    found: list[Config] = []

    def load() -> str:
        found.append(load_config(root))
        return f"{root.resolve()}: {', '.join(found[0].pipelines) or 'no pipelines'}"

    yield _check("workspace", load)
    if found and found[0].spark.packages and not found[0].spark.remote:
        yield _check("packages of Spark", partial(_spark, found[0].spark.packages))
    if found and (wrong := no_master(found[0].spark.master, found[0].spark.remote)):
        yield Examined("address of Spark", False, f"{wrong}.")
    elif found and found[0].spark.remote:
        yield _check("address of Spark", partial(_remote, found[0].spark.remote))
    if found:
        yield from _stores(root.resolve(), found[0])


def _stores(root: Path, config: Config) -> Iterator[Examined]:
    from avh_ui.bootstrap import check_writable, open_services, resolve

    def writable(url: str) -> str:
        check_writable(url)
        return f"{url} is writable"

    opened: list[Services] = []

    def stated() -> str:
        opened.append(open_services(root))
        return "each can be read"

    # One rule that is none keeps every command from its work.
    if not (rules := _check("rules of avh.yml", stated)).ok:
        yield rules
        return
    (services,) = opened
    for name in ("history", "programs"):
        yield _check(f"{name} store", partial(writable, resolve(getattr(config.store, name), root)))
    yield _check("reviews", lambda: drafts(services))
    for pipeline in services.pipelines():
        yield _check(f"pipeline {pipeline}", partial(_pipeline, services, pipeline))
        yield _check(f"reading of {pipeline}", partial(_reading, services, pipeline))
        settings = services.config.pipeline(pipeline)
        if settings.rules or settings.segments or settings.columns.exclude:
            yield _check(f"rules of {pipeline}", partial(_named, services, pipeline))
        if settings.measures:
            yield _check(f"measures of {pipeline}", partial(_measured, services, pipeline))
        if settings.key:
            yield _check(f"key of {pipeline}", partial(_keyed, services, pipeline))
        yield _check(f"audit log of {pipeline}", partial(_audited, services, pipeline))


def _pipeline(services: Services, pipeline: str) -> str:
    first = services.batches.unstarted(pipeline)
    if first is not None and not isinstance(first, (NoFolderError, BatchNotFoundError)):
        raise first
    batches = services.batches.names(pipeline)
    newest = services.batches.load(pipeline, batches[-1]) if batches else None
    live = services.programs.live(pipeline)
    published = f"version {live.version} is live" if live else "nothing published"
    # Nothing is broken where no data came yet; what to do first is said all the same.
    begin = f". {first}" if first is not None else ""
    return f"{len(batches)} batches profiled, {published}{_rows_kept(services.config.pipeline(pipeline), newest)}{begin}"


def _reading(services: Services, pipeline: str) -> str:
    """What reads a pipeline, once the environment has the variables that its database is logged in with."""
    from avh_ui.bootstrap import check_secrets

    check_secrets(services.config.pipeline(pipeline).source)
    return services.batches.reading(pipeline)


def _rows_kept(pipeline: Pipeline, newest: BatchProfile | None) -> str:
    """What of single rows the history of a pipeline keeps, where it keeps some: by the key of avh.yml, or the one that was found."""
    from avh_ui.metrics.sampled_rows import sample_in

    sample = sample_in(newest.columns) if newest is not None else None
    key = pipeline.key or (sample.by if sample is not None else ())
    if not key or pipeline.rows == "none":
        return ""
    texts = "hashes of texts" if pipeline.rows == "hashed" or pipeline.samples == "off" else "texts"
    most = "" if sample is None else f"up to {sample.k:,} "
    return f"; of each batch {most}rows by {', '.join(key)} are kept with numbers and {texts}"


def _named(services: Services, pipeline: str) -> str:
    """Whether the table has the columns that its rules and segments are of, and those to leave out."""
    if said := services.programs.misnamed(pipeline).said:
        raise AvhError(" ".join(said), hint="Mend it in avh.yml.")
    return "its columns are there, as far as a batch is profiled"


def _measured(services: Services, pipeline: str) -> str:
    """Whether there are the metrics and columns that are measured beside those of every column."""
    if said := services.programs.unmeasured(pipeline):
        raise AvhError(" ".join(said), hint="Mend it in avh.yml.")
    return "its metrics and columns are there, as far as a batch is profiled"


def _keyed(services: Services, pipeline: str) -> str:
    """Whether the key of avh.yml is one, as far as the newest profiled batch tells."""
    if said := services.programs.miskeyed(pipeline):
        raise AvhError(" ".join(said), hint="Mend `key:` in avh.yml: `avh suggest` finds one where nothing is said.")
    return f"{', '.join(services.config.pipeline(pipeline).key)}, as far as a batch is profiled"


def _audited(services: Services, pipeline: str) -> str:
    if problems := services.programs.check_audit(pipeline):
        raise AvhError(" ".join(problems), hint="Compare with a backup of the review database.")
    if services.programs.without_log(pipeline):
        return "the review database holds nothing of it, so that what was published is not compared with it. Is it another database?"
    return "nothing was changed after it was written"


def drafts(services: Services) -> str:
    """Which pipelines have a draft; `AvhError` for a review database that cannot be read or written."""
    # Opening it makes the database where there is none, as any command would.
    found = [name for name in services.pipelines() if services.suggestions.draft(name)]
    if services.suggestions.read_only:
        raise AvhError(services.suggestions.read_only)
    return f"{services.config.store.reviews} opens; drafts of {', '.join(found) or 'no pipeline'}"
