"""What a task does, in Spark's workers or in this machine's: reads its shares, and measures their rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from avh_ui.metrics.declined import DeclinedError
from avh_ui.metrics.profiler import FailedBatch
from avh_ui.scan.kernel import Kernel, RowPiece, split_by_last, strip_scheme
from avh_ui.scan.partials import NOBODYS, Declined, Faults, Row, encode_fault, together
from avh_ui.scan.shares import Opener, ReadsTogether, RowReader, Share
from avh_ui.scan.values import RowValues

# A small file costs about as much as so many bytes of a large one: opening it, and the kernel's calls.
_FILE_BYTES = 256 * 1024
# Files of so many bytes are parsed together, up to so much work: 48 of them, of which what is held is small.
_SMALL_FILE, _RUN_BYTES = 64 * 1024, 12 * 1024**2


@dataclass(frozen=True)
class Task:
    """Measures shares. A batch that cannot be read gives its fault, and the others go on. Where a column says which batch a row is of, the
    rows of `wanted` batches count, and a file that cannot be read is a fault of all.
    """

    reader: RowReader
    opener: Opener
    values: RowValues
    kernel: Kernel
    wanted: tuple[str, ...] = ()

    def __call__(self, shares: Iterable[Share]) -> Iterator[pa.RecordBatch]:
        """Partial profiles, in rows of `PARTIAL_SCHEMA`."""
        return together(self.rows(shares))

    def rows(self, shares: Iterable[Share]) -> Iterator[Row]:
        """The same one by one: the record of a column that several batches share is one object."""
        faults: Faults = {}
        shares = list(shares)
        yield from self.kernel.measured(self._pieces(shares, faults), beside=all(share.batch for share in shares))
        for batch, fault in faults.items():
            yield from (encode_fault(one, fault) for one in ([batch] if batch else self.wanted))

    def _pieces(self, shares: Iterable[Share], faults: Faults) -> Iterator[RowPiece]:
        wanted = frozenset((*self.wanted, NOBODYS))
        for share, ahead in self._ahead(shares):
            if share.batch in faults:
                continue
            path = strip_scheme(share.path)
            try:
                found = self.reader.read(share, self.opener, self.values.places) if ahead is None else [ahead]
                for rows in map(self.values, found):
                    if share.batch:
                        yield RowPiece(share.batch, path, rows)
                    else:
                        yield from (RowPiece(batch, "", mine) for batch, mine in split_by_last(rows) if batch in wanted)
            except DeclinedError as why:
                faults[share.batch] = Declined(str(why), why.test, share.path)
            except (OSError, pa.ArrowException) as error:
                said = self.opener.refusal(share.path, error)
                faults[share.batch] = Declined(str(said)) if isinstance(said, DeclinedError) else FailedBatch(share.batch, str(said))

    def _ahead(self, shares: Iterable[Share]) -> Iterator[tuple[Share, pa.RecordBatch | None]]:
        """The shares, with the rows of those that the reader read together."""
        if not isinstance(self.reader, ReadsTogether):
            yield from ((share, None) for share in shares)
            return
        for some in small_runs(shares):
            found = self.reader.together(some, self.opener, self.values.places) if len(some) > 1 else {}
            yield from ((share, found.get(share)) for share in some)


def small_runs(shares: Iterable[Share]) -> Iterator[list[Share]]:
    """The shares in their order: whole small files in runs, each other alone."""
    run: list[Share] = []
    for share in shares:
        small = share.size <= _SMALL_FILE and share.start == 0 and share.stop is None
        if run and (not small or work(run) + work([share]) > _RUN_BYTES):
            yield run
            run = []
        if small:
            run.append(share)
        else:
            yield [share]
    if run:
        yield run


def work(shares: Iterable[Share]) -> int:
    """About how much work shares are, in bytes of a large file."""
    return sum(share.size + _FILE_BYTES for share in shares)


def largest_first(shares: Sequence[Share], tasks: int) -> list[tuple[Share, ...]]:
    """The same as `portions` for tasks that run at once, so that none of the largest begins last: of 20 shares of one size twelve portions
    have one or two each, and four cores are done with them in 0.83 of the time that they take in the order of the shares.
    """
    return sorted(portions(shares, tasks), key=work, reverse=True)


def portions(shares: Sequence[Share], tasks: int) -> list[tuple[Share, ...]]:
    """The shares in at most so many portions of about the same work, neighbours together: the files of a batch mostly meet in one task."""
    weights = [work([share]) for share in shares]
    each = sum(weights) / max(min(tasks, len(shares)), 1)
    found: dict[int, list[Share]] = {}
    before = 0
    for share, weight in zip(shares, weights, strict=True):
        found.setdefault(int((before + weight / 2) / each), []).append(share)
        before += weight
    return [tuple(portion) for portion in found.values()]
