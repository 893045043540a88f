"""Whether a server of Spark Connect is there, and how long it is waited for: PySpark tries one that is away for ten minutes, silently."""

from __future__ import annotations

import contextlib
import re
import socket
import warnings
from typing import TYPE_CHECKING, Any
from urllib.request import getproxies

from avh_ui.errors import SparkError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_ADDRESS = re.compile(r"sc://(\[[^\]]+\]|[^/:;]+)(?::(\d+))?(?:[/;].*)?")
# Spark's own where an address names none.
_PORT = 15002
# Machines answer within a second, or not at all.
_SECONDS = 5.0
# With Spark's waits of 50 ms, each four times the one before, some 70 seconds: a server that starts anew is there again. Its sessions are
# gone then, so that a longer wait mends nothing.
_TRIES = 6


def require_server(remote: str) -> bool:
    """`SparkError` where nobody listens at an address of Spark Connect; whether one was asked: behind a proxy nothing can be told."""
    found = _ADDRESS.fullmatch(remote)
    if found is None or getproxies().keys() & {"http", "https", "grpc", "all"}:
        return False
    host, port = found[1].strip("[]"), int(found[2] or _PORT)
    try:
        socket.create_connection((host, port), timeout=_SECONDS).close()
    except socket.gaierror as error:
        raise SparkError(f"No machine is known by the name {host}, which `remote: {remote}` of avh.yml names.") from error
    except OSError as error:
        text = f"No server of Spark Connect answers at {host}:{port} ({error.strerror or 'no answer'})."
        raise SparkError(text, hint="Start it, or correct `remote:` in avh.yml.") from error
    return True


def wait_less(spark: SparkSession, tries: int = _TRIES) -> None:
    """Let a session of Spark Connect, or a copy of it, give up a server that went away after a minute, or with no `tries` at once.

    Spark 3.5 keeps its own way.
    """
    # It is in no API that classic Spark and Connect share.
    client: Any = getattr(spark, "client", None)
    with contextlib.suppress(ImportError, AttributeError):
        from pyspark.sql.connect.client.retries import DefaultPolicy

        client.set_retry_policies([DefaultPolicy(max_retries=tries)])
        # That it gave up is an error of ours.
        warnings.filterwarnings("ignore", message=r"\[RETRIES_EXCEEDED\]")
