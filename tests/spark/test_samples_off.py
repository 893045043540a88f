"""`samples: off` with Spark's own errors and user functions: no text of the data in anything that a person or a program reads."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import yaml
from click.testing import CliRunner

import avh_ui
from avh_ui.cli.main import cli
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.program import ColumnSchema, SchemaConstraint
from avh_ui.store.program_files import ProgramFiles
from tests.fakes.builders import program
from tests.fakes.workspaces import day, orders
from tests.spark.conftest import older_than
from tests.unit.workflows.test_withholding import kept

# A cast that fails is an error by itself since Spark 4.
ANSI = not older_than("4.0")
SECRET = "Zebra-Quokka-77"
DAYS = 8
# Beside the good days one whose lines are no rows and whose values are of another type.
ODD = "id,amount,country\n" + f"{SECRET},{SECRET},{SECRET * 2}\n" * 40 + f"{SECRET}\n" * 3
HEADED = {"format": "csv", "path": "data/{batch}.csv", "options": {"header": True}}
SOURCES: dict[str, dict[str, Any]] = {
    "orders": HEADED,
    "strict": {**HEADED, "options": {"header": True, "mode": "FAILFAST"}},
    "cast": {"format": "query", "query": "select cast(country as double) as v from secrets where '{batch}' <> ''"},
    "function": {"format": "query", "query": "select tell(country) as v from secrets where '{batch}' <> ''"},
    "raised": {"format": "query", "query": "select raise_error(country) as v from secrets where '{batch}' <> ''"},
}
COMMANDS = (
    f"profile orders --batches ..{day(DAYS - 1)}",
    "suggest orders --json",
    "decide orders --accept --all --by ann -m fine",
    "publish orders --by ann -m first --json",
    *(f"validate orders --batch {day(DAYS)} --format {form}" for form in ("json", "text", "junit")),
    "profile orders --again --json",
    "history orders --json",
    f"history orders --span {day(0)}..{day(3)}",
    f"inject orders --batch {day(1)} --column country --issue increased_nulls --output spoilt.csv",
    "profile strict --json",
    *(f"profile {name} --batches {day(0)} --json" for name in ("cast", "function", "raised")),
    "programs show orders --json",
    "doctor --json",
)


def workspace(root: Path, samples: str) -> None:
    """avh.yml and the days' files."""
    (root / "data").mkdir()
    for k in range(DAYS):
        rows = orders(k, rows=60).select(["id", "amount", "country"]).to_pylist()
        lines = (f"{row['id']},{row['amount']},{SECRET if row['country'] == 'DE' else row['country']}\n" for row in rows)
        (root / "data" / f"{day(k)}.csv").write_text("id,amount,country\n" + "".join(lines))
    (root / "data" / f"{day(DAYS)}.csv").write_text(ODD)
    pipelines = {name: {"source": source, "samples": samples} for name, source in SOURCES.items()}
    (root / "avh.yml").write_text(yaml.safe_dump({"pipelines": pipelines, "spark": {"master": "local[2]"}}))


@pytest.fixture
def secrets(spark: Any) -> Any:
    """A view with the secret, and a user function that quotes what it is given."""

    def tell(value: str) -> float:
        raise ValueError(f"what is {value}?")

    frame = spark.createDataFrame([(SECRET,)], "country string")
    frame.createOrReplaceTempView("secrets")
    spark.udf.register("tell", tell, "double")
    return frame


class Heard(logging.Handler):
    """What PySpark logs to stderr beside what it raises."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(record.getMessage())


@pytest.mark.parametrize("samples", ["off", "on"])
def test_a_secret_is_told_nowhere(secrets: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, samples: str) -> None:
    workspace(tmp_path, samples)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AVH_LOG_DIR", str(tmp_path / "logs"))
    monkeypatch.setenv("AVH_LOG_LEVEL", "DEBUG")
    # With samples a part shows that the test would see it: each command that fails here quotes what it fails at.
    asked = COMMANDS if samples == "off" else [c for c in COMMANDS if c.startswith(("profile orders", "profile function", "profile cast"))]
    answers = {command: CliRunner().invoke(cli, command.split()) for command in asked}
    told = {command: answer.output for command, answer in answers.items()}
    codes = {command: answer.exit_code for command, answer in answers.items()}
    for k in range(DAYS + 1):
        (tmp_path / "data" / f"{day(k)}.csv").unlink()
    quoting = {command for command, output in told.items() if SECRET in output}
    if samples == "on":
        assert quoting == {f"profile function --batches {day(0)} --json"}
        assert SECRET in kept(tmp_path)
        return
    assert quoting == set(), told
    assert SECRET not in kept(tmp_path)
    # It was the data that was told nothing of, and not that nothing happened.
    assert [codes[c] for c in COMMANDS if c.startswith("validate")] == [1, 1, 1]
    assert (next(codes[c] for c in COMMANDS if c.startswith("inject")), (tmp_path / "spoilt.csv").exists()) == (2, False)
    assert {c for c in COMMANDS if codes[c] == 3} == {"profile strict --json"} | {
        f"profile {name} --batches {day(0)} --json" for name in ("cast", "function", "raised") if name != "cast" or ANSI
    }
    assert not ANSI or "CAST_INVALID_INPUT" in told[f"profile cast --batches {day(0)} --json"]


def test_python_tells_no_words_of_user_functions(secrets: Any, tmp_path: Path) -> None:
    schema = SchemaConstraint((ColumnSchema("v", "double", "numeric"),))
    made = program("p", constraints=(Constraint("v", "mean", "numeric", 0.0, 1.0),), schema=schema)
    ProgramFiles(str(tmp_path / "programs")).publish(made)
    where = {"pipeline": "p", "batch": "b", "programs": tmp_path / "programs", "history": tmp_path / "history"}
    heard = Heard()
    logger = logging.getLogger("DataFrameQueryContextLogger")
    logger.addHandler(heard)
    try:
        for frame in (secrets.selectExpr("tell(country) as v"), secrets.select(secrets.country.cast("double").alias("v")))[: 1 + ANSI]:
            run = avh_ui.validate(frame, **where, samples=False)
            assert (run.status, SECRET in str(run)) == ("not_evaluated", False), run
        assert not any(SECRET in said for said in heard.said)
        # As it is told with samples.
        assert SECRET in str(avh_ui.validate(secrets.selectExpr("tell(country) as v"), **where))
    finally:
        logger.removeHandler(heard)
    assert SECRET not in str(avh_ui.validate(pa.table({"v": [SECRET]}), **where, samples=False))
