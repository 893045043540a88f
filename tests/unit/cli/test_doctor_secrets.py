"""`avh doctor` says which variable of the environment a source lacks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Avh

CONFIG = """
pipelines:
  orders:
    source:
      {format: jdbc, table: orders, batch: day, options: {url: "jdbc:postgresql://h/shop", password: $AVH_SECRET_SHOP}}
"""


@pytest.mark.parametrize("there", [True, False])
def test_a_password_that_the_environment_lacks_is_told(there: bool, avh: Avh, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AVH_SECRET_SHOP", raising=False)
    if there:
        monkeypatch.setenv("AVH_SECRET_SHOP", "s3cret")
    (tmp_path / "avh.yml").write_text(CONFIG, encoding="utf-8")
    (found,) = [one for one in json.loads(avh("doctor", "-w", tmp_path, "--json").out) if one["name"] == "reading of orders"]
    assert found["ok"] is there
    assert (
        "The option password of the source is $AVH_SECRET_SHOP, and the environment has no such variable." in found["found"]
    ) is not there
    assert "s3cret" not in json.dumps(found)
