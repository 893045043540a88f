"""D(C): the ten types with the paper's counts, each doing what it says, reproducibly, on any column."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from avh_ui.issues.sample import Sample
from avh_ui.issues.variants import PAPER, WITH_NULLS, Magnitudes, Variant, synthetic_issues

RNG = np.random.default_rng(0)
NUMBERS = pa.array(RNG.integers(100, 900, 1_000) / 4)
OTHER_NUMBERS = pa.array(RNG.normal(size=500))
TEXTS = pa.array(RNG.choice(["Newark 1", "La Guardia 2", "jfk-3", "Ōsaka 4"], 1_000))
OTHER_TEXTS = pa.array(["x", "y", None])
COUNTS = {
    "schema_change": (3, 3),
    "unit_change": (6, 0),
    "casing_change": (0, 6),
    "increased_nulls": (3, 3),
    "volume_change": (4, 4),
    "distribution_change": (4, 4),
    "character_perturbation": (3, 3),
    "character_insertion": (2, 2),
    "character_deletion": (2, 2),
    "padding": (0, 6),
}


def made(array: pa.Array, neighbour: pa.Array | None = None, **options: object) -> dict[str, Variant]:
    variants = list(synthetic_issues(array, neighbour, **options))  # type: ignore[arg-type]
    assert len({v.name for v in variants}) == len(variants)
    return {v.name: v for v in variants}


def changed(array: pa.Array, variant: Variant) -> float:
    """The share of rows that differ."""
    return np.mean([a != b for a, b in zip(array.to_pylist(), variant.array.to_pylist(), strict=True)])


@pytest.mark.parametrize(("array", "neighbour", "which"), [(NUMBERS, OTHER_NUMBERS, 0), (TEXTS, OTHER_TEXTS, 1)])
def test_the_papers_sixty(array: pa.Array, neighbour: pa.Array, which: int) -> None:
    variants = made(array, neighbour).values()
    assert Counter(v.type for v in variants) == Counter({t: c[which] for t, c in COUNTS.items() if c[which]})
    assert len(variants) == (27, 33)[which]


def test_turned_signs_come_beside() -> None:
    variants = made(NUMBERS, magnitudes=WITH_NULLS)
    turned = variants["unit_change x-1 of 10%"].array.to_numpy()
    before = NUMBERS.to_numpy(zero_copy_only=False)
    assert (np.abs(turned) == np.abs(before)).all()
    assert (turned != before).sum() == pytest.approx(0.1 * len(before), abs=1)
    assert not any("x-1" in name for name in made(TEXTS, magnitudes=WITH_NULLS))


def test_one_number_falls_below_zero_where_none_did() -> None:
    counts = pa.array([0, 3, 7, None, 12])
    found = made(counts, magnitudes=WITH_NULLS)["unit_change below zero"].array.to_pylist()
    assert min(v for v in found if v is not None) == -1
    assert sum(a != b for a, b in zip(found, counts.to_pylist(), strict=True)) == 1
    prices = made(pa.array([0.0, 0.25, 3.5, 7, 12.75]), magnitudes=WITH_NULLS)["unit_change below zero"].array.to_pylist()
    assert sorted(prices) == [-0.25, 0.25, 3.5, 7, 12.75]
    # Degrees of a summer.
    for others in (pa.array([-1, 3, 7]), pa.array([12.5, 18, 21.5]), pa.array([-0.5, 3.5]), pa.array(["1", "2"])):
        assert "unit_change below zero" not in made(others, magnitudes=WITH_NULLS)


def test_the_least_of_many_small_amounts_may_be_farther_from_zero() -> None:
    # The quantiles of amounts in which many are small: the least is 0.3 of the middle one.
    amounts = [2.2, 3.1, 4.4, 5.5, 6.6, 7.5, 8.9, 10.7, 13.6, 18.2, 26.8]
    variants = made(pa.array(amounts), magnitudes=WITH_NULLS)
    assert min(variants["unit_change below zero"].array.to_pylist()) == -2.2
    # Degrees that lie on both sides of the middle one, and amounts that are all large.
    degrees = [5, 7, 9, 10.5, 12, 12.5, 13.5, 14.5, 16, 18, 20.5]
    for others in (degrees, [value + 10.5 for value in amounts]):
        assert "unit_change below zero" not in made(pa.array(others), magnitudes=WITH_NULLS)


def test_true_nulls_come_beside() -> None:
    assert len(made(NUMBERS, OTHER_NUMBERS, magnitudes=WITH_NULLS)) == 42
    half = made(TEXTS, magnitudes=WITH_NULLS)["increased_nulls 50% null"].array
    assert half.null_count == 500


@pytest.mark.parametrize(
    ("values", "default"),
    [([float(n) for n in range(30)], 10.0), (["a"] * 15 + ["b"] * 10 + ["c"] * 5, "c"), ([3.0] * 20 + [None] * 10, None)],
)
def test_a_fifth_is_one_of_the_values(values: list[object], default: object) -> None:
    """Of numbers that at a third of their ranks, of texts the rarest; where all are it nothing changes."""
    found = made(pa.array(values), magnitudes=WITH_NULLS).get("default_value 20%")
    if default is None:
        assert found is None
        return
    assert found is not None
    others = [now for before, now in zip(values, found.array.to_pylist(), strict=True) if now != before]
    assert set(others) == {default}
    # One of the six drawn may have been it.
    assert 6 - values.count(default) <= len(others) <= 6


def test_schema_change() -> None:
    variants = made(TEXTS, OTHER_TEXTS)
    whole = variants["schema_change 100%"].array
    assert set(whole.to_pylist()) == {"x", "y"}
    assert changed(TEXTS, variants["schema_change 10%"]) == 0.1
    assert changed(TEXTS, variants["schema_change 1%"]) == 0.01
    assert not any(name.startswith("schema") for name in made(TEXTS) | made(TEXTS, NUMBERS))


def test_unit_change() -> None:
    variants = made(NUMBERS)
    assert variants["unit_change x100"].array.to_pylist() == [v * 100 for v in NUMBERS.to_pylist()]
    assert changed(NUMBERS, variants["unit_change x10 of 10%"]) == 0.1


def test_casing_change() -> None:
    variants = made(TEXTS)
    assert variants["casing_change 100% to upper case"].array.to_pylist() == [v.upper() for v in TEXTS.to_pylist()]
    assert changed(TEXTS, variants["casing_change 10% to upper case"]) == 0.1
    assert not any("lower" in name for name in made(pa.array(["abc", "x1"])))


def test_increased_nulls() -> None:
    assert made(TEXTS)["increased_nulls 50% empty"].array.to_pylist().count("") == 500
    assert made(NUMBERS)["increased_nulls 100% zero"].array.to_pylist() == [0.0] * 1_000


def test_volume_change() -> None:
    rows = {name.split()[1]: len(v.array) for name, v in made(NUMBERS).items() if v.type == "volume_change"}
    assert rows == {"x2": 2_000, "x10": 10_000, "50%": 500, "10%": 100}


def test_distribution_change() -> None:
    variants = made(NUMBERS)
    low = variants["distribution_change first 10%"].array
    assert len(low) == 1_000
    assert max(low.to_pylist()) <= np.quantile(NUMBERS, 0.1, method="higher")
    assert min(made(TEXTS)["distribution_change last 50%"].array.to_pylist()) >= sorted(TEXTS.to_pylist())[500]


def test_perturbation_keeps_the_class_of_characters() -> None:
    variant = made(TEXTS)["character_perturbation 100% of characters"]
    for before, after in zip(TEXTS.to_pylist(), variant.array.to_pylist(), strict=True):
        assert len(before) == len(after)
        for a, b in zip(before, after, strict=True):
            if a.isascii() and a.isalnum():
                assert a != b
                assert (a.isdigit(), a.isupper(), a.islower()) == (b.isdigit(), b.isupper(), b.islower())
            else:
                assert a == b


@pytest.mark.parametrize(("kind", "step"), [("insertion", 1), ("deletion", -1)])
def test_one_character_more_or_less(kind: str, step: int) -> None:
    variant = made(TEXTS)[f"character_{kind} 50%"]
    lengths = np.array(pc.utf8_length(variant.array)) - np.array(pc.utf8_length(TEXTS))
    assert Counter(lengths.tolist()) == {step: 500, 0: 500}
    for text, other in zip(TEXTS.to_pylist(), variant.array.to_pylist(), strict=True):
        longer, shorter = (other, text) if step > 0 else (text, other)
        assert longer == shorter or any(longer[:i] + longer[i + 1 :] == shorter for i in range(len(longer)))


def test_a_letter_without_itself_is_no_misspelt_one() -> None:
    """What is left is an empty text, which is another fault; of longer ones beside it some are left."""
    found = [any(name.startswith("character_deletion") for name in made(pa.array(texts * 50))) for texts in (["A"], ["A", "AB"])]
    assert found == [False, True]


def test_numbers_are_edited_in_their_decimal_text() -> None:
    numbers = pa.array([123.5, -7.25, 60.0, 1e-7, 5e300, float("nan"), float("inf"), None] * 40)
    variants = made(numbers)
    for v in variants.values():
        if v.type.startswith("character"):
            assert v.array.type == pa.float64()
            assert len(v.array) == len(numbers)
    digits = made(pa.array([5, 7, 9] * 100))["character_deletion 10%"].array
    assert digits.null_count == 30


def test_padding() -> None:
    variants = made(TEXTS)
    assert variants["padding 100% leading"].array.to_pylist() == [" " + v for v in TEXTS.to_pylist()]
    assert variants["padding 100% trailing"].array.to_pylist() == [v + " " for v in TEXTS.to_pylist()]
    assert changed(TEXTS, variants["padding 10% leading"]) == 0.1


def test_nulls_stay_null_unless_rows_are_replaced() -> None:
    array = pa.array(["ab", None, "cd", None])
    for v in made(array).values():
        if v.type != "volume_change":
            assert [x is None for x in v.array.to_pylist()] == [False, True, False, True]


@settings(max_examples=25)
@given(st.integers(0, 2**31))
def test_the_seed_decides(seed: int) -> None:
    first, again = (made(TEXTS, OTHER_TEXTS, seed=seed) for _ in range(2))
    assert all(first[name].array.equals(again[name].array) for name in first)
    assert not all(first[name].array.equals(v.array) for name, v in made(TEXTS, OTHER_TEXTS, seed=seed + 1).items())


def test_a_type_left_out_does_not_change_the_others() -> None:
    fewer = made(TEXTS, magnitudes=replace(PAPER, casing=(), schema=()))
    assert all(v.array.equals(made(TEXTS)[name].array) for name, v in fewer.items())


def test_other_magnitudes() -> None:
    other = Magnitudes(
        schema=(), unit=(2.54,), unit_shares=(0.3,), nulls=(0.05,), volume=(3,), distribution=(), perturbation=(), insertion=()
    )
    assert set(made(NUMBERS, magnitudes=replace(other, deletion=()))) == {
        "unit_change x2.54 of 30%",
        "increased_nulls 5% zero",
        "volume_change x3",
    }


VALUES = {
    pa.large_string(): st.text(max_size=6),
    pa.float64(): st.floats(),
    pa.int64(): st.integers(-(2**63), 2**63 - 1),
    pa.bool_(): st.booleans(),
    pa.timestamp("us"): st.datetimes(),
    pa.date32(): st.dates(),
    pa.null(): st.none(),
    pa.binary(): st.binary(),
}


@given(st.sampled_from(list(VALUES)).flatmap(lambda t: st.lists(st.none() | VALUES[t], max_size=12).map(lambda v: pa.array(v, t))))
@example(pa.array([0.5, np.inf]))
@example(pa.array([-np.inf, 0.5, np.inf]))
def test_any_column_survives_and_every_variant_differs(array: pa.Array) -> None:
    for variant in synthetic_issues(array, array, magnitudes=WITH_NULLS):
        again = variant.array
        assert variant.states
        if len(again) == len(array) and variant.type not in ("distribution_change", "schema_change"):
            original = Sample.from_arrow(array).to_arrow()
            both_nan = isinstance(again, pa.DoubleArray) and bool(pc.any(pc.is_nan(again)).as_py())
            assert both_nan or not again.equals(original)


def test_bytes_that_are_no_text() -> None:
    broken = pa.array([b"ok", b"\xff\xfe", b"\xed\xa0\x80x"] * 5, pa.binary()).view(pa.string())
    assert len(list(synthetic_issues(broken))) > 20


def test_dictionaries_and_chunks() -> None:
    chunked = pa.chunked_array([TEXTS.slice(0, 400), TEXTS.slice(400)])
    plain = made(TEXTS)
    for form in (chunked, TEXTS.dictionary_encode(), chunked.dictionary_encode()):
        assert all(v.array.equals(plain[name].array) for name, v in made(form).items())
