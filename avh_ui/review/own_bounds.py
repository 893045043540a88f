"""What a title says of bounds that are another one in each rule it is of: nobody can read "5 columns are between … and …".

A title is the sentence of a rule with … for each number (`plain.form`), of one column or of several.
"""

from __future__ import annotations

import re
from functools import partial

# One column has limits of its own, several have theirs: by the verb before the numbers.
_OWN = {"is": "its", "has": "its", "stays": "its", "are": "their", "have": "their", "stay": "their"}
_HAVE = {"is": "has", "are": "have"}
_COUNTED = "letters|digits|punctuation marks|different values"
_SO_MANY = rf"(?:at least |at most |… to )?… ({_COUNTED})(?: or (?:more|fewer))?"

# What a verb and numbers behind it say, the first that fits; `{own}` and `{have}` are the verb's.
_OF_VERBS = tuple(
    (re.compile(rf"\b{verb} {numbers}"), said)
    for verb, numbers, said in (
        ("(are)", r"… (?:to …|or less|or more) on average", "have averages within limits of their own"),
        ("(is)", r"… (?:to …|or less|or more) on average", "has an average within limits of its own"),
        ("(is|are)", r"always … characters long on average", "always {have} the same length on average"),
        ("(is|are)", r"… (?:to … )?characters (?:long|longer|or longer|or shorter) on average", "{have} {own} usual length on average"),
        ("(is)", r"always … above the smallest", "is always as far above the smallest"),
        ("(is)", r"… or more above the smallest", "is well above the smallest"),
        ("(is)", r"… (?:to …|or less) above the smallest", "is as far above the smallest as usual"),
        ("(is|are)", r"always …", "{verb} always the same"),
        ("(is|are)", r"(?:between … and …|… or (?:less|more|earlier|later))", "{stay} within limits of {own} own"),
        ("(is|are)", r"never (above|below) …", "{verb} never {more} a limit of {own} own"),
        ("(is|are)", r"never (longer|shorter) than … characters", "{verb} never {more} than a limit of {own} own"),
        ("(stays|stay)", r"within …", "{verb} within limits of {own} own"),
        (
            r"(?<!always )(has|have)",
            _SO_MANY,
            "{verb} {own} usual number of {more}",
        ),
        (r"(?<!always )(has|have)", r"(?:at least |at most |… to )?… characters", "{verb} {own} usual length"),
    )
)
# What stands elsewhere.
_ELSEWHERE = tuple(
    (re.compile(numbers), said)
    for numbers, said in (
        (rf"\balways (has|have) … ({_COUNTED}|characters)", r"always \1 the same number of \2"),
        (r"\balways (chang|ris|fall)(es?|s?) by …", r"always \1\2 by as much"),
        (
            r"\b(change|rise|fall)(s?) by (?:at most …|at least …|… to …|… or more|… or less|…)(?: pt)?"
            r"(?: \([^)]*\)|, which is at most … of its rows)?",
            r"\1\2 no more than usual",
        ),
        (r"^All values of (.+ columns) together (?:always )?make .*", r"The sum of each of \1 stays within limits of its own"),
        (r"^All (.+) together (?:always )?make .*", r"The sum of \1 stays within limits of its own"),
        (r"\bmore than … beyond", "farther than usual beyond"),
        (r"^(?:Between … and …|At least …|At most …|Always …) rows a batch", "About as many rows a batch as usual"),
        (r"\b([Ii]n )?at (least|most) … of", r"\1at \2 the usual share of"),
        (r"^… of (.+), always\b", r"The usual share of \1"),
        (r"^(?:Between … and …|… to …) of", "The usual share of"),
        (r"^At (least|most) … of", r"At \1 the usual share of"),
        (r"\b(?:always |between )?…(?: and …| to …)? of", "the usual share of"),
        (r"([Uu]sual share of .+?) are (null|not null)\b", r"\1 is \2"),
        (r" \((?:at most )?…\)", ""),
        (r", … a week\b", ", more or less each week"),
        (r"(?:… to …|…)", "the usual"),
    )
)


def without_numbers(title: str) -> str:
    """The title with words where its numbers were left out, and no … in it."""
    for numbers, said in _OF_VERBS:
        title = numbers.sub(partial(_of_verb, said), title)
    for numbers, said in _ELSEWHERE:
        title = numbers.sub(said, title)
    return title


def _of_verb(said: str, found: re.Match[str]) -> str:
    verb, *more = found.groups()
    own = _OWN[verb]
    stay = "stays" if own == "its" else "stay"
    return said.format(verb=verb, own=own, have=_HAVE.get(verb, verb), stay=stay, more=next(iter(more), ""))
