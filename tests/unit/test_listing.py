"""Which batches are at a source of files."""

from __future__ import annotations

from pathlib import Path

import pytest

from avh_ui.config import Source
from avh_ui.errors import BatchNotFoundError, SourceError
from avh_ui.spark.listing import FileListing


def test_a_folder_that_vanished_is_no_folder_without_batches(tmp_path: Path) -> None:
    listing = FileListing(Source(path="data/{batch}.csv"), tmp_path)
    with pytest.raises(SourceError, match=r"The source's folder .*data does not exist\. Was it moved"):
        listing.batches()
    with pytest.raises(SourceError, match="does not exist"):
        listing.locate("monday")
    (tmp_path / "data").mkdir()
    assert listing.batches() == []
    (tmp_path / "data" / "monday.csv").write_text("a\n1\n")
    assert listing.batches() == ["monday"]
    with pytest.raises(BatchNotFoundError, match="Did you mean 'monday'"):
        listing.locate("mondai")
