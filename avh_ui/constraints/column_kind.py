"""What a column is, as a run of suggestions keeps it."""

from __future__ import annotations

from dataclasses import dataclass

from avh_ui.typed import KnownText, Truth


@dataclass(frozen=True)
class KnownKind:
    """The `kind` (of `config.ColumnKind`; a later release may know more), `why` in words, and whether a person `corrected` it."""

    kind: KnownText = ""
    why: KnownText = ""
    corrected: Truth = False
