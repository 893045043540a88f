"""The entry point of the `avh` command and of `python -m avh_ui`."""

from __future__ import annotations

import gc
import io
import sys

from avh_ui.cli.main import cli

# Commands that hand no table to pandas; the app does.
_WITHOUT_PANDAS = frozenset({"profile", "history", "suggest", "decide", "publish", "programs", "validate"})


def main() -> None:
    """Run the command line; exits with the command's code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A column's name that the terminal's encoding lacks must not cost the report.
            stream.reconfigure(errors="backslashreplace")
    if sys.argv[1:] and sys.argv[1] in _WITHOUT_PANDAS and not {"-h", "--help"}.intersection(sys.argv):
        from avh_ui.lean_classes import without_compiling

        without_compiling()
        from avh_ui.scan.lean_arrow import without_pandas
        from avh_ui.settings import without_pydantic_plugins

        without_pydantic_plugins()
        # What is imported stays, 150,000 objects: looking through it takes a tenth of a small validation.
        gc.set_threshold(200_000, 20, 50)
        without_pandas()
    try:
        cli(prog_name="avh")
    finally:
        # What is left is not looked through for circles once more: Python's last look takes 0.1 s of a small validation, and frees nothing.
        gc.freeze()


if __name__ == "__main__":
    main()
