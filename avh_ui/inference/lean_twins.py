"""Of two rules of a column the one that the other says in other words, or says more of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from avh_ui.constraints.evidence import FromValues
from avh_ui.constraints.pattern_constraint import WORDS, PatternConstraint
from avh_ui.constraints.pattern_words import Characters, how_many, of_fixed_lengths
from avh_ui.constraints.reading import declaration_of
from avh_ui.constraints.transforms import IDENTITY
from avh_ui.inference.by_history.first_noticed import DEFAULT
from avh_ui.inference.lean_rule import LeanRule
from avh_ui.metrics.distances import SHAPE_DISTANCES
from avh_ui.metrics.metric import Extreme, Metric
from avh_ui.metrics.most_frequent import TEXT_TOP_RATIO, TOP_RATIO
from avh_ui.metrics.text import CAPITAL_RATIO, CHAR_LEN, DIGIT_LEN, MIN_LENGTH, PUNC_LEN, STR_LEN

# Half of a column at one value, as a default or a failed join leaves it.
_HALF_FILLED = ("one_value 50%", "increased_nulls 50% zero")

# What is written with other characters has so many of them, or none: how many letters are capitals, too.
_CHARACTERS = (DIGIT_LEN, PUNC_LEN, CHAR_LEN, CAPITAL_RATIO)
_SORTS: Mapping[str, Characters] = {DIGIT_LEN.name: "digits", PUNC_LEN.name: "marks", CHAR_LEN.name: "letters"}
# What stands in a pattern for letters of either case.
_ANY_LETTERS = ("<letter>", "<alphanum>", "<hex>", "<[")
# A list of more values nobody has in mind, and one that so large a share may not be of says little.
_MANY, _LOOSE = 30, 0.08
# Of 205 nations of which 2 % were new readers kept no list that let 12 % pass, and "words of letters" instead; of 86 quarters one of 5.9 %.
_LOOSE_OF_MANY = 0.06
# So short is any text: that a name or a remark is never shorter says nothing.
_SHORT = 4


def twins(rule: LeanRule, other: LeanRule) -> bool:
    """Whether it says in the words of one batch what the other says from its history, or bounds by nature what the other lists, or is the
    average of a constant, or that it is one, of which the other says that every value is the one.
    """
    a, b = rule.constraint, other.constraint
    if other.closes and rule.fixed and a.measure.standard and isinstance(b, PatternConstraint) and b.pattern.single:
        # That nothing is there is what the fill says; that texts are empty where none was, every validation.
        return {name for name in rule.caught if not name.endswith((" null", " empty"))} <= other.caught
    if rule.nature and isinstance(b, PatternConstraint) and b.upper == 0:
        # That nothing is there is what the fill says.
        return {name for name in rule.caught if not name.endswith(" null")} <= other.caught
    same = a.metric == b.metric and a.measure == b.measure and not isinstance(a, PatternConstraint)
    least = bound(rule, "least")
    if same and least is not None and b.lower is not None and least >= 0 > b.lower:
        # "Never below 0" is no other word for a bound that follows what the least value was, and lets it be -220.
        return False
    # That a value occurs once is counted; what the history bounds is an estimate.
    return same and a.origin == "snapshot" and b.origin == "history" and (b.unique or not a.unique)


def defaults_said(rules: Sequence[LeanRule]) -> list[LeanRule]:
    """How many values are one and the same, where the other rules notice half of them filled with one, and it alone but a fifth: no owner
    of a market's number reads for that alone how much one of them may make up.
    """
    found = []
    for rule in rules:
        others = frozenset().union(*(r.catches for r in rules if r is not rule and r not in found))
        half = {*_HALF_FILLED}.intersection(rule.proposal.evidence.tried)
        if _tells_defaults(rule) and half and half <= others and rule.caught - others <= {DEFAULT}:
            found.append(rule)
    return found


def _tells_defaults(rule: LeanRule) -> bool:
    declared = metric_of(rule)
    return declared in (TOP_RATIO, TEXT_TOP_RATIO) and rule.constraint.measure.standard and rule.constraint.lower is None


def bound(rule: LeanRule, of: Extreme) -> float | None:
    """What a rule on the least or greatest number holds every one of a column's rows to; None of all other rules."""
    made, declared = rule.constraint, metric_of(rule)
    if declared is None or declared.extreme != of or declared.unit != "value" or made.kind != "numeric" or made.transform != IDENTITY:
        return None
    return made.lower if of == "least" else made.upper


def metric_of(rule: LeanRule) -> Metric | None:
    """What its metric is declared as; None of one that is not in the catalogue."""
    return declaration_of(rule.constraint.metric, rule.constraint.kind)


def said_by_forms(rules: Sequence[LeanRule]) -> list[LeanRule]:
    """What says in numbers what a form or a closed set of the column says in words: how short it is at least, how its ways of writing are
    mixed, that it has no digits, no marks or capitals alone, how many marks, and how many letters a code of one length has; how long texts
    are on average, and how many of their letters are capitals, where they are of a list, or of a form that says which are. That texts are
    empty where none was, every validation says. Of a form and a list that lets some pass the one that says more.
    """
    forms = [r for r in rules if isinstance(r.constraint, PatternConstraint) and r.constraint.origin in ("corpus", "values")]
    found = [rule for rule in forms if any(_says_more(other, rule) for other in forms)]
    for rule in rules:
        declared, made = metric_of(rule), rule.constraint
        if declared is None or not made.measure.standard or made.measure.key or made.transform != IDENTITY:
            continue
        shortest = declared is MIN_LENGTH and made.upper is None
        none = declared in _CHARACTERS and made.lower == made.upper and made.lower in (0.0, 1.0)
        brief, mixed = shortest and (forms or (made.lower or 0) <= _SHORT), declared in SHAPE_DISTANCES and forms
        long = declared is STR_LEN and made.lower == made.upper and any(_is_as_long(form, rule) for form in forms)
        counted = made.lower == made.upper and any(_counts(form, declared, made.lower) for form in forms)
        average = declared in (STR_LEN, CAPITAL_RATIO) and any(_is_list(form) or _says_which(form) for form in forms)
        average = average and made.lower != made.upper
        if brief or mixed or long or counted or average or (none and any(_says(form, declared) for form in forms)):
            found.append(rule)
    return found if len(found) < len(rules) else []


def _says_more(one: LeanRule, rule: LeanRule) -> bool:
    """Whether the one of a list that lets some values pass and a form says more than the other, `rule`: the form beside a list that lets
    many pass, or of many values that are all of one length, else the list.
    """
    a, b = one.constraint, rule.constraint
    if not (isinstance(a, PatternConstraint) and isinstance(b, PatternConstraint)) or {a.origin, b.origin} != {"corpus", "values"}:
        return False
    listing, form = (one, b) if a.origin == "values" else (rule, a)
    most, of, pattern = listing.constraint.upper or 0.0, listing.proposal.evidence, form.pattern
    if pattern.kind == "dictionary":
        # The same list from both, each with what it lets pass.
        let_pass = [(made.upper or 0.0, made.origin == "corpus") for made in (a, b)]
        return a.pattern.regex == b.pattern.regex and let_pass[0] < let_pass[1]
    if not most:
        return False
    many = isinstance(of, FromValues) and (of.distinct or 0) > _MANY
    fixed = not pattern.text.startswith(WORDS) if pattern.kind == "type" else of_fixed_lengths(pattern.text)
    return (most >= (_LOOSE_OF_MANY if many else _LOOSE) or (many and fixed)) is (a is form)


def _is_list(form: LeanRule) -> bool:
    made = form.constraint
    return isinstance(made, PatternConstraint) and made.origin == "values" and made.pattern.kind == "dictionary"


def _says_which(form: LeanRule) -> bool:
    """Whether a form says what stands where, and which letters are capitals."""
    made = form.constraint
    if not isinstance(made, PatternConstraint) or made.pattern.kind == "dictionary":
        return False
    if made.pattern.kind == "type":
        return not made.pattern.text.startswith(WORDS)
    return not any(sign in made.pattern.text for sign in _ANY_LETTERS)


def _counts(form: LeanRule, declared: Metric, number: float | None) -> bool:
    """Whether each value has that number of such characters by a form; a day has as many as it is written with."""
    made, of = form.constraint, _SORTS.get(declared.name)
    if of is None or not isinstance(made, PatternConstraint) or made.pattern.kind == "dictionary":
        return False
    if made.pattern.kind == "type":
        return _says_which(form)
    return number is not None and how_many(made.pattern.text, of) == number


def _is_as_long(form: LeanRule, rule: LeanRule) -> bool:
    """Whether a form that all keep to says how long each value is, and notices what `rule` does but texts that are empty or null."""
    made = form.constraint
    if not isinstance(made, PatternConstraint) or made.pattern.kind == "dictionary" or made.upper:
        return False
    noticed = {name for name in rule.caught if not name.endswith((" null", " empty"))}
    return noticed <= form.caught and of_fixed_lengths(made.pattern.text)


def _says(form: LeanRule, declared: Metric) -> bool:
    """Whether a form names the characters that values are written in, so that all others are said to be none of theirs."""
    pattern = form.constraint.pattern if isinstance(form.constraint, PatternConstraint) else None
    return pattern is not None and (pattern.kind != "dictionary" or declared is not CAPITAL_RATIO or form.closes)
