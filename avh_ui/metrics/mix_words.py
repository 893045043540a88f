"""Which values changed their share between two batches, in a sentence: what an alarm on the mix of a column says beside its distance."""

from __future__ import annotations

from collections.abc import Callable

from avh_ui.metrics.frequencies import FrequencyState

# Values named of each kind: a third one is rarely needed to see what happened, and the page on drift has all.
_NAMED = 2
# Of a long value its beginning tells it apart in a sentence.
_LONGEST = 40
# What the symbols of a shape stand for, and a blank, which stays itself.
_SYMBOLS = {"d": "digits", "l": "letters", ".": "punctuation", " ": "a blank"}
# Of a way of writing of more parts, as of random digits and letters, the first ones are read.
_PARTS = 6
# A change of less than a point of the rows is not named beside a larger one: it is noise in batches of a few hundred rows.
_LEAST = 0.01
# What stands for another value has its share within this part: 31 % of the trips of one day were `ok`, 27 % of the next `delivered`.
_ALIKE = 0.25


def told_mix(ours: FrequencyState, theirs: FrequencyState) -> str:
    """`1 value was not in the batch before, in 30 rows: 'XX' (30). 'UA' fell from 12% to 3% of the values (about 90 rows fewer).`

    What came new is told where the batch before names all its values; '' where one of the two has none.
    """
    if ours.n and theirs.n and (names := _renamed(_came(ours, theirs), ours, theirs)) is not None:
        then, now, rows = theirs.table[names[0]] / theirs.n, ours.table[names[1]] / ours.n, ours.table[names[1]]
        told = f"the one is gone (it was {percent(then)} of the values), the other is new ({percent(now)}, {rows:,} rows)"
        return f"{short_text(names[0])} seems to be called {short_text(names[1])} now: {told}."
    return _told(ours, theirs, "value", short_text)


def told_shapes(ours: FrequencyState, theirs: FrequencyState) -> str:
    """`1 way of writing was not in the batch before, in 30 rows: letters (30).` A way that came for another is no other name of it."""
    return _told(ours, theirs, "way of writing", shape_words)


def _told(ours: FrequencyState, theirs: FrequencyState, one: str, words: Callable[[str], str]) -> str:
    if not ours.n or not theirs.n:
        return ""
    moved = {value: ours.table.get(value, 0) / ours.n - count / theirs.n for value, count in theirs.table.items()}
    largest = sorted(moved, key=lambda value: (-round(abs(moved[value]), 9), value))[:_NAMED]
    said = [
        _moved(value, ours, theirs, words) for at, value in enumerate(largest) if moved[value] and (at == 0 or abs(moved[value]) >= _LEAST)
    ]
    return " ".join([*_new(_came(ours, theirs), one, words), *said])


def _came(ours: FrequencyState, theirs: FrequencyState) -> list[tuple[str, int]]:
    """What the batch before had not, with its rows; nothing where that one names not all of its values."""
    return [(value, count) for value, count in ours.top(len(ours.table)) if value not in theirs.table] if theirs.exact else []


def _renamed(new: list[tuple[str, int]], ours: FrequencyState, theirs: FrequencyState) -> tuple[str, str] | None:
    """The one value that is gone and the one that came in about as many of the rows; None where it is not so."""
    gone = [value for value in theirs.table if value not in ours.table]
    if len(new) != 1 or len(gone) != 1 or not ours.exact:
        return None
    then, now = theirs.table[gone[0]] / theirs.n, new[0][1] / ours.n
    alike = min(then, now) >= _LEAST and abs(then - now) <= _ALIKE * max(then, now)
    return (gone[0], new[0][0]) if alike else None


def _moved(value: str, ours: FrequencyState, theirs: FrequencyState, words: Callable[[str], str]) -> str:
    now, before = ours.table.get(value, 0) / ours.n, theirs.table[value] / theirs.n
    rows = round(abs(now - before) * ours.n)
    if not now:
        return f"{words(value)} is gone: it was {percent(before)} of the values."
    way, than = ("fell", "fewer") if now < before else ("rose", "more")
    return f"{words(value)} {way} from {percent(before)} to {percent(now)} of the values (about {rows:,} row{'s' * (rows != 1)} {than})."


def _new(new: list[tuple[str, int]], one: str, words: Callable[[str], str]) -> list[str]:
    if not new:
        return []
    named = ", ".join(f"{words(value)} ({count:,})" for value, count in new[:_NAMED])
    more = f" and {len(new) - _NAMED:,} more" if len(new) > _NAMED else ""
    rows = sum(count for _, count in new)
    several = one.replace("value", "values").replace("way", "ways")
    what = f"1 {one} was" if len(new) == 1 else f"{len(new):,} {several} were"
    return [f"{what} not in the batch before, in {rows:,} row{'s' * (rows != 1)}: {named}{more}."]


def short_text(value: str) -> str:
    """A value as it stands in a sentence: in quotes, of a long one its beginning."""
    return repr(value if len(value) <= _LONGEST else f"{value[:_LONGEST]}…")


def shape_words(shape: str) -> str:
    """A way of writing as it stands in a sentence: “letters, a blank, digits” for `l d`."""
    parts = [_SYMBOLS.get(part, "another character") for part in shape[:_PARTS]]
    return f"“{', '.join(parts) or 'nothing'}{', …' if len(shape) > _PARTS else ''}”"


def percent(share: float) -> str:
    """A share by two digits."""
    return f"{float(f'{100 * share:.2g}'):g}%"


def plain_number(value: float) -> str:
    """A number of the data by four digits, whole from a thousand on."""
    return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.4g}"
