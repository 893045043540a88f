"""A sample of a batch is uniform: every row is as likely to be drawn, wherever it stands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import chisquare

from avh_ui.spark import drawing as sampling
from avh_ui.spark.profiler import SparkProfiler

Make = Callable[..., SparkProfiler]
Write = Callable[[str, dict[str, Any]], Path]


@pytest.mark.parametrize("held", [sampling._HELD_VALUES, 0], ids=["held", "by threshold"])
def test_a_sample_of_a_sorted_table_reaches_its_end(profiler: Make, write: Write, monkeypatch: pytest.MonkeyPatch, held: int) -> None:
    monkeypatch.setattr(sampling, "_HELD_VALUES", held)
    for part in range(2):
        # All rows but one column are alike: a row is drawn by where it stands, not by what it holds.
        write(f"in/1/{part}.parquet", {"x": pa.array(range(part * 20_000, part * 20_000 + 20_000)), "s": pa.array(["v"] * 20_000)})
    engine = profiler(source={"path": "in/{batch}"})
    drawn = np.array(engine.sample("t", "1", 8_000, 3).column("x"))
    assert len(drawn) == len(set(drawn.tolist())) == 8_000
    assert chisquare(np.bincount(drawn // 2_000, minlength=20)).pvalue > 0.001
    assert not np.array_equal(drawn, np.array(engine.sample("t", "1", 8_000, 4).column("x")))
