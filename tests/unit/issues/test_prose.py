"""D(C) of texts that people write: by hand."""

from __future__ import annotations

import pyarrow as pa

from avh_ui.issues.prose import prose_issues
from avh_ui.issues.sample import Sample

TEXTS = ["Order is late", None, "Hi", "Order is late", "ÜBER ALL"]


def made(values: list[str | None]) -> dict[str, list[str | None]]:
    return {one.name: one.array.to_pylist() for one in prose_issues(Sample.from_arrow(pa.array(values, pa.string())))}


def test_every_text_is_cut_in_capitals_in_markup_or_the_most_frequent_one() -> None:
    assert made(TEXTS) == {
        "prose one text": ["Order is late", None, "Order is late", "Order is late", "Order is late"],
        "prose cut": ["Order is l", None, "Hi", "Order is l", "ÜBER ALL"],
        "prose in capitals": ["ORDER IS LATE", None, "HI", "ORDER IS LATE", "ÜBER ALL"],
        "prose in markup": ["<p>Order is late</p>", None, "<p>Hi</p>", "<p>Order is late</p>", "<p>ÜBER ALL</p>"],
    }


def test_what_changes_nothing_is_left_out() -> None:
    assert list(made(["A B", "A B"])) == ["prose in markup"]


def test_of_single_words_numbers_and_nothing_there_is_none() -> None:
    assert not made(["word", "code-1"])
    assert not made([None])
    assert not list(prose_issues(Sample.from_arrow(pa.array([1.0, 2.0]))))
