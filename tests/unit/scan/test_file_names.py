"""What is said of files whose names say no format."""

from __future__ import annotations

from pathlib import Path

import pytest

from avh_ui.errors import SourceError
from avh_ui.scan.file_names import file_of


@pytest.mark.parametrize("name", ["a.tar", "a.tar.gz", "a.TGZ", "a.tar.zst", "a.7z", "a.rar"])
def test_an_archive_has_to_be_unpacked(name: str) -> None:
    with pytest.raises(SourceError, match=r"of no known format") as told:
        file_of(Path(name))
    assert told.value.hint == "It is an archive: unpack it, and give its files or their folder."


@pytest.mark.parametrize(("name", "right"), [("orders", "orders.csv"), ("orders.gz", "orders.csv.gz")])
def test_a_file_without_an_ending_needs_one(name: str, right: str) -> None:
    with pytest.raises(SourceError) as told:
        file_of(Path(name))
    assert told.value.hint.startswith(f"Its name needs an ending that says its format, such as {right}. Known are .csv, ")


def test_of_another_ending_those_that_are_known_are_told() -> None:
    with pytest.raises(SourceError) as told:
        file_of(Path("orders.target"))
    assert told.value.hint.startswith("Known are .csv, ")
