"""Months by their names, in the languages in which reports are often filed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

# Whole names, and in brackets those short forms that are not their first three letters alone.
_WRITTEN = {
    "en": "January February March April May June July August September(Sept) October November December",
    "de": "Januar(Jän) Februar März(Mrz Maerz) April Mai Juni Juli August September(Sept) Oktober November Dezember",
    "fr": "janvier(janv) février(févr fevrier fevr) mars avril mai juin juillet(juil) août(aout) septembre(sept) octobre novembre "
    "décembre(decembre)",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre(sept setiembre) octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre(sett) ottobre novembre dicembre",
    "pt": "janeiro fevereiro março(marco) abril maio junho julho agosto setembro outubro novembro dezembro",
    "nl": "januari februari maart(mrt) april mei juni juli augustus september(sept) oktober november december",
}
_NAME = re.compile(r"(\w+)(?:\(([\w ]+)\))?")


def _forms() -> Iterator[tuple[str, str, int]]:
    """The language, the form and the number of the month of each way to write one; the whole name comes first."""
    for language, names in _WRITTEN.items():
        for month, found in enumerate(_NAME.finditer(names), 1):
            short = found[1][:3]
            # `jui` is June or July.
            yield from ((language, form, month) for form in (found[1], *([] if short == "jui" else [short]), *(found[2] or "").split()))


@cache
def _numbers() -> dict[str, int]:
    """The number of the month of each form; no form is two months in two languages."""
    return {form.lower(): month for _, form, month in _forms()}


# The longest first: `Sept` is not `Sep` and a `t`.
MONTH_NAME = "|".join(sorted({re.escape(form) for _, form, _ in _forms()}, key=lambda form: (-len(form), form)))
_ENGLISH = {form.lower() for language, form, _ in _forms() if language == "en"}


def month_of(text: str) -> int:
    """The number of a month that is written as a number or by its name."""
    return int(text) if text.isdigit() else _numbers()[text.lower()]


def is_english(text: str) -> bool:
    """Whether a month's name is one of English; those of other languages are words there, such as `set` and `out`."""
    return text.lower() in _ENGLISH


def name_like(month: int, written: Iterable[str]) -> str:
    """The name of a month, written as those of others were: in their language, as long, in their case."""
    seen = list(written)
    forms: dict[str, dict[int, list[str]]] = {}
    for language, form, number in _forms():
        forms.setdefault(language, {}).setdefault(number, []).append(form)
    known = {language: {form.lower() for names in of.values() for form in names} for language, of in forms.items()}
    language = max(known, key=lambda one: sum(text.lower() in known[one] for text in seen))
    whole, *short = forms[language][month]
    wholes = {names[0].lower() for names in forms[language].values() if len(names) > 1 and len(names[0]) > len("Mai")}
    name = whole if any(text.lower() in wholes for text in seen) or not short else short[0]
    like = max(seen, key=len)
    return name.lower() if like.islower() else name.upper() if like.isupper() else name[0].upper() + name[1:]
