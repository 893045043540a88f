from __future__ import annotations

import random
import re
from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.errors import UsageError
from avh_ui.inference.by_corpus.corpus_index import CorpusIndex, Totals, from_totals
from avh_ui.inference.by_corpus.fmdv import ChosenPattern, Thresholds, best_cut, cut_group, fmdv, score
from avh_ui.inference.by_corpus.groups import SkeletonGroup, dominant, groups_of, union_of
from avh_ui.inference.by_corpus.hypotheses import Enumeration, enumerated
from avh_ui.inference.by_corpus.impurities import IndexRules
from avh_ui.inference.by_corpus.language import canonical_text, key_of, literal
from avh_ui.inference.by_corpus.tokens import lex
from tests.unit.by_corpus.making import about, index_of

PLAIN = Thresholds("fmdv", r=0.1, m=100, prior_columns=0.0, tie=0.0)


def index_with(patterns: dict[str, tuple[int, float]]) -> CorpusIndex:
    """An index that says (columns, mean impurity) of these patterns."""
    keys = np.array([key_of(text) for text in patterns], dtype=np.uint64)
    order = np.argsort(keys)
    columns = np.array([n for n, _ in patterns.values()])[order]
    sums = columns * np.array([mean for _, mean in patterns.values()])[order]
    return from_totals(Totals(keys[order], columns, sums, columns, sums), dict(about(IndexRules())))


def only_group(texts: list[str]) -> tuple[SkeletonGroup, Enumeration]:
    (group,) = groups_of(lex(texts))
    return group, enumerated([group], np.ones((len(texts), 1)), [float(len(texts))])[0]


H1, H2 = "<digit>+:<digit>{2}:<digit>{2} AM", "<digit>{1}:<digit>{2}:<digit>{2} <letter>{2}"
H3 = "<digit>+:<digit>{2}:<digit>{2} <letter>{2}"
QUERY = ["9:01:32 AM", "8:02:30 AM", "9:07:00 AM"]


def test_example_9() -> None:
    """Of the hypotheses of Figure 6 only h3 (FPR 0.04 %, coverage 5000) is feasible."""
    _, enumeration = only_group(QUERY)
    known = index_with({H1: (5000, 2 / 12), H2: (5000, 8 / 12), H3: (5000, 0.0004)})
    found = fmdv(enumeration.whole, 0, known, PLAIN)
    assert found is not None
    assert canonical_text(found.pattern) == H3
    assert found.coverage == 5000
    assert found.fpr == pytest.approx(0.0004, abs=1e-4)


def test_values_of_more_tokens_than_a_segment_may_have_are_cut_or_have_no_pattern() -> None:
    _, enumeration = only_group(QUERY)
    known = index_with({H3: (5000, 0.0004)})
    whole = cut_group(enumeration, 0, known, PLAIN)
    assert whole is not None
    assert canonical_text(whole.pattern) == H3
    assert cut_group(enumeration, 0, known, replace(PLAIN, tau=7)) == whole
    assert cut_group(enumeration, 0, known, replace(PLAIN, tau=6)) is None


def test_lemma_10_the_pattern_of_the_domain_is_found() -> None:
    """Of many columns of one domain at r = 0: what generalises too little is broken by some column, and the true pattern is left."""
    draw = random.Random(10)
    columns = [[f"{draw.choice(['Jan', 'Feb', 'Mar', 'Apr'])} {draw.randint(1, 28):02}" for _ in range(20)] for _ in range(100)]
    _, enumeration = only_group([f"Mar {day:02}" for day in range(10, 20)])
    zero = Thresholds("fmdv", r=0.0, m=50, prior_columns=0.0, tie=0.0)
    found = fmdv(enumeration.whole, 0, index_of(columns, IndexRules(prefix=1.0, share=0.0)), zero)
    assert found is not None
    assert re.fullmatch(r"<(letter|alphanum)>\{3\} <(digit|alphanum)>\{2\}", canonical_text(found.pattern))


@pytest.mark.parametrize("known", [{}, {H3: (99, 0.0)}, {H3: (5000, 0.11)}])
def test_nothing_is_feasible(known: dict[str, tuple[int, float]]) -> None:
    """Equations 6 and 7."""
    _, enumeration = only_group(QUERY)
    assert fmdv(enumeration.whole, 0, index_with(known), PLAIN) is None


def test_ties_go_to_the_most_specific() -> None:
    _, enumeration = only_group(["12", "34"])
    known = index_with({"<digit>{2}": (500, 0.011), "<digit>+": (500, 0.01), "<alphanum>+": (500, 0.01)})
    loose, tight = (fmdv(enumeration.whole, 0, known, Thresholds("fmdv", m=100, prior_columns=0, tie=tie)) for tie in (0.002, 0.0))
    assert loose is not None
    assert tight is not None
    assert canonical_text(loose.pattern) == "<digit>{2}"
    assert canonical_text(tight.pattern) == "<digit>+"


def test_the_prior_doubts_what_few_columns_say() -> None:
    _, enumeration = only_group(["12", "34"])
    known = index_with({"<digit>{2}": (5, 0.0)})
    assert score(enumeration.whole, 0, known, Thresholds("fmdv", m=5)).fpr[0] == pytest.approx(0.05 * 5 / 10)


def segmentations(slots: int) -> list[list[tuple[int, int]]]:
    """Every way to cut slots into consecutive segments."""
    found = []
    for n in range(slots):
        for cuts in combinations(range(1, slots), n):
            edges = [0, *cuts, slots]
            found.append([(a, b - 1) for a, b in pairwise(edges)])
    return found


@given(
    st.integers(1, 6).flatmap(
        lambda n: st.tuples(st.just(n), st.lists(st.one_of(st.none(), st.integers(0, 40)), min_size=n * n, max_size=n * n))
    )
)
def test_the_cut_program_is_as_good_as_every_segmentation(case: tuple[int, list[int | None]]) -> None:
    slots, costs = case

    def segment(first: int, last: int) -> ChosenPattern | None:
        cost = costs[first * slots + last]
        return None if cost is None else ChosenPattern((literal(f"{first}-{last}"),), cost / 1000, 10, 0.0)

    cut = best_cut(slots, segment, r=0.1, tie=0.0)
    sums = [sum(c.fpr for c in choices if c) for way in segmentations(slots) if all(choices := [segment(*part) for part in way])]
    feasible = [s for s in sums if s <= 0.1]
    assert (cut is None) == (not feasible)
    if cut:
        assert cut.fpr == pytest.approx(min(feasible))
        assert [(a, b) for a, b, _ in cut.segments] in segmentations(slots)


def test_fewest_segments_within_the_tie() -> None:
    costs = {(0, 1): 0.01, (0, 0): 0.004, (1, 1): 0.004}
    cut = best_cut(2, lambda s, e: ChosenPattern((literal("x"),), costs[s, e], 10, 0.0), r=0.1, tie=0.005)
    assert cut is not None
    assert len(cut.segments) == 1


def test_figure_8_is_cut_into_known_segments() -> None:
    """A number, two timestamps and a status that the corpus knows apart only."""
    texts = [f"0.{k}|02/18/2015 00:00:0{k}|OnBooking" for k in range(1, 5)]
    group = next(g for g in groups_of(lex(texts)) if g.slots == 8)
    date, status = "<digit>{2}/<digit>{2}/<digit>{4} <digit>{2}:<digit>{2}:<digit>{2}", "<letter>+"
    known = index_with({"<num>": (500, 0.01), date: (500, 0.00004), status: (500, 0.02)})
    enumeration = enumerated([group], np.ones((4, 1)), [4.0])[0]
    wide = Thresholds("fmdv-v", m=100, prior_columns=0.0, tau=13)
    found = cut_group(enumeration, 0, known, wide)
    assert found is not None
    assert canonical_text(found.pattern) == f"<num>|{date}|{status}"
    assert found.fpr == pytest.approx(0.03004, abs=1e-4)
    assert found.segments == 3
    assert cut_group(enumeration, 0, known, Thresholds("fmdv", m=100, prior_columns=0.0)) is None
    assert cut_group(enumeration, 0, known, Thresholds("fmdv-v", m=100, prior_columns=0.0, tau=8)) is None


def test_figure_9_values_of_another_skeleton_are_cut_off() -> None:
    """99 values like "1,2,3,4,5" and one "-"."""
    texts = [f"{k},2,3,4,{k}" for k in range(99)] + ["-"]
    groups, weights = groups_of(lex(texts)), np.ones(100)
    assert [g.skeleton for g in dominant(groups, weights, 0.05)] == ["a,a,a,a,a"]
    assert dominant(groups, weights, 0.0) == []


def test_unions_cover_greedily() -> None:
    texts = [f"{k}-{k}" for k in range(50)] + [f"{k}:{k}" for k in range(45)] + [f"{k}#" for k in range(5)]
    groups, weights = groups_of(lex(texts)), np.ones(100)
    parts = union_of(groups, weights, 0.05, 4)
    assert parts is not None
    assert [p.group.skeleton for p in parts] == ["a-a", "a:a", "a#"]
    assert union_of(groups, weights, 0.0, 2) is None


@pytest.mark.parametrize("wrong", [{"r": 1.5}, {"theta": -0.1}, {"m": -1}, {"tau": 0}])
def test_settings_out_of_range_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        Thresholds(**wrong)  # type: ignore[arg-type]
