"""One step of a long job behind another: what is measured is kept while the next is measured."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, Self, TypeVar

T = TypeVar("T")


class Behind(Generic[T]):
    """Calls `do` with each item, one after the other in a thread of its own. What it raises is raised by the next `put`, or at the end of
    the `with` block, and the items after it are dropped. Where the block itself raises, items that were put are done first. Items of `most`
    together by their `size` wait at most, or one, so that memory stays flat where the second step is the slower one.
    """

    def __init__(self, do: Callable[[T], object], size: Callable[[T], int], most: int) -> None:
        self._do, self._size, self._most = do, size, most
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="avh-behind")
        self._waiting: deque[tuple[Future[object], int]] = deque()
        self._held = 0

    def __enter__(self) -> Self:
        return self

    def put(self, item: T) -> None:
        """Hand over an item; waits where too much waits already."""
        size = self._size(item)
        while self._waiting and (self._waiting[0][0].done() or self._held + size > self._most):
            self._take()
        self._waiting.append((self._thread.submit(self._do, item), size))
        self._held += size

    def _take(self) -> None:
        error = self._waiting[0][0].exception()
        self._held -= self._waiting.popleft()[1]
        if error is not None:
            self._thread.shutdown(cancel_futures=True)
            self._waiting.clear()
            raise error

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            while self._waiting:
                self._take()
        except Exception:
            # Of two errors the first is told.
            if kind is None:
                raise
        finally:
            self._thread.shutdown()
