"""`avh validate --quarantine`, on real files without Spark: what is kept, what is said, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from click.testing import CliRunner, Result

import avh_ui
from avh_ui.cli.main import cli
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.program import ColumnSchema, SchemaConstraint
from avh_ui.errors import UsageError
from avh_ui.store.program_files import ProgramFiles
from avh_ui.validator.kept_rows import usable_target
from tests.fakes.builders import program
from tests.fakes.disks import read_only_copy
from tests.fakes.workspaces import day, orders

SCHEMA = json.loads((Path(avh_ui.__file__).parent / "validator" / "run.schema.json").read_text(encoding="utf-8"))
COLUMNS = (("id", "bigint", "numeric"), ("amount", "double", "numeric"), ("country", "string", "string"), ("paid", "boolean", "boolean"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with a program, a good batch, and one with three rows without a country."""
    (tmp_path / "data").mkdir()
    table = orders(1)
    countries = pa.array([None] * 3 + table.column("country").to_pylist()[3:])
    pq.write_table(orders(0), tmp_path / "data" / f"{day(0)}.parquet")
    pq.write_table(table.set_column(2, "country", countries), tmp_path / "data" / f"{day(1)}.parquet")
    source = {"format": "parquet", "path": "data/{batch}.parquet"}
    (tmp_path / "avh.yml").write_text(yaml.safe_dump({"pipelines": {"orders": {"source": source}}, "engine": "local"}))
    schema = SchemaConstraint(tuple(ColumnSchema(*column) for column in COLUMNS))
    rules = (Constraint("country", "complete_ratio", "string", 1.0, 1.0), Constraint("amount", "mean", "numeric", 50.0, 150.0))
    ProgramFiles(str(tmp_path / "programs")).publish(program("orders", constraints=rules, schema=schema))
    return tmp_path


def validate(root: Path, batch: str, *more: object) -> Result:
    return CliRunner().invoke(cli, ["validate", "orders", "--batch", batch, "-w", str(root), *map(str, more)])


def test_bad_rows_are_kept_apart(root: Path) -> None:
    answer = validate(root, day(1), "--quarantine", root / "bad rows", "--format", "json")
    told = json.loads(answer.stdout)
    jsonschema.validate(told, SCHEMA)
    (found,) = [result for result in told["results"] if "failing_rows" in result]
    assert (answer.exit_code, found["column"], found["failing_rows"], len(found["samples"])) == (1, "country", 3, 3)
    rows, table = pq.read_table(found["kept"]), orders(1)
    assert rows.column_names == [*table.column_names, "failed", "avh_pipeline", "avh_batch", "avh_run"]
    assert rows.column("id").to_pylist() == table.column("id").to_pylist()[:3]
    assert rows.column("failed").to_pylist()[0] == [{"rule": "complete_ratio of country", "why": "country is null", "level": "error"}]
    text = validate(root, day(1), "--quarantine", root / "bad rows").stdout
    assert "      3 of 400 rows fail, such as " in text
    assert "Note: 3 rows that break rules are kept in " in text
    assert len(list((root / "bad rows" / "orders" / day(1)).iterdir())) == 2, "each run has a folder of its own"


def test_what_cannot_be_kept_ends_with_4_after_the_verdict(root: Path) -> None:
    (root / "bad").mkdir()
    (root / "bad" / "orders").touch()
    answer = validate(root, day(1), "--quarantine", root / "bad")
    assert (answer.exit_code, "3 of 400 rows fail" in answer.stdout, "The bad rows were not kept" in answer.stderr) == (4, True, True)
    assert "are kept in" not in answer.stdout


def test_a_delta_table_takes_spark(root: Path) -> None:
    answer = validate(root, day(1), "--quarantine", f"delta:{root / 'bad rows'}")
    assert (answer.exit_code, "A Delta table is written by Spark" in answer.stderr) == (3, True)
    assert not (root / "bad rows").exists()
    assert not (root / "history").exists(), "nothing is measured or kept before"


@pytest.mark.parametrize("below", ["", "/more/yet"])
def test_a_place_below_a_file_is_refused_before_anything_is_read(root: Path, below: str) -> None:
    (root / "file").touch()
    answer = validate(root, day(1), "--quarantine", f"{root / 'file'}{below}")
    assert (answer.exit_code, f"{root / 'file'} is a file." in answer.stderr) == (3, True)
    assert not (root / "history").exists(), "nothing is measured or kept before"


def test_a_place_that_may_not_be_written_is_refused_before_anything_is_read(root: Path) -> None:
    (root / "theirs").mkdir()
    with read_only_copy(root / "theirs") as theirs, pytest.raises(UsageError, match=f"you may not write to {theirs}"):
        usable_target(str(theirs / "bad"))


def test_a_place_without_a_name_is_refused(root: Path) -> None:
    answer = validate(root, day(1), "--quarantine", "")
    assert (answer.exit_code, "The place for bad rows has no name." in answer.stderr) == (3, True)
    assert not (root / "history").exists(), "nothing is measured or kept before"


def test_nothing_is_made_where_all_passes(root: Path) -> None:
    answer = validate(root, day(0), "--quarantine", root / "none")
    assert (answer.exit_code, (root / "none").exists()) == (0, False), answer.output
