"""What no test of a command foresees: any other error, Ctrl-C, a full disk. Never a traceback, never an exit code that is a verdict."""

from __future__ import annotations

import errno
import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import jsonschema
import pytest

import avh_ui
from avh_ui import bootstrap
from avh_ui.__main__ import main
from avh_ui.cli.main import COMMANDS
from avh_ui.errors import AvhError, DeliveryError
from tests.fakes.workspaces import DAYS, FakeWorkspace, day, orders
from tests.unit.cli.conftest import Answer, Avh

Fake = Callable[[FakeWorkspace], FakeWorkspace]
NEXT = day(DAYS)
NO_VERDICT = json.loads((Path(avh_ui.__file__).parent / "validator" / "no_verdict.schema.json").read_text(encoding="utf-8"))
FULL = OSError(errno.ENOSPC, "No space left on device")
# A call of every command that opens a workspace.
CALLS = {
    "demo": ["--headless"],
    "profile": ["orders"],
    "history": ["orders"],
    "suggest": ["orders"],
    "rules": ["add", "orders", "is_complete: id"],
    "review": ["--no-browser", "--port", "59999"],
    "triage": ["orders"],
    "decide": ["orders", "--accept", "--all", "--by", "ann"],
    "coverage": ["orders"],
    "publish": ["orders", "--by", "ann", "-m", "x"],
    "programs": ["list"],
    "validate": ["orders", "--batch", NEXT],
    "watch": ["--once"],
    "label": ["orders", "expected", "--since", day(0)],
    "incidents": ["orders"],
    "results": ["orders", "--to", "results.parquet"],
    "ingest": ["orders", "is_complete: id", "--batch", NEXT],
    "inject": ["orders", "--batch", NEXT, "--column", "amount"],
}


@pytest.fixture(autouse=True)
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where log files go."""
    monkeypatch.setenv("AVH_LOG_DIR", str(tmp_path / "logs"))
    return tmp_path / "logs"


@pytest.fixture
def ws(fake: Fake) -> FakeWorkspace:
    workspace = fake(FakeWorkspace().published())
    workspace.profiler.tables["orders"][NEXT] = orders(DAYS)
    return workspace


def raising(error: BaseException) -> Callable[..., Any]:
    def call(*_: object, **__: object) -> Any:
        raise error

    return call


def told(answer: Answer) -> str:
    """The one sentence on stderr."""
    assert "Traceback" not in answer.err
    (line,) = answer.err.splitlines()
    return line.removeprefix("Error: ")


def test_every_command_that_opens_a_workspace_is_called_here() -> None:
    assert set(COMMANDS) - set(CALLS) == {"init", "import", "explain", "patterns", "keys", "people", "doctor"}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize(
    ("error", "code"),
    [(ZeroDivisionError("a\nb"), 3), (MemoryError(), 3), (RecursionError("deep"), 3), (KeyboardInterrupt(), 130), (FULL, 4)],
    ids=lambda value: type(value).__name__,
)
def test_an_error_that_nobody_foresaw(
    avh: Avh, logs: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, error: BaseException, code: int
) -> None:
    monkeypatch.setattr(bootstrap, "open_services", raising(error))
    monkeypatch.setattr("avh_ui.demo.seed", raising(error))
    answer = avh(name, *CALLS[name])
    assert answer.code == code
    if code == 3:
        (log,) = logs.iterdir()
        assert told(answer).endswith(f"The log is {log}.")
        assert (log.stat().st_mode & 0o777, f"{type(error).__name__}" in log.read_text()) == (0o600, True)
    else:
        assert "Traceback" not in answer.err


def test_the_log_has_the_stack_and_no_values(avh: Avh, ws: FakeWorkspace, logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "x" * 5_000 + "secret"
    monkeypatch.setattr(ws.profiler, "profile", raising(TypeError(secret)))
    answer = avh("validate", "orders", "--batch", NEXT)
    (log,) = logs.iterdir()
    text = log.read_text()
    assert (answer.code, "secret" in answer.err + text, "validating.py" in text) == (3, False, True)


def test_no_log_can_be_written(avh: Avh, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("AVH_LOG_DIR", str(tmp_path / "file"))
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path / "file"))
    monkeypatch.setattr(bootstrap, "open_services", raising(ZeroDivisionError("oops")))
    answer = avh("profile", "orders")
    assert (answer.code, told(answer)) == (3, "Something went wrong that avh did not foresee: ZeroDivisionError: oops.")


def test_the_oldest_logs_are_forgotten(logs: Path) -> None:
    from avh_ui.cli.failures import write_log

    logs.mkdir()
    for k in range(120):
        (logs / f"avh-20200101T000000-{k:03}.log").touch()
    kept = write_log(ValueError("x"))
    assert (len(list(logs.iterdir())), Path(str(kept)).exists()) == (100, True)


@pytest.mark.parametrize("error", [AvhError("The store is gone.", hint="Mount it."), ZeroDivisionError("oops")])
def test_no_verdict_is_an_object_too(avh: Avh, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    monkeypatch.setattr(bootstrap, "open_services", raising(error))
    output = tmp_path / "report"
    output.write_text("the report of yesterday")
    for args in ([], ["--output", output]):
        answer = avh("validate", "orders", "--batch", NEXT, "--format", "json", *args)
        record = json.loads(output.read_text() if args else answer.out)
        jsonschema.validate(record, NO_VERDICT)
        assert (answer.code, record["pipeline"], record["batch"], record["status"]) == (3, "orders", NEXT, "not_evaluated")
        assert record["error"]["kind"] == type(error).__name__
    suite = ET.fromstring(avh("validate", "orders", "--batch", NEXT, "--format", "junit").out)
    assert (suite.get("errors"), suite.find("testcase/error") is not None) == ("1", True)
    assert avh("validate", "orders", "--batch", NEXT).out == ""
    assert avh("validate", "orders", "--batch", NEXT, "--output", output).code == 3
    assert output.read_text().startswith(f"orders {NEXT}: NOT EVALUATED: ")


def test_wrong_usage_is_an_object_too(avh: Avh, tmp_path: Path) -> None:
    for args in (["--format", "json"], ["--format=json", "--nonsense"]):
        answer = avh("validate", *args)
        jsonschema.validate(json.loads(answer.out), NO_VERDICT)
        assert answer.code == 3
    assert avh("validate", "--format", "junit", "--output", tmp_path / "x").code == 3
    assert ET.parse(tmp_path / "x").getroot().get("errors") == "1"


def test_nothing_delivered_and_nothing_judged(avh: Avh, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "open_services", raising(DeliveryError("No folder.")))
    answer = avh("validate", "orders", "--batch", NEXT, "--format", "json")
    jsonschema.validate(json.loads(answer.out), NO_VERDICT)
    assert answer.code == 4


def test_a_terminal_that_lacks_a_letter(avh: Avh, ws: FakeWorkspace, monkeypatch: pytest.MonkeyPatch) -> None:
    ws.profiler.tables["orders"][NEXT] = orders(DAYS).append_column("snow☃", [[1.0] * 400])
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="latin-1"))
    monkeypatch.setattr(sys, "argv", ["avh", "validate", "orders", "--batch", NEXT])
    with pytest.raises(SystemExit) as ended:
        main()
    assert (ended.value.code, b"snow\\u2603" in written.getvalue()) == (1, True)


def test_no_problem_of_delivery_hides_another_or_the_verdict(
    avh: Avh, ws: FakeWorkspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(ws.profiles, "save", raising(FULL))
    monkeypatch.setattr(ws.kept_runs, "add", raising(AvhError("The review database is down.")))
    monkeypatch.setattr(ws.kept_runs, "feedback", raising(AvhError("The review database is down.")))
    answer = avh("validate", "orders", "--batch", NEXT, "--output", tmp_path / "file" / "report", "--format", "json")
    assert (answer.code, json.loads(answer.out)["status"]) == (4, "pass")
    for part in ("could not be written: File exists", "No space left", "database is down", f"on batch {NEXT!r} is: pass"):
        assert part in told(answer)
    ws.profiler.tables["orders"][NEXT] = orders(DAYS, rows=10)
    failed = avh("validate", "orders", "--batch", NEXT)
    assert (failed.code, "FAIL" in failed.out, failed.err.endswith("is: fail.\n")) == (4, True, True)


def test_the_rest_is_delivered_when_one_part_cannot_be(ws: FakeWorkspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ws.profiles, "save", raising(ZeroDivisionError("oops")))
    with pytest.raises(DeliveryError, match=r"The profile was not kept: ZeroDivisionError: oops\.") as caught:
        ws.validate("orders", batch=NEXT)
    assert (caught.value.run.status, [run.batch for run in ws.runs("orders")]) == ("pass", [NEXT])


def test_in_python_the_error_carries_the_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ws = FakeWorkspace().published()
    where = {"pipeline": "orders", "batch": NEXT, "programs": ws.store, "history": ws.profiles}
    with pytest.raises(DeliveryError, match="The run was not kept") as caught:
        avh_ui.validate(orders(DAYS), **where, runs=f"sqlite:///{tmp_path}")
    assert (caught.value.run.status, NEXT in ws.batches("orders")) == ("pass", True)


# A stdout that takes nothing, one whose reader has gone, and one that cannot write what is no ASCII.
STDOUT = """
import sys
from avh_ui import bootstrap
from avh_ui.__main__ import main
from tests.fakes.workspaces import FakeWorkspace, day
ws = FakeWorkspace(days=9).published()
bootstrap.open_services = lambda *_, **__: ws.services
sys.argv = ["avh", "validate", "orders", "--batch", day(8)]
try:
    main()
finally:
    print(len(ws.runs("orders")), file=sys.stderr)
"""


@pytest.mark.parametrize(("sink", "said"), [("> /dev/full", "No space left on device"), ("| true", "Broken pipe")])
def test_a_report_that_cannot_be_printed(sink: str, said: str) -> None:
    wait = "import time; time.sleep(0)" if ">" in sink else "import select, os; p = select.poll(); p.register(1, select.POLLERR); p.poll()"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", f'"$0" -c "$1" {sink}', sys.executable, f"{wait}\n{STDOUT}"], capture_output=True, text=True
    )
    assert (done.returncode, said in done.stderr, "Traceback" in done.stderr, "Exception ignored" in done.stderr) == (4, True, False, False)
    # Who reads the app still sees the run.
    assert done.stderr.endswith("1\n")
