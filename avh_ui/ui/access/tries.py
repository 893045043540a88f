"""A limit on guesses: after some wrong passwords a name, and an address, wait."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

# Somebody who mistypes needs fewer; at this rate a list of ten thousand passwords takes a week.
PER_NAME = 5
# Several people may sit behind one address.
PER_ADDRESS = 30
WINDOW_SECONDS = 300.0
# Names are typed by whoever comes: what is remembered of them is bounded.
_MOST_KEPT = 10_000


class Tries:
    """Wrong tries of the last minutes, by (name, address) and by address; in this process's memory.

    By name alone, anybody could lock anybody out.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._wrong: dict[tuple[str, str], deque[float]] = {}

    def wait(self, name: str, address: str) -> float:
        """Seconds until another try is taken; 0 = now."""
        return max(self._wait((name, address), PER_NAME), self._wait(("", address), PER_ADDRESS))

    def wrong(self, name: str, address: str) -> None:
        """Remember a wrong try."""
        for key, most in (((name, address), PER_NAME), (("", address), PER_ADDRESS)):
            if key not in self._wrong and len(self._wrong) >= _MOST_KEPT:
                self._wrong.pop(next(iter(self._wrong)))
            self._wrong.setdefault(key, deque(maxlen=most)).append(self._clock())

    def right(self, name: str, address: str) -> None:
        """Forget the wrong tries of who got in."""
        self._wrong.pop((name, address), None)

    def _wait(self, key: tuple[str, str], most: int) -> float:
        times = self._wrong.get(key)
        if times is None or len(times) < most:
            return 0.0
        return max(0.0, times[0] + WINDOW_SECONDS - self._clock())
