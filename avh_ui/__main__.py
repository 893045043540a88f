"""The entry point of the `avh` command and of `python -m avh_ui`."""

from __future__ import annotations

from avh_ui.cli.main import cli


def main() -> None:
    """Run the command line; exits with the command's code."""
    cli(prog_name="avh")


if __name__ == "__main__":
    main()
