"""Expectations of Great Expectations that are conditions on each row, and what all expectations share."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from avh_ui.constraints import checks as c
from avh_ui.constraints.check import Check
from avh_ui.constraints.importing.great_expectations_conditions import where_of
from avh_ui.constraints.importing.imported import FoundRules, UnreadError, limits
from avh_ui.constraints.sql_text import literal, quoted
from avh_ui.metrics import analyzers as of

# As our exporter writes a condition on rows.
_UNEXPECTED = re.compile(r"SELECT \* FROM \{batch\} WHERE (?:\((.*)\) AND )?NOT coalesce\(\((.*)\), false\)", re.DOTALL)

# What `strptime` takes for the numbers of a date and a time; names of months and zones depend on the machine there.
_DATE_PARTS = {
    "Y": "[0-9]{4}", "y": "[0-9]{2}", "m": "(0?[1-9]|1[0-2])", "d": "(0?[1-9]|[12][0-9]|3[01])", "H": "([01]?[0-9]|2[0-3])",
    "I": "(0?[1-9]|1[0-2])", "M": "[0-5]?[0-9]", "S": "([0-5]?[0-9]|6[01])", "f": "[0-9]{1,6}", "%": "%",
}  # fmt: skip


@dataclass
class Expectation:
    """One entry of a suite. `asked` are the settings that were looked at: one that is not may change the meaning. `description` is the
    suite's own sentence ('' without one).
    """

    name: str
    kwargs: Mapping[str, Any]
    manner: dict[str, Any]
    where: str | None
    found: FoundRules
    asked: set[str] = field(default_factory=set)
    description: str = ""

    @classmethod
    def of(cls, name: str, entry: Mapping[str, Any], found: FoundRules) -> Expectation:
        """From its record; `UnreadError` for a row condition in another language than SQL."""
        kwargs = entry.get("kwargs") or {}
        if filled := [key for key, value in kwargs.items() if _is_parameter(value)]:
            raise UnreadError(f"its {filled[0]} is a parameter that the run fills in")
        if kwargs.get("parse_strings_as_datetimes"):
            raise UnreadError("it reads texts as dates before it compares: state the condition on a row (satisfies)")
        meta = entry.get("meta") or {}
        ours = meta.get("avh") if isinstance(meta, Mapping) else None
        severity = str((ours or {}).get("severity") or entry.get("severity") or kwargs.get("severity") or "critical")
        manner = {"level": "warning"} if severity in ("warning", "info") else {}
        if severity == "info":
            found.note("What is of severity info warns here.")
        said = str(entry.get("description") or kwargs.get("description") or "")
        return cls(name, kwargs, manner, where_of(kwargs), found, {"row_condition", "parse_strings_as_datetimes"}, said)

    def take(self, name: str) -> Any:
        """A setting; None where it is not there."""
        self.asked.add(name)
        return self.kwargs.get(name)

    @property
    def column(self) -> str:
        """The column."""
        self.asked.add("column")
        return str(self.kwargs["column"])

    @property
    def values(self) -> list[Any]:
        """The values of its set."""
        values = self.take("value_set")
        if not isinstance(values, list):
            raise UnreadError(f"its value_set is no list: {values!r}")
        return values

    @property
    def there(self) -> list[Any]:
        """Those of its set that a row's value may be: rows without one are left out before the set is asked."""
        return [value for value in self.values if value is not None]

    @property
    def least(self) -> dict[str, Any]:
        """The share of rows, where it is not all of them."""
        mostly = self.take("mostly")
        return {} if mostly in (None, 1, 1.0) else {"at_least": float(mostly)}

    @property
    def of_values(self) -> str:
        """The condition of the rows with a value."""
        there = f"{quoted(self.column)} IS NOT NULL"
        return there if self.where is None else f"{there} AND ({self.where})"

    def each(self, test: str, says: str) -> list[Check]:
        """A condition that each value keeps; null passes."""
        says = f"{self.column} {says}"
        if self.least:
            return [c.satisfies(test, says=says, where=self.of_values, **self.least, **self.manner)]
        return [c.satisfies(f"{quoted(self.column)} IS NULL OR {test}", says=says, where=self.where, **self.manner)]


def _is_parameter(value: Any) -> bool:
    """Whether a setting, or a part of it, is known only when the suite is run."""
    if isinstance(value, Mapping):
        return "$PARAMETER" in value or any(map(_is_parameter, value.values()))
    return isinstance(value, list) and any(map(_is_parameter, value))


def _not_in_set(e: Expectation) -> list[Check]:
    values = e.there
    return e.each(f"{quoted(e.column)} NOT IN ({', '.join(map(literal, values))})", f"is none of {', '.join(map(str, values))}")


def _dates(e: Expectation) -> list[Check]:
    """Texts in a form of `strptime`, by a pattern: how many days a month has is not asked."""
    form = str(e.take("strftime_format"))
    parts = re.split(r"%(.)", form)
    if strange := next((code for code in parts[1::2] if code not in _DATE_PARTS), ""):
        raise UnreadError(f"its %{strange} is no number of a date or time: state a pattern (has_pattern)")
    made = "".join(_DATE_PARTS[part] if at % 2 else re.escape(part) for at, part in enumerate(parts))
    e.found.note("A form of dates is a pattern here: 31 February has it, too.")
    return e.each(f"({quoted(e.column)} RLIKE {literal(f'^(?:{made})$')})", f"is written as {form}")


def _regex(e: Expectation) -> list[Check]:
    patterns = e.take("regex_list") or [e.take("regex")]
    joined = " AND " if e.take("match_on") == "all" or "not_match" in e.name else " OR "
    no = "NOT " if "not_match" in e.name else ""
    test = joined.join(f"{no}({quoted(e.column)} RLIKE {literal(pattern)})" for pattern in patterns)
    said = f"{'has no' if no else 'has a'} match of {(' or ' if no else joined.lower()).join(patterns)}"
    return e.each(test if len(patterns) == 1 else f"({test})", said)


def _like(e: Expectation) -> list[Check]:
    patterns = e.take("like_pattern_list") or [e.take("like_pattern")]
    no = "NOT " if "not_match" in e.name else ""
    joined = " AND " if no or e.take("match_on") == "all" else " OR "
    test = joined.join(f"{quoted(e.column)} {no}LIKE {literal(pattern)}" for pattern in patterns)
    said = f"is {no.lower()}like {(' or ' if no else joined.lower()).join(patterns)}"
    return e.each(test if len(patterns) == 1 else f"({test})", said)


def _lengths(e: Expectation) -> list[Check]:
    low, high = (e.take("value"),) * 2 if "value" in e.kwargs else (e.take("min_value"), e.take("max_value"))
    strict_low, strict_high = bool(e.take("strict_min")), bool(e.take("strict_max"))
    given = limits(low, high, strict_lower=strict_low, strict_upper=strict_high)
    if not e.least and "exactly" not in given:
        sides = [(of.min_length, ("at_least", "above")), (of.max_length, ("at_most", "below"))]
        e.found.note("Lengths of a column without a single text are broken here; in Great Expectations they hold.")
        made = [(measure, name) for measure, names in sides for name in names if name in given]
        return [c.has(measure(e.column, where=e.where), **{name: given[name]}, **e.manner) for measure, name in made]
    length = f"length({quoted(e.column)})"
    signs = {"at_least": ">=", "above": ">", "at_most": "<=", "below": "<", "exactly": "="}
    test = " AND ".join(f"{length} {signs[name]} {bound}" for name, bound in given.items())
    return e.each(f"({test})", f"has a length {' and '.join(f'{signs[name]} {bound}' for name, bound in given.items())}")


def _is(column: str, value: Any) -> str:
    return f"{quoted(column)} IS NULL" if value is None else f"{quoted(column)} <=> {literal(value)}"


def _pair(e: Expectation) -> list[Check]:
    a, b = str(e.take("column_A")), str(e.take("column_B"))
    if "in_set" in e.name:
        pairs = e.take("value_pairs_set")
        # One by one: a list of pairs takes columns of the very types of its values, and a text is no number there.
        listed = " OR ".join(f"({_is(a, x)} AND {_is(b, y)})" for x, y in pairs)
        says = f"{a}, {b} are one of {len(pairs):,} pairs" if len(pairs) > 1 else f"{a}, {b} are {pairs[0][0]}, {pairs[0][1]}"
        return [c.satisfies(listed, says=says, where=_there(e, a, b), **e.least, **e.manner)]
    test = c.is_equal_to if "equal" in e.name and "greater" not in e.name else c.is_at_least if e.take("or_equal") else c.is_greater_than
    return [test(a, b, where=_there(e, a, b), **e.least, **e.manner)]


def _there(e: Expectation, *columns: str) -> str | None:
    """The rows that count, by what is said of those with nulls."""
    said = e.take("ignore_row_if") or "both_values_are_missing"
    tests = [f"{quoted(column)} IS NOT NULL" for column in columns]
    rows = {"never": "", "neither": "", "either_value_is_missing": " AND ".join(tests), "both_values_are_missing": " OR ".join(tests)}
    if said not in rows:
        raise UnreadError(f"ignore_row_if {said!r} is not understood")
    parts = [f"({part})" for part in (rows[said], e.where) if part]
    return None if not parts else " AND ".join(parts)


def _sum(e: Expectation) -> list[Check]:
    columns, total = e.take("column_list"), e.take("sum_total")
    if e.take("ignore_row_if") not in (None, "all_values_are_missing"):
        raise UnreadError("rows are left out where all columns are null, and only then")
    where = " OR ".join(f"{quoted(column)} IS NOT NULL" for column in columns)
    said = f"{' + '.join(columns)} is {total}"
    test = f"{' + '.join(map(quoted, columns))} = {total}"
    return [c.satisfies(test, says=said, where=where if e.where is None else f"({where}) AND ({e.where})", **e.least, **e.manner)]


def _within_record(e: Expectation) -> list[Check]:
    columns = [str(column) for column in e.take("column_list")]
    ignored, names = e.take("ignore_row_if") or "all_values_are_missing", list(map(quoted, columns))
    rows = {
        "all_values_are_missing": f"({' OR '.join(f'{name} IS NOT NULL' for name in names)})",
        "any_value_is_missing": f"({' AND '.join(f'{name} IS NOT NULL' for name in names)})", "never": "",
    }  # fmt: skip
    if ignored not in rows:
        raise UnreadError(f"ignore_row_if {ignored!r} is not understood")
    where = " AND ".join(filter(None, (rows[ignored], e.where and f"({e.where})")))
    test = " AND ".join(f"NOT ({one} <=> {other})" for one, other in combinations(names, 2))
    return [c.satisfies(test, says=f"{', '.join(columns)} differ", where=where or None, **e.least, **e.manner)]


def _unexpected(e: Expectation) -> list[Check]:
    query = str(e.take("unexpected_rows_query"))
    if (found := _UNEXPECTED.fullmatch(query)) is None:
        if e.where is not None:
            raise UnreadError("it is a query of its own beside a row condition: put the condition into the query")
        counted = f"SELECT count(*) FROM ({query.strip().rstrip(';').replace('{batch}', 'batch')})"
        return [c.custom_sql(counted, says=e.description, at_most=0, **e.manner)]
    where, condition = found.groups()
    return [c.satisfies(condition, says=e.description, where=where, **e.manner)]


READERS: dict[str, Callable[[Expectation], list[Check]]] = {
    "expect_column_values_to_not_be_in_set": _not_in_set, "expect_column_values_to_match_regex": _regex,
    "expect_column_values_to_match_strftime_format": _dates,
    "expect_column_values_to_not_match_regex": _regex, "expect_column_values_to_match_regex_list": _regex,
    "expect_column_values_to_not_match_regex_list": _regex, "expect_column_values_to_match_like_pattern": _like,
    "expect_column_values_to_not_match_like_pattern": _like, "expect_column_values_to_match_like_pattern_list": _like,
    "expect_column_values_to_not_match_like_pattern_list": _like, "expect_column_value_lengths_to_be_between": _lengths,
    "expect_column_value_lengths_to_equal": _lengths, "expect_column_pair_values_a_to_be_greater_than_b": _pair,
    "expect_column_pair_values_to_be_equal": _pair, "expect_column_pair_values_to_be_in_set": _pair,
    "expect_select_column_values_to_be_unique_within_record": _within_record,
    "expect_multicolumn_sum_to_equal": _sum, "unexpected_rows_expectation": _unexpected,
}  # fmt: skip
