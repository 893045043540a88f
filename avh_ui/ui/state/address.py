"""The page's address: which pipeline and tab are seen and what is looked at there, as a query string that reopens it."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from types import MappingProxyType
from urllib.parse import parse_qs, urlencode

# Most of the day's work is there: what an address names without its page is looked at there.
REVIEW = "review"
# No page is named: the app begins with the coverage of a pipeline that is named or the only one, else with all of them on the overview.
START = ""


@dataclass(frozen=True, init=False, eq=True)
class Address:
    """`pipeline` and the rest may be '' (what is seen first).

    `about` is what is looked at on the tab, by name: each page says which names it knows. `address["batch"]` is '' where it names none.
    """

    pipeline: str
    tab: str
    about: MappingProxyType[str, str]

    def __init__(self, pipeline: str = "", tab: str = REVIEW, **about: str) -> None:
        object.__setattr__(self, "pipeline", pipeline)
        object.__setattr__(self, "tab", tab)
        object.__setattr__(self, "about", MappingProxyType({name: value for name, value in about.items() if value}))

    def __getitem__(self, name: str) -> str:
        return self.about.get(name, "")

    @classmethod
    def parse(cls, search: str) -> Address:
        """From a query string, with or without its question mark. Values stay text: `?pipeline=2024` names a pipeline."""
        found = {name: values[-1] for name, values in parse_qs(search.removeprefix("?"), errors="replace").items()}
        pipeline, tab = found.pop("pipeline", ""), found.pop("tab", START)
        about = {name: value for name, value in found.items() if name != "self"}
        return cls(pipeline, tab or (REVIEW if about else START), **about)

    def among(self, tabs: Container[str]) -> Address:
        """The same, or the pipeline alone where there is no such tab."""
        return self if self.tab in tabs else Address(self.pipeline, START)

    def begun(self, pipelines: int) -> Address:
        """The same with the page that the app begins with, where none is named, among so many pipelines."""
        if self.tab != START:
            return self
        return Address(self.pipeline, "coverage" if self.pipeline or pipelines < 2 else "overview")

    def search(self) -> str:
        """As a query string with its question mark; '' when it names nothing."""
        named = {"pipeline": self.pipeline, "tab": self.tab, **self.about}
        text = urlencode({name: value for name, value in named.items() if value and self.pipeline}, errors="replace")
        return f"?{text}" if text else ""
