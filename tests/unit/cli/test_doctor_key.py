"""`avh doctor` says of a key in avh.yml which column of it is not there, or that it is none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Avh

CONFIG = "pipelines: {people: {source: {format: csv, path: 'data/{batch}.csv', options: {header: true}}, key: %s}}\nengine: local\n"


@pytest.mark.parametrize(
    ("key", "profiled", "said"),
    [
        ("[idd]", True, "The key is idd: there is no column 'idd' in batch '2026-01-02', or it is left out. Did you mean 'id'?"),
        ("[shop]", True, "The key is shop: 100% of its values stand in several rows of batch '2026-01-02', which are not matched."),
        ("[id]", True, ""),
        ("[idd]", False, ""),
    ],
)
def test_a_key_is_looked_at_where_a_batch_is_profiled(key: str, profiled: bool, said: str, avh: Avh, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    for day in ("2026-01-01", "2026-01-02"):
        (tmp_path / "data" / f"{day}.csv").write_text("id,shop\n" + "".join(f"{k},s{k % 3}\n" for k in range(30)), encoding="utf-8")
    (tmp_path / "avh.yml").write_text(CONFIG % key, encoding="utf-8")
    if profiled:
        avh("profile", "people", "-w", tmp_path)
    (found,) = [one for one in json.loads(avh("doctor", "-w", tmp_path, "--json").out) if one["name"] == "key of people"]
    assert found["ok"] is not bool(said)
    assert said in found["found"]
