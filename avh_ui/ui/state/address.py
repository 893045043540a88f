"""The page's address: which pipeline and tab are seen and what is looked at there, as a query string that reopens it."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qs, urlencode

# In the order of the top bar; the default is where most of the day's work is.
TABS = ("overview", "review", "what-if", "runs", "drift", "publish")
DEFAULT_TAB = "review"
# What each tab is about; the rest of an address means nothing there.
_ABOUT = {
    "overview": ("column", "batch"),
    "review": ("suggestion",),
    "what-if": ("column", "since", "exclude"),
    "runs": ("batch", "alarm"),
    "drift": ("column", "batch", "against", "part", "against_part"),
    "publish": ("suggestion", "version"),
}


@dataclass(frozen=True)
class Address:
    """`pipeline` and the rest may be '' (what is seen first); an unknown tab is the default one.

    `suggestion` is an id, `alarm` the key of what was judged, `version` a number, `batch` and `against` a batch id or a span `A..B`,
    `part` and `against_part` their segments, `since` and `exclude` those of a what-if.
    """

    pipeline: str = ""
    tab: str = DEFAULT_TAB
    suggestion: str = ""
    column: str = ""
    batch: str = ""
    against: str = ""
    alarm: str = ""
    version: str = ""
    since: str = ""
    exclude: str = ""
    part: str = ""
    against_part: str = ""

    @classmethod
    def parse(cls, search: str) -> Address:
        """From a query string, with or without its question mark. Values stay text: `?pipeline=2024` names a pipeline."""
        found = {name: values[-1] for name, values in parse_qs(search.removeprefix("?"), errors="replace").items()}
        tab = found.get("tab", "")
        about = {name: found.get(name, "") for name in sorted({name for names in _ABOUT.values() for name in names})}
        return cls(found.get("pipeline", ""), tab if tab in TABS else DEFAULT_TAB, **about)

    def search(self) -> str:
        """As a query string with its question mark; '' when it names nothing."""
        named = {"pipeline": self.pipeline, "tab": self.tab, **{name: getattr(self, name) for name in _ABOUT[self.tab]}}
        text = urlencode({name: value for name, value in named.items() if value and self.pipeline}, errors="replace")
        return f"?{text}" if text else ""
