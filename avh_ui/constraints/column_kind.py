"""What a column is, as a run of suggestions keeps it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from avh_ui.typed import LEFT_OUT, KnownText, Truth


@dataclass(frozen=True)
class KnownKind:
    """The `kind` (of `config.ColumnKind`; a later release may know more), `why` in words, and whether a person `corrected` it: in avh.yml,
    or who did `by` picking it ('' otherwise).
    """

    kind: KnownText = ""
    why: KnownText = ""
    corrected: Truth = False
    by: Annotated[KnownText, LEFT_OUT] = ""
