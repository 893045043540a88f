"""Ports for tests that need one: what listens on the machine, such as a developer's own app on 5006, is none of their business."""

from __future__ import annotations

import random
import socket

# Below what a system gives to connections and to whoever asks for any port: Linux from 32,768 on, others from 49,152 on. A server that
# starts seconds after it was given its port finds it free: of the others, the three lanes of the tests take some every second.
PORTS = range(20_000, 32_000)
# Of the system: what Hypothesis seeds would give all lanes the same.
DRAWN = random.SystemRandom()


def free_port() -> int:
    """A port of this machine that nothing listens on now, and that nobody gets by chance until it is used."""
    while True:
        port = DRAWN.choice(PORTS)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
