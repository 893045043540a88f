"""The faults that rules were tried on, as people say them: `increased_nulls 1% null` is "1% of the values null"."""

from __future__ import annotations

import re
from collections.abc import Callable


def _missing(found: re.Match[str]) -> str:
    return f"{100 - float(found[1]):g}% of the rows missing"


# The smallest fault of a number.
ONE_BELOW_ZERO = "one value below zero"
# By name, in the order in which they are tried: those of D(C) of a column (issues.variants), of matched rows and of relations.
_WORDS: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = tuple(
    (re.compile(name), words)
    for name, words in (
        (r"schema_change (\S+)", r"\1 of the rows with a value of another column"),
        (r"unit_change below zero", ONE_BELOW_ZERO),
        (r"unit_change x-1 of (\S+)", r"\1 of the values with their sign turned"),
        (r"unit_change a tenth of (\S+)", r"\1 of the values divided by 10"),
        (r"one_value (\S+)", r"\1 of the values the one in their middle"),
        (r"unit_change x(\S+) of (\S+)", r"\2 of the values times \1"),
        (r"unit_change x(\S+)", r"all values times \1"),
        (r"casing_change (\S+) to (upper|lower) case", r"\1 of the values in \2 case"),
        (r"increased_nulls (\S+) zero", r"\1 of the values 0"),
        (r"increased_nulls (\S+) (empty|null)", r"\1 of the values \2"),
        (r"volume_change x(\S+)", r"\1 times the rows"),
        (r"volume_change ([\d.]+)%", _missing),
        (r"distribution_change (first|last) (\S+)", r"only the \1 \2 of the values in their order"),
        (r"character_perturbation (\S+) of characters", r"\1 of the characters mistyped"),
        (r"character_insertion (\S+)", r"one character too many in \1 of the values"),
        (r"character_deletion (\S+)", r"one character too few in \1 of the values"),
        (r"padding (\S+) leading", r"a blank before \1 of the values"),
        (r"padding (\S+) trailing", r"a blank after \1 of the values"),
        (r"value_renamed (\S+)", r"values renamed in \1 of the rows"),
        (r"stale (\S+)", r"\1 of the values those of the batch before"),
        (r"mix_change (\S+)", r"\1 of the rows of the most frequent value with others"),
        (r"default_value (\S+)", r"one and the same value in \1 of the rows"),
        (r"amounts one far away", "one value a thousand times the largest"),
        (r"amounts rounded", "all values rounded to whole numbers"),
        (r"dates one of (\d+)", r"one date of the year \1"),
        (r"dates two hours later", "all times of day two hours later"),
        (r"dates a day (later|earlier)", r"all dates a day \1"),
        (r"dates a day (later|earlier) in half", r"half of the dates a day \1"),
        (r"date order", "dates in another order (01.03.2026 for 2026-03-01)"),
        (r"dates at midnight", "all moments at midnight"),
        (r"dates without zone", "all moments without their zone"),
        (r"prose one text", "all texts one"),
        (r"prose cut", "all texts cut to 10 characters"),
        (r"prose in capitals", "all texts in capitals"),
        (r"prose in markup", "all texts in markup"),
        (r"value_lost rarest", "the rarest of the usual values replaced by the most frequent one"),
        (r"value_lost (\S+)", r"a value of up to \1 of the rows replaced by the most frequent one"),
        (r"value_halved most", "50% of the rows of the most frequent value missing"),
        (r"value_halved least", "50% of the rows of one of the usual values missing"),
        (r"(?:(.+) )?shifted", r"\1 shifted by a row"),
        (r"(?:(.+) )?stale", r"\1 as in the batch before"),
        (r"(?:(.+) )?stale:(.+)", r"\1 as in the batch before in \2"),
        (r"(.+) exchanged with (.+)", r"\1 and \2 exchanged"),
        (r"(?:(.+) )?exchanged:(.+)", r"\1 exchanged between \2"),
        (r"(?:(.+) )?emptied:(.+)", r"\1 empty in \2"),
        (r"(?:(.+) )?zero:(.+)", r"\1 turned to 0 in \2"),
        (r"(?:(.+) )?tenfold:(.+)", r"\1 times 10 in \2"),
        (r"(?:(.+) )?miles:(.+)", r"\1 times 1.609 in \2"),
        (r"(?:(.+) )?tenth:(.+)", r"\1 divided by 10 in \2"),
        (r"(?:(.+) )?turned:(.+)", r"\1 with its sign turned in \2"),
        (r"(?:(.+) )?back:(.+)", r"\1 a step back in \2"),
        (r"twice:(.+)", r"delivered twice: \1"),
        (r"keys_lost:(.+)", r"the loss of \1"),
        (r"keys_twice:(.+)", r"a second row with the key of \1"),
        (r"keys_replaced:(.+)", r"other keys in \1"),
        (r"null_keys:(.+)", r"null keys in \1"),
    )
)
# Which rows a fault of rows is in.
_ROWS = (
    (re.compile(r"\bone$"), "one row"),
    (re.compile(r"\btwo$"), "two rows"),
    (re.compile(r"\b(?:the )?(largest|middle)(?: row)?$"), r"the row with the \1 value"),
    (re.compile(r"\bnew$"), "the new rows"),
    (re.compile(r"\bevery$"), "every row"),
    (re.compile(r"\bblock of ([\d.e-]+)$"), lambda found: f"a block of {100 * float(found[1]):g}% of the rows"),
    (re.compile(r"(?<= )([\d.]+)$"), lambda found: f"{100 * float(found[1]):g}% of the rows"),
)
_SHARE = re.compile(r"([\d.]+)%")


def fault_words(name: str) -> str:
    """A fault in words, without a verb; as it is called where it has none."""
    for pattern, words in _WORDS:
        if found := pattern.fullmatch(name):
            said = found.expand(words) if isinstance(words, str) else words(found)
            # Faults of matched rows are of the rule's own column.
            said = f"values{said}" if said.startswith(" ") else said
            # Those of rows name them after a colon.
            for rows, plain in _ROWS if ":" in name else ():
                said = rows.sub(plain, said)
            return said
    return name.replace("_", " ")


def smallest(caught: tuple[str, ...]) -> str:
    """Of the faults that a rule catches the one in the fewest rows, in words; '' where it catches none."""
    said = {name: fault_words(name) for name in caught}
    return min(said.values(), key=_share) if said else ""


def _share(words: str) -> float:
    """In per cent of the rows, as far as the words tell."""
    found = _SHARE.findall(words)
    if words.startswith("only the "):
        return 100 - float(found[-1])  # what is left of the order
    few = " in the row with the " in words or (words.endswith((" row", "two rows")) and not words.endswith("by a row"))
    return float(found[-1]) if found else 0.0 if few or words.startswith("one value") else 100.0
