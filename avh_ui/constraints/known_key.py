"""The key by which a table's rows are matched with those of the batch before, as a draft keeps it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from avh_ui.typed import LEFT_OUT, KnownText, Truth


@dataclass(frozen=True)
class KnownKey:
    """The `columns` of the key (none: rows are not matched), `why` in words, who accepted or chose it (`by`; '' while it waits), and
    whether avh.yml says it (`filed`).
    """

    columns: tuple[KnownText, ...] = ()
    why: KnownText = ""
    by: Annotated[KnownText, LEFT_OUT] = ""
    filed: Annotated[Truth, LEFT_OUT] = False

    @property
    def waits(self) -> bool:
        """Whether it was found, and nobody has accepted it yet."""
        return bool(self.columns) and not self.by and not self.filed

    @property
    def title(self) -> str:
        """Its columns, or that there is none."""
        return ", ".join(self.columns) or "no key"
