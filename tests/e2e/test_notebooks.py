"""The notebook of differential verification runs, on a table of its own, and shows what it says."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests.conventions.sources import ROOT


def test_the_three_scenarios_of_the_paper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    names: dict[str, Any] = {}
    for cell in json.loads((ROOT / "notebooks" / "differential.ipynb").read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), "differential.ipynb", "exec"), names)
    kept = {name: (names[name].partition, names[name].accepted) for name in ("appended", "refused", "spoiling", "corrected", "program")}
    assert kept == {
        "appended": ("appended", True),
        "refused": ("appended", False),
        "spoiling": ("replaced", False),
        "corrected": ("replaced", True),
        "program": ("appended", True),
    }
    assert names["ws"].batches("sales") == names["DAYS"]
    # What the texts say of the numbers is so.
    assert "96.67%" in names["refused"].verdicts[0].message
    assert names["last"].rows == 7 * 2_000
