"""What a profile asks of a review database that is not there yet: loading what makes one takes longer than profiling a small table."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from avh_ui.review.draft import Draft
from avh_ui.review.repository import ReviewRepository
from avh_ui.store.light_runs import file_of

if TYPE_CHECKING:
    from avh_ui.store.reviews_sql import ReviewsSql


def reviews_of(url: str) -> ReviewRepository:
    """The reviews in a database by its URL."""
    if (file := file_of(url)) is not None:
        return cast(ReviewRepository, LightReviews(url, file))
    from avh_ui.store.reviews_sql import ReviewsSql

    return ReviewsSql(url)


class LightReviews:
    """`ReviewRepository` over the URL of a SQLite database, which is this file; safe to call from any thread.

    A database that is not there has no draft, and is made by the first call that asks for anything else.
    """

    def __init__(self, url: str, file: Path) -> None:
        self._url, self._file = url, file
        self._lock = threading.Lock()
        self._made: ReviewsSql | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._whole(), name)

    def draft(self, pipeline: str) -> Draft | None:
        """The current draft, or None when nothing was suggested yet."""
        if self._made is None and not self._file.exists():
            return None
        return self._whole().draft(pipeline)

    def close(self) -> None:
        """Close the connections; a later call opens new ones."""
        if self._made is not None:
            self._made.close()

    def _whole(self) -> ReviewsSql:
        with self._lock:
            if self._made is None:
                from avh_ui.store.reviews_sql import ReviewsSql

                self._made = ReviewsSql(self._url)
            return self._made
