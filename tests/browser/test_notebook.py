"""The review in JupyterLab in a real browser: the notebook that people open, on a workspace of their own."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlparse
from urllib.request import urlopen

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from avh_ui.store.history_files import HistoryFiles
from avh_ui.store.reviews_sql import ReviewsSql
from avh_ui.workflows.frames import profile_table
from avh_ui.workspace import Workspace, open_workspace
from tests.browser.conftest import PATIENCE
from tests.conftest import IN_CI
from tests.fakes.ports import free_port
from tests.fakes.workspaces import DAYS, FakeWorkspace, day, orders

pytestmark = [pytest.mark.browser, pytest.mark.slow]
ROOT = Path(__file__).parents[2]
NOTEBOOK = ROOT / "notebooks" / "review.ipynb"
# Nothing of JupyterLab's own may ask outside either: news and new versions.
QUIET = ["--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate", "--LabApp.news_url=", "--LabApp.extension_manager=readonly"]


def test_the_notebook_is_kept_without_outputs() -> None:
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    assert all(not cell["outputs"] and cell["execution_count"] is None for cell in cells if cell["cell_type"] == "code")


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A workspace on disk where the notebook looks for it."""
    folder = tmp_path / "demo-workspace"
    folder.mkdir()
    (folder / "avh.yml").write_text('pipelines: {flights: {source: {path: "data/{batch}.parquet"}}}\n', encoding="utf-8")
    made = open_workspace(folder)
    history = HistoryFiles(str(folder / "history"))
    for k in range(DAYS):
        history.save(profile_table(orders(k), "flights", day(k)))
    draft = FakeWorkspace().drafted().draft("orders")
    assert draft is not None
    reviews = ReviewsSql(f"sqlite:///{folder / 'reviews.db'}")
    reviews.save_run(type(draft.run)(**{**draft.run.__dict__, "pipeline": "flights"}))
    reviews.close()
    return made


@pytest.fixture
def lab(tmp_path: Path, workspace: Workspace) -> Iterator[str]:
    """The address of a JupyterLab whose root has the notebook."""
    if find_spec("jupyterlab") is None:
        assert not IN_CI, "the dev extra brings JupyterLab"
        pytest.skip("JupyterLab is not installed")
    (tmp_path / "notebooks").mkdir()
    shutil.copy(NOTEBOOK, tmp_path / "notebooks")
    port = free_port()
    options = [f"--port={port}", "--ip=127.0.0.1", "--no-browser", "--allow-root", "--IdentityProvider.token=", *QUIET]
    settings = {name: str(tmp_path / name) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")}
    environment = {
        **os.environ,
        **settings,
        "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path[1:]]),
        "JUPYTERLAB_SETTINGS_DIR": str(tmp_path / "settings"),
    }
    command = [sys.executable, "-m", "jupyterlab", *options]
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        url = f"http://127.0.0.1:{port}"
        try:
            _answers(f"{url}/api", server)
            yield url
        finally:
            server.terminate()


def _answers(url: str, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and server.poll() is None:
        with contextlib.suppress(OSError):
            urlopen(url, timeout=10).close()
            return
        time.sleep(0.2)
    raise TimeoutError(f"JupyterLab does not answer (exit code {server.poll()})")


def test_a_decision_by_key_in_jupyterlab(lab: str, workspace: Workspace, context: BrowserContext, page: Page) -> None:
    outside: list[str] = []
    context.set_default_timeout(PATIENCE)
    context.on("request", lambda request: outside.append(request.url) if _foreign(request.url) else None)
    # JupyterLab asks for the kernel where it has not read yet which there are, as on a slow machine; the notebook's own is chosen in it.
    which = page.get_by_role("dialog").filter(has_text="Select Kernel")
    page.add_locator_handler(which, lambda: which.locator("button.jp-mod-accept").click())
    page.goto(f"{lab}/lab/tree/notebooks/review.ipynb")
    cells = page.locator(".jp-Notebook .jp-Cell")
    # JupyterLab adds cells one by one.
    expect(cells).to_have_count(len(json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]))
    expect(page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]")).to_be_attached()
    for cell in page.locator(".jp-Notebook .jp-CodeCell").all():
        _execute(page, cell)
    rows = page.locator("tbody tr[data-id]")
    expect(rows.first).to_be_visible()
    page.keyboard.press("a")  # before a click into the view, keys are the notebook's own
    _inside_its_cell(page)
    page.get_by_role("group", name="Piles of suggestions").get_by_role("button", name="All", exact=True).click()
    expect(rows).to_have_count(5)
    rows.nth(1).click()
    expect(rows.nth(1)).to_have_attribute("aria-current", "true")
    expect(page.locator(".subtitle", has_text="(mean)").first).to_be_visible()
    page.keyboard.press("a")
    expect(rows.nth(1)).to_contain_text("accepted")
    page.keyboard.press("j")
    page.keyboard.press("r")
    expect(rows.filter(has_text="rejected")).to_have_count(1)
    draft = workspace.draft("flights")
    assert draft is not None
    assert (draft.count("accepted"), draft.count("rejected")) == (1, 1)
    assert outside == []


def _inside_its_cell(page: Page) -> None:
    """The bar of the app is as wide as the cell, which is a third narrower than the window: its last tab and its tools are in sight."""
    cell = page.locator(".jp-OutputArea-output", has=page.get_by_role("navigation", name="Pages")).bounding_box()
    assert cell is not None
    for seen in (page.get_by_role("button", name="Trial"), page.get_by_role("button", name="Help and keyboard shortcuts")):
        box = seen.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= cell["x"] + cell["width"]


def _execute(page: Page, cell: Locator) -> None:
    """By keyboard; again where JupyterLab dropped it, as it does while it says that a kernel is idle which it has not reached yet."""
    done = re.compile(r"\[\d+\]")
    for last in (False, False, False, True):
        cell.click()
        page.keyboard.press("Escape")
        page.keyboard.press("Shift+Enter")
        with contextlib.nullcontext() if last else contextlib.suppress(AssertionError):
            expect(cell.locator(".jp-InputPrompt").first).to_have_text(done, timeout=PATIENCE if last else 20_000)
            return


def _foreign(url: str) -> bool:
    return urlparse(url).hostname not in ("localhost", "127.0.0.1", None)
