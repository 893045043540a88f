"""kill -9 in the middle of a profiling run: what was finished is kept whole, and the next run does the rest; and Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import yaml

from avh_ui.metrics.profile import ColumnProfile
from avh_ui.workspace import open_workspace
from tests.e2e.faults import BATCH, make_workspace
from tests.spark.conftest import environment

# So many profiles, of two columns each, may wait to be kept while the next are measured, and so many be written and not synced yet.
BATCHES, CHUNK, WAITING, WRITTEN = 16, 2, 1, 1
# Says how many batches are done as each chunk is finished, and never finishes: it waits before its last chunk to be killed.
SCRIPT = f"""
import sys, threading
import avh_ui as avh
import avh_ui.durable
import avh_ui.local.groups
import avh_ui.workflows.batches
from avh_ui.metrics.profiler import Watch

avh_ui.local.groups.FileBatches.chunk = {CHUNK}
avh_ui.workflows.batches._WAITING_COLUMNS = {2 * WAITING}
avh_ui.durable._WAITING = {WRITTEN}

def tell(progress):
    print(progress.done, flush=True)
    if progress.done >= {BATCHES - CHUNK}:
        threading.Event().wait()

avh.open(sys.argv[1]).profile("t", watch=Watch(tell))
"""

# Ctrl-C, which the whole group gets, as soon as the scan tells of progress; its file is a pipe that nobody
# writes to, so that it never ends by itself.
INTERRUPTED = """
import os, signal, sys
from pathlib import Path
import avh_ui.spark.corpus_scan
from avh_ui.cli.main import cli
from avh_ui.metrics.profiler import Watch

def scanned(*args, watch, **kwargs):
    return build_index(*args, watch=Watch(lambda progress: os.killpg(0, signal.SIGINT)), **kwargs)

build_index, avh_ui.spark.corpus_scan.build_index = avh_ui.spark.corpus_scan.build_index, scanned
cli(["patterns", "index", "--source", sys.argv[1], "--output", sys.argv[2]])
"""

# Java is killed as soon as the job tells of progress, as by a machine without memory.
JAVA_DIES = """
import os, signal
from pyspark import SparkContext
import avh_ui.spark.measuring as measuring
from avh_ui.cli.main import cli

def killed(frame, watch, on_share=None):
    return collect(frame, watch, lambda share: os.kill(SparkContext._gateway.proc.pid, signal.SIGKILL))

collect, measuring.collect = measuring.collect, killed
cli()
"""


def table(k: int) -> pa.Table:
    rng = np.random.default_rng(k)
    return pa.table({"x": rng.normal(size=500), "s": rng.choice(["a", "b"], 500)})


def test_a_killed_run_loses_at_most_the_chunk_in_flight_and_what_waits_to_be_kept(tmp_path: Path) -> None:
    """Whichever engine measures: how Spark's gives its chunks is in `test_profiler.py`, and what is told is kept by the same lines."""
    (tmp_path / "in").mkdir()
    for k in range(BATCHES):
        pq.write_table(table(k), tmp_path / f"in/{k}.parquet")
    (tmp_path / "avh.yml").write_text(yaml.safe_dump({"engine": "local", "pipelines": {"t": {"source": {"path": "in/{batch}.parquet"}}}}))

    told = 0
    command = [sys.executable, "-c", SCRIPT, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment(), start_new_session=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            told = int(line)
            if told >= 2 * CHUNK:
                break
        os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL

    workspace = open_workspace(tmp_path)
    kept = workspace.batches("t")
    assert told >= 2 * CHUNK
    assert len(kept) >= told - WAITING - WRITTEN
    assert kept == [str(k) for k in range(len(kept))]
    assert len(kept) <= BATCHES - CHUNK
    report = workspace.profile("t")
    assert report.profiled == tuple(str(k) for k in range(len(kept), BATCHES))
    for k in range(BATCHES):
        expected = {name: ColumnProfile.from_arrow(name, table(k).column(name)).single_metrics() for name in ("x", "s")}
        ours = {name: column.single_metrics() for name, column in workspace.batch("t", str(k)).columns.items()}
        for name, metrics in expected.items():
            np.testing.assert_allclose(list(ours[name].values()), list(metrics.values()), rtol=1e-12)
    assert workspace.profile("t").profiled == ()


def test_ctrl_c_ends_a_corpus_scan_in_order(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "endless.csv")
    output = tmp_path / "x.avhpidx"
    command = [sys.executable, "-c", INTERRUPTED, str(tmp_path), str(output)]
    ended = subprocess.run(command, capture_output=True, text=True, env=environment(), start_new_session=True, check=False)
    assert (ended.returncode, "Interrupted" in ended.stderr, "Fatal" in ended.stderr) == (130, True, False), ended.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["endless.csv"]


def test_a_java_that_dies_is_no_verdict(tmp_path: Path) -> None:
    make_workspace(tmp_path)
    config = yaml.safe_load((tmp_path / "avh.yml").read_text(encoding="utf-8"))
    # A job that lasts until Java is killed.
    config["pipelines"]["query"]["source"]["query"] = "select '{batch}' as id, reflect('java.lang.Thread', 'sleep', 100000L) as amount"
    (tmp_path / "avh.yml").write_text(yaml.safe_dump(config), encoding="utf-8")
    command = [sys.executable, "-c", JAVA_DIES, "validate", "query", "--batch", BATCH, "--no-record", "-w", str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True, env=environment(), check=False, timeout=200)
    said = ended.stdout + ended.stderr
    assert (ended.returncode, "Spark's Java process has ended" in ended.stdout, "Traceback" in said) == (3, True, False), said
