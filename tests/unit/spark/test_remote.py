"""A server of Spark Connect that is not there is told at once."""

from __future__ import annotations

import socket
from types import SimpleNamespace
from typing import Any

import pytest

from avh_ui.errors import SparkError
from avh_ui.spark.remote import require_server, wait_less
from tests.fakes.ports import free_port


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "grpc_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def test_a_server_that_is_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert require_server(f"sc://127.0.0.1:{port}")
        assert require_server(f"sc://127.0.0.1:{port}/;user_id=ann;token=x")


@pytest.mark.parametrize("remote", ["", "local[*]", "http://127.0.0.1:1"])
def test_what_is_no_address_is_left_to_spark(remote: str) -> None:
    assert not require_server(remote)


def test_nobody_listens() -> None:
    port = free_port()
    with pytest.raises(SparkError, match=rf"No server of Spark Connect answers at 127.0.0.1:{port} \(Connection refused\). Start it, or"):
        require_server(f"sc://127.0.0.1:{port}")


def test_no_such_machine() -> None:
    with pytest.raises(SparkError, match=r"No machine is known by the name nowhere.invalid, which `remote: sc://nowhere.invalid` of"):
        require_server("sc://nowhere.invalid")


def test_behind_a_proxy_nothing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
    assert not require_server(f"sc://127.0.0.1:{free_port()}")


def test_a_server_that_went_away_is_waited_for_a_minute() -> None:
    pytest.importorskip("grpc")
    given: list[Any] = []
    wait_less(SimpleNamespace(client=SimpleNamespace(set_retry_policies=given.extend)))  # type: ignore[arg-type]
    waits = [min(50 * 4**n, given[0].max_backoff) for n in range(given[0].max_retries)]
    assert 60_000 < sum(waits) < 90_000
    wait_less(SimpleNamespace(client=SimpleNamespace(set_retry_policies=given.extend)), tries=0)  # type: ignore[arg-type]
    assert given[1].max_retries == 0
    # Classic Spark has no client, and Spark 3.5 another.
    wait_less(SimpleNamespace())  # type: ignore[arg-type]
    wait_less(SimpleNamespace(client=SimpleNamespace()))  # type: ignore[arg-type]
