"""Rules that say no more than what is said of the rows matched by key, or that say of these what another rule does."""

from __future__ import annotations

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import FromHistory, FromRelation, FromValues, Proposal
from avh_ui.constraints.pattern_constraint import Pattern, PatternConstraint
from avh_ui.constraints.transforms import Transform
from avh_ui.inference.lean_rows import only_rising, said_of_rows
from avh_ui.metrics.measure import Measure

KEY = ("country", "year")


def by_key(metric: str, *columns: str, upper: float = 0.0, key: tuple[str, ...] = KEY, where: str | None = None) -> Proposal:
    measure = Measure(metric, columns, where, (("key", key),))
    made = Constraint(measure.subject, metric, "rows", 0.0, upper, measure=measure, fpr=1e-4, origin="history")
    return Proposal(made, FromHistory(method="calibrated", batches=40))


def mix(column: str, upper: float) -> Proposal:
    return Proposal(
        Constraint(column, "l1", "string", None, upper, fpr=1e-4, origin="history"), FromHistory(method="calibrated", batches=40)
    )


def told(*by: str, column: str) -> Proposal:
    measure = Measure("determined_ratio", (column, *by))
    made = Constraint(measure.subject, measure.name, "rows", 1.0, None, measure=measure, fpr=1e-4, origin="relation")
    return Proposal(made, FromRelation(method="relation", batches=40, family="determined", of=(*by, column)))


def rows(least: float = 80.0, most: float = 90.0) -> Proposal:
    made = Constraint("rows", "row_count", "rows", least, most, measure=Measure("row_count", ()), origin="history")
    return Proposal(made, FromHistory(method="calibrated", batches=40))


GONE, TWICE = by_key("keys_gone"), by_key("keys_twice")


def said(*kept: Proposal) -> list[tuple[str, str]]:
    return [(one.constraint.metric, other.constraint.metric) for one, other in said_of_rows(kept)]


def test_a_mix_that_never_changes_says_that_no_key_is_gone() -> None:
    city = by_key("keys_gone", key=("country",))
    assert said(mix("country", 0.0), city) == [("keys_gone", "l1")]
    assert not said(mix("country", 0.002), city)
    assert not said(mix("town", 0.0), city)


def test_a_list_of_as_many_keys_as_rows_says_that_no_key_is_gone() -> None:
    gone, unique = by_key("keys_gone", key=("code",)), Constraint("code", "unique_ratio", "string", 1.0, 1.0, origin="history")
    rule = PatternConstraint(
        "code", "nonconforming_ratio", "string", None, 0.0, origin="values", pattern=Pattern("a | b", "a|b", 9, 0, "x")
    )
    listed = Proposal(rule, FromValues(method="values", batches=40, rule="closed set", distinct=21))
    alone, always = Proposal(unique, FromHistory(method="calibrated", batches=40)), rows(21.0, 21.0)
    assert said(always, alone, listed, gone) == [("keys_gone", "nonconforming_ratio")]
    for some in ((alone, listed), (rows(20.0, 21.0), alone, listed), (always, listed), (rows(22.0, 22.0), alone, listed)):
        assert not said(*some, gone)
    assert not said(always, alone, listed, by_key("keys_gone", key=("code",), upper=0.1))


def test_the_same_keys_in_each_batch_have_the_same_mix() -> None:
    assert said(rows(), mix("country", 0.002), GONE, TWICE) == [("l1", "keys_gone")]
    assert not said(rows(), mix("town", 0.002), GONE, TWICE)
    for some in ((rows(), GONE), (GONE, TWICE), (rows(), by_key("keys_gone", upper=0.1), TWICE)):
        assert not said(mix("country", 0.002), *some)


def test_what_the_key_determines_never_changes_where_its_rows_are_the_same() -> None:
    code, never = told("country", column="code"), by_key("changed_share", "code")
    assert said(rows(), GONE, TWICE, never, code) == [("determined_ratio", "changed_share")]
    # Of rows that are new only the former says it.
    assert not said(never, code)
    assert not said(rows(), GONE, TWICE, by_key("changed_share", "code", upper=0.01), code)
    assert not said(rows(), GONE, TWICE, never, told("town", column="code"))


def test_of_two_columns_that_never_change_none_says_the_other() -> None:
    """A region's code is the same wherever its name is, beside both, which never change in the rows of a province."""
    code, name, never = (
        told("country", column="code"),
        by_key("changed_share", "country", key=("town",)),
        by_key("changed_share", "code", key=("town",)),
    )
    gone = by_key("keys_gone", key=("town",))
    unique = Proposal(
        Constraint("town", "unique_ratio", "string", 1.0, 1.0, origin="history"), FromHistory(method="calibrated", batches=40)
    )
    assert said(rows(), gone, unique, never, name, code) == [("determined_ratio", "changed_share")]
    assert not said(rows(), gone, unique, never, code)
    assert not said(rows(), gone, never, name, code)


def test_rows_that_are_not_shuffled_do_not_exchange_their_values() -> None:
    order = by_key("rank_change", "value", upper=0.5)
    assert said(order, by_key("exchanged_share", "value")) == [("exchanged_share", "rank_change")]
    assert not said(order, by_key("exchanged_share", "price"))
    assert not said(order, by_key("exchanged_share", "value", where="country = 'x'"))


def test_what_never_jumps_to_zero_never_becomes_zero() -> None:
    jumps = by_key("jumped_rows", "value", "price")
    assert said(jumps, by_key("wiped_share", "value")) == [("wiped_share", "jumped_rows")]
    assert not said(jumps, by_key("wiped_share", "stock"))


def test_how_many_rows_a_list_may_lose_the_keys_say() -> None:
    grows = ("volume_change x2", "volume_change x10")
    evidence = FromHistory(method="calibrated", batches=40, caught=(*grows, "volume_change 50%", "volume_change 10%"))
    made = Constraint(
        "rows", "row_count", "rows", -262.0, 287.0, measure=Measure("row_count", ()), transform=Transform(lag=1), origin="history"
    )
    changes, few = Proposal(made, evidence), by_key("keys_gone", upper=0.06)
    found = only_rising([changes, few])[id(changes)]
    assert (found.constraint.lower, found.constraint.upper, found.evidence.caught) == (None, 287.0, grows)
    assert not only_rising([changes, by_key("keys_gone", upper=0.4)])
    # A number of rows itself is bounded on both sides.
    assert not only_rising([rows(), few])


def gone(column: str) -> Proposal:
    made = Constraint(column, "gone_ratio", "string", None, 0.0, fpr=1e-4, origin="history")
    return Proposal(made, FromHistory(method="calibrated", batches=40))


def test_values_that_another_column_determines_go_with_its() -> None:
    mon = told("weekday", column="mon")
    assert said(gone("weekday"), gone("mon"), mon) == [("gone_ratio", "gone_ratio")]
    assert not said(gone("weekday"), gone("mon"))
    # Two determine it together.
    assert not said(gone("weekday"), gone("mon"), told("weekday", "shop", column="mon"))
