"""The `avh` command: a group that loads a command's module when it is called, and turns errors into messages and exit codes."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn

import click

from avh_ui.cli.commands_said import forget
from avh_ui.cli.failures import tell
from avh_ui.errors import AvhError, DeliveryError, nearest
from avh_ui.version import __version__

# Each is a file in this package with its `command`. The order is that of a first use.
COMMANDS = (
    "demo", "init", "profile", "history", "suggest", "import", "rules", "explain", "review", "triage", "decide", "coverage", "publish",
    "programs", "validate", "watch", "results", "label", "incidents", "ingest", "inject", "patterns", "keys", "people", "doctor",
)  # fmt: skip
INTERRUPTED = 130
# What click calls by Python's types.
_PLAIN = {
    "is not a valid float range": "is no number: write one such as 0.001", "is not a valid float": "is no number: write one such as 0.001",
    "is not a valid integer range": "is no whole number", "is not a valid integer": "is no whole number",
}  # fmt: skip


class Avh(click.Group):
    """Loads commands lazily and ends every call in an exit code."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """The commands, in the order of a first use."""
        return list(COMMANDS)

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load one command; modules import little at their top, so that `avh --help` stays fast."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"avh_ui.cli.{cmd_name}").command
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, with the nearest command named for an unknown one."""
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            raise click.UsageError(f"There is no command {args[0]!r}. {nearest(args[0], COMMANDS)}", ctx)
        return super().resolve_command(ctx, args)

    def main(  # type: ignore[override]
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any
    ) -> NoReturn:
        """Run a command line and exit: every error as one sentence on stderr, Ctrl-C as 130. No error gives 1, which is a verdict."""
        extra["standalone_mode"] = False
        forget()
        try:
            code = super().main(args, prog_name, **extra)
        except click.exceptions.Abort:
            click.echo("\nInterrupted; what was finished is kept.", err=True)
            code = INTERRUPTED
        except click.ClickException as error:
            reworded(error).show()
            # Which command was meant is not known here: it may be `validate`, of which 2 says "warnings only".
            code = AvhError.exit_code if error_context(error) is None else error.exit_code
        except SystemExit:
            # Not standalone, click exits by itself only when the reader (head, less) has gone: with 1, which would say "batch failed".
            code = DeliveryError.exit_code
        except Exception as error:  # noqa: BLE001 (Python's own answer is a traceback and 1, which would say "batch failed")
            code = tell(error).code
        sys.exit(flushed(code if isinstance(code, int) else 0))


def reworded(error: click.ClickException) -> click.ClickException:
    """The same, with what to do where click says only what it does not take."""
    if isinstance(error, click.MissingParameter) and isinstance(error.param, click.Option) and error.param.help:
        # Below the call that click shows, and with the option's own help.
        return click.UsageError(f"{error.format_message()} {error.param.help}", error.ctx)
    if isinstance(error, click.NoSuchOption) and error_context(error) is None and error.option_name in ("-w", "--workspace", "--json"):
        return click.UsageError(f"{error.option_name} belongs behind the command: avh COMMAND {error.option_name} ...", error.ctx)
    if isinstance(error, click.BadParameter) and (found := next((words for words in _PLAIN if words in error.message), None)):
        return click.UsageError(error.format_message().replace(found, _PLAIN[found]), error.ctx)
    return error


def error_context(error: click.ClickException) -> click.Context | None:
    """The context of the command that refused its arguments; None when none was reached."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    return context if context is not None and context.parent is not None else None


def flushed(code: int) -> int:
    """The exit code once all output is written; 4 when it cannot be. Python itself would end with 120, or say nothing."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        # What is left in its buffer cannot be written: Python must not try again.
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 (open until the process ends)
        return DeliveryError.exit_code
    return code


@click.group(cls=Avh, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120})
@click.version_option(__version__, prog_name="avh")
def cli() -> None:
    """Keep recurring tables healthy: profile batches, suggest rules from their history, review, publish, validate.

    Try `avh demo`. Exit codes: 0 fine, 2 wrong usage of a command, 3 could not be done, 4 results could not be delivered,
    130 interrupted; `avh validate --help` explains its own.
    """
