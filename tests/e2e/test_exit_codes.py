"""Every row of `docs/exit_codes.md` is produced: the fault is made, and exit code and key sentence are compared."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from click.testing import CliRunner

from avh_ui.cli.main import cli
from tests.conventions.sources import ROOT
from tests.e2e.faults import DERBY, FAULTS, FILES, Shop, make_workspace
from tests.fakes.workspaces import day, orders

DOCS = ROOT / "docs" / "exit_codes.md"
ROW = re.compile(r"\| ([\w, ]+) \| ([^|]+) \| (\d+) \| (.+) \|")


def rows() -> list[tuple[str, str, int, str]]:
    """Source, fault, exit code and key sentence of each row of the docs, sources one by one; `…` stands for any text."""
    found = []
    for line in DOCS.read_text(encoding="utf-8").splitlines():
        if match := ROW.fullmatch(line):
            sources, fault, code, said = match.groups()
            found += [(source, fault, int(code), said.strip("`").replace("\\|", "|")) for source in sources.split(", ")]
    return found


@pytest.fixture(scope="module")
def template(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace to be copied, and its tables in Spark and in a database."""
    root = tmp_path_factory.mktemp("exit_codes")
    make_workspace(root)
    days = pa.concat_tables(orders(k).append_column("day", pa.array([day(k)] * orders(k).num_rows)) for k in range(3))
    frame = spark.createDataFrame(days.select(["id", "amount", "country", "paid", "day"]))
    frame.createOrReplaceTempView("exit_orders")
    sizes = "day VARCHAR(20), country VARCHAR(20)"
    frame.write.format("jdbc").options(**DERBY, dbtable="EXIT_ORDERS", createTableColumnTypes=sizes).save(mode="overwrite")
    return root


def engines() -> list[tuple[str, str, int, str, str]]:
    """The rows with an engine; a file that cannot be read is told by Spark's tasks as it is without them."""
    damaged = [(*row, "spark") for row in rows() if ("all files", row[1]) in FAULTS and row[2] == 3]
    return [*((*row, "auto") for row in rows()), *damaged]


@pytest.mark.parametrize(("source", "fault", "code", "said", "engine"), engines(), ids=lambda value: str(value)[:40])
def test_a_row_of_the_docs(
    template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, fault: str, code: int, said: str, engine: str
) -> None:
    root = tmp_path / "shop"
    shutil.copytree(template, root)
    monkeypatch.chdir(root)
    monkeypatch.setenv("AVH_LOG_DIR", str(tmp_path / "logs"))
    spoil, args = FAULTS.get((source, fault)) or FAULTS["all files", fault]
    shop = Shop(root, monkeypatch, source)
    shop.engine(engine)
    spoil(shop)
    record = [] if "--record" in args else ["--no-record"]
    answer = CliRunner().invoke(cli, ["validate", source, *args, *record])
    output = answer.stdout + answer.stderr
    assert answer.exit_code == code, output
    assert re.search(".*?".join(map(re.escape, said.split("…"))), output), output
    assert not {"Traceback", "awaitResult", "java.lang", "py4j"} & set(re.findall(r"[\w.]+", output)), output


def test_the_docs_have_every_fault_once() -> None:
    there = [(source, fault) for source, fault, _, _ in rows()]
    expected = {(s, fault) for source, fault in FAULTS for s in (FILES if source == "all files" else (source,))}
    assert (len(there), set(there)) == (len(set(there)), expected)


# Of the last the batch was read and judged: it is compared with the sound batch before the damaged one, and the report says so.
HARMLESS = ("rule broken, --fail-at never", "unreadable batch before", "no rows, severities: {empty: off}")


def test_no_fault_passes() -> None:
    for _, fault, code, _ in rows():
        assert (code == 0) == ("nothing is wrong" in fault or fault in HARMLESS), fault
