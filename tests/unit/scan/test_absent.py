"""A path that is not there: a file that may still come, or one that nobody could mean."""

from __future__ import annotations

from pathlib import Path

import pytest

from avh_ui.scan.absent import mistyped, mistyped_batch, nearest_to


@pytest.fixture
def landing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("landing/2026-01-30.parquet", "landing/2026-01-31.parquet", "drops/part7.csv", "spoilt.parquet", "empty/"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.mkdir() if name.endswith("/") else path.touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "path",
    [
        "landing/2026-02-01.parquet",
        "landing/2026-02-01/orders.parquet",
        "drops/part8.csv",
        "empty/2026-02-01.csv",
        "landing/*.csv",
        "s3://nowhere/x.csv",
        "spoilt.parquet",
    ],
)
def test_what_may_come_or_is_there_is_not_mistyped(landing: Path, path: str) -> None:
    assert mistyped(path) is None
    assert mistyped(str(landing / path) if "://" not in path else path) is None


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("spoilt.parqet", "Did you mean 'spoilt.parquet'?"),
        ("landing/2026-01-31.parqet", "Did you mean 'landing/2026-01-31.parquet' or 'landing/2026-01-30.parquet'?"),
        ("lnding/2026-02-01.parquet", "There is no 'lnding'. Did you mean 'landing'?"),
        ("landing/today/2026-02-01.parquet", "There is no 'landing/today'."),
        ("drops/other.csv", "Nothing in {root}/drops is called like it."),
        ("file://{root}/spoilt.parqet", "Did you mean '{root}/spoilt.parquet'?"),
    ],
)
def test_a_mistyped_path_is_told_with_the_nearest(landing: Path, path: str, hint: str) -> None:
    typed = path.format(root=landing)
    wrong = mistyped(typed)
    assert wrong is not None
    assert (wrong.message, wrong.hint) == (f"{typed} is not there.", hint.format(root=landing))


def test_of_what_is_in_a_store_no_neighbour_is_known() -> None:
    assert nearest_to("s3://nowhere/x.csv") == "Check the path of the input."


@pytest.mark.parametrize(
    ("batch", "known", "wrong"),
    [
        ("2026-02-01", ["2026-01-01", "2026-01-02"], False),
        ("2026-13-01", ["2026-01-01", "2026-01-02"], True),
        ("yesterday", ["2026-01-01", "20260102"], True),
        ("order_2026-01-02", ["orders_2026-01-01"], True),
        ("east", ["north", "south"], False),
        ("nroth", ["north", "south"], True),
        ("south", ["north"], False),
        ("noth", ["north"], True),
        ("store_c", ["store_a", "store_b"], False),
        ("store_aa", ["store_a", "store_b"], True),
        ("2026-01-02-east", ["2026-01-01-north", "2026-01-01-south"], False),
        ("2026-01-02-suoth", ["2026-01-01-north", "2026-01-01-south"], True),
        ("east", ["2026-01-01-north", "2026-01-01-south"], True),
        ("7", ["north", "south"], True),
        ("east", [], False),
    ],
)
def test_a_batch_that_no_delivery_can_bring(batch: str, known: list[str], *, wrong: bool) -> None:
    assert mistyped_batch(batch, known) is wrong
