"""Soda's named formats as expressions of our own: what its pages call valid is. Blanks may stand around it."""

from __future__ import annotations

from avh_ui.constraints.content_checks import CREDIT_CARD, EMAIL
from avh_ui.constraints.importing.imported import UnreadError
from avh_ui.errors import nearest

_YEAR, _MONTH, _DAY = r"(?:19|20)?[0-9]{2}", r"(?:0?[1-9]|1[0-2])", r"(?:0?[1-9]|[12][0-9]|3[01])"
_HOUR, _HOUR_12, _SIXTIETH = r"(?:[01]?[0-9]|2[0-3])", r"(?:0?[1-9]|1[0-2])", r"[0-5][0-9]"
_MINUTES, _NOON = rf":{_SIXTIETH}", r" *(?:[aApP]\.?[mM]\.?)?"
_ISO_DAY = r"(?:(?:0[1-9]|1[0-2])-?(?:0[1-9]|[12][0-9]|3[01])|W[0-5][0-9](?:-?[1-7])?|[0-3][0-9]{2})"
_ISO_TIME = rf"(?:[T ](?:[01][0-9]|2[0-4])(?::?{_SIXTIETH}(?::?{_SIXTIETH}(?:[.,][0-9]+)?)?)?(?:Z|[+-][01][0-9]:?{_SIXTIETH})?)?"
_BYTE = r"(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])"
_IPV4, _HEX = rf"{_BYTE}(?:\.{_BYTE}){{3}}", r"[0-9a-fA-F]{1,4}"
# Eight groups, or fewer with one `::` among them; the last two may be written as an address of version 4.
_IPV6 = (
    rf"::|(?:{_HEX}:){{7}}{_HEX}|(?:{_HEX}:){{6}}{_IPV4}|(?:{_HEX}:){{1,7}}:|::(?:{_HEX}:){{0,6}}{_HEX}|::(?:[fF]{{4}}:)?{_IPV4}"
    + "".join(rf"|(?:{_HEX}:){{1,{n}}}(?::{_HEX}){{1,{7 - n}}}" for n in range(1, 7))
)
_POINT, _COMMA = r"(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)", r"(?:[0-9]+(?:,[0-9]+)?|,[0-9]+)"
_EITHER = rf"(?:{_POINT}|{_COMMA})"
_ANY, _PLUS, _MINUS = r"[-+]? *{0}", r"\+? *{0}", r"(?:- *{0}|0+(?:[.,]0+)?)"
_SIGNS = {"": _ANY, "positive ": _PLUS, "negative ": _MINUS}
_DECIMALS = {"": _EITHER, " point": _POINT, " comma": _COMMA}
_CURRENCY = r"(?:[A-Z]{3}|[$€£¥])?"

# By the names of Soda's pages; what must fit the whole text stands between `^ *` and ` *$`.
_WHOLE: dict[str, str] = {
    **{f"{sign}integer": form.format("[0-9]+") for sign, form in _SIGNS.items()},
    **{f"{sign}decimal{kind}": form.format(digits) for sign, form in _SIGNS.items() for kind, digits in _DECIMALS.items()},
    **{f"{sign}percentage{kind}": f"{form.format(digits)} *%" for sign, form in _SIGNS.items() for kind, digits in _DECIMALS.items()},
    "money": rf"[-+]? *{_EITHER} *{_CURRENCY}",
    "money point": rf"[-+]? *[0-9]{{1,3}}(?:,?[0-9]{{3}})*(?:\.[0-9]+)? *{_CURRENCY}",
    "money comma": rf"[-+]? *[0-9]{{1,3}}(?:\.?[0-9]{{3}})*(?:,[0-9]+)? *{_CURRENCY}",
    "date us": rf"{_MONTH}[-./]{_DAY}[-./]{_YEAR}",
    "date eu": rf"{_DAY}[-./]{_MONTH}[-./]{_YEAR}",
    "date inverse": rf"{_YEAR}[-./]{_MONTH}[-./]{_DAY}",
    "date iso 8601": rf"(?:19|20)[0-9]{{2}}-?{_ISO_DAY}{_ISO_TIME}",
    "time 24h": rf"{_HOUR}{_MINUTES}(?::{_SIXTIETH})?",
    "time 24h nosec": rf"{_HOUR}{_MINUTES}",
    "time 12h": rf"{_HOUR_12}{_MINUTES}(?::{_SIXTIETH})?{_NOON}",
    "time 12h nosec": rf"{_HOUR_12}{_MINUTES}{_NOON}",
    "timestamp 24h": rf"{_HOUR}{_MINUTES}:{_SIXTIETH}",
    "timestamp 12h": rf"{_HOUR_12}{_MINUTES}:{_SIXTIETH}{_NOON}",
    "uuid": "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}",
    "ip address": _IPV4,
    "ipv4 address": _IPV4,
    "ipv6 address": _IPV6,
    "email": EMAIL,
    "phone number": r"(?:\+?[0-9]{1,3}[-. ]?)?(?:\([0-9]{1,4}\)|[0-9]{1,4})(?:[-. ]?[0-9]{2,4}){1,4}(?: *(?:x|ext\.?) *[0-9]{1,5})?",
    "credit card number": CREDIT_CARD,
}
# Those around which no blanks stand.
_BARE = frozenset({"uuid", "ip address", "ipv4 address", "ipv6 address", "email"})
# Also in the manner of file names.
_NAMES = {name.replace(" ", "_"): name for name in _WHOLE} | {"ipv4": "ipv4 address", "ipv6": "ipv6 address", "ip": "ip address"}


def pattern(name: str) -> str:
    """The expression that is found in what has a format of Soda's; `UnreadError` for a name that is none."""
    known = _NAMES.get(name, name)
    if known not in _WHOLE:
        raise UnreadError(f"the format {name!r} is none of Soda's that is known. {nearest(name, _WHOLE)}".strip().rstrip("."))
    return f"^(?:{_WHOLE[known]})$" if known in _BARE else f"^ *(?:{_WHOLE[known]}) *$"
