"""`avh patterns`: the corpus index and patterns inferred by it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from avh_ui.cli.options import json_option
from avh_ui.cli.output import count, print_json, print_table, say
from avh_ui.cli.progress import progress

if TYPE_CHECKING:
    from avh_ui.inference.by_corpus.candidates import PatternSuggestion
    from avh_ui.inference.by_corpus.corpus_index import CorpusIndex


# Files that could not be read are named up to this many.
_NAMED = 10


@click.group("patterns")
def command() -> None:
    """Infer patterns of text columns from a corpus of tables."""


@command.command("index")
@click.option("--source", "sources", metavar="GLOB", multiple=True, required=True, help="CSV and Parquet files; may be given again.")
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), required=True, help="The index file.")
@click.option("--merge", type=click.Path(path_type=Path, dir_okay=False), help="An index of other tables to merge with.")
@click.option(
    "--coverage",
    "least_columns",
    metavar="M",
    type=click.IntRange(min=1),
    help="Keep patterns of so many columns; 3, or 5 of a large corpus, by default.",
)
@click.option("--licence", default="", metavar="TEXT", help="A licence or attribution line, kept in the file.")
@click.option("--master", default="local[*]", show_default=True, help="Spark's master.")
@json_option
def index(sources: tuple[str, ...], output: Path, merge: Path | None, master: str, as_json: bool, **kept: Any) -> None:
    """Build an index of patterns from a corpus, with Spark.

    It holds hashes of patterns and counts, no values. Daily copies of one table count once.
    """
    from avh_ui.config import SparkSettings
    from avh_ui.inference.by_corpus.corpus_index import check_target, open_index
    from avh_ui.inference.by_corpus.impurities import Rules
    from avh_ui.spark.corpus_files import list_files
    from avh_ui.spark.corpus_scan import build_index
    from avh_ui.spark.session import get_spark

    check_target(output)
    files = list(dict.fromkeys(file for source in sources for file in list_files(source)))
    other = open_index(merge) if merge else None
    if other:
        other.check_rules(Rules())
    unreadable: list[str] = []
    with progress(f"Indexing {count(len(files), 'file')}") as watch:
        spark = get_spark(SparkSettings(master=master))
        built = build_index(spark, files, watch=watch, on_unreadable=unreadable.append, **kept)
    made = other.merge(built) if other else built
    size = made.save(output)
    for problem in unreadable[:_NAMED]:
        say(f"Left out: {problem}", err=True)
    if len(unreadable) > _NAMED:
        say(f"Left out: {count(len(unreadable) - _NAMED, 'more file')} that could not be read.", err=True)
    if as_json:
        print_json({**made.about, "patterns": len(made.keys), "bytes": size, "output": str(output)})
        return
    about = made.about
    say(f"Wrote {output}: {count(len(made.keys), 'pattern')} of {count(about['columns'], 'column')}, {size / 1e6:.1f} MB.")


@command.command("infer")
@click.option("--index", "path", type=click.Path(path_type=Path, dir_okay=False), help="The index; the one that ships by default.")
@click.option("--input", "source", metavar="PATH", required=True, help="A CSV or Parquet file.")
@click.option("--column", metavar="C", required=True, help="The column.")
@click.option("--fpr", "r", type=float, help="The paper's r: the highest expected share of false alarms.")
@click.option("--coverage", "m", type=int, help="The paper's m: the least number of columns of the corpus.")
@click.option("--tolerance", "theta", type=float, help="The paper's theta: the share of values that may not conform.")
@json_option
def infer(path: Path | None, source: str, column: str, as_json: bool, **given: Any) -> None:
    """Infer the pattern of one column.

    The first 1,000 rows are looked at. Exits with 0 also where no pattern is safe.
    """
    from avh_ui.inference.by_corpus.corpus_index import open_index, starter_index
    from avh_ui.inference.by_corpus.fmdv import Settings
    from avh_ui.inference.by_corpus.inferring import infer as infer_rule

    settings = Settings(**{name: value for name, value in given.items() if value is not None})
    used: CorpusIndex = open_index(path) if path else starter_index()
    found = infer_rule(_values(source, column), used, settings)
    if as_json:
        print_json(found.to_record() if found else None)
    elif found:
        show(found)
    else:
        say(f"No pattern of {column} is safe: none was seen in enough tables, or too many columns broke it later.")


def show(found: PatternSuggestion) -> None:
    """Print a suggestion with its alternatives."""
    say(found.sentence)
    say(f"Regex: {found.regex}")
    if found.deviating:
        say(f"Not matching: {', '.join(found.deviating)}")
    rows = [[rung.pattern, f"{100 * rung.fpr:.2g} %", str(rung.coverage), f"{100 * rung.matched:.4g} %"] for rung in found.alternatives]
    print_table(["pattern", "expected to break", "columns", "matches"], rows)


def _values(source: str, column: str) -> list[str | None]:
    from avh_ui.errors import NotFoundError
    from avh_ui.spark.corpus_files import list_files, read_columns

    names = []
    for part in read_columns(list_files(source)[0]):
        if part.column == column:
            return part.values
        names.append(part.column)
    raise NotFoundError("text column", column, names)
