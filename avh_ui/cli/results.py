"""`avh results`: the verdicts of all batches as one Parquet table, for reports."""

from __future__ import annotations

import io
from pathlib import Path

import click

from avh_ui.cli.options import open_services, workspace_option
from avh_ui.cli.output import count, say, write_bytes


@click.command("results")
@click.argument("pipelines", metavar="[PIPELINE]...", nargs=-1)
@workspace_option()
@click.option(
    "--to", "target", required=True, type=click.Path(path_type=Path, dir_okay=False), help="The Parquet file; replaced as a whole."
)
@click.option("--batches", type=click.IntRange(min=1), default=365, show_default=True, help="Of each pipeline so many batches, the newest.")
def command(root: Path, pipelines: tuple[str, ...], target: Path, batches: int) -> None:
    """Write a table of results: one row per rule and batch.

    Of each PIPELINE (all of avh.yml by default) the newest run of each batch. The file is replaced as a whole: nobody reads half of it.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    services = open_services(root)
    table = pa.concat_tables([services.runs.results(name, batches) for name in pipelines or services.pipelines()])
    sink = io.BytesIO()
    pq.write_table(table, sink)
    write_bytes(target, sink.getvalue())
    judged = table.group_by(["pipeline", "batch"]).aggregate([]).num_rows
    say(f"Wrote {target}: {count(table.num_rows, 'result')} of {count(judged, 'batch')}.")
