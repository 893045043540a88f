"""The port to the rows of a table: which of them break rules, how many, and where to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from avh_ui.constraints.row_rules import RowRule
from avh_ui.errors import UsageError, nearest
from avh_ui.metrics.measure import bare
from avh_ui.metrics.profiler import Profiler, Watch
from avh_ui.metrics.row_forms import Once, Present
from avh_ui.metrics.rows import RowTest
from avh_ui.metrics.shared_values import ValueCounts
from avh_ui.metrics.sql.lexing import tokens_of
from avh_ui.metrics.sql.own_names import as_own

# Of a row whose own value says nothing (a null) so many other columns are shown: by them it is found again at its source.
_SHOWN_COLUMNS = 4
# A column of more values among the rows that break a rule has no one value that says what is wrong; tasks of Spark hand over no more.
MOST_VALUES = 200
# The column that says of a row which rules it breaks.
FAILED = "failed"
# Before a path: bad rows go to a Delta table there.
DELTA = "delta:"
# What to do where the table has such a column already.
_FREE = 'Give the added one another name: name="why_failed".'


@dataclass(frozen=True)
class Failing:
    """How many rows break a rule, and the first of their values in the order of texts: at most `conformance.SAMPLES`, each cut to
    `conformance.SHOWN` characters. `values` are how many of them have each value of other columns, and `own` of those that a condition
    compares, without columns of many values.
    """

    rows: int = 0
    samples: tuple[str, ...] = ()
    values: Mapping[str, ValueCounts] = field(default_factory=dict)
    own: Mapping[str, ValueCounts] = field(default_factory=dict)


@dataclass(frozen=True)
class BrokenRows:
    """By the place of a rule what breaks it, and how many rows are bad: break a rule of the level error."""

    by_place: Mapping[int, Failing] = field(default_factory=dict)
    bad: int = 0


class RowsTakeSparkError(UsageError):
    """A rule has a condition that takes Spark, and these rows are in memory."""


class RowTable(Protocol):
    """The rows of one table. `UsageError` where they lack what a rule speaks of, `SparkError` where they cannot be read."""

    def marked(self, rules: Sequence[RowRule], name: str) -> Any:
        """The table with one more column `name`: of each row the rules that it breaks, as an array of {rule, why, level}."""
        ...

    def split(self, rules: Sequence[RowRule], name: str, to: str | None = None) -> tuple[Any, Any]:
        """The rows that break no rule of the level error, and the others; these have the column `name` too.

        With `to` both are in that folder, written by one look at the rows (`validator.kept_rows`); `DeliveryError`.
        """
        ...

    def found(self, rules: Sequence[RowRule], watch: Watch, among: Sequence[str] = ()) -> BrokenRows:
        """What breaks the rules, and which values it has of those columns `among` these that its rule does not name."""
        ...

    def write_bad(self, rules: Sequence[RowRule], folder: str, more: Mapping[str, str]) -> None:
        """The bad rows as Parquet files in a new folder (a path, or a URL of a file system that the engine knows), with what they break
        as `failed` and columns of one text each; a name that the table has already gets an underscore more. What is not written whole
        raises, and may leave a part. Of `delta:PATH` they are appended to a Delta table, whole or not, once for the texts.
        """
        ...


class RowSource(Protocol):
    """Reads the rows of a pipeline's batches at their source."""

    def rows(self, pipeline: str, batch: str, path: str | None = None) -> RowTable:
        """The rows of a batch, or of a file or folder in its place, read as for its profile. `SourceError` when they cannot be read."""
        ...

    def can_keep(self, pipeline: str, target: str) -> None:
        """`UsageError` where a pipeline's bad rows cannot be kept in a target of this form (`delta:PATH` takes Spark with Delta)."""
        ...


class Engine(Profiler, RowSource, Protocol):
    """Whatever reads batches: their profiles and their rows."""


def parquet_alone(target: str) -> None:
    """`UsageError` for a target that takes Spark."""
    if target.startswith(DELTA):
        hint = "Set `engine: spark` in avh.yml, with Delta in its session, or give a path without `delta:` for Parquet."
        raise UsageError("A Delta table is written by Spark, and these rows are read without it.", hint=hint)


def free_name(name: str, taken: Sequence[str]) -> str:
    """The name of the added column; `UsageError` where the table has it already (its case does not matter, as in Spark)."""
    if name.lower() in (one.lower() for one in taken):
        raise UsageError(f"The table has a column {name!r} already.", hint=_FREE)
    return name


def added_names(names: Sequence[str], taken: Sequence[str]) -> list[str]:
    """Names of columns to be added, each with as many underscores behind it as it takes to be no other's."""
    found, there = [], {one.lower() for one in taken}
    for name in names:
        while name.lower() in there:
            name += "_"  # noqa: PLW2901 (until it is free)
        there.add(name.lower())
        found.append(name)
    return found


def named_as(name: str, known: Sequence[str]) -> str:
    """A column's name as the table has it, whatever its case, with backticks or without; `UsageError` names the nearest."""
    name = name if name in known else bare(name)
    alike = [one for one in known if one.lower() == name.lower()]
    if name in known or len(alike) == 1:
        return name if name in known else alike[0]
    raise UsageError(f"The table has no column {name!r}, of which a rule is.", hint=nearest(name, known))


def as_named(rule: RowRule, known: Sequence[str]) -> RowRule:
    """The rule with its columns as the table has them; `UsageError` for one that is not there."""
    question = rule.question
    if isinstance(question, Once):
        return replace(rule, question=replace(question, columns=tuple(named_as(name, known) for name in question.columns)))
    return rule if question.column is None else replace(rule, question=replace(question, column=named_as(question.column, known)))


def shown_columns(rule: RowRule, known: Sequence[str]) -> list[str]:
    """The columns whose values are samples of what breaks a rule: those that it is of, of a condition behind the key; of one of nulls the
    key, or the first others, and so of one that is none of the table's own (a field of a struct, a list).
    """
    key = [name for name in rule.key if name in known]
    if isinstance(rule.question, RowTest) and rule.question.column is None:
        found = in_conditions(known, rule.question.text)
        if found:
            return list(dict.fromkeys((*key, *found)))
    else:
        words = {name.lower() for name in rule.columns}
        found = [name for name in known if name in rule.columns] or [name for name in known if name.lower() in words]
    if not found or isinstance(rule.question, Present):
        others = [name for name in known if name not in found]
        # Of a key that is null itself the other columns say which row it is.
        return [name for name in key if name not in found] or others[:_SHOWN_COLUMNS] or found
    return found


def other_columns(rule: RowRule, names: Sequence[str]) -> list[str]:
    """Those that neither the rule nor its conditions name: what the rows that break it may have in common."""
    own = {bare(name).lower() for name in rule.columns}
    named = in_conditions(names, *(test.text for test in rule.tests if test.column is None))
    return [name for name in names if name.lower() not in own and name not in named]


def compared_columns(rule: RowRule, names: Sequence[str]) -> list[str]:
    """Those of several that a condition compares: where all rows that break it have one value of one of these, that one is wrong."""
    question = rule.question
    found = in_conditions(names, question.text) if isinstance(question, RowTest) and question.column is None else []
    return found if len(found) > 1 else []


def in_conditions(known: Sequence[str], *texts: str) -> list[str]:
    """Those of the columns that SQL conditions name, with backticks or without, whatever their case."""
    tokens = (token for text in texts for token in tokens_of(as_own(text, known)))
    words = {bare(token).lower() for kind, token in tokens if kind in ("word", "backtick", "number")}
    return [name for name in known if name.lower() in words]
