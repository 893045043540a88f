"""Rules as plain sentences, and the glossary: both from the metrics' declarations."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from string import Formatter

import pytest

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import EACH_VALUE
from avh_ui.constraints.recipe import Recipe
from avh_ui.constraints.transforms import Transform
from avh_ui.errors import NotFoundError
from avh_ui.metrics.catalogue import ASKED, BESIDE, CATALOGUE
from avh_ui.metrics.measure import Measure
from avh_ui.review.batch_rules import BATCH_RULES
from avh_ui.review.difference import compared
from avh_ui.review.glossary import entry, glossary
from avh_ui.review.metric_words import metric_words
from avh_ui.review.plain import form, moving, plain
from avh_ui.validator.results import RuleResult

PLACES = {"column", "key", "other", "columns", "added", "times", "low", "high", "not_low", "not_high", "points", "moved", "told", "large"}


def rule(metric: str, lower: float | None, upper: float | None, *, kind: str = "numeric", column: str = "price", lag: int = 0) -> str:
    return plain(Constraint(column, metric, kind=kind, lower=lower, upper=upper, transform=Transform(lag=lag)))


def test_a_sentence_says_the_rule_with_the_name_of_its_column() -> None:
    assert rule("complete_ratio", 1.0, 1.0) == "price is never null."
    assert rule("complete_ratio", 0.0, 0.0) == "price is always null."
    assert rule("complete_ratio", 0.8279, 0.8279) == "17.21% of price are null, always."
    assert rule("complete_ratio", 0.5, None) == "At most 50% of price are null."
    assert rule("complete_ratio", 0.2, 0.4) == "Between 60% and 80% of price are null."
    assert rule("min", 0.0, None) == "price is never below 0."
    assert rule("max", None, 2400.0) == "price is never above 2,400."
    assert rule("str_len", 20.0, 20.0, kind="string") == "price is always 20 characters long."
    assert rule("str_len", 19.5, 19.5, kind="string") == "price is always 19.5 characters long on average."
    assert rule("str_len", 1.0, 1.0, kind="string") == "price is always one character long."
    assert rule("min_length", 1.0, None, kind="string") == "price is never shorter than 1 character."
    assert rule("min_length", 11.0, None, kind="string") == "price is never shorter than 11 characters."
    assert rule("max_length", None, 1.0, kind="string") == "price is never longer than 1 character."
    assert rule("mean", 10.0, 20.0) == "price is 10 to 20 on average."
    assert rule("mean", -69.0, 69.0, lag=1) == "The average price changes by at most 69 against the batch before."
    assert rule("unique_ratio", 1.0, 1.0) == "No value of price occurs twice."
    assert rule("top_ratio", None, 0.6) == "No value of price makes up more than 60% of its values."
    seldom = "No one value, such as a filled-in default, makes up more than {} of the values of price."
    assert rule("top_ratio", None, 0.12) == seldom.format("12%")
    assert rule("top_ratio", None, 0.02, kind="string") == seldom.format("2%")
    assert rule("top_ratio", None, 0.4, kind="string") == "No value of price makes up more than 40% of its values."
    assert rule("l1", None, 0.064, kind="string") == "The mix of price changes by at most 3.2% of its rows."
    assert rule("l1", None, 0.9, kind="string") == "The mix of price changes by at most 45% of its rows."
    assert rule("l1", None, 0.0, kind="string") == "Each value of price has the same share of the rows as in the batch before."
    assert rule("l1", None, 0.34) == "The distribution of price differs from that of the batch before by at most 17% of its rows."
    assert rule("cohen_d", None, 0.2) == "The average price barely moves (at most 0.2 of the spread of its values)."
    moves = Constraint("price", "cohen_d", "numeric", lower=None, upper=0.145, provenance={"size": 152.0})
    assert plain(moves) == "The average price moves by at most about 22 against the batch before (0.145 of the spread of its values)."
    lately = "The average price moves by at most 0.145 of the spread of its values against the batch before (lately 150, so by about 22)."
    assert plain(replace(moves, provenance={"lately": 152.0})) == lately
    assert rule("kl_div", None, 0.5) == "The distribution of price changes by at most 0.5, which is at most 50% of its rows."
    assert rule("ks_dist", None, 0.125) == "The share of rows below any value of price changes by at most 12.5 pt against the batch before."
    assert rule("linf", None, 0.06, kind="string") == "The share of any value of price changes by at most 6 pt against the batch before."
    lost = "No value of price that in the batch before had {} of them while the others keep theirs."
    assert rule("value_loss", 0.0, 0.1, kind="string") == lost.format("100 rows or more loses more than 46%")
    assert rule("value_loss", 0.0, 0.0, kind="string") == lost.format("100 rows or more loses more than 39%")
    assert rule("emd", None, 0.001) == "The values of price move by at most 0.001 on average from batch to batch."
    assert plain(Constraint("price", "row_count", kind="numeric", lower=600.0, upper=1100.0)) == "Between 600 and 1,100 rows a batch."


def test_values_that_differ_are_no_number_above_another() -> None:
    """ "The largest age is 0.1 or more above the smallest" says that ages differ."""
    differ = Constraint("age", "range", "numeric", 0.0, None, strict="lower")
    assert plain(differ) == "age is never one and the same value in all rows of a batch."
    assert [differ.holds(span) for span in (0.0, 0.01, 80.0)] == [False, True, True]
    assert plain(replace(differ, lower=2.0)) == "The span of age is > 2."


def test_as_many_values_as_a_closed_set_has_are_each_of_them() -> None:
    counted = Constraint("origin", "dist_val_count", "string", 7.0, 7.0)
    assert plain(counted) == "origin always has 7 different values."
    each = replace(counted, provenance={"rule": EACH_VALUE})
    assert plain(each) == "Each of the 7 values of origin comes in every batch."
    assert plain(each.with_bounds(6.0, 7.0)) == "origin has 6 to 7 different values."


def test_what_is_always_so_of_some_rows_ends_with_always() -> None:
    one = Constraint("rate", "complete_ratio", "numeric", 0.8279, 0.8279)
    part = Measure("complete_ratio", ("rate",), where="origin = 'EWR'")
    some = Constraint(part.subject, "complete_ratio", "numeric", 0.8279, 0.8279, measure=part)
    assert plain(some) == "17.21% of rate are null where origin = 'EWR', always."
    assert form(one, "c") == "The same share of c are null, always"


@pytest.mark.parametrize(
    ("lower", "upper", "said"),
    [
        (-90.0, 105.0, "changes by \N{MINUS SIGN}90 to +105"),
        (0.0, 105.0, "never falls, and rises by at most 105"),
        (-90.0, 0.0, "never rises, and falls by at most 90"),
        (-1700.0, None, "falls by at most 1,700"),
        (None, 1200.0, "rises by at most 1,200"),
        (0.0, None, "never falls"),
        (None, 0.0, "never rises"),
        (3.0, None, "rises by at least 3"),
        (None, -3.0, "falls by at least 3"),
    ],
)
def test_a_change_is_said_by_its_direction(lower: float | None, upper: float | None, said: str) -> None:
    assert rule("mean", lower, upper, lag=7) == f"The average price {said} against 7 batches before."


def test_a_factor_is_no_difference() -> None:
    falls = Constraint("price", "mean", kind="numeric", lower=-0.5, upper=None, transform=Transform(log=True, lag=1))
    assert plain(falls) == "The average price is at least 0.61 times that of the batch before."
    grows = replace(falls, lower=0.0, upper=math.log(1.14))
    assert plain(grows) == "The average price never falls, and rises by at most ×1.14 against the batch before."


def test_a_factor_on_both_sides_is_times_what_was_before() -> None:
    rows = Constraint("a", "row_count", kind="numeric", lower=-0.4, upper=0.44, transform=Transform(log=True, lag=7))
    assert plain(rows) == "The number of rows is 0.67 to 1.55 times that of 7 batches before."


def test_a_part_of_the_date_is_told_from_it() -> None:
    year = Constraint("year", "mean", kind="numeric", lower=0.0, upper=0.0, transform=Transform(part="year"))
    assert plain(year) == "year is always the year of the batch."
    day = Constraint("due", "max", kind="temporal", lower=7.0, upper=9.0, transform=Transform(part="date"))
    assert plain(day) == "The largest due is always between 7 days after the date of the batch and 9 days after it."
    assert plain(replace(day, lower=0.0)) == "The largest due is always between the date of the batch and 9 days after it."


def test_a_name_is_written_as_it_is_and_never_read_as_a_template() -> None:
    assert rule("complete_ratio", 1.0, 1.0, column="{low} <b>") == "{low} <b> is never null."
    assert rule("mean", None, 3.0, column="Preis") == "Preis is 3 or less on average."


def test_what_has_no_words_of_its_own_is_said_by_its_description_or_name() -> None:
    assert rule("skewness", None, 2.0) == "The skewness of price stays at or below 2."
    assert rule("of_another_release", 1.0, 2.0) == "The of_another_release of price stays between 1 and 2."


def test_rules_of_rows_matched_by_key_name_both() -> None:
    measure = Measure("changed_share", ("lat",), parameters=(("key", ("codice",)),))
    found = Constraint(measure.subject, "changed_share", measure=measure, kind="rows", lower=None, upper=0.0)
    assert plain(found) == "lat never changes in the rows matched by codice."


def test_every_template_can_be_filled() -> None:
    worded = [m for m in (*CATALOGUE, *BESIDE, *ASKED) if m.says is not None]
    assert len(worded) > 40
    for metric in worded:
        said = metric.says
        assert said is not None
        for text in (said.subject, said.between, said.least, said.most, said.exact, *said.at.values()):
            assert {name for _, name, _, _ in Formatter().parse(text) if name is not None} <= PLACES, (metric.name, text)
        assert said.means.endswith("."), metric.name


def test_what_is_measured_is_called_without_the_place_of_a_name() -> None:
    assert metric_words("pat_l1", "string") == "change of the mix of ways of writing"
    assert not [m.name for m in (*CATALOGUE, *BESIDE) for kind in m.kinds if "{" in metric_words(m.name, kind)]


def test_all_that_a_table_is_measured_for_has_words_of_its_own() -> None:
    assert not [m.name for m in CATALOGUE if m.says is None]


def test_the_glossary_has_every_metric_and_every_name_that_is_taken_for_it() -> None:
    names = [one.name for one in glossary()]
    assert set(names) == {m.name for m in (*CATALOGUE, *BESIDE, *ASKED)}
    assert len(names) == len(set(names))
    assert entry("completeness").name == "complete_ratio"
    assert entry("mean").rule == "price is 10 to 20 on average."
    assert entry("digit_len").rule == "city has 10 to 20 digits on average.", "of texts no number's name"
    assert entry("first_date").rule == "The first day of arrival is between 2026-01-10 and 2026-01-20."
    # Bounds that the metric can have.
    assert entry("keys_twice").rule == "At most 20% of the keys (id) stand in several rows."
    assert entry("js_div").rule == "The distribution of price changes by at most 0.2, which is at most 63% of its rows."
    assert entry("complete_ratio").rule == "Between 10% and 20% of price are null."
    with pytest.raises(NotFoundError, match="complet"):
        entry("complet")


def test_all_that_is_judged_of_a_batch_as_a_whole_is_explained() -> None:
    told = re.findall(r"`([a-z_]+)`", str(RuleResult.__doc__).partition("`schema`")[2])
    assert set(BATCH_RULES) - {"schema"} == set(told) - {"column"}


def test_what_follows_says_so_with_its_limits() -> None:
    recipe = Recipe(120, 2.0, 100, deviation=10.0, index=2.5, lowest=275.0, highest=3033.0, whole=True)
    rows = Constraint("price", "row_count", kind="numeric", lower=500.0, upper=1600.0, recipe=recipe)
    assert moving(rows) == "follow the last 120 batches, within 275 to 3,033"
    assert moving(replace(rows, upper=None)) == "follow the last 120 batches, never below 275"
    assert moving(replace(rows, lower=None)) == "follow the last 120 batches, never above 3,033"
    assert moving(replace(rows, recipe=replace(recipe, lowest=None, highest=None))) == "follow the last 120 batches"
    assert moving(rows.with_bounds(500.0, 1600.0)) == ""


def test_a_difference_says_that_a_rule_follows_no_more() -> None:
    recipe = Recipe(120, 2.0, 100, deviation=10.0, index=2.5, lowest=275.0, highest=3033.0, whole=True)
    rows = Constraint("price", "row_count", kind="numeric", lower=500.0, upper=1600.0, recipe=recipe)
    fixed, wider = rows.with_bounds(500.0, 1600.0), rows.limited(250.0, 3033.0)
    assert compared((rows,), (rows,)).changed == ()
    (change,) = compared((rows,), (fixed,)).changed
    assert "bounds follow the last 120 batches, within 275 to 3,033 before" in change.sentence
    assert "bounds stay as they are now" in change.sentence
    (change,) = compared((rows,), (wider,)).changed
    assert "within 250 to 3,033 now" in change.sentence
