"""What people type as a bound: `24,000`, `97.5%`, `x1.5` (a factor, where logarithms are compared), nothing for an open side."""

from __future__ import annotations

import math

from avh_ui.constraints.transforms import Transform

OPEN = ("", "open", "none", "-", "\N{EN DASH}")


def parse_bound(text: str, transform: Transform, *, of_share: bool = False) -> float | None:
    """The number in the constraint's space; None for an open side. `ValueError` with a sentence for anything else.

    A number beyond 1 as a bound `of_share` is meant in per cent, and is not taken for a hundred times as much.
    """
    cleaned = text.strip().casefold().replace("\N{MINUS SIGN}", "-").replace(",", "").replace("\N{NO-BREAK SPACE}", "").replace(" ", "")
    if cleaned in OPEN:
        return None
    factor = cleaned[0] in "x×" and transform.log and transform.lag
    share = cleaned.endswith("%")
    try:
        value = float(cleaned.removesuffix("%").lstrip("x×") if factor or share else cleaned)
    except ValueError:
        raise ValueError(f"{text.strip()!r} is not a number. Leave the field empty for an open side.") from None
    if not math.isfinite(value):
        raise ValueError("A bound is a finite number. Leave the field empty for an open side.")
    if share:
        value /= 100
    elif of_share and 1 < value <= 100 and not factor:
        raise ValueError(f"A share is at most 1, which is 100%. Write {text.strip()}% for {text.strip()} of 100.")
    if of_share and not factor and not 0 <= value <= 1:
        raise ValueError(f"{text.strip()} is no share: one lies between 0 and 1, which are 0% and 100%.")
    if factor:
        if value <= 0:
            raise ValueError("A factor is greater than zero.")
        value = math.log(value)
    return value


def rounded(value: float | None, span: float) -> float | None:
    """The value to a thousandth of the span: more digits are noise to the reader and to the mouse."""
    if value is None or not math.isfinite(value) or span <= 0:
        return value
    digits = 3 - math.floor(math.log10(span))
    return round(value, digits)
