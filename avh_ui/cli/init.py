"""`avh init`: a commented avh.yml, for files that are looked at where some are named."""

from __future__ import annotations

from pathlib import Path

import click

from avh_ui.cli.options import workspace_option
from avh_ui.cli.output import say

_HEAD = """\
# A workspace of avh_ui. Paths are relative to this folder; every store may be a URL instead (s3://, abfs://, gs://, hdfs://).
version: 1
"""
_TEMPLATE = """\
pipelines:
  orders:                                    # letters, digits, _ - . ; the name of the recurring table
    description: ""
    owner: ""                                # who answers for the rules: a team, an address of mail or a link
    delivered_by: ""                         # who sends the table, and is asked when a batch is wrong
    source:
      format: parquet                        # parquet, csv, json, orc, table, query, jdbc, delta, iceberg, avro, xml, excel
      path: data/orders/{batch}.parquet      # {batch} is the batch id; or its date, as {date} or {year}, {month}, {day}, {hour};
                                             # or a table of files, with batch: day, date(ts) or [year, month, day]; or a file that
                                             # is overwritten each time, with batch: now
      options: {}                            # passed to Spark's reader, e.g. {header: true} for csv
      # timezone: Europe/Berlin              # the clock by which a day is over and a batch is late; without it UTC
    cadence: daily                           # hourly, daily, weekly, monthly or an ISO 8601 duration such as PT6H
    columns: {include: [], exclude: []}      # an empty include means all; geo or geo.lat name a struct or a field
    segments: []                             # columns whose values split a batch
    fpr: 0.001                               # false alarms per column and batch; or of the table: one false alarm a month
    table_fpr: null                          # or one budget for the whole table, shared out over its columns
    four_eyes: false                         # true: nobody publishes a draft that they have decided on themselves
    longest_snooze: 30                       # days: for longer no alarm can be snoozed at once
    samples: on                              # off: no text of the data in reports, runs, history, programs and pages
    sources: [history, values, corpus, snapshot, relations]  # what suggests: the history of metrics, the values that came, a corpus, the
                                             # latest batch, what columns keep together in every row
    measures: []                             # beside the metrics of each column: {name: completeness, columns: [a], where: "b > 0"},
                                             # {name: compliance, parameters: {predicate: "a < b"}}, in Spark's SQL; they have a history
    kinds: {}                                # what columns are, where `avh suggest` is wrong: {flight: code, hour: clock code}
    # What you know of the table: each rule waits in the queue like any suggestion, with its history, and is enforced once it is published.
    # The vocabulary is that of avh.checks: {is_complete: id}, {is_unique: [id, day]}, {is_contained_in: [country, [DE, FR]]},
    # {has: {measure: mean, column: amount, above: 0, level: warning}}, {satisfies: "a < b", hint: "ask the shop"}. What is taken out here
    # leaves the draft with the next `avh suggest` or `avh rules add`.
    rules: []
    # Severity of schema drift, of a faulty delivery (malformed lines, files that differ, text that cannot be decoded), of a content that
    # was delivered before, of a batch without rows (error, warning, off each), and of the suggested rules (error, warning).
    severities: {schema: error, delivery: error, stale: error, empty: error, level: error}
"""
_REST = """\
spark: {master: "local[*]", conf: {}, packages: []}      # or remote: "sc://host:15002"
store: {history: history/, programs: programs/, reviews: "sqlite:///reviews.db", require_signature: false}
people: {}                                   # name: viewer | reviewer | approver; empty = everybody approves
"""


@click.command("init", short_help="Look at files or tables, and write their avh.yml.")
@click.argument("paths", metavar="[FILES]...", nargs=-1, type=click.Path(path_type=str, readable=False))
@workspace_option()
@click.option("--table", "tables", metavar="NAME", multiple=True, help="A table of Spark's catalog, such as shop.orders; starts Spark.")
@click.option("--print", "only_print", is_flag=True, help="Print what would be written, and write nothing.")
def command(root: Path, paths: tuple[str, ...], tables: tuple[str, ...], only_print: bool) -> None:
    """Write an avh.yml: for these FILES, folders or tables, else a commented template.

    FILES are looked at, without Spark: format, separator, header, decimal commas, what names the batch (a part of their names, a column,
    the day of a time), cadence and key. A path with places, such as 'data/{date}.csv', is taken as it is.
    An avh.yml that is there is never overwritten.
    """
    from avh_ui.config import CONFIG_NAME
    from avh_ui.errors import UsageError

    # To a Path '' is the folder at hand: a shell's variable that is not set would have that looked at.
    if "" in (*paths, *tables):
        what = "file or folder" if "" in paths else "table"
        raise UsageError(f"The name of a {what} is empty.", hint="Is a variable of the shell not set? `avh init .` looks at this folder.")
    path = root / CONFIG_NAME
    if path.exists() and not only_print:
        hint = "Edit it; nothing was overwritten. With --print, what is seen of files is printed, to be copied."
        raise UsageError(f"{path} is there already.", hint=hint)
    text, seen, left_out = _looked_at(tuple(map(Path, paths)), tables, root) if paths or tables else (_TEMPLATE, [], ())
    whole = _HEAD + text + _rest(text)
    for line in left_out:
        say(f"Left out: {line}", err=True)
    if only_print:
        click.echo(whole, nl=False)
        return
    _write(path, whole)
    for line in seen:
        say(line)
    first = "Look it over" if seen else "Describe your tables in it"
    say(f"Wrote {path}. {first}, then run `avh profile {_first(seen) if seen else 'PIPELINE'}`.")


def _rest(pipelines: str) -> str:
    """What stands below the pipelines, with the package that some of them take."""
    if "      format: avro\n" not in pipelines:
        return _REST
    from avh_ui.bootstrap import package_of_avro

    return _REST.replace("packages: []", f'packages: ["{package_of_avro()}"]')


def _first(tables: list[str]) -> str:
    return tables[0].partition(":")[0]


def _looked_at(paths: tuple[Path, ...], names: tuple[str, ...], root: Path) -> tuple[str, list[str], tuple[str, ...]]:
    """The pipelines of files and of tables by their names as text, of each a line for people, and which files are left out."""
    from avh_ui import bootstrap
    from avh_ui.config import CONFIG_NAME, SparkSettings, load_config
    from avh_ui.scan.looking import Looked, look
    from avh_ui.workflows.starting import config_of, pipelines_text, start

    looked = look(paths) if paths else Looked(())
    # A catalog is that of the cluster which avh.yml names (`--print`).
    spark = load_config(root).spark if names and (root / CONFIG_NAME).exists() else SparkSettings()
    tables = [*looked.tables, *(bootstrap.look_at_tables(names, spark) if names else ())]
    started = [start(table, bootstrap.open_profiler(config_of([table], root, spark), root)) for table in tables]
    return pipelines_text(started, root), [f"{one.table.name}: {' '.join(one.seen)}" for one in started], looked.left_out


def _write(path: Path, text: str) -> None:
    from avh_ui import durable
    from avh_ui.errors import DeliveryError, UsageError

    try:
        durable.create(path, text.encode("utf-8"))
    except FileExistsError:
        raise UsageError(f"{path} is there already.", hint="Edit it; nothing was overwritten.") from None
    except OSError as error:
        raise DeliveryError(f"{path} could not be written: {error.strerror}.") from error
