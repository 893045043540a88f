"""What a rule means, without its column's name and numbers: rules that mean the same are one decision, over columns and tables."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import Evidence, FromRelation, FromSnapshot, FromValues
from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.constraints.reading import same
from avh_ui.review.own_bounds import without_numbers
from avh_ui.review.plain import form

# Stands in a form for the name of its column, which may be any text: no name has a null character in it.
COLUMN = "\0"
# That the values of a column are spread as in the batch before, by whichever distance.
_SPREAD = f"The mix of values of {COLUMN} changes no more than usual"
_SPREADS = tuple(
    f"The {what} {COLUMN} " for what in ("mix of", "distribution of", "share of rows below any value of", "share of any value of")
)
_NEARLY = re.compile(
    rf"^{COLUMN} has the values of the batch before|"
    rf"^At most … of the values of {COLUMN} have another form"
)
_CHANGES = re.compile(r"barely changes|(changes|differs from that of the batch before) by at most …(, which is at most … of its rows)?")
# So many columns of a group are named beside its sentence: two lines of the queue hold them and what follows.
_NAMED = 3
# What columns keep together, by the family that mined it; one that is new is called by its name.
_FAMILIES = {
    "nulls": "Columns are null in the same rows",
    "filled": "Columns are null by the values of others",
    "sign": "Columns have their sign by the values of others",
    "equal": "Columns are equal in every row",
    "determined": "One column has one value for each value of others",
    "mapped": "Values of columns go with those of others",
    "sized": "Texts are as long as values of others say",
    "together": "Columns have certain values exactly where others do",
    "unique": "No two rows share values of several columns",
    "copied": "Hardly any row is equal to another one",
    "order": "Columns keep an order in every row",
    "alternative": "Of two columns one is 0 in every row",
    "difference": "Columns differ by a constant",
    "total": "Columns add up to others",
    "balance": "Columns balance with others",
    "product": "Columns multiply to others",
    "linear": "Columns follow others by a constant rate",
    "inverse": "Columns multiply to a constant",
    "part": "Columns are parts of others",
    "limits": f"{COLUMN} is between … and …",
    "filled limits": f"{COLUMN} is never null and always within limits",
    "length": "Columns say how long it is between others",
    "joined": "Texts join others",
    "carried": "Columns say what others rose by, or were, since the batch before",
    "standing": "Matched rows, or columns in them, change from batch to batch",
}
# A sentence of one column, as one of several: the first that fits.
_PLURALS = (
    (rf"^{COLUMN} is ", r"{n} columns are "),
    # Of several columns each: how many they are together is not known here.
    (rf"^{COLUMN} are ", "Columns are "),
    (rf"^{COLUMN} agrees with ", r"{n} columns agree with "),
    (rf"^{COLUMN} has ", r"{n} columns have "),
    (rf"^{COLUMN} always has ", r"{n} columns always have "),
    (rf"^{COLUMN} (never |)(change|rise|fall|stay|keep)s ", r"{n} columns \1\2 "),
    (rf"^{COLUMN} never change ", r"{n} columns never change "),
    (rf"^Every value of {COLUMN} ", r"Every value of {n} columns "),
    (rf"^Against the batch before no frequent value of {COLUMN} ", r"Against the batch before no frequent value of {n} columns "),
    (rf"^No (?:value of )?{COLUMN} ", r"No value of {n} columns "),
    (rf"^No large {COLUMN} ", r"No large value of {n} columns "),
    (rf"^All {COLUMN} ", r"All values of {n} columns "),
    (rf"^No one value, .* of {COLUMN}$", r"In {n} columns no value is much more frequent than usual"),
    (rf"^All rows of a batch have the same {COLUMN}$", r"All rows of a batch have the same value of each of {n} columns"),
    (rf"^At most … of {COLUMN} are null", r"{n} columns have at most their usual share of nulls"),
    (rf"\b(changed|unchanged|emptied|filled|fallen|risen|exchanged|large) {COLUMN}", r"\1 values of {n} columns"),
    (rf"\bswap their {COLUMN}", r"swap their values of {n} columns"),
    (rf"\b(whose|their|[Tt]he (?!key\b)\w+) {COLUMN}(?=[ ,]|$)", r"\1 value of each of {n} columns"),
    (rf"\banother's {COLUMN}", r"another's values of {n} columns"),
    (rf"\b([Nn]one|any) of {COLUMN}", r"\1 of {n} columns"),
    (rf"\bother sign in {COLUMN}", r"other sign in one of {n} columns"),
    (rf"{COLUMN}", r"each of {n} columns"),
)


def meaning(constraint: Constraint, evidence: Evidence) -> str:
    """What is the same of rules that mean the same: the sentence with `COLUMN` for the name and … for numbers."""
    if isinstance(evidence, FromRelation):
        return _FAMILIES.get(evidence.family, f"Columns keep a relation: {evidence.family.replace('_', ' ')}")
    if isinstance(constraint, PatternConstraint):
        return f"{COLUMN} keeps to a {'list of values' if isinstance(evidence, FromValues) else 'pattern'}"
    if constraint.worded:
        return f"A person states it: {constraint.metric}"
    if constraint.transform.part:
        exact = same(constraint.lower, constraint.upper)
        return f"{COLUMN} {'agrees with' if exact else 'is near'} the batch's date"
    lowest = constraint.lower == 0 and constraint.upper is None and not constraint.of_each
    if isinstance(evidence, FromSnapshot) and not constraint.transform.lag and lowest:
        return f"{COLUMN} is never below …"
    said = form(constraint, COLUMN)
    # Texts have a mix and numbers a distribution, and how far either may change is a number: nobody decides on these one by one.
    spread = _NEARLY.search(said) or (said.startswith(_SPREADS) and _CHANGES.search(said))
    return _SPREAD if spread and not constraint.transform.lag else said


def subject(constraint: Constraint, evidence: Evidence, joint: str = ", ") -> str:
    """The columns that a rule is of, with a `joint` between them; of rows matched by a key those of their columns, else the key's."""
    columns = evidence.of if isinstance(evidence, FromRelation) else constraint.measure.columns or constraint.measure.key
    return joint.join(columns) or constraint.column


def few(subjects: Iterable[str]) -> str:
    """Some of them by name: `hour, minute, day and 10 more`; nothing of a single one, which a sentence of it names."""
    found = list(dict.fromkeys(subjects))
    rest = len(found) - _NAMED
    return "" if len(found) == 1 else f"{', '.join(found[:_NAMED])}{f' and {rest} more' if rest > 0 else ''}"


def of_several(meant: str, columns: Collection[str]) -> str:
    """The sentence for these columns: `13 columns are never null`, that of the one column; without a column in it as it is."""
    if len(columns) == 1:
        return without_numbers(meant).replace(COLUMN, next(iter(columns)))
    for found, put in _PLURALS:
        several, times = re.subn(found, put, meant, count=1)
        if times:
            return without_numbers(several).replace("{n}", f"{len(columns):,}").replace(COLUMN, "theirs")
    return without_numbers(meant)
