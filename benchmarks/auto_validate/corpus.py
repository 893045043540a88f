"""A corpus in one long Parquet table (table, column, row, value) and its columns' kinds, as columns in memory or as files."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

VALUES, COLUMNS = "corpus_shared.parquet", "corpus_shared_columns.parquet"


@dataclass(frozen=True)
class Corpus:
    """C columns: `tables`, `names` and `kinds` (machine, categorical, other, natural), and their `values` in order, nulls left out."""

    tables: list[str]
    names: list[str]
    kinds: list[str]
    values: list[list[str]]

    @cached_property
    def families(self) -> list[str]:
        """A column's family: tables whose paths differ in digits alone and that have the same columns are copies of one another."""
        headers: dict[str, list[str]] = defaultdict(list)
        for table, name in zip(self.tables, self.names, strict=True):
            headers[table].append(name)
        family = {table: "\x1f".join([re.sub(r"\d+", "0", table), *sorted(names)]) for table, names in headers.items()}
        return [f"{family[table]}\x1f{name}" for table, name in zip(self.tables, self.names, strict=True)]

    @property
    def megabytes(self) -> float:
        """Size of all values."""
        return sum(len(value) for values in self.values for value in values) / 1e6


def load(data: Path) -> Corpus:
    """Read the corpus of a data folder."""
    table = pq.read_table(data / VALUES, columns=["table", "column", "value"])
    tables, names, values = (table.column(k).to_pandas().to_numpy() for k in range(3))
    change = (tables[1:] != tables[:-1]) | (names[1:] != names[:-1])
    cuts = np.concatenate([[0], np.flatnonzero(change) + 1, [len(values)]])
    known = pq.read_table(data / COLUMNS, columns=["table", "column", "class_heuristic"]).to_pylist()
    kinds = {(row["table"], row["column"]): row["class_heuristic"] for row in known}
    starts = cuts[:-1].tolist()
    return Corpus(
        [tables[k] for k in starts],
        [names[k] for k in starts],
        [kinds.get((tables[k], names[k]), "other") for k in starts],
        [[v for v in values[a:b].tolist() if v] for a, b in zip(starts, cuts[1:].tolist(), strict=True)],
    )


def write_tables(corpus: Corpus, folder: Path, copies: int = 1) -> Iterable[Path]:
    """One Parquet file per table, its values repeated `copies` times."""
    tables: dict[str, dict[str, list[str]]] = defaultdict(dict)
    for table, name, values in zip(corpus.tables, corpus.names, corpus.values, strict=True):
        tables[table][name] = values * copies
    for number, (table, columns) in enumerate(tables.items()):
        longest = max(map(len, columns.values()))
        path = folder / f"{re.sub('[^0-9A-Za-z.]+', '_', table)[:150]}_{'abcdefghij'[number % 10]}.parquet"
        arrays = {name: [*values, *[None] * (longest - len(values))] for name, values in columns.items()}
        pq.write_table(pa.table({name: pa.array(values, pa.string()) for name, values in arrays.items()}), path)
        yield path
