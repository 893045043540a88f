"""Rows of some of the batches before the newest two: whether what tells rows apart did so then, too."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from avh_ui.errors import AvhError, CancelledError
from avh_ui.metrics.profiler import Profiler, Watch

# The newest two say what is a key of both; these say whether it was one.
_NEWEST, _EARLIER = 2, 3


def earlier_rows(pipeline: str, profiler: Profiler, batches: Sequence[str], count: int, watch: Watch | None = None) -> list[pa.Table]:
    """Up to so many rows each of the first of the `batches`, the latest last, and of two between it and the newest two; of those that can
    be read.

    The labels of 147 certificates were all different in the newest two batches, in 14 of 34 two had one, and fingerprints never. Of 13
    wildfires who saw them and how the wind blew told all apart, and of those of most months it does not.
    """
    some, found = batches[:-_NEWEST], []
    for batch in dict.fromkeys(some[len(some) * part // _EARLIER] for part in range(_EARLIER) if some):
        try:
            found.append(profiler.sample(pipeline, batch, count, 0) if watch is None else profiler.sample(pipeline, batch, count, 0, watch))
        except CancelledError:
            raise
        except AvhError:
            continue
    return found
