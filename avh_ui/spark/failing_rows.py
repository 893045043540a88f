"""The rows of a Spark DataFrame that break rules: `validator.row_table.RowTable` in expressions of Spark, by one look at the rows.

What asks whether values occur once looks at those columns once more, for each set of columns and rows: the values that occur more than
once are mostly few, and stand beside the rows. To sort all rows by them would take longer than all else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from avh_ui.constraints.row_rules import RowRule
from avh_ui.errors import UsageError
from avh_ui.metrics.conformance import SHOWN
from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.row_forms import Once
from avh_ui.spark import repeated_values
from avh_ui.spark.delta import append, require_delta
from avh_ui.spark.failing_kernel import DDL, FailingKernel
from avh_ui.spark.jobs import collect, spark_errors
from avh_ui.spark.row_answers import Answers
from avh_ui.spark.session import apart, back
from avh_ui.spark.shared_frames import share, used_by
from avh_ui.validator.kept_rows import BAD, GOOD, PART, whole, written_to
from avh_ui.validator.row_table import (
    DELTA,
    FAILED,
    BrokenRows,
    added_names,
    compared_columns,
    free_name,
    other_columns,
    shown_columns,
)

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

# A task of Spark sorts the rest of its rows by their folders once it has this many files open: one more than there are kinds of rows.
_WRITERS, _KINDS = "spark.sql.maxConcurrentOutputFileWriters", str(len((GOOD, BAD)) + 1)


class SparkRows:
    """The rows of a DataFrame. What is given back is in its session, and nothing of it runs before it is asked for."""

    def __init__(self, df: DataFrame) -> None:
        self._df = df

    def marked(self, rules: Sequence[RowRule], name: str = FAILED) -> DataFrame:
        """The DataFrame with one more column."""
        free_name(name, self._df.columns)
        return self._at_home(rules, lambda judged: [judged.marked(name)])[0]

    def split(self, rules: Sequence[RowRule], name: str = FAILED, to: str | None = None) -> tuple[DataFrame, DataFrame]:
        """The good rows, and the bad ones with what they break."""
        free_name(name, self._df.columns)
        if to is not None:
            return self._split_to(rules, name, to)
        # The values that occur more than once are looked for by the frame that runs first.
        good, bad = self._at_home(rules, lambda judged: judged.parts(name), shared=True)
        return good, bad

    def found(self, rules: Sequence[RowRule], watch: Watch, among: Sequence[str] = ()) -> BrokenRows:
        """What breaks the rules, and which values it has, by one job."""
        if not rules:
            return BrokenRows()
        from pyspark.sql import functions as F

        with apart(self._df) as rows, spark_errors("The table"):
            judged = _Judged.of(rows, rules, self._df, look=watch)
            known = [f.name for f in judged.answers.fields.values() if len(f.path) == 1 and f.how == "values"]
            columns = [tuple(shown_columns(rule, known)) for rule in rules]
            others = [tuple(other_columns(rule, [name for name in among if name in judged.answers.fields])) for rule in rules]
            own = [tuple(compared_columns(rule, known)) for rule in rules]
            shown = tuple(dict.fromkeys(name for names in (*columns, *others, *own) for name in names))
            values = [judged.answers.shown(name, SHOWN).alias(f"s{k}") for k, name in enumerate(shown)]
            broken = [F.col(f"f{k}") for k in range(len(rules))]
            some = judged.frame.where("any").select(judged.bad.alias("bad"), *broken, *values)
            kernel = FailingKernel(tuple(rule.place for rule in rules), tuple(columns), shown, tuple(others), tuple(own))
            return kernel.found(collect(some.mapInArrow(kernel, DDL), watch))

    def broken(self, rules: Sequence[RowRule]) -> pa.Table:
        """Of each row the value of the last column, as `place`, and whether it breaks each of the rules."""
        from pyspark.sql import functions as F

        with apart(self._df) as rows, spark_errors("The table"):
            judged = _Judged.of(rows, rules, self._df)
            place = F.col(f"c{len(judged.names) - 1}").alias("place")
            return collect(judged.frame.select(place, *(F.col(f"f{k}") for k in range(len(rules)))), Watch())

    def write_bad(self, rules: Sequence[RowRule], folder: str, more: Mapping[str, str]) -> None:
        """The bad rows as Parquet in a folder that is not there yet: of this machine, or of a file system that Spark knows (a URL); of
        `delta:PATH` in a Delta table.
        """
        from pyspark.sql import functions as F

        with apart(self._df) as rows, spark_errors(""):
            judged = _Judged.of(rows, rules, self._df)
            names = added_names((FAILED, *more), judged.names)
            added = [judged.failed, *map(F.lit, more.values())]
            bad = judged.frame.where(judged.bad).select(*judged.data, *(c.alias(n) for c, n in zip(added, names, strict=True)))
            if folder.startswith(DELTA):
                require_delta(bad.sparkSession)
                append(bad, folder.removeprefix(DELTA), more)
                return
            if "://" in folder or self._here:
                bad.write.mode("errorifexists").parquet(_url(folder))
                return
            # The tasks of a cluster would write to the disks of their own machines.
            import pyarrow.parquet as pq

            table = collect(bad, Watch())
        Path(folder).mkdir(parents=True)
        pq.write_table(table, Path(folder) / "part-0.parquet")

    def _split_to(self, rules: Sequence[RowRule], name: str, to: str) -> tuple[DataFrame, DataFrame]:
        """Both kinds of rows as they are read where they were written."""
        if to.startswith(DELTA) or ("://" not in to and not self._here):
            why = (
                "good and bad rows are written as Parquet"
                if to.startswith(DELTA)
                else "each task of Spark would write to a disk of its own"
            )
            raise UsageError(f"{to!r} is no place for them: {why}.", hint="Name a URL (file:// for a disk that all of Spark shares).")
        (part,) = added_names((PART,), (*self._df.columns, name))
        with apart(self._df) as rows, spark_errors("The table"):
            rows.sparkSession.conf.set(_WRITERS, _KINDS)
            frame = _Judged.of(rows, rules, self._df).parted(name, part)
            schema = frame.schema
            # Elsewhere a folder cannot be renamed from here: Spark's job shows its files when all are there.
            with whole(to) if self._here else written_to(to) as folder, spark_errors(""):
                frame.write.mode("errorifexists").partitionBy(part).parquet(_url(folder))
        # Told the schema, Spark looks at no file before it is asked for rows, and finds the columns where there are none.
        both = self._df.sparkSession.read.schema(schema).parquet(_url(to))
        return both.where(f"{part} = '{GOOD}'").drop(name, part), both.where(f"{part} = '{BAD}'").drop(part)

    @property
    def _here(self) -> bool:
        """Whether Spark writes to the disk of this machine."""
        return not self._remote and str(self._df.sparkSession.conf.get("spark.master", "")).startswith("local")

    @property
    def _remote(self) -> bool:
        return "connect" in type(self._df).__module__

    def _at_home(
        self, rules: Sequence[RowRule], make: Callable[[_Judged], Sequence[DataFrame]], *, shared: bool = False
    ) -> Sequence[DataFrame]:
        """What is made of the judged rows, in the session of the DataFrame.

        Classic Spark has read the conditions by then, in the mode that they are meant in. Spark Connect reads them when they run, in the
        mode of that session: with ANSI mode a cast that fails is an error there and not null.
        """
        with spark_errors("The table"):
            if self._remote:
                judged = _Judged.of(self._df, rules, self._df, lazy=True, shared=shared)
                frames = make(judged)
            else:
                with apart(self._df) as rows:
                    judged = _Judged.of(rows, rules, self._df, shared=shared)
                    frames = [back(frame, self._df) for frame in make(judged)]
            used_by(judged.shared, frames)
            return frames


@dataclass(frozen=True)
class _Judged:
    """Rows with the columns c0, c1, ... of `answers`; f0, f1, ...: whether they break each of the rules; and whether they break any rule,
    and are `bad`: break one of the level error.
    """

    answers: Answers
    frame: DataFrame
    rules: tuple[RowRule, ...]
    names: tuple[str, ...]
    shared: tuple[DataFrame, ...] = ()

    @classmethod
    def of(
        cls, df: DataFrame, rules: Sequence[RowRule], own: DataFrame, *, lazy: bool = False, shared: bool = False, look: Watch | None = None
    ) -> _Judged:
        """What is asked of a row alone is told before the rows are joined. With `shared` the values that occur more than once, where they
        are few, are computed for all frames that are made of these; with `look` they are looked for now, and kept for who judges the rows
        of `own`, which is `df` in its own session, once more.

        Of what one step of Spark names twice, here once alone and once in `any`, Spark makes a method of its own. Otherwise all rules are
        one, which Java does not compile beyond 8,000 bytes (some 35 rules): 2,000,000 rows by 45 rules took 18.4 seconds of processor
        time, and take 7.2.
        """
        from pyspark.sql import functions as F

        answers, once = (
            Answers.of(df, rules, look or Watch(), lazy=lazy),
            {k for k, rule in enumerate(rules) if isinstance(rule.question, Once)},
        )
        if look is not None:
            repeated_values.look(own, answers, look)
        repeated, kept = repeated_values.repeated(own, answers)
        share(kept := kept if shared else ())
        data = [F.col(f"c{i}") for i in range(len(df.columns))]
        alone = {k: answers.fails(rule) for k, rule in enumerate(rules) if k not in once}
        again = {k: answers.again.fails(rules[k]) if rules[k].tests else fails for k, fails in alone.items()}
        errors = [fails for k, fails in again.items() if rules[k].level == "error"]
        asked = [test for k in once for test in answers.where(rules[k])]
        frame = answers.frame.select(
            *data,
            *asked,
            *(fails.alias(f"f{k}") for k, fails in alone.items()),
            reduce(or_, again.values(), F.lit(False)).alias("any"),
            reduce(or_, errors, F.lit(False)).alias("bad"),
        )
        if once:
            more = {k: answers.fails(rules[k]) for k in sorted(once)}
            errors = [fails for k, fails in more.items() if rules[k].level == "error"]
            frame = answers.with_repeated(frame, repeated).select(
                *data,
                *(F.col(f"f{k}") for k in alone),
                *(fails.alias(f"f{k}") for k, fails in more.items()),
                reduce(or_, more.values(), F.col("any")).alias("any"),
                reduce(or_, errors, F.col("bad")).alias("bad"),
            )
        return cls(answers, frame, tuple(rules), tuple(df.columns), kept)

    @property
    def data(self) -> list[Column]:
        """The table's own columns, under their names."""
        from pyspark.sql import functions as F

        return [F.col(f"c{i}").alias(name) for i, name in enumerate(self.names)]

    def marked(self, name: str) -> DataFrame:
        """The table with what each row breaks.

        Made by `explode` of one element, below which Spark moves no filter on it: those of `where("size(failed) > 0")` would judge all rows
        once more. Filters on the table's own columns still go down to the files.
        """
        from pyspark.sql import functions as F

        return self.frame.select(*self.data, F.explode(F.array(self.failed)).alias(name))

    def parts(self, name: str) -> tuple[DataFrame, DataFrame]:
        """The good rows, and the bad ones with what they break."""
        return self.frame.where(~self.bad).select(*self.data), self.frame.where(self.bad).select(*self.data, self.failed.alias(name))

    def parted(self, name: str, part: str) -> DataFrame:
        """The table with what each row breaks, and whether it is good or bad."""
        from pyspark.sql import functions as F

        which = F.when(self.bad, F.lit(BAD)).otherwise(F.lit(GOOD))
        return self.frame.select(*self.data, self.failed.alias(name), which.alias(part))

    @property
    def bad(self) -> Column:
        """Whether a row breaks a rule of the level error."""
        from pyspark.sql import functions as F

        return F.col("bad")

    @property
    def failed(self) -> Column:
        """The rules that a row breaks, of most rows none: the array is made of the others alone."""
        from pyspark.sql import functions as F

        none = F.array().cast("array<struct<rule:string,why:string,level:string>>")
        if not self.rules:
            return none
        told = ([F.lit(getattr(rule, key)).alias(key) for key in ("rule", "why", "level")] for rule in self.rules)
        # Each array is a constant, and they are put end to end: to write 1,500,000 rows took a fifth less processor time than with structs
        # of which the missing ones are taken out. Not by `filter`: of a function of Python's the code that Spark makes has another name
        # each time, and is compiled anew.
        some = F.concat(*(F.when(F.col(f"f{k}"), F.array(F.struct(*one))).otherwise(none) for k, one in enumerate(told)))
        # Named twice, `any` stays in the step before.
        return F.when(~F.col("any"), none).when(F.col("any"), some).otherwise(none)


def _url(path: str) -> str:
    """As Spark takes a path of this machine."""
    return path if "://" in path else f"file://{Path(path).expanduser().absolute()}"
