"""One step of a long job behind another."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from avh_ui.workflows.behind import Behind


def one_by_one(do: Callable[[int], object]) -> Behind[int]:
    return Behind(do, lambda _: 1, 32)


def test_items_are_done_in_their_order_while_the_next_are_made() -> None:
    done: list[int] = []
    may = threading.Event()

    def do(item: int) -> None:
        may.wait(10)
        done.append(item)

    with one_by_one(do) as behind:
        for item in range(5):
            behind.put(item)
        assert done == []
        may.set()
    assert done == list(range(5))


def test_no_more_than_a_few_wait() -> None:
    began, may = threading.Semaphore(0), threading.Semaphore(0)
    most = made = 0
    done: list[int] = []

    def do(item: int) -> None:
        began.release()
        may.acquire(timeout=10)
        done.append(item)

    def release() -> None:
        for _ in range(100):
            began.acquire(timeout=10)
            may.release()

    other = threading.Thread(target=release)
    other.start()
    with one_by_one(do) as behind:
        for item in range(100):
            behind.put(item)
            made += 1
            most = max(most, made - len(done))
    other.join()
    assert len(done) == 100
    # Those that wait, the one that is done and the one that was put just now.
    assert most <= 34


def test_items_wait_by_their_size() -> None:
    may, done = threading.Semaphore(0), list[int]()

    def do(item: int) -> None:
        may.acquire(timeout=10)
        done.append(item)

    def put(item: int) -> threading.Thread:
        thread = threading.Thread(target=behind.put, args=(item,))
        thread.start()
        return thread

    with Behind(do, lambda item: item, 10) as behind:
        # Alone, however large.
        behind.put(50)
        small = put(4)
        assert small.is_alive()
        may.release()
        small.join(10)
        assert done == [50]
        behind.put(6)
        more = put(1)
        assert more.is_alive()
        may.release()
        more.join(10)
        assert done == [50, 4]
        may.release(2)
    assert done == [50, 4, 6, 1]


def test_what_is_raised_ends_the_block_and_drops_the_items_after_it() -> None:
    done: list[int] = []

    def do(item: int) -> None:
        if item == 3:
            raise OSError("no space")
        done.append(item)

    def many() -> None:
        with one_by_one(do) as behind:
            for item in range(1_000):
                behind.put(item)

    with pytest.raises(OSError, match="no space"):
        many()
    assert done[:3] == [0, 1, 2]
    assert 999 not in done


def test_what_is_raised_by_the_last_item_is_told_at_the_end() -> None:
    def do(_: int) -> None:
        raise OSError("no space")

    with pytest.raises(OSError, match="no space"), one_by_one(do) as behind:
        behind.put(1)


def test_items_that_were_put_are_done_where_the_block_itself_raises() -> None:
    done: list[int] = []

    def two() -> None:
        with one_by_one(done.append) as behind:
            behind.put(1)
            behind.put(2)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        two()
    assert done == [1, 2]


def test_of_two_errors_the_first_is_told() -> None:
    def fails(_: int) -> None:
        raise OSError("no space")

    def both() -> None:
        with one_by_one(fails) as behind:
            behind.put(1)
            raise ValueError("cancelled")

    with pytest.raises(ValueError, match="cancelled"):
        both()
