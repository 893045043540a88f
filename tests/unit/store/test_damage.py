"""A history file that cannot be used stops only what needs it: each kind of damage, before each reader."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from avh_ui.config import Config
from avh_ui.constraints.program import SchemaConstraint
from avh_ui.constraints.transforms import Transform
from avh_ui.errors import UNREADABLE_BATCH
from avh_ui.history.views import view
from avh_ui.metrics.profiler import Watch
from avh_ui.store.history_files import HistoryFiles
from avh_ui.store.history_format import FORMAT, METADATA_KEY
from avh_ui.ui.state.heatmap import heatmap
from avh_ui.validator.validate import validate
from avh_ui.workflows.batches import profile as profile_batches
from avh_ui.workflows.frames import profile_table
from avh_ui.workflows.suggesting import SuggestOptions, suggest
from tests.fakes.builders import program
from tests.fakes.profiler import FakeProfiler
from tests.fakes.workspaces import CONSTRAINTS, config, day, orders

DAYS, BAD = 12, 9
MEND = f"avh profile orders --batches {day(BAD)}..{day(BAD)} --again"


def newer(content: bytes) -> bytes:
    """The file as a later release would write it."""
    table = pq.read_table(io.BytesIO(content))
    about = json.loads(table.schema.metadata[METADATA_KEY])
    out = io.BytesIO()
    pq.write_table(table.replace_schema_metadata({METADATA_KEY: json.dumps({**about, "format": FORMAT + 1})}), out)
    return out.getvalue()


def states_broken(content: bytes) -> bytes:
    """The metrics as they were, the states not."""
    at = pq.read_metadata(io.BytesIO(content)).row_group(0).column(4).data_page_offset + 40
    return content[:at] + bytes([content[at] ^ 0x55]) + content[at + 1 :]


DAMAGE: dict[str, Callable[[bytes], bytes] | None] = {
    "empty": lambda content: b"",
    "garbage": lambda content: b"garbage" * 500,
    "truncated": lambda content: content[: len(content) // 2],
    "newer": newer,
    "states": states_broken,
    "unreadable": None,
}


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of a pipeline's batches."""
    folder = tmp_path_factory.mktemp("sound")
    store = HistoryFiles(str(folder))
    for k in range(DAYS):
        store.save(profile_table(orders(k), "orders", day(k)))
    return {path.name: path.read_bytes() for path in (folder / "orders").glob("*.parquet")}


@pytest.fixture(params=list(DAMAGE))
def damaged(request: pytest.FixtureRequest, sound: dict[str, bytes], tmp_path: Path) -> HistoryFiles:
    """The same with one damaged batch, and another pipeline beside it."""
    for name, content in sound.items():
        path = tmp_path / "orders" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    harm = DAMAGE[request.param]
    path = tmp_path / "orders" / f"{day(BAD)}.parquet"
    if harm is None:
        path.unlink()
        path.mkdir()  # what nobody can read as a file, whoever one is
    else:
        path.write_bytes(harm(path.read_bytes()))
    HistoryFiles(str(tmp_path)).save(replace(profile_table(orders(0), "orders", "b"), pipeline="others"))
    return HistoryFiles(str(tmp_path))


@pytest.fixture
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.node.callspec.params["damaged"])


def told(text: str, kind: str) -> bool:
    """The file is named, and what mends it."""
    return f"{day(BAD)}.parquet" in text and (
        (f"format {FORMAT + 1}" in text and "newer avh_ui" in text) if kind == "newer" else MEND in text
    )


def test_the_history_leaves_it_out(damaged: HistoryFiles, kind: str) -> None:
    if kind == "states":
        damaged.save(profile_table(orders(BAD - 1), "orders", day(BAD - 1)))
        damaged.delete("orders", day(BAD - 1))  # so that the batch is compared with another, for which its states are read
    found = damaged.history("orders")
    there = [day(k) for k in range(DAYS) if k != BAD and not (kind == "states" and k == BAD - 1)]
    assert list(found.batches) == there
    assert list(found.unread) == [day(BAD)]
    assert told(found.unread[day(BAD)], kind)
    assert found.baselines[there.index(day(BAD + 1))] == there[there.index(day(BAD + 1)) - 1]
    assert np.isfinite(found.columns["amount"].values["js_div"][1:]).all()
    assert list(damaged.history("orders", upto=day(BAD)).batches) == [b for b in there if b < day(BAD)]
    assert heatmap(found, "daily").code("amount", day(BAD)) == "-"
    assert damaged.segments("orders") == []
    assert damaged.history("others").unread == {}
    assert day(BAD) in damaged.batches("orders")


def test_a_view_has_a_gap(damaged: HistoryFiles, kind: str) -> None:
    for _ in range(2):  # by its blocks, too
        found = view(damaged, "orders")
        assert found.rows == 400 * (DAYS - 1)
        (gap,) = found.gaps
        assert told(str(gap), kind)
    with pytest.raises(UNREADABLE_BATCH) as caught:
        view(damaged, "orders", day(BAD))
    assert told(str(caught.value), kind)
    with pytest.raises(UNREADABLE_BATCH):
        damaged.load("orders", day(BAD))


def test_the_next_batch_is_judged_by_the_one_before(damaged: HistoryFiles, kind: str) -> None:
    profile = profile_table(orders(BAD + 1), "orders", day(BAD + 1))
    run = validate(program("orders", constraints=CONSTRAINTS, schema=SchemaConstraint((), level="off")), profile, damaged)
    assert run.status == "pass"
    assert run.baseline is not None
    assert (run.baseline.batch, run.baseline.steps) == (day(BAD - 1), 2)
    assert told(run.baseline.words, kind)


def test_a_lag_that_ends_at_it_goes_back_once_more(damaged: HistoryFiles, kind: str) -> None:
    lag = DAYS - BAD
    # The least id rises by 10,000 a day, and by twice 70,000 in twice the lag from the batch that is looked back to.
    profile = profile_table(orders(BAD - lag + 14), "orders", day(DAYS))
    lagged = replace(CONSTRAINTS[2], transform=Transform(lag=lag))
    run = validate(program("orders", constraints=(lagged, CONSTRAINTS[1]), schema=SchemaConstraint((), level="off")), profile, damaged)
    assert [v.status for v in run.verdicts] == ["pass", "pass"]
    assert day(BAD - lag) in run.verdicts[0].message
    assert told(run.verdicts[0].message, kind)


def test_a_lag_reads_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = HistoryFiles(str(tmp_path))
    for k in range(40):
        store.save(profile_table(orders(k, rows=20), "orders", day(k)))
    read: list[str] = []
    load = store.load
    monkeypatch.setattr(store, "load", lambda pipeline, batch, *rest: (read.append(batch), load(pipeline, batch, *rest))[1])
    monkeypatch.setattr(store, "history", lambda *_, **__: pytest.fail("all of a history is read for one batch of it"))
    rules = program("orders", constraints=(CONSTRAINTS[2], CONSTRAINTS[3]), schema=SchemaConstraint((), level="off"))
    run = validate(rules, profile_table(orders(40, rows=20), "orders", day(40)), store, delivery="off", stale="off")
    assert {v.constraint.metric: v.status for v in run.verdicts}["min"] == "pass"
    assert set(read) == {day(33), day(39)}


def test_suggesting_leaves_it_out_and_says_so(damaged: HistoryFiles, kind: str) -> None:
    profiler = FakeProfiler({"orders": {day(k): orders(k) for k in range(DAYS)}})
    options = SuggestOptions(sources=("snapshot",))
    run = suggest(config().pipeline("orders"), profiler, damaged, options, Watch())
    if kind != "states":
        assert run.batches == DAYS - 1
        assert [told(out["reason"], kind) for out in run.left_out if not out["column"]] == [True]


def test_other_batches_are_profiled_and_it_is_mended(damaged: HistoryFiles, kind: str, tmp_path: Path) -> None:
    csv = Config.model_validate({"pipelines": {"orders": {"source": {"path": "{batch}.csv", "format": "csv"}}}}).pipeline("orders")
    profiler = FakeProfiler({"orders": {day(k): orders(k) for k in range(DAYS + 1)}})
    report = profile_batches(csv, profiler, damaged, batches=None, again=False, watch=Watch())
    assert (report.profiled, report.failed) == ((day(DAYS),), ())
    if kind == "unreadable":
        (tmp_path / "orders" / f"{day(BAD)}.parquet").rmdir()
    profile_batches(csv, profiler, damaged, batches=f"{day(BAD)}..{day(BAD)}", again=True, watch=Watch())
    assert len(damaged.history("orders").batches) == DAYS + 1
    assert damaged.history("orders").unread == {}
