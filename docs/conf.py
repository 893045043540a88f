"""The documentation as a site: `make docs` builds it into build/docs. Pages are Markdown; the reference is of docstrings and `--help`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

project = "avh_ui"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["integrations"]
html_theme = "furo"
myst_heading_anchors = 4
autodoc_typehints = "description"
autodoc_member_order = "bysource"
# Links to files of the clone (CONTRIBUTING.md, benchmarks) lead nowhere in the site; that they exist is a test.
suppress_warnings = ["myst.xref_missing", "ref.python"]


def write_commands(app: Any) -> None:
    """The page of the commands, from their own help, beside the other pages while the site is built."""
    import click

    from avh_ui.cli.main import COMMANDS, cli

    parts = ["# Commands\n\nWhat `avh COMMAND --help` says.\n"]
    context = click.Context(cli, info_name="avh")
    for name in COMMANDS:
        command = cli.get_command(context, name)
        subcommands = [(f"{name} {sub}", one) for sub, one in command.commands.items()] if isinstance(command, click.Group) else []
        for title, one in subcommands or [(name, command)]:
            parts.append(f"## avh {title}\n\n```text\n{one.get_help(click.Context(one, info_name=f'avh {title}'))}\n```\n")
    (Path(app.srcdir) / "commands.md").write_text("\n".join(parts), encoding="utf-8")


def write_install(app: Any) -> None:
    """The page of how to install, from README.md: who reads the site has no other page that says so."""
    text = (ROOT / "README.md").read_text(encoding="utf-8").partition("\n## Install\n")[2].partition("\nWhat to read next")[0]
    (Path(app.srcdir) / "install.md").write_text(f"# Install\n{text}", encoding="utf-8")


def lead_to_install(app: Any, page: str, source: list[str]) -> None:  # noqa: ARG001 (Sphinx hands them over)
    """What links to the part of README.md leads to the page."""
    source[0] = source[0].replace("(../README.md#install)", "(install.md)")


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("builder-inited", write_commands)
    app.connect("builder-inited", write_install)
    app.connect("source-read", lead_to_install)
