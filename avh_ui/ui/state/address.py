"""The page's address: which pipeline, tab and suggestion are seen, as a query string that reopens them."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qs, urlencode

TABS = ("review", "publish")


@dataclass(frozen=True)
class Address:
    """`pipeline` and `suggestion` may be '' (the first one); an unknown tab is the first one."""

    pipeline: str = ""
    tab: str = TABS[0]
    suggestion: str = ""

    @classmethod
    def parse(cls, search: str) -> Address:
        """From a query string, with or without its question mark. Values stay text: `?pipeline=2024` names a pipeline."""
        found = {name: values[-1] for name, values in parse_qs(search.removeprefix("?"), errors="replace").items()}
        tab = found.get("tab", "")
        return cls(found.get("pipeline", ""), tab if tab in TABS else TABS[0], found.get("suggestion", ""))

    def search(self) -> str:
        """As a query string with its question mark; '' when it names nothing."""
        named = {"pipeline": self.pipeline, "tab": self.tab, "suggestion": self.suggestion if self.tab == TABS[0] else ""}
        text = urlencode({name: value for name, value in named.items() if value and self.pipeline})
        return f"?{text}" if text else ""
