"""`avh patterns`: the corpus index and patterns inferred by it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from avh_ui.cli.options import json_option
from avh_ui.cli.output import count, print_json, print_table, progress, say

if TYPE_CHECKING:
    from avh_ui.workflows.corpus import Inferred

# Files that could not be read are named up to this many.
_NAMED = 10
_COVERAGE = "Keep patterns of so many columns; 3, or 5 of a large corpus, by default."


@click.group("patterns")
def command() -> None:
    """Infer patterns of text columns from a corpus of tables."""


@command.command("index")
@click.option("--source", "sources", metavar="GLOB", multiple=True, required=True, help="CSV and Parquet files; may be given again.")
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), required=True, help="The index file.")
@click.option("--merge", type=click.Path(path_type=Path, dir_okay=False), help="An index of other tables to merge with.")
@click.option("--coverage", "least_columns", metavar="M", type=click.IntRange(min=1), help=_COVERAGE)
@click.option("--licence", default="", metavar="TEXT", help="A licence or attribution line, kept in the file.")
@click.option("--master", default="local[*]", show_default=True, help="Spark's master.")
@json_option
def index(sources: tuple[str, ...], output: Path, merge: Path | None, master: str, as_json: bool, **kept: Any) -> None:
    """Build an index of patterns from a corpus, with Spark.

    It holds hashes of patterns and counts, no values. Daily copies of one table count once.
    """
    from avh_ui.bootstrap import open_corpus

    corpus = open_corpus(master)
    files = corpus.files(sources)
    with progress(f"Indexing {count(len(files), 'file')}") as watch:
        made = corpus.index(files, output, merge=merge, watch=watch, **kept)
    for problem in made.unreadable[:_NAMED]:
        say(f"Left out: {problem}", err=True)
    if len(made.unreadable) > _NAMED:
        say(f"Left out: {count(len(made.unreadable) - _NAMED, 'more file')} that could not be read.", err=True)
    if as_json:
        print_json({**made.about, "patterns": made.patterns, "bytes": made.size, "output": str(output)})
        return
    columns = count(made.about["columns"], "column")
    say(f"Wrote {output}: {count(made.patterns, 'pattern')} of {columns}, {made.size / 1e6:.1f} MB.")


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
    from avh_ui.bootstrap import open_corpus

    settings = {name: value for name, value in given.items() if value is not None}
    found = open_corpus().infer(source, column, path, **settings)
    if as_json:
        print_json(found.to_record() if found else None)
    elif found:
        show(found)
    else:
        say(f"No pattern of {column} is safe: none was seen in enough tables, or too many columns broke it later.")


def show(found: Inferred) -> None:
    """Print a suggestion with its alternatives."""
    say(found.sentence)
    say(f"Regex: {found.regex}")
    if found.deviating:
        say(f"Not matching: {', '.join(found.deviating)}")
    rows = [[rung.pattern, f"{100 * rung.fpr:.2g}%", str(rung.coverage), f"{100 * rung.matched:.4g}%"] for rung in found.alternatives]
    print_table(["pattern", "expected to break", "columns", "matches"], rows)
