"""DataFrames of CSV and JSON that drop malformed lines (`mode: DROPMALFORMED`), as the rows that they give when all columns are read.

Spark parses the columns that a query takes, and drops the lines of which it could not parse these: `count()` of three lines, one of them
malformed, is 3, and `collect()` gives 2. A rule would have another verdict by what else is asked in the same scan.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_FORMATS = ("CSV", "JSON")
# What Spark cannot hash.
_NOT_HASHED = ("map<", "variant")


def whole_lines(df: DataFrame) -> DataFrame:
    """The DataFrame, of which each query reads all columns where it drops lines; of classic Spark alone: Connect does not tell."""
    if not any(map(_drops, _leaves(df))):
        return df
    from pyspark.sql import functions as F

    fields = [field.dataType.simpleString() for field in df.schema.fields]
    values = [F.col(str(place)) for place, kind in enumerate(fields) if not any(word in kind for word in _NOT_HASHED)]
    if not values:
        return df
    # True of every row, which Spark does not know.
    kept = df.toDF(*map(str, range(len(fields)))).where(F.xxhash64(*values) >= F.lit(-(2**63)))
    return kept.toDF(*df.columns)


def _leaves(df: Any) -> list[Any]:
    found = df._jdf.queryExecution().analyzed().collectLeaves()
    return [found.apply(place) for place in range(found.size())]


def _drops(leaf: Any) -> bool:
    """Whether a leaf of a plan is files that are read so."""
    if leaf.getClass().getSimpleName() != "LogicalRelation":
        return False
    relation = leaf.relation()
    if relation.getClass().getSimpleName() != "HadoopFsRelation" or str(relation.fileFormat().toString()) not in _FORMATS:
        return False
    mode = relation.options().get("mode")
    return bool(mode.isDefined()) and str(mode.get()).upper() == "DROPMALFORMED"
