"""A worker: reads a task with its shares from its standard input, and writes the partial profiles to its standard output, again and again.

It is a process of its own and no fork, since the app and Arrow have threads; and no `multiprocessing`, which runs a user's script once more
in every worker.
"""

from __future__ import annotations

import os
import pickle
import struct
import sys
from typing import IO, Any

# Each message is its length and a pickle.
_LENGTH = struct.Struct("<Q")


def send(stream: IO[bytes], message: object) -> None:
    """Write a message."""
    data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(_LENGTH.pack(len(data)))
    stream.write(data)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """The next message; `EOFError` when the other side has ended."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    data = stream.read(_LENGTH.unpack(head)[0])
    return pickle.loads(data)


def main() -> None:
    """Work until the standard input ends."""
    from avh_ui.lean_classes import without_compiling

    # Of 0.60 s of processor time that a worker's start took this was 0.09.
    without_compiling()
    import pyarrow as pa

    from avh_ui.scan.lean_arrow import without_pandas
    from avh_ui.settings import without_pydantic_plugins

    without_pydantic_plugins()
    without_pandas()
    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)
    answers = os.fdopen(os.dup(1), "wb")
    # Whatever a library prints is no answer.
    os.dup2(2, 1)
    while True:
        try:
            task, shares = receive(sys.stdin.buffer)
        except EOFError:
            return
        try:
            answer: object = list(task.rows(shares))
        except Exception as error:  # noqa: BLE001  whatever it is, the caller raises it
            answer = error
        send(answers, answer)


if __name__ == "__main__":
    main()
