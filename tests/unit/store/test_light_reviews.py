"""A review database that is not there yet has no draft, and is made by the first call that asks for more."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from avh_ui.store.light_reviews import LightReviews, reviews_of
from avh_ui.store.reviews_sql import ReviewsSql
from tests.fakes.builders import run


def test_no_database_is_made_for_a_draft_that_is_not_there(tmp_path: Path) -> None:
    file = tmp_path / "reviews.db"
    with closing(LightReviews(f"sqlite:///{file}", file)) as light:
        assert light.draft("p") is None
        assert not file.exists()
        assert light.mark("p") == ""
        assert file.exists()


def test_a_draft_that_is_there_is_read(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/reviews.db"
    with closing(ReviewsSql(url)) as whole:
        whole.save_run(run())
        read = reviews_of(url)
        draft = read.draft("p")
        assert draft is not None
        assert draft == whole.draft("p")
        read.close()  # type: ignore[attr-defined]
