"""Whether a port is free, asked before anything heavy starts."""

from __future__ import annotations

import contextlib
import socket

from avh_ui.errors import PortInUseError

# Far enough to get past a few running apps.
_TRIES = 100


def is_free(port: int) -> bool:
    """Whether the app could listen on the port, on every interface."""
    with contextlib.closing(socket.socket(socket.AF_INET, socket.SOCK_STREAM)) as probe:
        # As servers do: a port whose last connection is still being wound up is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("", port))
        except OSError:
            return False
    return True


def require_free(port: int) -> None:
    """`PortInUseError` names a port that is free."""
    if is_free(port):
        return
    free = next((p for p in range(port + 1, min(port + _TRIES, 65536)) if is_free(p)), None)
    hint = f"Port {free} is free: use --port {free}." if free else "Choose another with --port."
    raise PortInUseError(f"Port {port} cannot be listened on: something else uses it.", hint=hint)
