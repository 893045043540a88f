"""What a page of the app is: its name, address, state, view and keys, declared in one file and listed in `pages.py`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from avh_ui.ui.components.keyboard import Pressed
from avh_ui.ui.components.panes import PaneView
from avh_ui.ui.state.address import Address
from avh_ui.ui.state.session import SessionState


@dataclass(frozen=True)
class Shortcut:
    """Keys (the first is the one shown first), the command that they are bound to, and what it does.

    A command that is `typing` puts the cursor into a field.
    """

    keys: tuple[str, ...]
    command: str
    does: str
    typing: bool = False


# What several pages have.
LINES = (Shortcut(("j", "ArrowDown"), "next", "next line"), Shortcut(("k", "ArrowUp"), "previous", "previous line"))
BATCHES = (Shortcut(("h", "ArrowLeft"), "earlier", "earlier batch"), Shortcut(("l", "ArrowRight"), "later", "later batch"))
OPEN = Shortcut(("o",), "open", "investigate the drift of what is looked at")
SEARCH = Shortcut(("/",), "search", "search", typing=True)
HELP = Shortcut(("?",), "help", "this sheet")
GLOSSARY = Shortcut(("G",), "glossary", "what the metrics mean")

# Turns to a page by its name; the keywords are what its address says of what to look at there.
Go = Callable[..., None]


class Page:
    """One page of a session. Its state is made with the session, its view when it is first shown.

    `name` stands in the address and, capitalized, on the tab; `made_of` is the class of its state, `drawn_by` that of its view. `address`
    says which part of the address is which parameter of `state`. `keys` are the shortcuts that hold on the page, `counted_on` the
    parameters of `state` that change its `count`. A page that `needs_draft` gives way to one that says what is missing.
    """

    name: str = ""
    made_of: ClassVar[type[Any]]
    drawn_by: ClassVar[type[Any]]
    address: Mapping[str, str] = {}
    keys: tuple[Shortcut, ...] = ()
    counted_on: tuple[str, ...] = ()
    needs_draft = False

    def __init__(self, session: SessionState, go: Go) -> None:
        for part, what in (("made_of", "state"), ("drawn_by", "view")):
            if not hasattr(self, part):
                raise TypeError(f"The page {self.name or type(self).__name__!r} is half done: it has no {what} (`{part}`).")
        self.session, self.go = session, go
        self.state = self.made_of(session)

    @property
    def ready(self) -> bool:
        """Whether the commands of its keys can be done now."""
        return True

    def view(self) -> PaneView:
        """The view of the page; called once."""
        view: PaneView = self.drawn_by(self.state)
        return view

    def visit(self, wanted: Address | None) -> None:
        """The page is shown: have its state read what it shows, and look at what an address names."""
        self.state.visit(wanted)

    def commands(self) -> Mapping[str, Callable[[], object]]:
        """What the commands of the page's keys do."""
        return {}

    def press(self, command: str, pressed: Pressed) -> None:  # noqa: ARG002 (what only some pages need)
        """Do the command of a key; what the page does not know is left alone. `pressed` says what the person saw."""
        if self.ready and command in (commands := self.commands()):
            commands[command]()

    def count(self) -> tuple[int, str]:
        """How much waits on the page, and what it is, for its tab."""
        return 0, ""

    def about(self) -> dict[str, str]:
        """What the address says of what is looked at."""
        return {name: str(getattr(self.state, of) or "") for name, of in self.address.items()}


def check(pages: Sequence[Page], everywhere: Sequence[Shortcut] = ()) -> None:
    """`TypeError` for a page that is half done: without a name or command, or with a key that means something else elsewhere."""
    bound = {key: (shortcut.command, "everywhere") for shortcut in everywhere for key in shortcut.keys}
    names: set[str] = set()
    for page in pages:
        where = f"The page {page.name or type(page).__name__!r} is half done"
        if not page.name or page.name in names:
            raise TypeError(f"{where}: its name {page.name!r} is {'that of another page' if page.name else 'empty'}.")
        names.add(page.name)
        if type(page).visit is Page.visit and not hasattr(page.state, "visit"):
            raise TypeError(f"{where}: neither it nor its state has a `visit`, which reads what it shows.")
        for name, of in (*page.address.items(), *((of, of) for of in page.counted_on)):
            if of not in page.state.param:
                raise TypeError(f"{where}: its state has no parameter {of!r} for {name!r}.")
        _check_keys(page, where, bound)


def _check_keys(page: Page, where: str, bound: dict[str, tuple[str, str]]) -> None:
    done = page.commands()
    for shortcut in page.keys:
        if shortcut.command not in done:
            raise TypeError(f"{where}: its key {shortcut.keys[0]!r} is bound to {shortcut.command!r}, which is no command of it.")
        for key in shortcut.keys:
            command, at = bound.setdefault(key, (shortcut.command, "on another page"))
            if command != shortcut.command:
                raise TypeError(f"{where}: its key {key!r} means {shortcut.command!r}, and {command!r} {at}.")
    if extra := sorted(set(done) - {shortcut.command for shortcut in page.keys}):
        raise TypeError(f"{where}: no key is bound to its command {extra[0]!r}.")
