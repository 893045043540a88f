"""`avh import`: rules of other tools as rules of avh.yml."""
# ruff: noqa: N999 (a command's file has its name)

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from avh_ui.cli.options import by_option, json_option, open_services, workspace_option
from avh_ui.cli.output import count, print_json, say, say_notes
from avh_ui.errors import UsageError

# As in `constraints.importing.catalogue`, which `--help` need not load.
TOOLS = ("dqdl", "great-expectations", "dbt", "soda", "deequ")


@click.command("import", short_help="Read the rules of another tool.")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--from", "tool", required=True, type=click.Choice(TOOLS), help="The tool that the rules are of.")
@click.option("--table", metavar="NAME", help="Whose rules to read, where a file of dbt or Soda is of several tables.")
@click.option("--to", "pipeline", metavar="PIPELINE", help="Add the rules that fit to this pipeline's draft.")
@workspace_option()
@by_option()
@json_option
def command(file: Path, tool: str, *, table: str | None, pipeline: str | None, root: Path, by: str | None, as_json: bool) -> None:
    """Read the rules of another tool, and print them as `rules:` of a pipeline in avh.yml, or add them to its draft.

    FILE is a ruleset in DQDL, a suite of Great Expectations (JSON), a schema file of dbt, checks or a contract of Soda, or Deequ's
    suggestions (JSON) or a suite in Scala or Python. What is no rule here is named on stderr with its reason.
    """
    import yaml

    from avh_ui.constraints.importing.catalogue import read_rules
    from avh_ui.constraints.importing.imported import MOST_BYTES, NotImported

    try:
        if (size := file.stat().st_size) > MOST_BYTES:
            raise UsageError(f"{file} has {size:,} bytes, and {MOST_BYTES:,} are read.", hint="Split it.")
        text = file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}.", hint="Give the file of the rules.") from error
    except UnicodeDecodeError:
        raise UsageError(f"{file} is no text in UTF-8.", hint="Give the file of the rules.") from None
    imported = read_rules(text, tool, table=table)
    there, remarks = 0, list[str]()
    if pipeline is not None:
        suggestions = open_services(root).suggestions
        taken = suggestions.add_fitting(pipeline, imported.rules, by=by)
        there, remarks = len(taken.there), suggestions.remarks(pipeline, taken.rules)
        refused = [NotImported(f"`{rule}`", why) for rule, why in taken.refused]
        imported = replace(imported, rules=taken.rules, left_out=(*imported.left_out, *refused))
    if as_json:
        left_out = [{"what": one.what, "reason": one.reason} for one in imported.left_out]
        print_json({"rules": imported.to_records(), "left_out": left_out, "notes": list(imported.notes)})
    elif pipeline is None:
        say(yaml.safe_dump({"rules": imported.to_records()}, sort_keys=False, width=140, allow_unicode=True).rstrip())
    say_notes([*imported.notes, *remarks], err=True)
    for one in imported.left_out:
        say(f"Left out: {one}", err=True)
    where = "" if pipeline is None else f" added to the draft of {pipeline}"
    before = f", {there:,} there already" if there else ""
    say(f"{count(len(imported.rules), 'rule')} of {tool}{where}{before}, {len(imported.left_out):,} left out.", err=True)
    if pipeline is not None and imported.left_out and not imported.rules and not there:
        raise UsageError(f"None of the rules fits {pipeline!r}. Nothing was added.", hint="Is it another pipeline's suite?")
