"""ORC by Arrow: what is declined, and what is read of a file."""

from __future__ import annotations

import datetime as dt
import pickle
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import orc

from avh_ui.metrics.declined import DeclinedError
from avh_ui.scan import orc_reader
from avh_ui.scan.shares import Opener
from tests.fakes.columnar_files import all_batches, looked_at, orc_table, rows_of


def written(folder: Path, table: pa.Table, name: str = "f.orc", **options: Any) -> Any:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    orc.write_table(table, folder / name, **options)
    return looked_at(folder, "{batch}", name.partition("/")[0], kind="orc")


def test_columns_are_read_in_the_order_that_is_asked_for(tmp_path: Path) -> None:
    source, listing, layouts = written(tmp_path, orc_table())
    reader, shares = pickle.loads(pickle.dumps(orc_reader.plan(source, listing, layouts)))
    for names in (["text", "int8"], ["with.dot", "with"], ["with", "text"], []):
        places = [reader.schema.get_field_index(name) for name in names]
        found = list(all_batches(reader, shares, listing, places))
        assert sum(batch.num_rows for batch in found) == 5
        table = rows_of(found, pa.schema([reader.schema.field(k) for k in places]))
        assert table.to_pydict() == orc_table().select(names).to_pydict()


def test_stripes_are_shares(tmp_path: Path) -> None:
    values = [str(k * 7919 % 100_003) for k in range(600_000)]
    source, listing, layouts = written(tmp_path, pa.table({"v": values}), stripe_size=300_000)
    reader, shares = orc_reader.plan(source, listing, layouts)
    assert len(shares) > 1
    assert len([k for share in shares for k in share.parts or ()]) > 2
    assert [v for batch in all_batches(reader, shares, listing) for v in batch.column(0).to_pylist()] == values


@pytest.mark.parametrize(
    "column",
    [
        pa.array([1], pa.timestamp("us")), pa.array([1], pa.timestamp("us", "UTC")), [[{"t": dt.datetime.fromisoformat("2024-01-01")}]],
        [[dt.date(2024, 1, 1)]], [{"x": 1, "X": 1}], [{"": 1}], [{"`": 1}],
    ],
)  # fmt: skip
def test_what_is_declined(tmp_path: Path, column: Any) -> None:
    source, listing, layouts = written(tmp_path, pa.table({"v": column}))
    with pytest.raises(DeclinedError, match=r"'v'|'x'|'`?'"):
        orc_reader.plan(source, listing, layouts)


def test_dates_of_old_and_files_in_several_orders_are_declined(tmp_path: Path) -> None:
    source, listing, layouts = written(tmp_path, pa.table({"v": [dt.date(1582, 10, 14)], "w": [1]}))
    reader, shares = orc_reader.plan(source, listing, layouts)
    assert len(list(all_batches(reader, shares, listing, [1]))) == 1
    with pytest.raises(DeclinedError, match="'v' holds times of an old calendar"):
        list(all_batches(reader, shares, listing))
    written(tmp_path, pa.table({"a": [1], "b": [2]}), "both/1.orc")
    source, listing, layouts = written(tmp_path, pa.table({"b": [1], "a": [2]}), "both/2.orc")
    with pytest.raises(DeclinedError, match="several orders"):
        orc_reader.plan(source, listing, layouts)


def test_a_file_that_changes_or_breaks_after_it_was_planned(tmp_path: Path) -> None:
    source, listing, layouts = written(tmp_path, pa.table({"v": [str(k * 7919) for k in range(100_000)]}))
    reader, (share,) = orc_reader.plan(source, listing, layouts)
    path = tmp_path / "f.orc"
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises((OSError, pa.ArrowException)):
        list(reader.read(share, Opener(listing.template), [0]))
    orc.write_table(pa.table({"v": [1]}), path)
    with pytest.raises(DeclinedError, match="'v' is of type int64 in some files and string"):
        list(reader.read(share, Opener(listing.template), [0]))
    path.unlink()
    with pytest.raises(FileNotFoundError):
        list(reader.read(share, Opener(listing.template), [0]))
