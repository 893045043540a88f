"""The values of a DataFrame that occur more than once, as they were found when its rules were checked.

Whoever marks or parts these rows then (`run.rows(df)`, `run.split(df)`) need not look for them again: that took 0.8 microseconds a row, of
2.7 that it takes to write one. They are those of the verdicts, too, where the table's source has changed meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import pyarrow as pa

from avh_ui.constraints.row_rules import RowRule
from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.row_forms import Once
from avh_ui.spark.jobs import collect
from avh_ui.spark.versions import frame_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import DataType

    from avh_ui.spark.row_answers import Answers, Key

# So many values that occur more than once are kept, as long as the DataFrame is there: some 5 MB. More are looked for again.
MOST = 100_000
# Of these types a value that was fetched is equal to what it was; of a text with a collation, for one, it is not.
_PLAIN = ("tinyint", "smallint", "int", "bigint", "float", "double", "boolean", "date", "timestamp", "string")
# None: no value occurs twice.
_found: WeakKeyDictionary[DataFrame, dict[Key, pa.Table | None]] = WeakKeyDictionary()


def look(df: DataFrame, answers: Answers, watch: Watch) -> None:
    """Find those of a DataFrame that `answers` ask for, where few rows have them."""
    kept = _found.setdefault(df, {})
    for (key, rows), frame in zip(answers.keys.items(), answers.repeated(), strict=True):
        kept.pop(key, None)
        if (rows is None or rows <= MOST) and all(_plain(field.dataType) for field in frame.schema.fields):
            table = collect(frame.limit(MOST + 1), watch)
            if table.num_rows <= MOST:
                kept[key] = table


def none_repeated(df: DataFrame, rules: Iterable[RowRule]) -> None:
    """Take from the rules of its check which of a DataFrame's values all occur once."""
    for rule in rules:
        if isinstance(rule.question, Once) and rule.question.columns and rule.known == 0:
            _found.setdefault(df, {})[rule.question.columns, rule.where] = None


def repeated(df: DataFrame, answers: Answers) -> tuple[list[DataFrame], tuple[DataFrame, ...]]:
    """Of each set of values that `answers` ask for those that occur more than once; and which of these frames, of few, read the table."""
    kept, frames, few = _found.get(df, {}), [], []
    for place, key in enumerate(answers.keys):
        if (there := kept.get(key)) is not None:
            frames.append(frame_of(answers.frame.sparkSession, there.rename_columns(answers.names(place))).hint("broadcast"))
        elif key in kept:
            frames.append(answers.repeated_at(place).limit(0))
        else:
            frames.append(answers.repeated_at(place))
            few += [frames[-1]] if answers.few(place) else []
    return frames, tuple(few)


def _plain(kind: DataType) -> bool:
    name = kind.simpleString()
    return name in _PLAIN or name.startswith("decimal(")
