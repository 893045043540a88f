"""What tests of several folders share: the Spark session, the browser, Hypothesis' profile and the order of the tests."""

from __future__ import annotations

import gc
import os
import shutil
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

TESTS = Path(__file__).parent
# The lanes of `make test`: by mark, the fixture that says that a test is of it, and the folders that it collects. Tests of Spark start it
# in processes of their own, too.
LANES = {"spark": ("spark", ("spark", "e2e")), "browser": ("browser", ("browser",))}
# Lines of a failure's message that are said again at the end: what was expected, what was there, and of what.
SAID = 8
IN_CI = bool(os.environ.get("CI"))
# The shell first, which takes a third less of a processor for the same page.
CHROMIUMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, CHROMIUMS)), None)
# No sandbox: containers run as root. The rest keeps Chromium from calling home, so that a test may assert no outside request.
CHROMIUM_ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

# How each Java of the tests is started: code that runs for seconds is not worth compiling twice, nor a heap of megabytes four threads.
# Measured on six tests of the analysis with the session's start: 35 seconds of a processor instead of 56. The 48 MB of compiled code that a
# Java with one compiler gets are full after a third of the tests, and a heap that grows is collected whole again and again: with room for
# both, 200 tests took 240 seconds of Java's processor time instead of 298.
JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xms1g -XX:ReservedCodeCacheSize=256m -XX:MetaspaceSize=256m"
os.environ.setdefault("SPARK_SUBMIT_OPTS", JAVA)

# Timing says nothing on a busy machine; in CI the same examples every time, so that a failure is the change's, and half as many as on a
# desk, where each run draws new ones.
hypothesis.settings.register_profile("avh", deadline=None, derandomize=IN_CI, max_examples=50 if IN_CI else 100)
hypothesis.settings.load_profile("avh")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, Any, Any]:
    """What is imported stays until the end: looking through all of it for garbage, again and again, took 25 seconds of the quick lane."""
    gc.disable()
    try:
        found = yield
        gc.freeze()
    finally:
        # After 20,000 new objects that stay, not 700: of 25 seconds of pages and suggestions 1.2 went into looking, and 0.5 go.
        gc.set_threshold(20_000)
        gc.enable()
    return found


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests by their folders, and run browser tests last: Playwright leaves an event loop running in the main thread.

    A lane collects its own folders alone, for each file costs a tenth of a second: a test elsewhere would run in none.
    """
    for item in items:
        used, folder = getattr(item, "fixturenames", ()), item.path.relative_to(TESTS).parts[0]
        for mark, (fixture, folders) in LANES.items():
            if folder in folders:
                item.add_marker(mark)
            elif fixture in used:
                raise pytest.UsageError(f"{item.nodeid} uses `{fixture}`: it belongs into tests/{folders[0]}.")
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say at the end where each failure is and how it begins: above may stand a whole page, and of a log the end is kept."""
    reports = [report for kind in ("failed", "error") for report in terminalreporter.stats.get(kind, ())]
    for crash in filter(None, (getattr(report.longrepr, "reprcrash", None) for report in reports)):
        lines = [line for line in crash.message.splitlines() if line.strip()]
        terminalreporter.write_line(f"\n{crash.path}:{crash.lineno}")
        for line in lines[:SAID]:
            terminalreporter.write_line(f"    {line[:200]}")


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """The one Spark session of the run."""
    from avh_ui.config import SparkSettings
    from avh_ui.spark.session import get_spark

    # Tests that count jobs do so among those that Spark remembers: 1,000 by default, and the run has more.
    session = get_spark(SparkSettings(master="local[2]", conf={"spark.ui.retainedJobs": "100000"}))
    yield session
    session.stop()


@pytest.fixture(scope="module")
def cheap_passwords() -> Iterator[None]:
    """Hashes of the least work that a password file may ask for: each of its own takes an eighth of a second of a processor."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("avh_ui.ui.access.password_file._LOG_N", 10)
        yield


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any], browser_type: Any) -> dict[str, Any]:
    """Launch the system's Chromium, else Playwright's own; without either, skip on a desk and fail in CI."""
    if CHROMIUM is None and not Path(browser_type.executable_path).exists():
        message = "There is no Chromium: `make chromium` installs one."
        if IN_CI:
            pytest.fail(message)
        pytest.skip(message)
    chosen = {"executable_path": CHROMIUM} if CHROMIUM else {}
    return {**browser_type_launch_args, **chosen, "args": CHROMIUM_ARGS}
