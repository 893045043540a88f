"""A constraint whose evidence is the share of values that do not conform to a pattern (Auto-Validate, section 4).

The share of a batch is compared with the one it was learned with, by the two-tailed Fisher exact test (for large samples Pearson's
chi-squared test with Yates' correction), and where the corpus knows that columns keep to such a pattern by a predictive test too. As
bounds, which is how it is drawn and edited, that is an upper bound on `nonconforming_ratio` that depends on the number of values.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, fields, replace
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    AliasPath,
    Discriminator,
    Field,
    GetPydanticSchema,
    PlainSerializer,
    Tag,
    field_serializer,
)

from avh_ui.constraints.constraint import Constraint, Verdict
from avh_ui.constraints.pattern_words import in_words
from avh_ui.constraints.plain_data import Number
from avh_ui.constraints.reading import NONCONFORMING, percent
from avh_ui.constraints.rising import NO_PRIOR, Prior, most_bad
from avh_ui.metrics.conformance import Conformance
from avh_ui.metrics.regexes import anchored, body_of
from avh_ui.typed import CLOSED, Adapter, Text, Whole, write

METRIC = NONCONFORMING
# A pattern of more characters is cut in a sentence, and of a longer list the first values are named.
_LONG, _SUCH = 80, 3
# How the text of a list ends that has more values than it names.
_MORE = re.compile(r"… \(([\d,]+) more\)")
# How the text of a type begins that is no standard's format, but words; and of which letters that of a written day is.
WORDS, _DAY = ("words ", "written in "), re.compile(r"(?:[YMDhms/\-.:, ]|Month|Mon)+( AM)?")
PatternKind = Literal["pattern", "type", "union", "dictionary", "regex"]


def _in_pattern(name: str) -> Any:
    """Of a field of a constraint that a document has in its pattern."""
    return Field(validation_alias=AliasPath("pattern", name), exclude=True)


@dataclass(frozen=True)
class Pattern:
    """What values should look like: `text` for people, `regex` (portable, see `metrics.regexes`) for engines.

    `kind` is a pattern of the language, a named type, a union, a closed list of values, or a regex typed by hand. Of the `values`
    non-null and non-empty values it was learned from `bad` did not conform; `prior` is what was believed of their share beforehand.
    """

    __pydantic_config__ = CLOSED
    text: Text
    regex: Annotated[Text, AfterValidator(lambda regex: anchored(body_of(regex))), Field(json_schema_extra={"pattern": r"^\^\(\?:"})]
    values: Whole
    bad: Whole
    kind: PatternKind = "pattern"
    # Documents from before there was one keep their hash.
    prior: Annotated[Prior, Field(exclude_if=lambda prior: not prior.values)] = NO_PRIOR

    def __post_init__(self) -> None:
        if not 0 <= self.bad <= self.values:
            raise ValueError(f"of {self.values} values {self.bad} cannot be non-conforming")
        if self.prior != NO_PRIOR and not 0 < self.prior.bad < self.prior.values < math.inf:
            raise ValueError(f"a prior of {self.prior.bad} non-conforming of {self.prior.values} values is none")

    @property
    def single(self) -> bool:
        """Whether it is a list of one value."""
        return self.kind == "dictionary" and " | " not in self.text

    @property
    def words(self) -> str:
        """What values that do not conform are not, for a sentence."""
        if self.kind == "dictionary" and len(self.text) > _LONG:
            *values, last = self.text.split(" | ")
            more = _MORE.fullmatch(last)
            count = len(values) + (int(more[1].replace(",", "")) if more else 1)
            return f"one of {count:,} values, such as {', '.join(values[:_SUCH])}"
        short = self.text if len(self.text) <= _LONG else f"{self.text[:_LONG]}…"
        if self.single:
            return short
        if self.kind == "dictionary" and short.count(" | ") == 1:
            return short.replace(" | ", " or ")
        if self.kind == "type" and short.startswith(WORDS):
            return self.text
        if self.kind == "type" and _DAY.fullmatch(short):
            return f"written as {short}"
        if self.kind in ("pattern", "union") and (said := in_words(self.text)):
            return said
        return {"dictionary": f"one of {short}", "type": f"of the type {short}"}.get(self.kind, f"like {short}")


@dataclass(frozen=True)
class TestedPattern(Pattern):
    """A pattern with its test, as a document holds them together: `significance` is the level of the two-tailed Fisher test (and of the
    Beta-binomial predictive test where there is a prior), 0 where `upper` is a plain bound; `upper` is given for a batch of `usual` values.
    """

    significance: Number = 0.0
    usual: Whole = 0


def _alone(tested: TestedPattern) -> Pattern:
    return Pattern(**{part.name: getattr(tested, part.name) for part in fields(Pattern)})


@dataclass(frozen=True)
class PatternConstraint(Constraint):
    """`nonconforming_ratio(column)` does not rise beyond what was learned with.

    `significance` is the level of the test, and with it the bound on the false-positive rate; `upper` is then the largest share that
    passes for a batch of `usual` values. With significance 0 `upper` is a plain bound, as set by hand.
    """

    pattern: Annotated[Pattern, GetPydanticSchema(lambda _, of: of(Annotated[TestedPattern, AfterValidator(_alone)]))] = field(kw_only=True)
    significance: Annotated[Number, _in_pattern("significance")] = 0.0
    usual: Annotated[Whole, _in_pattern("usual")] = 0

    @property
    def alarmed(self) -> str:
        """How a verdict that is none begins."""
        return f"The share of values of {self.column} that are not {self.pattern.words}"

    @field_serializer("pattern")
    def _with_test(self, pattern: Pattern) -> TestedPattern:
        return TestedPattern(**vars(pattern), significance=self.significance, usual=self.usual)

    def limit(self, values: int) -> float | None:
        """The largest share of so many values that passes; None when all of them may fail."""
        if not self.significance:
            return self.upper
        return most_bad(self.pattern.bad, self.pattern.values, values, self.significance, self.pattern.prior) / max(values, 1)

    def by_corpus_alone(self, found: Conformance) -> bool:
        """Whether so many failing values would pass Fisher's test, and only what the corpus knows makes them too many."""
        pattern = self.pattern
        if not self.significance or not pattern.prior.values:
            return False
        return found.bad <= most_bad(pattern.bad, pattern.values, found.values, self.significance)

    def with_bounds(self, lower: float | None, upper: float | None) -> PatternConstraint:
        """The same pattern with a plain bound instead of the test; with the bounds it has, itself."""
        if (lower, upper) == (self.lower, self.upper):
            return self
        return replace(self, lower=lower, upper=upper, significance=0.0)

    def with_pattern(self, pattern: Pattern) -> PatternConstraint:
        """Another pattern for the same column; its bound is found anew where the test stands."""
        changed = replace(self, pattern=pattern)
        return changed.with_test_bound() if self.significance else changed

    def with_test_bound(self) -> PatternConstraint:
        """The same with the upper bound that its test amounts to for a batch of `usual` values."""
        return replace(self, lower=None, upper=self.limit(max(self.usual, 1)), fpr=self.significance)


def _has_pattern(value: Any) -> str:
    return "(pattern)" if isinstance(value, PatternConstraint) or (isinstance(value, dict) and "pattern" in value) else "(bounds)"


_BOUNDS: Adapter[Constraint] = Adapter(Constraint)
_PATTERN: Adapter[PatternConstraint] = Adapter(PatternConstraint)


def record_of(constraint: Constraint) -> dict[str, Any]:
    """A constraint as plain JSON data, with a pattern or without; `ConstraintError` when its provenance holds what JSON cannot."""
    return write(_PATTERN, constraint) if isinstance(constraint, PatternConstraint) else write(_BOUNDS, constraint)


# A constraint as a document has it: with a pattern or without.
AnyConstraint = Annotated[
    Annotated[PatternConstraint, Tag("(pattern)")] | Annotated[Constraint, Tag("(bounds)")],
    Discriminator(_has_pattern),
    # Not pydantic's own: it hides why one of several types cannot be written.
    # Through a lambda: by the type of what a function returns pydantic would write the schema.
    PlainSerializer(lambda made: record_of(made)),  # noqa: PLW0108 (so)
]


def judge_pattern(constraint: PatternConstraint, found: Conformance | None) -> Verdict:
    """Judge what was counted of a batch; None means that it could not be counted: not evaluated.

    A batch without values (all null or empty) passes: no value fails, and how many there are is the completeness's question.
    """
    column, pattern = constraint.column, constraint.pattern
    if found is None:
        text = f"{constraint.alarmed} was not measured on this batch: it is counted while the batch is read."
        return Verdict(constraint, "not_evaluated", None, None, None, text)
    if not found.values:
        return Verdict(constraint, "pass", None, None, None, f"{column} has no values, so none that is not {pattern.words}.")
    upper = constraint.limit(found.values)
    are = "is" if found.bad == 1 else "are"
    share = f"{found.bad:,} of {found.values:,} values of {column} ({percent(found.ratio)})"
    before = f"all but {pattern.bad:,} of {pattern.values:,} were" if pattern.bad else f"all {pattern.values:,} were"
    passes = (upper is None or found.ratio <= upper) and (constraint.lower is None or found.ratio >= constraint.lower)
    if passes:
        text = f"{share} {are} not {pattern.words}." if found.bad else f"All {found.values:,} values of {column} are {pattern.words}."
        return Verdict(constraint, "pass", found.ratio, constraint.lower, upper, text, found.samples)
    # Of a long list the words name some values, too.
    such = f": {', '.join(map(repr, found.samples[:3]))}" if found.samples else ""
    text = f"{share} {are} not {pattern.words}{such}; when it was learned, {before}."
    if constraint.by_corpus_alone(found):
        text += " By themselves these would be too few to tell, but in the corpus columns keep to such a pattern."
    status: Literal["fail", "warn"] = "fail" if constraint.level == "error" else "warn"
    return Verdict(constraint, status, found.ratio, constraint.lower, upper, text, found.samples)
