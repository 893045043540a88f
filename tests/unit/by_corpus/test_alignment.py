"""Greedy multi-sequence alignment and the cuts over it, with the paper's cases of section 3."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.inference.by_corpus.alignment import align_skeletons
from avh_ui.inference.by_corpus.fmdv import Algorithm, Thresholds, cut_group
from avh_ui.inference.by_corpus.groups import groups_of
from avh_ui.inference.by_corpus.hypotheses import enumerated
from avh_ui.inference.by_corpus.inferring import infer
from avh_ui.inference.by_corpus.language import canonical_text
from avh_ui.inference.by_corpus.tokens import lex
from tests.unit.by_corpus.test_fmdv import index_with

SKELETON = st.lists(st.sampled_from(["a/", "a:", "a-", " ", "(a)"]), min_size=1, max_size=4).map("".join)
DATE, TIME = "<digit>+/<digit>{2}/<digit>{4}", "<digit>+:<digit>{2}:<digit>{2}"
CUTS = Thresholds("fmdv-v", m=100, prior_columns=0.0, tie=0.0)


def longest_common(left: str, right: str) -> int:
    """The length of the longest common subsequence, by trying every one."""
    for size in range(min(len(left), len(right)), 0, -1):
        if {"".join(c) for c in combinations(left, size)} & {"".join(c) for c in combinations(right, size)}:
            return size
    return 0


@given(st.lists(SKELETON, min_size=1, max_size=4))
def test_every_skeleton_stands_in_the_aligned_sequence(skeletons: list[str]) -> None:
    aligned = align_skeletons(skeletons)
    for skeleton, own in zip(skeletons, aligned.places, strict=True):
        assert list(own) == sorted(set(own))
        assert "".join(aligned.tokens[at] for at in own) == skeleton
    assert {at for own in aligned.places for at in own} == set(range(len(aligned.tokens)))
    spans = [(first, last) for first, last, _ in aligned.blocks]
    assert [at for first, last in spans for at in range(first, last + 1)] == list(range(len(aligned.tokens)))


@given(SKELETON, SKELETON)
def test_two_are_aligned_as_well_as_can_be(left: str, right: str) -> None:
    assert len(align_skeletons([left, right]).tokens) == len(left) + len(right) - longest_common(left, right)


def test_example_1_equal_sequences_align_without_gaps() -> None:
    """Figure 8: every value has the same tokens."""
    skeleton = lex(["0.1|02/18/2015 00:00:00|02/18/2015 00:00:00|OnBooking"]).skeletons[-1]
    assert skeleton == "a|a/a/a a:a:a|a/a/a a:a:a|a"
    aligned = align_skeletons([skeleton] * 3)
    assert aligned.tokens == skeleton
    assert aligned.blocks == [(0, len(skeleton) - 1, frozenset({0, 1, 2}))]


def test_example_3_a_known_timestamp_is_not_split() -> None:
    """0.004 % unsplit against 0.01 % for date and time apart."""
    texts = [f"02/18/2015 00:00:{k:02}" for k in range(9)]
    (group,) = groups_of(lex(texts))
    date, time = "<digit>{2}/<digit>{2}/<digit>{4}", "<digit>{2}:<digit>{2}:<digit>{2}"
    whole, parts = f"{date} {time}", {date: (500, 0.00005), time: (500, 0.00005)}
    enumeration = enumerated([group], np.ones((9, 1)), [9.0])[0]
    unsplit = cut_group(enumeration, 0, index_with({whole: (500, 0.00004), **parts}), CUTS)
    split = cut_group(enumeration, 0, index_with({whole: (500, 0.0004), **parts}), CUTS)
    assert unsplit is not None
    assert split is not None
    assert (unsplit.segments, split.segments) == (1, 2)
    assert canonical_text(unsplit.pattern) == canonical_text(split.pattern) == whole


@pytest.mark.parametrize("method", ["fmdv-v", "fmdv-vh"])
def test_values_that_lack_a_token_are_cut_alike(method: Algorithm) -> None:
    """The case of Figure 6: some times have an AM or PM after them, which others lack."""
    values = ["9/12/2019 9:01:32 AM", "9/12/2019 10:02:30", "10/12/2019 9:07:00 PM", "8/12/2019 12:07:00"] * 10
    known = index_with({DATE: (500, 0.001), TIME: (500, 0.002), "<upper>{2}": (500, 0.003)})
    found = infer(values, known, Thresholds(method, m=100, prior_columns=0.0, tie=0.0))
    assert found is not None
    assert found.pattern == f"{DATE} {TIME} | {DATE} {TIME} <upper>{{2}}"
    assert found.nonconforming == 0
    # Half of the values have the last segment, so that it can fail half of them.
    assert found.fpr == pytest.approx(0.001 + 0.002 + 0.003 / 2, abs=1e-4)
    assert infer(values, known, Thresholds("fmdv", m=100, prior_columns=0.0)) is None


def test_a_segment_is_learned_from_all_values_that_have_it() -> None:
    """Days of one digit stand with one skeleton, days of two with the other: neither may freeze their number."""
    values = ["9/12/2019 AM", "8/12/2019 AM", "7/12/2019 PM", "10/12/2019", "11/12/2019", "12/12/2019"] * 10
    known = index_with({DATE: (500, 0.001), f"<digit>{{1}}{DATE[8:]}": (500, 0.0), "<upper>{2}": (500, 0.003)})
    found = infer(values, known, CUTS)
    assert found is not None
    assert found.pattern == f"{DATE} | {DATE} <upper>{{2}}"


def test_what_the_corpus_does_not_know_is_not_aligned() -> None:
    values = ["9/12/2019 9:01:32 AM", "9/12/2019 10:02:30"] * 10
    assert infer(values, index_with({DATE: (500, 0.001), TIME: (500, 0.002)}), CUTS) is None
    assert infer(values, index_with({DATE: (500, 0.03), TIME: (500, 0.03), "<upper>{2}": (500, 0.03)}), CUTS) is None
    assert infer([f"{'a-' * 40}b", "c d"] * 10, index_with({"<lower>{1}": (500, 0.0)}), CUTS) is None
