"""`samples: off`: what comes from a pipeline's source passes here, and its texts go no further."""

from __future__ import annotations

import logging
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from typing import Any

import pyarrow as pa

from avh_ui.config import ColumnsSetting, Config, Pipeline, SuggestionSource
from avh_ui.constraints.row_rules import RowRule
from avh_ui.errors import AvhError, SourceError, SparkError, UsageError
from avh_ui.metrics.column import Kind
from avh_ui.metrics.conformance import Conformance
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.profiler import UNKNOWN, FailedBatch, KnownTypes, ProfileTable, Watch
from avh_ui.metrics.withholding import without_texts
from avh_ui.validator.row_table import BrokenRows, Engine, RowTable

# Here PySpark logs to stderr what it raises, with the value.
_SPARK_LOGGER = "DataFrameQueryContextLogger"
# The condition of Spark's errors: `[CAST_INVALID_INPUT]`. What follows may quote a value.
_CONDITION = re.compile(r"\[([A-Z][A-Z_]+(?:\.[A-Z_]+)*)\]")


class WithheldProfiler:
    """A `Profiler` that passes on no text of pipelines with `samples: off`: neither values nor words of Spark and user functions.

    `sample` is passed on as it is: suggestions by history inject issues into it, and keep numbers alone.
    """

    def __init__(self, profiler: Engine, config: Config) -> None:
        self._profiler, self._config = profiler, config

    def batches(self, pipeline: str) -> list[str]:
        """As the profiler's."""
        with self._silent(pipeline):
            return self._profiler.batches(pipeline)

    def profile(
        self, pipeline: str, batches: Sequence[str], watch: Watch, known: KnownTypes = UNKNOWN
    ) -> Iterator[BatchProfile | FailedBatch]:
        """As the profiler's, without texts."""
        with self._silent(pipeline):
            for result in self._profiler.profile(pipeline, batches, watch, known):
                yield self._passed(pipeline, result)

    def profile_path(self, pipeline: str, path: str, batch: str, watch: Watch, known: KnownTypes = UNKNOWN) -> BatchProfile:
        """As the profiler's, without texts."""
        with self._silent(pipeline):
            profile = self._profiler.profile_path(pipeline, path, batch, watch, known)
        return without_texts(profile) if self._off(pipeline) else profile

    def sample(self, pipeline: str, batch: str, rows: int, seed: int, watch: Watch | None = None, texts: Collection[str] = ()) -> pa.Table:
        """As the profiler's."""
        with self._silent(pipeline):
            return self._profiler.sample(pipeline, batch, rows, seed, watch, texts)

    def distinct(self, pipeline: str, batch: str, kinds: Mapping[str, Kind], watch: Watch | None = None) -> Mapping[str, int]:
        """As the profiler's."""
        with self._silent(pipeline):
            return self._profiler.distinct(pipeline, batch, kinds, watch)

    def conformance(
        self, pipeline: str, batch: str, regexes: Mapping[str, Sequence[str]], watch: Watch | None = None
    ) -> Mapping[str, Mapping[str, Conformance]]:
        """As the profiler's, without samples."""
        with self._silent(pipeline):
            found = self._profiler.conformance(pipeline, batch, regexes, watch)
        if not self._off(pipeline):
            return found
        return {column: {regex: replace(c, samples=()) for regex, c in by.items()} for column, by in found.items()}

    def rows(self, pipeline: str, batch: str, path: str | None = None) -> RowTable:
        """As the profiler's, without samples. The rows themselves go where the source's own are kept."""
        with self._silent(pipeline):
            table = self._profiler.rows(pipeline, batch, path)
        return withheld(table) if self._off(pipeline) else table

    def can_keep(self, pipeline: str, target: str) -> None:
        """As the profiler's."""
        self._profiler.can_keep(pipeline, target)

    def _off(self, pipeline: str) -> bool:
        return self._config.pipeline(pipeline).samples == "off"

    def _passed(self, pipeline: str, result: BatchProfile | FailedBatch) -> BatchProfile | FailedBatch:
        if not self._off(pipeline):
            return result
        if isinstance(result, BatchProfile):
            return without_texts(result)
        # Of a batch that is not there, or empty, we say so in our own words.
        return replace(result, reason=_told(f"Batch {result.batch!r}", result.reason)) if result.fault == "unreadable" else result

    def _silent(self, pipeline: str) -> AbstractContextManager[None]:
        return silent("The source") if self._off(pipeline) else nullcontext()


def silent_table(profile_table: ProfileTable, config: Config) -> ProfileTable:
    """What profiles a table in hand, held to `samples: off` as the profiler is."""

    def profiled(data: Any, pipeline: str, batch: str, known: KnownTypes, columns: ColumnsSetting) -> BatchProfile:
        if config.pipeline(pipeline).samples == "on":
            return profile_table(data, pipeline, batch, known, columns)
        with silent(f"Batch {batch!r}"):
            return without_texts(profile_table(data, pipeline, batch, known, columns))

    return profiled


def withheld(table: RowTable) -> RowTable:
    """The rows of a batch, of which no value is shown."""
    return _WithheldRows(table)


class _WithheldRows:
    """A `RowTable` that counts and shows no value."""

    def __init__(self, table: RowTable) -> None:
        self._table = table

    def marked(self, rules: Sequence[RowRule], name: str) -> Any:
        with silent("The batch"):
            return self._table.marked(rules, name)

    def split(self, rules: Sequence[RowRule], name: str, to: str | None = None) -> tuple[Any, Any]:
        with silent("The batch"):
            return self._table.split(rules, name, to)

    def found(self, rules: Sequence[RowRule], watch: Watch, _: Sequence[str] = ()) -> BrokenRows:
        with silent("The batch"):
            found = self._table.found(rules, watch)
        return replace(found, by_place={place: replace(failing, samples=()) for place, failing in found.by_place.items()})

    def write_bad(self, rules: Sequence[RowRule], folder: str, more: Mapping[str, str]) -> None:
        with silent("The batch"):
            self._table.write_bad(rules, folder, more)


@contextmanager
def silent(what: str) -> Iterator[None]:
    """What Spark, Arrow and user functions say of data that they cannot read, without their words: they quote values. An error that is
    not ours keeps its class and stack.
    """
    logger = logging.getLogger(_SPARK_LOGGER)
    was, logger.disabled = logger.disabled, True
    try:
        yield
    except (SourceError, SparkError) as error:
        if error.__cause__ is None and not isinstance(error, SparkError):
            raise
        # Not `from error`: a traceback would show it.
        raise type(error)(_told(what, str(error))) from None
    except (AvhError, OSError):
        raise
    except Exception as error:  # noqa: BLE001 (whatever it is, it may quote a value)
        told = f"{type(error).__name__}, whose words may quote the data and are left out (`samples: off`)"
        raise RuntimeError(told).with_traceback(error.__traceback__) from None
    finally:
        logger.disabled = was


def _told(what: str, reason: str) -> str:
    """That it cannot be read, and the condition of Spark's error, without its words."""
    condition = _CONDITION.search(reason)
    why = f" ({condition[1]})" if condition else ""
    return f"{what} cannot be read{why}. What Spark says of it may quote the data and is left out (`samples: off`)."


def sources_of(pipeline: Pipeline, asked: Sequence[SuggestionSource] | None) -> Sequence[SuggestionSource] | None:
    """What may suggest: with `samples: off` the history alone, since patterns and rules of values hold values.

    `UsageError` when only others are asked for.
    """
    if pipeline.samples == "on":
        return asked
    if "history" not in (asked or pipeline.sources):
        hint = "Suggest from the history, or set `samples: on` in avh.yml."
        raise UsageError(f"{pipeline.name!r} has `samples: off`: patterns and rules of values would hold values.", hint=hint)
    return ("history",)


def refuse_rows(pipeline: Pipeline) -> None:
    """`UsageError` where rows of the data are to be shown and the pipeline has `samples: off`."""
    if pipeline.samples == "off":
        raise UsageError(f"{pipeline.name!r} has `samples: off` in avh.yml: no rows of it are shown.", hint="Look at them at their source.")


def unless_withheld(profiler: Engine, config: Config) -> Engine:
    """The profiler, held to `samples: off` where some pipeline has it."""
    withheld = any(pipeline.samples == "off" for pipeline in config.pipelines.values())
    return WithheldProfiler(profiler, config) if withheld else profiler
