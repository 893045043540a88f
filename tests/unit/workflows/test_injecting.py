"""Injecting issues into a copy of a batch, and writing it as the source would read it."""

from __future__ import annotations

import datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.orc as orc
import pyarrow.parquet as pq
import pytest

from avh_ui.config import Source
from avh_ui.errors import DeliveryError, NotFoundError, UsageError
from avh_ui.workflows.injecting import inject, issue_names, write_batch
from tests.fakes.workspaces import orders

TABLE = orders(0)


def test_schema_issues() -> None:
    assert inject(TABLE, "drop-column", "paid").table.column_names == ["id", "amount", "country"]
    assert inject(TABLE, "extra-column", None).table.column_names[-1] == "unexpected_column"
    assert inject(TABLE, "retype", "amount").table.schema.field("amount").type == pa.string()


def test_the_same_delivery_changes_nothing() -> None:
    assert inject(TABLE, "same-delivery", None).table.equals(TABLE)


@pytest.mark.parametrize("column", TABLE.column_names)
def test_every_issue_changes_its_column_alone(column: str) -> None:
    for name in issue_names(TABLE, column):
        made = inject(TABLE, name, column)
        assert made.table != TABLE, name
        assert made.table.num_rows != 400 or made.table.drop_columns([column] if name != "drop-column" else []).equals(
            TABLE.drop_columns([column]).append_column("unexpected_column", pa.array(["unexpected"] * 400))
            if name == "extra-column"
            else TABLE.drop_columns([column])
        ), name


def test_a_type_takes_its_strongest_and_seeds_are_kept() -> None:
    made = inject(TABLE, "increased-nulls", "country", seed=3)
    assert "100%" in made.description
    assert made.table == inject(TABLE, "increased_nulls", "country", seed=3).table
    assert "x1000 in" in inject(TABLE, "unit_change", "amount").description
    assert inject(TABLE, "volume_change", "country").table.num_rows == 40
    assert inject(TABLE, "volume_change x2", "country").table.num_rows == 800


def test_types_are_kept_where_the_values_fit() -> None:
    day = datetime.date(2024, 1, 1)
    table = pa.table(
        {"n": [1, 2, 3], "d": [day] * 3, "t": [datetime.datetime(2024, 1, 1, 5, tzinfo=datetime.UTC)] * 3, "s": ["a", "b", "c"]}
    )
    for column, issue in (("n", "unit_change x10"), ("d", "increased_nulls 50%"), ("t", "increased_nulls 50%"), ("s", "casing_change")):
        assert inject(table, issue, column).table.schema.field(column).type == table.schema.field(column).type


@pytest.mark.parametrize(
    ("issue", "column", "error"),
    [("unit_change", None, UsageError), ("unit_change", "amont", NotFoundError), ("unit_chang", "amount", NotFoundError)],
)
def test_unknown_names(issue: str, column: str | None, error: type[Exception]) -> None:
    with pytest.raises(error):
        inject(TABLE, issue, column)


def test_formats(tmp_path: Path) -> None:
    write_batch(TABLE, tmp_path / "a" / "x.parquet", Source(path="{batch}"))
    assert pq.read_table(tmp_path / "a" / "x.parquet") == TABLE
    write_batch(TABLE, tmp_path / "x.orc", Source(path="{batch}", format="orc"))
    assert orc.read_table(tmp_path / "x.orc").num_rows == 400
    options = {"header": "true", "sep": ";"}
    write_batch(TABLE, tmp_path / "x.csv", Source(path="{batch}", format="csv", options=options))
    assert pacsv.read_csv(tmp_path / "x.csv", parse_options=pacsv.ParseOptions(delimiter=";")).column_names == TABLE.column_names
    write_batch(TABLE, tmp_path / "x.json", Source(path="{batch}", format="json"))
    assert (tmp_path / "x.json").read_text().count("\n") == 400


def test_what_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="delta"):
        write_batch(TABLE, tmp_path / "x", Source(path="{batch}", format="delta"))
    (tmp_path / "file").touch()
    with pytest.raises(DeliveryError):
        write_batch(TABLE, tmp_path / "file" / "x.parquet", Source(path="{batch}"))


def test_a_csv_batch_is_written_as_the_source_is_read(tmp_path: Path) -> None:
    options = {"header": "True", "sep": "\\t", "encoding": "ISO-8859-1"}
    source = Source(path="{batch}", format="csv", options=options, skip_lines=2, decimal_comma=("n",))
    write_batch(pa.table({"city": ["Köln", "1.5"], "n": [1.234, None]}), tmp_path / "x.csv", source)
    assert (tmp_path / "x.csv").read_bytes() == '\n\n"city"\t"n"\n"Köln"\t"1,234"\n"1.5"\t\n'.encode("iso-8859-1")
    with pytest.raises(UsageError, match="cannot be written in the encoding no-such"):
        write_batch(TABLE, tmp_path / "y.csv", source.model_copy(update={"options": {"encoding": "no-such"}}))
