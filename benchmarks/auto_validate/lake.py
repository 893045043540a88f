"""A large corpus made of a small one: more tables, of other formats, with more rows.

Of every table variants are made. Within a variant each column keeps its lengths, repetitions, order and kinds of characters, while its
letters and digits are others (a substitution, so that what was equal stays equal), its separators are others in half of the columns (so
that skeletons are new, as in tables of other sources), and rows are appended, of other letters and digits again in columns of more than a
few values. Tables are named apart by letters: each variant is a table family of its own. Two things are unlike a real lake: formats that
mean something (months up to 12) lose it, and the tables' kinds are those of the small corpus.
"""

from __future__ import annotations

import random
import string
from collections import defaultdict
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.auto_validate.corpus import Corpus

SEPARATORS = "-/:._ ,;|#"
# A closed domain keeps its values when rows are added.
_CLOSED = 50
_BREAK = "\n"


def write_lake(corpus: Corpus, folder: Path, megabytes: float, rows: int) -> float:
    """Write variants of all tables, as far as `megabytes` of values, each column at least `rows` long; what was written, in MB."""
    chance, written, variant = random.Random(5), 0, 0
    tables: dict[str, list[int]] = defaultdict(list)
    for k, table in enumerate(corpus.tables):
        tables[table].append(k)
    while written < megabytes * 1e6:
        for number, columns in enumerate(tables.values()):
            made = {corpus.names[k]: _column(corpus.values[k], rows, chance) for k in columns if corpus.values[k]}
            if made and written < megabytes * 1e6:
                written += sum(len(text) for values in made.values() for text in values)
                longest = max(map(len, made.values()))
                arrays = {name: pa.array([*values, *[None] * (longest - len(values))], pa.string()) for name, values in made.items()}
                pq.write_table(pa.table(arrays), folder / f"t{_letters(variant)}_{_letters(number)}.parquet")
        variant += 1
    return written / 1e6


def _column(values: list[str], rows: int, chance: random.Random) -> list[str]:
    """The values in other letters, digits and maybe separators, and as many more as are missing to `rows`."""
    joined, others = _BREAK.join(value.replace(_BREAK, " ") for value in values), {}
    if chance.random() < 1 / 2:
        used = [c for c in SEPARATORS if c in joined]
        others = dict(zip(used, chance.sample(SEPARATORS, len(used)), strict=True))
    fixed = {**others, **_shuffled(string.ascii_lowercase, chance), **_shuffled(string.ascii_uppercase, chance)}
    closed, found = len(set(values)) <= _CLOSED, []
    for _ in range(-(-rows // len(values)) if rows > len(values) else 1):
        table = fixed if closed and found else {**fixed, **_shuffled(string.digits, chance)}
        if not closed:
            table = {**table, **_shuffled(string.ascii_lowercase, chance)}
        fixed = table if closed else fixed
        found += joined.translate(str.maketrans(table)).split(_BREAK)
    return found


def _shuffled(characters: str, chance: random.Random) -> dict[str, str]:
    return dict(zip(characters, chance.sample(characters, len(characters)), strict=True))


def _letters(number: int) -> str:
    """A number in letters, since tables that differ in digits alone are copies of one another."""
    return "".join(string.ascii_lowercase[int(digit)] for digit in str(number))
