"""What rules measure is listed by the rules' sentences, and found by them as by the SQL."""

from __future__ import annotations

from avh_ui.constraints.constraint import Constraint
from avh_ui.metrics.catalogue import asked_for, metrics_for
from avh_ui.metrics.column import SINGLE_KINDS
from avh_ui.metrics.measure import Measure
from avh_ui.review.metric_words import metric_words
from avh_ui.ui.state.spoken import spoken
from avh_ui.ui.state.window import NameList
from tests.fakes.workspaces import FakeWorkspace
from tests.unit.ui.conftest import sit_down

SQL = "`a` IS NULL OR `a` > 0"


def rule(says: str, predicate: str) -> Constraint:
    measure = Measure.of("compliance", predicate=predicate)
    about = {"rule": says, "says": says}
    return Constraint(predicate, "compliance", "boolean", 1.0, 1.0, measure=measure, origin="manual", provenance=about)


def test_a_condition_is_called_by_its_sentence() -> None:
    own = Constraint("amount", "mean", "numeric", 1.0, 2.0, origin="history")
    workspace = FakeWorkspace().published(rule("a is positive", SQL), own)
    assert spoken(sit_down(workspace).session) == {SQL: "a is positive"}


def test_a_metric_is_told_without_its_name() -> None:
    words = [metric_words(name, kind) for name, kind in (("complete_ratio", "numeric"), ("js_div", "string"), ("emd", "numeric"))]
    assert words == ["share of non-null values", "change of the mix", "average move of the values"]
    assert (metric_words("largest_fall"), metric_words("type_changed")) == ("largest fall of a matched row's number", "type changed")


def test_it_is_found_by_either_name() -> None:
    listed = NameList(10, names=("amount", SQL))
    listed.says = {SQL: "a is positive"}
    assert [listed.called(name) for name in listed.names] == ["amount", "a is positive"]
    for query in ("Positive", "is null"):
        listed.query = query
        assert listed.found == (SQL,)
    listed.query = "amount"
    assert listed.found == ("amount",)


def test_every_metric_is_told_in_words() -> None:
    told = [metric_words(m.name, kind) for kind in sorted({*SINGLE_KINDS, "rows"}) for m in (*metrics_for(kind), *asked_for(kind))]
    assert not [words for words in told if "{" in words or "_" in words or not words]
