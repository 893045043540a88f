"""`owner:` and `delivered_by:` of a pipeline: who answers for its rules, and who is asked when a batch of it is wrong."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator

# As one line of a message is read; an address of a page may be long.
_LONGEST = 300
_ADDRESS = re.compile(r"[^\s@,;<>()\"']+@[^\s@,;<>()\"']+\.[^\s@,;<>()\"'.]+")
_LINK = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*://\S*")


def _contact(value: str) -> str:
    """The text without blanks around it; `ValueError` for what nobody can be asked by."""
    said = value.strip()
    if not said.isprintable():
        raise ValueError("a contact is one line of text: a team, an address of mail or a link")
    if len(said) > _LONGEST:
        raise ValueError(f"a contact has at most {_LONGEST} characters, and this one {len(said):,}: name a team, an address or a link")
    for link in _LINK.findall(said):
        parts = urlsplit(link)
        if parts.scheme.lower() not in ("http", "https") or not parts.netloc:
            raise ValueError(f"{link!r} is no link that people can open: it begins with https:// and a host")
        if "@" in parts.netloc:
            raise ValueError("a login does not belong into avh.yml, nor into a link: leave out what stands before the @")
    return said


Contact = Annotated[str, AfterValidator(_contact)]


@dataclass(frozen=True)
class Contacts:
    """Who `delivered_by` sends a table, and its `owner`, who answers for its rules; '' where avh.yml does not say."""

    owner: str = ""
    delivered_by: str = ""

    @property
    def words(self) -> str:
        """`Delivered by: shop@example.org. Who answers for the rules: team prices.`; '' where nobody is named."""
        named = (("Delivered by", self.delivered_by), ("Who answers for the rules", self.owner))
        return " ".join(f"{what}: {who}{'' if who.endswith('.') else '.'}" for what, who in named if who)

    def to_record(self) -> dict[str, str]:
        """Those that are named, as plain data."""
        return {name: who for name, who in (("owner", self.owner), ("delivered_by", self.delivered_by)) if who}


# Where avh.yml names nobody.
NOBODY = Contacts()


def mail_of(contact: str) -> str:
    """The address of mail in a contact; '' where there is none."""
    found = None if _LINK.search(contact) else _ADDRESS.search(contact)
    return found[0] if found else ""


def link_of(contact: str) -> str:
    """The link in a contact; '' where there is none."""
    found = _LINK.search(contact)
    return found[0].rstrip(".,;:)>\"'") if found else ""
