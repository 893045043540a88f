"""`avh inject`: a spoilt copy of a batch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from avh_ui.cli.options import open_services, pipeline_argument, workspace_option
from avh_ui.cli.output import say


@click.command("inject")
@pipeline_argument
@workspace_option()
@click.option("--batch", metavar="ID", required=True, help="The batch to copy.")
@click.option("--column", metavar="NAME", help="The column to spoil.")
@click.option("--issue", metavar="NAME", help="The issue; a type such as unit_change takes its strongest. Without it, names are listed.")
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), help="Where the copy is written, in the source's format.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the random choices.")
def command(pipeline: str, root: Path, batch: str, output: Path | None, seed: int, **what: str | None) -> None:
    """Spoil a copy of a batch, to see it fail.

    The copy of a batch of PIPELINE has one synthetic issue.
    Issues are those of the paper (AVH, Appendix B), such as "increased_nulls 50%", and drop-column, extra-column, retype and
    same-delivery, the same rows again as the batch that comes next.
    """
    from avh_ui.errors import UsageError
    from avh_ui.workflows.injecting import MOST_ROWS, REPEAT, inject, issue_names, write_batch
    from avh_ui.workflows.nesting import nested

    issue, column = what["issue"], what["column"]
    if issue is None and column is None:
        raise UsageError("Which issue?", hint="Give --issue; with --column alone the issues of that column are listed.")
    if issue is not None and output is None:
        raise UsageError("Where to?", hint="Give --output PATH.")
    services = open_services(root)
    source = services.pipeline(pipeline).source
    table = services.batches.sample(pipeline, batch, rows=MOST_ROWS, seed=seed)
    if issue is None or output is None:
        for name in issue_names(table, column or "", seed):
            say(name)
        return
    made = inject(table, issue, column, seed)
    write_batch(nested(made.table, _types(services, pipeline, batch)), output, source)
    say(f"Wrote {output}: batch {batch} with {made.description}.")
    # In its own place a batch repeats nothing.
    place = "" if issue == REPEAT else f" --batch {batch}"
    say(f"See it fail: avh validate {pipeline} -w {root} --input {output}{place}")


def _types(services: Any, pipeline: str, batch: str) -> dict[str, str]:
    """The types of the batch's columns as its profile says; none where it has no profile."""
    from avh_ui.errors import AvhError

    try:
        return {name: column.type for name, column in services.batches.load(pipeline, batch).columns.items()}
    except AvhError:
        return {}
