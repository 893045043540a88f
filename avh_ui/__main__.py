"""The entry point of the `avh` command and of `python -m avh_ui`."""

from __future__ import annotations

import io
import sys

from avh_ui.cli.main import cli


def main() -> None:
    """Run the command line; exits with the command's code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A column's name that the terminal's encoding lacks must not cost the report.
            stream.reconfigure(errors="backslashreplace")
    cli(prog_name="avh")


if __name__ == "__main__":
    main()
