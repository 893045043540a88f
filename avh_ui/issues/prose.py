"""What happens to texts that people write, of which no value comes again: they are cut, in capitals, in markup, or all one default."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.issues.one_value import of_one_value
from avh_ui.issues.sample import Sample
from avh_ui.issues.swapping import filled, swapped
from avh_ui.issues.variants import Variant

PROSE = "prose"
ONE_TEXT, CUT, CAPITALS, MARKUP = f"{PROSE} one text", f"{PROSE} cut", f"{PROSE} in capitals", f"{PROSE} in markup"
# What a field of another system holds: of a title or a comment the beginning is left.
_CUT_TO = 10


def prose_issues(sample: Sample) -> Iterator[Variant]:
    """Each of them in all rows, where values are texts and some have several words; what changes nothing is left out."""
    there = filled(sample)
    if sample.kind != "string" or not len(there) or not pc.any(pc.match_substring(sample.values, " ")).as_py():
        return
    texts = sample.values
    none = pa.scalar("", pa.large_string())
    around = (pa.scalar("<p>", pa.large_string()), texts, pa.scalar("</p>", pa.large_string()))
    changed = {
        CUT: pc.utf8_slice_codeunits(texts, 0, _CUT_TO),
        CAPITALS: pc.utf8_upper(texts),
        MARKUP: pc.binary_join_element_wise(*around, none),
    }
    made = {ONE_TEXT: of_one_value(sample, there)}
    made |= {name: swapped(sample, there, values, np.asarray(sample.codes[there])) for name, values in changed.items()}
    for name, one in made.items():
        if one is not None:
            yield Variant(PROSE, name, 1.0, one)
