"""Numbers, moments and lengths of time as people read them."""

from __future__ import annotations

import math
from datetime import UTC, datetime

MINUS = "\N{MINUS SIGN}"


def readable_number(value: float, decimals: int | None = None) -> str:
    """A number with separated thousands; without `decimals` at most 4 significant digits behind the first."""
    if decimals is None:
        size = 0 if value == 0 else math.floor(math.log10(abs(value)))
        decimals = max(0, 3 - size) if value != round(value) else 0
    if value and (abs(value) >= 1e15 or (abs(value) < 1e-4 and decimals > 6)):
        text = f"{value:.3g}"
    else:
        text = f"{value:,.{decimals}f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
    return ("0" if text in ("-0", "0") else text).replace("-", MINUS)


def moment(seconds: float) -> str:
    """Seconds since 1970 as a date, with the time of day (in UTC, as it is measured) where there is one."""
    try:
        time = datetime.fromtimestamp(round(seconds), UTC)
    except (OverflowError, ValueError, OSError):
        return readable_number(seconds)
    # Not %Y, which writes the year 1 without its zeros.
    return time.date().isoformat() + ("" if time.hour == time.minute == time.second == 0 else f" {time:%H:%M} UTC")


def duration(seconds: float) -> str:
    """A length of time in its largest fitting unit."""
    for size, unit in ((86_400.0, "d"), (3_600.0, "h"), (60.0, "min")):
        if abs(seconds) >= size:
            return f"{readable_number(round(seconds / size, 2))} {unit}"
    return f"{readable_number(round(seconds, 3))} s"
