"""Ports for tests that need one: what listens on the machine, such as a developer's own app on 5006, is none of their business."""

from __future__ import annotations

import socket


def free_port() -> int:
    """A port of this machine that nothing listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
