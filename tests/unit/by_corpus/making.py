"""Small corpora and slow, obvious versions of what the product computes fast."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict

from hypothesis import strategies as st

from avh_ui.inference.by_corpus.corpus_index import CorpusIndex, from_totals
from avh_ui.inference.by_corpus.impurities import IndexRules, impurities_of
from avh_ui.inference.by_corpus.language import parse, to_regex
from avh_ui.inference.by_corpus.summing import totals_of

# Values with many alike: slots of digits and letters of either case, with separators between them.
SLOT = st.one_of(
    st.from_regex("[0-9]{1,3}", fullmatch=True),
    st.sampled_from(["a", "b1", "AB", "Ab", "abc", "12ab", "AB12", "ff00", "00aa", "é1", "x1y2z3"]),
)
VALUE = st.builds(lambda parts, sep: sep.join(parts), st.lists(SLOT, min_size=1, max_size=3), st.sampled_from(["-", "/", " ", ":"]))
COLUMN = st.lists(VALUE, min_size=1, max_size=12)


def matches(pattern: str, value: str) -> bool:
    """Whether a value matches a canonical pattern, by its regex."""
    return re.search(to_regex([parse(pattern)]), value) is not None


def about(rules: IndexRules, least_columns: int = 1) -> dict[str, object]:
    """The header of a small index."""
    counts = dict.fromkeys(("columns", "families", "values", "value_bytes"), 0)
    return {"rules": asdict(rules), "least_columns": least_columns, "licence": "", **counts}


def index_of(
    columns: Sequence[Sequence[str | None]], rules: IndexRules | None = None, families: Sequence[str] | None = None
) -> CorpusIndex:
    """An index of these columns, each a family of its own unless told."""
    used = rules or IndexRules()
    names = families or [str(k) for k in range(len(columns))]
    return from_totals(totals_of(impurities_of(columns, used), names), about(used))
