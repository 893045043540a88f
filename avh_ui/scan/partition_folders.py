"""The batches of a table of files that are folders of their own, as its partitions are."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from avh_ui.config import Source
from avh_ui.errors import AvhError, SourceError
from avh_ui.scan.facts import FILE_FORMATS
from avh_ui.scan.file_source import FileSource
from avh_ui.scan.listing import FileListing, Files
from avh_ui.scan.schemas import Layout


class PartitionFolders:
    """Looks at the partitions of one source's table; there are none where its batches are told by its rows."""

    def __init__(self, source: Source, listing: FileListing | None, files: FileSource) -> None:
        self._source, self._listing, self._files = source, listing, files

    def layouts(self, batches: Sequence[str]) -> dict[str, Layout | AvhError]:
        """The files of those batches that are folders of their own, or what is wrong with them."""
        listing, there = self._folders
        if listing is None:
            return {}
        found: dict[str, Layout | AvhError] = {}
        whole = []
        for batch, files in self._files.located(listing, [batch for batch in batches if batch in there]):
            if isinstance(files, Files):
                whole.append(files)
            else:
                found[batch] = files
        return found | dict(zip((files.batch for files in whole), self._files.look(listing, whole), strict=True))

    def without_a_byte(self, found: set[str]) -> set[str]:
        """The partitions that are none of those found by their rows, and whose files are empty: they were delivered nevertheless."""
        listing, there = self._folders
        return listing.without_a_byte(there - found) if listing else set()

    @cached_property
    def _folders(self) -> tuple[FileListing | None, frozenset[str]]:
        if self._listing is None or self._source.format not in FILE_FORMATS:
            return None, frozenset()
        listing = self._listing.partitions(self._source)
        if listing is None:
            return None, frozenset()
        try:
            return listing, frozenset(listing.batches())
        except SourceError:
            return None, frozenset()
