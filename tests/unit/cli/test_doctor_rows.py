"""`avh doctor` says what of single rows a pipeline keeps."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Avh

CONFIG = "pipelines: {{people: {{source: {{path: 'data/{{batch}}.parquet'}}, {}}}}}"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("key: [id, day]", "of each batch rows by id, day are kept with numbers and texts"),
        ("key: [id], rows: hashed", "kept with numbers and hashes of texts"),
        ("key: [id], samples: off", "kept with numbers and hashes of texts"),
        ("key: [id], rows: none", None),
        ("cadence: daily", None),
    ],
)
def test_what_is_kept_of_rows_is_told(settings: str, said: str | None, avh: Avh, tmp_path: Path) -> None:
    (tmp_path / "avh.yml").write_text(CONFIG.format(settings), encoding="utf-8")
    (pipeline,) = [one for one in json.loads(avh("doctor", "-w", tmp_path, "--json").out) if one["name"] == "pipeline people"]
    assert (said in pipeline["found"]) if said else ("of each batch" not in pipeline["found"])
