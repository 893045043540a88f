"""`samples: off`: what comes from a pipeline's source passes here, and its texts go no further."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

import pyarrow as pa

from avh_ui.config import Config, Pipeline, SuggestionSource
from avh_ui.errors import SourceError, SparkError, UsageError
from avh_ui.metrics.conformance import Conformance
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.profiler import UNKNOWN, FailedBatch, KnownTypes, Profiler, Watch
from avh_ui.metrics.withholding import without_texts

# The condition of Spark's errors: `[CAST_INVALID_INPUT]`. What follows may quote a value.
_CONDITION = re.compile(r"\[([A-Z][A-Z_]+(?:\.[A-Z_]+)*)\]")


class WithheldProfiler:
    """A `Profiler` that passes on no text of pipelines with `samples: off`: neither values nor words of Spark and user functions.

    `sample` is passed on as it is: suggestions by history inject issues into it, and keep numbers alone.
    """

    def __init__(self, profiler: Profiler, config: Config) -> None:
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

    def sample(self, pipeline: str, batch: str, rows: int, seed: int, watch: Watch | None = None) -> pa.Table:
        """As the profiler's."""
        with self._silent(pipeline):
            return self._profiler.sample(pipeline, batch, rows, seed, watch)

    def conformance(
        self, pipeline: str, batch: str, regexes: Mapping[str, Sequence[str]], watch: Watch | None = None
    ) -> Mapping[str, Mapping[str, Conformance]]:
        """As the profiler's, without samples."""
        with self._silent(pipeline):
            found = self._profiler.conformance(pipeline, batch, regexes, watch)
        if not self._off(pipeline):
            return found
        return {column: {regex: replace(c, samples=()) for regex, c in by.items()} for column, by in found.items()}

    def _off(self, pipeline: str) -> bool:
        return self._config.pipeline(pipeline).samples == "off"

    def _passed(self, pipeline: str, result: BatchProfile | FailedBatch) -> BatchProfile | FailedBatch:
        if not self._off(pipeline):
            return result
        if isinstance(result, BatchProfile):
            return without_texts(result)
        # Of a batch that is not there, or empty, we say so in our own words.
        return replace(result, reason=_told(result.batch, result.reason)) if result.fault == "unreadable" else result

    @contextmanager
    def _silent(self, pipeline: str) -> Iterator[None]:
        """What Spark says of data that it cannot read, without its words: they quote values."""
        try:
            yield
        except (SourceError, SparkError) as error:
            ours = error.__cause__ is None and not isinstance(error, SparkError)
            if ours or not self._off(pipeline):
                raise
            told = _told("", str(error))
            # Not `from error`: a traceback would show it.
            raise type(error)(told) from None


def _told(batch: str, reason: str) -> str:
    """That it cannot be read, and the condition of Spark's error, without its words."""
    condition = _CONDITION.search(reason)
    what = f"Batch {batch!r}" if batch else "The source"
    why = f" ({condition[1]})" if condition else ""
    return f"{what} cannot be read{why}. What Spark says of it may quote the data and is left out (`samples: off` in avh.yml)."


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


def unless_withheld(profiler: Profiler, config: Config) -> Profiler:
    """The profiler, held to `samples: off` where some pipeline has it."""
    withheld = any(pipeline.samples == "off" for pipeline in config.pipelines.values())
    return WithheldProfiler(profiler, config) if withheld else profiler
