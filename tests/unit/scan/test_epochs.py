"""Names that count seconds or milliseconds since 1970."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from avh_ui.config import Source
from avh_ui.errors import SourceError
from avh_ui.history.batch_dates import BatchDate
from avh_ui.history.series import sort_batches
from avh_ui.scan.epochs import are_epochs, epoch_id, epoch_of, is_milli
from avh_ui.scan.listing import FileListing
from avh_ui.scan.looking import look
from tests.unit.scan.test_looking import make

DAY = 86_400
SECONDS = st.integers(int(datetime(2000, 1, 1, tzinfo=UTC).timestamp()), int(datetime(2100, 12, 31, 23, 59, 59, tzinfo=UTC).timestamp()))


@given(SECONDS, st.none() | st.integers(0, 999))
def test_an_epoch_has_one_id_and_is_found_by_it(seconds: int, thousandths: int | None) -> None:
    digits = str(seconds if thousandths is None else 1000 * seconds + thousandths)
    batch = epoch_id(digits)
    assert batch.startswith(datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S"))
    assert epoch_of(batch, milli=is_milli(digits)) == digits


@given(st.lists(SECONDS, min_size=2, unique=True))
def test_their_ids_stand_in_the_order_of_time_and_are_dates(moments: list[int]) -> None:
    ids = [epoch_id(str(at)) for at in sorted(moments)]
    assert sort_batches(ids) == ids
    assert all(map(BatchDate.of, ids))


@pytest.mark.parametrize(
    "digits", ["946684799", "4133980800", "12345678901", "946684799999", "4133980800000", "17040780000000", "0170407800"]
)
def test_other_numbers_are_none(digits: str) -> None:
    assert epoch_id(digits) == ""


@pytest.mark.parametrize("text", ["2024-01-01", "2024-01-01T03:00:00", "monday", "1704078000", "1999-12-31T23:59:59Z"])
def test_other_texts_are_no_ids_of_theirs(text: str) -> None:
    assert epoch_of(text, milli=False) == ""


@pytest.mark.parametrize("unit", [1, 1000])
def test_files_named_by_epochs_are_batches_by_their_time(tmp_path: Path, unit: int) -> None:
    make(tmp_path, *(f"in/dump_{(1_704_078_000 + DAY * day) * unit}.csv" for day in range(3)))
    (seen,) = look([tmp_path / "in"]).tables
    assert (seen.name, seen.path) == ("dump", f"{tmp_path}/in/dump_{{epoch}}.csv")
    assert seen.batches == ("2024-01-01T03:00:00Z", "2024-01-02T03:00:00Z", "2024-01-03T03:00:00Z")
    (part,) = FileListing(Source(path=seen.path), tmp_path).locate("2024-01-02T03:00:00Z").parts
    assert part.path.endswith(f"dump_{(1_704_078_000 + DAY) * unit}.csv")


def test_numbers_of_which_one_is_no_such_time_or_that_follow_one_another_are_numbers(tmp_path: Path) -> None:
    first = 1_704_078_000
    assert are_epochs([str(first), str(first + DAY)])
    assert not are_epochs([str(first)])
    assert not are_epochs([str(first + at) for at in range(9)])
    assert not are_epochs([str(first), str(first + DAY), "9999999999"])
    assert not are_epochs([str(first), str(1000 * (first + DAY))])
    make(tmp_path, f"order_{first}.csv", f"order_{first + DAY}.csv", "order_9999999999.csv")
    (seen,) = look([tmp_path]).tables
    assert seen.batches == (str(first), str(first + DAY), "9999999999")


def test_what_is_no_such_id_is_told_and_the_place_stands_alone(tmp_path: Path) -> None:
    make(tmp_path, "dump_1704078000.csv")
    with pytest.raises(SourceError, match=r"cannot be the id of a batch of .* it is written like 2026-01-31T05:00:00Z"):
        FileListing(Source(path=f"{tmp_path}/dump_{{epoch}}.csv"), tmp_path).locate("2024-01-01")
    with pytest.raises(ValidationError, match=r"has \{epoch\} and \{year\}"):
        Source(path="{year}/dump_{epoch}.csv")
