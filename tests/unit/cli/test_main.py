"""The command line itself: help without heavy imports, errors, Ctrl-C, and what needs no fakes."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from avh_ui import bootstrap
from avh_ui.cli.main import COMMANDS
from avh_ui.config import load_config
from avh_ui.errors import JavaNotFoundError
from tests.fakes.ports import free_port
from tests.fakes.workspaces import FakeWorkspace
from tests.unit.cli.conftest import Avh

HEAVY = {"pyspark", "panel", "bokeh", "holoviews", "pandas", "pyarrow", "numpy", "sqlalchemy", "scipy", "statsmodels", "pydantic"}


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that something listens on."""
    with contextlib.closing(socket.socket()) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


@pytest.mark.parametrize("args", [["--help"], ["validate", "--help"], ["demo", "--help"], ["--version"]])
def test_help_is_light(args: list[str]) -> None:
    code = (
        "import sys\nfrom avh_ui.__main__ import main\nsys.argv = ['avh', *sys.argv[1:]]\n"
        "try:\n    main()\nfinally:\n    print(*{name.partition('.')[0] for name in sys.modules}, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code, *args], capture_output=True, text=True, check=True)
    assert done.stdout.startswith(("Usage: avh", "avh, version"))
    assert set(done.stderr.split()) & HEAVY == set()


def test_what_is_left_at_the_end_is_not_looked_through() -> None:
    code = (
        "import gc, sys\nfrom avh_ui.__main__ import main\nsys.argv = ['avh', '--version']\n"
        "try:\n    main()\nfinally:\n    print(gc.get_freeze_count())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout.split()[-1]) > 0


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(avh: Avh, name: str) -> None:
    answer = avh(name, "--help")
    assert (answer.code, answer.out.startswith(f"Usage: cli {name}")) == (0, True)


def test_an_unknown_command_names_the_nearest(avh: Avh) -> None:
    answer = avh("validat")
    # It may have been `validate`, of which 2 would say "warnings only".
    assert (answer.code, "Did you mean 'validate'?" in answer.err) == (3, True)
    assert (avh("--nonsense", "validate").code, avh().code) == (3, 3)


def test_init_never_overwrites(avh: Avh, tmp_path: Path) -> None:
    assert avh("init", "-w", tmp_path / "new").code == 0
    made = tmp_path / "new" / "avh.yml"
    assert list(load_config(tmp_path / "new").pipelines) == ["orders"]
    made.write_text("mine")
    assert (avh("init", "-w", tmp_path / "new").code, made.read_text()) == (2, "mine")
    (tmp_path / "file").touch()
    assert avh("init", "-w", tmp_path / "file" / "x").code == 4


def test_no_workspace(avh: Avh, tmp_path: Path) -> None:
    answer = avh("profile", "orders", "-w", tmp_path)
    assert (answer.code, "no avh.yml" in answer.err, "avh init" in answer.err) == (3, True, True)


def test_an_unknown_pipeline(avh: Avh, tmp_path: Path) -> None:
    avh("init", "-w", tmp_path)
    answer = avh("history", "order", "-w", tmp_path)
    assert (answer.code, "Did you mean 'orders'?" in answer.err, "Traceback" in answer.err) == (3, True, False)


def test_a_workspace_of_a_newer_version(avh: Avh, tmp_path: Path) -> None:
    (tmp_path / "avh.yml").write_text("version: 99\npipelines: {}\n")
    answer = avh("suggest", "orders", "-w", tmp_path)
    assert (answer.code, "newer avh_ui" in answer.err) == (3, True)


def test_a_program_of_a_newer_version(avh: Avh, tmp_path: Path) -> None:
    avh("init", "-w", tmp_path)
    (tmp_path / "programs" / "orders").mkdir(parents=True)
    (tmp_path / "programs" / "orders" / "v000001.json").write_text('{"format": 99}')
    answer = avh("validate", "orders", "--batch", "x", "-w", tmp_path)
    assert (answer.code, "newer avh_ui" in answer.err) == (3, True)


def test_debug_shows_where_an_error_came_from(avh: Avh, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AVH_LOG_LEVEL", "debug")
    assert "Traceback" in avh("profile", "orders", "-w", tmp_path).err


def test_no_java(avh: Avh, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from avh_ui.spark import session

    def none() -> session.Java:
        raise JavaNotFoundError("Spark needs Java 17 or newer and none was found.", hint="Install one.")

    monkeypatch.setattr(session, "find_java", none)
    findings = json.loads(avh("doctor", "-w", tmp_path, "--json").out)
    found = {f["name"]: f for f in findings}["java"]
    assert (found["ok"], found["hint"]) == (False, "Install one.")
    assert avh("doctor", "-w", tmp_path).code == 1

    class NoJava:
        def __init__(self, *_: object) -> None:
            none()

    from avh_ui.spark import profiler

    avh("init", "-w", tmp_path)
    config = tmp_path / "avh.yml"
    config.write_text(config.read_text() + "\nengine: spark\n")
    monkeypatch.setattr(profiler, "SparkProfiler", NoJava)
    answer = avh("profile", "orders", "-w", tmp_path)
    assert (answer.code, "Java 17" in answer.err, "Traceback" in answer.err) == (3, True, False)


def test_doctor(avh: Avh, tmp_path: Path, taken: int) -> None:
    avh("init", "-w", tmp_path)
    findings = {f["name"]: f for f in json.loads(avh("doctor", "-w", tmp_path, "--port", taken, "--json").out)}
    assert not findings["port"]["ok"]
    assert all(findings[name]["ok"] for name in ("pyarrow", "workspace", "history store", "programs store", "reviews", "pipeline orders"))
    assert not list((tmp_path / "history").glob("avh-doctor*"))
    (tmp_path / "avh.yml").write_text("pipelines: 3")
    assert avh("doctor", "-w", tmp_path).code == 1


@pytest.mark.parametrize(
    ("pipeline", "said"),
    [
        ("measures: [{name: meen, columns: [a]}]", "BAD measures of p: a is not measured: There is no metric 'meen'. Did you mean 'mean'"),
        ("measures: [{name: completness, columns: [a]}]", "Did you mean 'completeness'"),
        ("measures: [{name: mean, columns: [a]}]", "ok  measures of p: its metrics and columns are there"),
        ("rules: [{has: {measure: meen, column: a, above: 0}}]", "BAD rules of avh.yml: avh.yml is wrong: pipelines.p.rules[0]"),
        ("rules: [{is_complete: a}]", "ok  rules of p"),
    ],
)
def test_doctor_sees_a_metric_that_there_is_not(avh: Avh, tmp_path: Path, pipeline: str, said: str) -> None:
    (tmp_path / "avh.yml").write_text(f"version: 1\npipelines:\n  p: {{source: {{path: 'd/{{batch}}.parquet'}}, {pipeline}}}\n")
    answer = avh("doctor", "-w", tmp_path, "--port", free_port())
    assert said in answer.out
    assert (answer.err, "checks failed" in answer.out) == ("", "BAD" in said or "Did you mean" in said)


def test_doctor_says_which_package_is_of_another_spark(avh: Avh, tmp_path: Path) -> None:
    config = "version: 1\npipelines:\n  p: {source: {path: 'd/{batch}.parquet'}}\nspark: {packages: ['%s']}\n"
    (tmp_path / "avh.yml").write_text(config % "io.delta:delta-spark:9.0.0")
    assert "ok  packages of Spark: PySpark " in avh("doctor", "-w", tmp_path).out
    (tmp_path / "avh.yml").write_text(config % "org.apache.hudi:hudi-spark2.4-bundle:1.0")
    answer = avh("doctor", "-w", tmp_path)
    assert (answer.code, "BAD packages of Spark: org.apache.hudi:hudi-spark2.4-bundle:1.0 is of Spark 2.4, and Spark" in answer.out) == (
        1,
        True,
    )


@pytest.mark.parametrize(
    ("address", "said"),
    [
        (
            "master: 'locl[*]'",
            "BAD address of Spark: `master: locl[*]` of avh.yml is none: write local[N], spark://HOST:PORT, yarn or k8s://...",
        ),
        ("master: 'local[two]'", "BAD address of Spark: `master: local[two]`"),
        (
            "remote: 'host:15002'",
            "BAD address of Spark: `remote: host:15002` of avh.yml is no address of Spark Connect: write sc://HOST:PORT.",
        ),
        ("master: 'local[2, 4]'", ""),
        ("master: 'local-cluster[2,1,1024]'", ""),
        ("master: 'spark://one:7077,two:7077'", ""),
        ("master: yarn", ""),
        ("remote: 'sc://127.0.0.1:9/;token=x'", "BAD address of Spark: No server of Spark Connect answers at 127.0.0.1:9"),
    ],
)
def test_doctor_sees_an_address_of_spark_that_is_none(
    avh: Avh, tmp_path: Path, address: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("avh_ui.spark.remote.getproxies", dict)
    (tmp_path / "avh.yml").write_text(f"version: 1\npipelines:\n  p: {{source: {{path: 'd/{{batch}}.parquet'}}}}\nspark: {{{address}}}\n")
    answer = avh("doctor", "-w", tmp_path)
    assert ("address of Spark" in answer.out) == bool(said)
    assert said in answer.out


def test_doctor_sees_a_store_that_cannot_be_written(avh: Avh, tmp_path: Path) -> None:
    avh("init", "-w", tmp_path)
    (tmp_path / "history").touch()
    answer = avh("doctor", "-w", tmp_path)
    assert (answer.code, "BAD history store" in answer.out) == (1, True)


def test_a_port_in_use_is_seen_before_anything_starts(avh: Avh, tmp_path: Path, taken: int) -> None:
    avh("init", "-w", tmp_path)
    for answer in (avh("review", "-w", tmp_path, "--port", taken), avh("demo", "-w", tmp_path / "demo", "--port", taken)):
        assert (answer.code, f"Port {taken}" in answer.err, "--port" in answer.err) == (3, True, True)
    assert not (tmp_path / "demo").exists()


def test_keys(avh: Avh, tmp_path: Path) -> None:
    assert avh("keys", "new", "-w", tmp_path).code == 3
    avh("init", "-w", tmp_path)
    assert len(json.loads(avh("keys", "new", "-w", tmp_path, "--json").out)["public_key"]) == 44
    assert stat.S_IMODE((tmp_path / "keys" / "signing.key").stat().st_mode) == 0o600
    again = avh("keys", "new", "-w", tmp_path)
    assert (again.code, "signing" in again.err) == (3, True)
    assert "Made" in avh("keys", "new", "other", "-w", tmp_path).out


def test_interrupting_is_quiet(avh: Avh, monkeypatch: pytest.MonkeyPatch) -> None:
    ws = FakeWorkspace(days=2)

    def interrupt(*_: object) -> Iterator[object]:
        raise KeyboardInterrupt

    monkeypatch.setattr(ws.profiler, "profile", interrupt)
    monkeypatch.setattr(bootstrap, "open_services", lambda *_, **__: ws.services)
    answer = avh("profile", "orders")
    assert (answer.code, "Interrupted" in answer.err) == (130, True)


def test_the_demo_over_fakes(avh: Avh, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import avh_ui.demo

    ws, seeded = FakeWorkspace(days=8), []
    monkeypatch.setattr(avh_ui.demo, "seed", seeded.append)
    monkeypatch.setattr(bootstrap, "open_services", lambda *_, **__: ws.services)
    first = avh("demo", "-w", tmp_path, "--headless")
    assert (first.code, seeded) == (0, [tmp_path])
    assert "orders: 8 batches profiled" in first.out
    assert "avh review -w" in first.out
    draft = ws.draft("orders")
    saves = ws.profiles.saves
    second = avh("demo", "-w", tmp_path, "--headless")
    assert (second.code, ws.profiles.saves, ws.draft("orders")) == (0, saves, draft)


def test_output_to_a_reader_that_has_gone(tmp_path: Path) -> None:
    command = f"{sys.executable} -m avh_ui --help | true"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, env={**os.environ})
    assert (done.returncode, "Traceback" in done.stderr) == (4, False)


def test_progress_is_for_terminals(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from avh_ui.cli.output import progress

    for terminal, drawn in ((False, False), (True, True)):
        monkeypatch.setattr(sys.stderr, "isatty", lambda terminal=terminal: terminal, raising=False)
        with progress("Working") as watch:
            watch.report(1, 2, "half")
        assert ("Working [############------------] 1/2 half" in capsys.readouterr().err) == drawn


def test_ctrl_c_cancels_the_watch() -> None:
    from avh_ui.cli.output import progress

    def work(see: Callable[[object], None]) -> None:
        with progress("Working") as watch:
            see(watch)
            raise KeyboardInterrupt

    seen: list[object] = []
    with pytest.raises(KeyboardInterrupt):
        work(seen.append)
    assert seen[0].cancelled.is_set()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["-w", "ws", "validate", "orders"], "-w belongs behind the command: avh COMMAND -w ..."),
        (["--workspace", "ws", "doctor"], "--workspace belongs behind the command"),
        (["publish", "orders", "-m", "x"], "Missing option '--by'. Who acts."),
        (["results"], "Missing option '--to'. The file; replaced as a whole."),
        (["suggest", "orders", "--fpr", "0,001"], "'0,001' is no number: write one such as 0.001."),
        (["review", "--port", "abc"], "'abc' is no whole number."),
    ],
)
def test_wrong_words_are_told_what_to_write(avh: Avh, args: list[str], said: str) -> None:
    run = avh(*args)
    assert run.code in (2, 3)
    assert said in " ".join(run.err.split())


def test_watching_begins_with_a_workspace(avh: Avh, tmp_path: Path) -> None:
    run = avh("watch", "-w", str(tmp_path / "nowhere"))
    assert (run.code, "is not a workspace: it has no avh.yml" in run.err) == (3, True)
