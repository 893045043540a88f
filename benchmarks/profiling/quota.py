"""A share of a core for a process and all that it starts: a control group of the kernel, of version 2 or 1, which root may make."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

_UNIFIED = Path("/sys/fs/cgroup")
# Of version 1, by itself or with the controller that counts.
_OLDER = (_UNIFIED / "cpu", _UNIFIED / "cpu,cpuacct")
# Microseconds in which a group gets its share: the kernel's own default.
_PERIOD = 100_000
_PATIENCE = 20.0


class NoGroupError(Exception):
    """No control group can be made here."""


@contextlib.contextmanager
def limited(name: str, share: float) -> Iterator[Path]:
    """The file into which a process's id is written, so that it and all that it starts get this share of a core together. What is still in
    the group at the end is killed.
    """
    group = next((root for root in _OLDER if root.is_dir()), _UNIFIED) / f"avh-benchmark-{os.getpid()}-{name}"
    try:
        if group.parent == _UNIFIED:
            (_UNIFIED / "cgroup.subtree_control").write_text("+cpu")
        group.mkdir()
        if group.parent == _UNIFIED:
            (group / "cpu.max").write_text(f"{round(share * _PERIOD)} {_PERIOD}")
        else:
            (group / "cpu.cfs_period_us").write_text(str(_PERIOD))
            (group / "cpu.cfs_quota_us").write_text(str(round(share * _PERIOD)))
    except OSError as error:
        raise NoGroupError(f"{group} cannot be made ({error}). It takes root, or leave out --quota.") from error
    try:
        yield group / "cgroup.procs"
    finally:
        _emptied(group)
        group.rmdir()


def held_back(group: Path) -> float:
    """The seconds for which a group's threads were kept waiting for its share."""
    stat = dict(line.split() for line in (group / "cpu.stat").read_text(encoding="ascii").splitlines())
    return int(stat["throttled_usec"]) / 1e6 if "throttled_usec" in stat else int(stat["throttled_time"]) / 1e9


def _emptied(group: Path) -> None:
    ends = time.monotonic() + _PATIENCE
    while (left := (group / "cgroup.procs").read_text(encoding="ascii").split()) and time.monotonic() < ends:
        for process in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(process), signal.SIGKILL)
        time.sleep(0.1)
