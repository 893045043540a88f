"""`avh results`: the verdicts of all batches as one Parquet table, for reports; or the newest ones for Prometheus and OpenLineage."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from avh_ui.cli.options import open_services, workspace_option
from avh_ui.cli.output import count, say, write_bytes, write_text
from avh_ui.errors import UsageError

if TYPE_CHECKING:
    from avh_ui.workflows.services import Services

# What people open by its name, and what Parquet is not.
_OTHERS = frozenset({".csv", ".json", ".xlsx", ".xls", ".html", ".txt"})


@click.command("results")
@click.argument("pipelines", metavar="[PIPELINE]...", nargs=-1)
@workspace_option()
@click.option("--to", "target", required=True, type=click.Path(path_type=Path, dir_okay=False), help="The file; replaced as a whole.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["parquet", "prometheus", "openlineage"]),
    default="parquet",
    show_default=True,
    help="A table; numbers of the newest runs for Prometheus; or those runs as events, one a line.",
)
@click.option("--batches", type=click.IntRange(min=1), default=365, show_default=True, help="Of each pipeline so many batches, the newest.")
def command(root: Path, pipelines: tuple[str, ...], target: Path, form: str, batches: int) -> None:
    """Write a table of results: one row per rule and batch.

    Of each PIPELINE (all of avh.yml by default) the newest run of each batch. The file is replaced as a whole: nobody reads half of it.
    Prometheus and OpenLineage get the newest run of each pipeline.
    """
    if str(target) == "-":
        raise UsageError("`--to -` names no file: results are written to files only.", hint="Name the file: --to FILE.")
    if form == "parquet" and target.suffix.lower() in _OTHERS:
        raise UsageError(f"{target} would hold Parquet, which its name denies.", hint=f"Name it {target.with_suffix('.parquet')}.")
    services = open_services(root)
    names = pipelines or services.pipelines()
    if form != "parquet":
        _write_newest(services, names, target, form, root)
        return
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.concat_tables([services.runs.results(name, batches) for name in names])
    sink = io.BytesIO()
    pq.write_table(table, sink)
    write_bytes(target, sink.getvalue())
    judged = table.group_by(["pipeline", "batch"]).aggregate([]).num_rows
    say(f"Wrote {target}: {count(table.num_rows, 'result')} of {count(judged, 'batch')}.")


def _write_newest(services: Services, names: Sequence[str], target: Path, form: str, root: Path) -> None:
    from avh_ui.validator.lineage import datasets_of, event_of
    from avh_ui.validator.prometheus import exposition

    runs = [run for name in names for run in services.runs.newest(name, 1)]
    if form == "prometheus":
        text = exposition(runs)
    else:
        datasets = datasets_of(services.config, root)
        text = "".join(json.dumps(event_of(run, datasets.get(run.pipeline))) + "\n" for run in runs)
    write_text(target, text)
    say(f"Wrote {target}: the newest {'run' if len(runs) == 1 else 'runs'} of {count(len(runs), 'pipeline')}.")
