"""Checks of what texts hold and look like, and of the table's columns: part of the vocabulary, `checks` has them all.

The expressions are our own. As in Deequ they are searched for anywhere in the text, and null fails.
"""

from __future__ import annotations

from typing import Unpack

from avh_ui.constraints.check import Check, stated
from avh_ui.constraints.stating import ConditionManner, bounded
from avh_ui.errors import UsageError, nearest
from avh_ui.metrics import analyzers
from avh_ui.metrics.value_types import TYPES

_WORD, _LABEL = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+", r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
# A name, @, and a host of at least two parts.
EMAIL = rf"{_WORD}(?:\.{_WORD})*@(?:{_LABEL}\.)+{_LABEL}"
# A scheme and a host that begins with none of the characters that end or divide one.
URL = r"(?:https?|ftp)://[^\s/$.?#]\S+"
# Visa, Mastercard (both ranges), Discover: four groups of four; American Express: 4, 6 and 5. Together, or apart by one sign throughout.
_FOUR = r"4[0-9]{3}|5[1-5][0-9]{2}|222[1-9]|22[3-9][0-9]|2[3-6][0-9]{2}|27[01][0-9]|2720|6011|65[0-9]{2}"
CREDIT_CARD = rf"\b(?:(?:{_FOUR})([ -]?)[0-9]{{4}}\1[0-9]{{4}}\1[0-9]{{4}}|3[47][0-9]{{2}}([ -]?)[0-9]{{6}}\2[0-9]{{5}})\b"
# None of the numbers that are never given out (000, 666, 900 and above, 00, 0000), nor the two that were printed in advertisements.
SOCIAL_SECURITY_NUMBER = (
    r"(?<![0-9])(?!219([- ]?)09\1(?:9999)|078([- ]?)05\2(?:1120))"
    r"(?!000|666|9)[0-9]{3}([- ]?)(?!00)[0-9]{2}\3(?!0000)[0-9]{4}(?![0-9])"
)


@stated
def contains_email(column: str, **manner: Unpack[ConditionManner]) -> Check:
    """An e-mail address is found in every text; null fails (Deequ: containsEmail)."""
    return _found(column, EMAIL, "an e-mail address", manner)


@stated
def contains_url(column: str, **manner: Unpack[ConditionManner]) -> Check:
    """An address of http, https or ftp is found in every text; null fails (Deequ: containsURL)."""
    return _found(column, URL, "a URL", manner)


@stated
def contains_credit_card(column: str, **manner: Unpack[ConditionManner]) -> Check:
    """A number in the form of a credit card's is found in every text; null fails (Deequ: containsCreditCardNumber)."""
    return _found(column, CREDIT_CARD, "the number of a credit card", manner)


@stated
def contains_social_security_number(column: str, **manner: Unpack[ConditionManner]) -> Check:
    """A number in the form of one of the US social security is found in every text; null fails (Deequ: containsSocialSecurityNumber)."""
    return _found(column, SOCIAL_SECURITY_NUMBER, "a social security number", manner)


@stated
def has_data_type(column: str, type: str, **manner: Unpack[ConditionManner]) -> Check:  # noqa: A002 (the word that people use)
    """Every value that is not null looks like Integral, Fractional, Numeric (either), Boolean or String; or every row is Null.

    By Deequ's grammar (hasDataType): "7" looks Integral, "7.0" Fractional, and so what is both kinds of numbers is Numeric.
    """
    if type not in TYPES:
        raise UsageError(f"There is no type {type!r}.", hint=nearest(str(type), TYPES))
    return bounded(analyzers.type_ratio(column, type, where=manner.get("where")), f"{column} looks {type}", manner)


def _found(column: str, pattern: str, words: str, manner: ConditionManner) -> Check:
    return bounded(analyzers.pattern_match(column, pattern, where=manner.get("where")), f"{column} contains {words}", manner)
