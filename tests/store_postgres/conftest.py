"""A throw-away PostgreSQL cluster for the run."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.ports import free_port

# PostgreSQL refuses to run as root; its package makes this user.
_USER = "postgres"


def _programs() -> Path | None:
    """Where `initdb` and `pg_ctl` are; Debian keeps them off the path."""
    found = shutil.which("initdb")
    if found:
        return Path(found).resolve().parent
    newest = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: int(p.parts[-3]))
    return newest[-1].parent if newest else None


def _run(*command: object) -> None:
    # Output to a file, not a pipe: the server that pg_ctl leaves behind would keep a pipe open for ever.
    as_root = ["runuser", "-u", _USER, "--"] if os.geteuid() == 0 else []
    with tempfile.TemporaryFile() as output:
        done = subprocess.run([*as_root, *map(str, command)], stdout=output, stderr=output, cwd="/", timeout=120)
        output.seek(0)
        assert done.returncode == 0, output.read().decode("utf-8", "replace")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The URL of a cluster's maintenance database, without `/NAME`."""
    programs = _programs()
    if programs is None:
        message = "There is no PostgreSQL server: `apt-get install -y postgresql` gives one."
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    # Not pytest's own folder: the server's user may not enter it.
    folder = Path(tempfile.mkdtemp(prefix="avh-postgres-"))
    try:
        if os.geteuid() == 0:
            shutil.chown(folder, _USER)
        port = free_port()
        _run(programs / "initdb", "-D", folder / "data", "-U", _USER, "-A", "trust", "-E", "UTF8", "--no-sync")
        options = f"-c listen_addresses=127.0.0.1 -p {port} -k {folder} -c fsync=off"
        _run(programs / "pg_ctl", "-D", folder / "data", "-w", "-l", folder / "log", "-o", options, "start")
        try:
            yield f"postgresql://{_USER}@127.0.0.1:{port}"
        finally:
            _run(programs / "pg_ctl", "-D", folder / "data", "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
