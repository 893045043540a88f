"""The distinct-count sketch has the registers it would have if it were fed every value."""

from __future__ import annotations

import datasketches as ds
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.metrics.distinct import HLL_LG_K, HLL_RELATIVE_ERROR, estimate, merge_sketches, number_keys, sketch_of, text_keys


@pytest.mark.parametrize("distinct", [9_000, 300_000])
def test_feeding_the_telling_keys_alone_gives_the_same_registers(distinct: int) -> None:
    keys = np.random.default_rng(distinct).integers(-(2**62), 2**62, distinct)
    naive = ds.hll_sketch(HLL_LG_K, ds.HLL_8)
    for key in keys.tolist():
        naive.update(key)
    union = ds.hll_union(HLL_LG_K)
    union.update(ds.hll_sketch.deserialize(sketch_of(keys)))
    # 40 bytes of preamble hold the estimator's running sums; the rest are the registers.
    assert union.get_result(ds.HLL_8).serialize_updatable()[40:] == naive.serialize_updatable()[40:]


@pytest.mark.parametrize("distinct", [1, 300, 384, 385, 450, 520, 600, 999, 1_001, 5_000])
@pytest.mark.parametrize("repeats", [1, 40])
def test_however_few_the_values_the_sketch_is_the_one_that_feeding_gives(distinct: int, repeats: int) -> None:
    keys = np.random.default_rng(distinct).integers(-(2**62), 2**62, distinct)
    naive = ds.hll_sketch(HLL_LG_K, ds.HLL_4)
    for key in np.tile(keys, repeats).tolist():
        naive.update(key)
    sketches = [ds.hll_sketch.deserialize(record) for record in (naive.serialize_compact(), sketch_of(np.tile(keys, repeats)))]
    unions = [ds.hll_union(HLL_LG_K) for _ in sketches]
    for union, sketch in zip(unions, sketches, strict=True):
        # A union of two estimates from the registers alone.
        union.update(sketch)
        union.update(sketch)
    one, other = (union.get_result(ds.HLL_8).serialize_updatable() for union in unions)
    # A list of values is kept in the order in which they came.
    assert (one[40:], len(one)) == (other[40:], len(other)) if len(one) > 4_000 else sorted(one) == sorted(other)
    assert estimate(sketch_of(keys)) == round(unions[0].get_estimate())


@pytest.mark.parametrize("distinct", [1, 50, 1_500, 20_000, 500_000])
def test_estimates_keep_the_stated_error(distinct: int) -> None:
    texts = pa.array([f"value {i}" for i in range(distinct)])
    halves = [sketch_of(text_keys(part)) for part in (texts.slice(0, distinct // 2 + 1), texts.slice(distinct // 3))]
    assert estimate(sketch_of(text_keys(texts))) == pytest.approx(distinct, rel=4 * HLL_RELATIVE_ERROR)
    assert estimate(merge_sketches(*halves)) == pytest.approx(distinct, rel=4 * HLL_RELATIVE_ERROR)


@given(st.lists(st.binary(max_size=9), max_size=30))
def test_texts_share_a_key_only_if_they_are_equal(values: list[bytes]) -> None:
    keys = text_keys(pa.array(values, pa.large_binary())).tolist()
    assert len(set(keys)) == len(set(values))
    # A key depends on the text alone, not on its place.
    assert [text_keys(pa.array([v], pa.large_binary()))[0] for v in values] == keys


def test_a_slice_of_an_array_has_the_keys_of_its_texts() -> None:
    texts = pa.array(["a", "bb", "", "a"])
    assert text_keys(texts.slice(1)).tolist() == text_keys(texts).tolist()[1:]


def test_number_keys_tell_numbers_apart() -> None:
    assert len(set(number_keys(np.array([0.0, 1.0, -1.0, np.inf])).tolist())) == 4
