"""What holds of how a column's values are written, and what is said where it is broken."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.constraints.writing import Writing
from avh_ui.metrics.column import Column
from avh_ui.metrics.decimal_points import PointState
from avh_ui.metrics.profile import ColumnProfile

N = 400
CODES = Writing(padded=0.1145, length=5)


def doubles(values: list[float]) -> ColumnProfile:
    return ColumnProfile.from_arrow("price", pa.array(values, pa.float64()), "double")


def texts(values: list[str]) -> ColumnProfile:
    return ColumnProfile.from_arrow("zip", pa.array(values), "string")


def csv(values: list[str]) -> ColumnProfile:
    """Numbers of a source without types."""
    found = ColumnProfile.from_arrow("price", pa.array(values).cast(pa.float64()), "number")
    return replace(found, states={**found.states, PointState.key: PointState.of(Column.from_arrow("price", pa.array(values)))})


def amounts(seed: int, places: int = 2) -> list[float]:
    return [float(v) for v in np.round(np.random.default_rng(seed).lognormal(4, 0.7, N), places)]


def codes(seed: int, lengths: int = 1) -> list[str]:
    """Codes of five digits and up, of which one in eight begins with 0."""
    rng = np.random.default_rng(seed)
    return [f"{rng.integers(0, 8)}{rng.integers(0, 10 ** (4 + k % lengths)):0{4 + k % lengths}d}" for k in range(N)]


PRICES = [doubles(amounts(k)) for k in range(7)]
WRITTEN = [csv([f"{v:.2f}" for v in amounts(k)]) for k in range(7)]


def test_five_batches_are_learned_from_and_no_fewer() -> None:
    assert Writing.learned(PRICES[:4]) is None
    assert Writing.learned(PRICES[:5]) is not None
    found = Writing.learned(PRICES)
    assert found is not None
    assert len(found.digits) == 2
    assert 0.95 < found.digits[0] < 1
    assert 0.8 < found.digits[1] < 0.95
    assert found == Writing(digits=found.digits)
    # Of a few numbers chance decides.
    assert Writing.learned([doubles(amounts(k)[:19]) for k in range(9)]) is None


def test_whole_numbers_and_numbers_that_are_seldom_fractions_have_nothing_to_lose() -> None:
    assert Writing.learned([doubles([float(k) for k in range(N)])] * 7) is None
    assert Writing.learned([doubles([k + 0.5 * (k % 6 == 0) for k in range(N)])] * 7) is None
    # One batch that has none shows that it may.
    assert Writing.learned([*PRICES, doubles([float(k) for k in range(N)])]) is None


def test_the_format_of_a_source_without_types_is_learned_where_zeros_at_the_end_show_it() -> None:
    found = Writing.learned(WRITTEN)
    assert found is not None
    assert (found.places, found.bare, found.padded) == (2, True, 0)
    # Without these two digits are what its values have.
    odd = Writing.learned([csv([f"{k}.{25 + 2 * (k % 30)}".replace("5.5", "5.57") for k in range(1, N)])] * 7)
    assert odd is not None
    assert odd.places == 0
    some = Writing.learned([*WRITTEN, csv(["5", *(f"{v:.2f}" for v in amounts(8))])])
    assert some is not None
    assert (some.places, some.bare) == (0, True)


def test_of_an_older_release_the_format_is_not_known() -> None:
    states = dict(WRITTEN[0].states)
    points = states[PointState.key]
    assert isinstance(points, PointState)
    old = replace(WRITTEN[0], states={**states, PointState.key: replace(points, digits=None, signs=None)})
    found = Writing.learned([*WRITTEN, old])
    assert found is not None
    assert (found.places, found.bare) == (0, False)
    learned = Writing.learned(WRITTEN)
    assert learned is not None
    assert learned.broken(old) == ""


@pytest.mark.parametrize(
    ("now", "said"),
    [
        ([float(int(v)) for v in amounts(9)], "none of 400 has a fraction, and in all batches before at least {0} had"),
        ([float(round(v)) for v in amounts(9)], "none of 400 has a fraction, and in all batches before at least {0} had"),
        ([float(int(v)) if k % 2 else v for k, v in enumerate(amounts(9))],
         "only 49.25% of 400 have a fraction, and in all batches before at least {0} had"),
        (amounts(9, 1), "none of 400 has 2 digits or more after the point, and in all batches before at least {1} had"),
        (amounts(9), ""), (amounts(9, 4), ""), ([1.0] * 19, ""), ([float(k) for k in range(19)], ""),
    ],
    ids=["cut", "rounded", "half", "fewer digits", "sound", "more digits", "one value", "few"],
)  # fmt: skip
def test_amounts_without_their_cents_are_told(now: list[float], said: str) -> None:
    found = Writing.learned(PRICES)
    assert found is not None
    told = said.format(*(f"{100 * share:.4g}%" for share in found.digits))
    expected = f"Column 'price' changed how its numbers are written: {told}." if said else ""
    assert found.broken(doubles(now)) == expected


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda t: t.rstrip("0").rstrip("."), "{n} of 400 do not have 2 digits after the point, and all had"),
        (lambda t: f"{float(t):e}", "{n} of 400 have an exponent or a plus sign (1.2e+03, +5), and none had"),
        (lambda t: f"+{t}", "{n} of 400 have an exponent or a plus sign (1.2e+03, +5), and none had"),
        (lambda t: t, ""),
    ],
    ids=["zeros at the end", "exponents", "plus signs", "sound"],
)  # fmt: skip
@pytest.mark.parametrize("every", [1, 10])
def test_a_changed_format_of_numbers_is_told(spoil: object, said: str, every: int) -> None:
    assert callable(spoil)
    sound = [f"{v:.2f}" for v in amounts(9)]
    now = [spoil(text) if k % every == 0 else text for k, text in enumerate(sound)]
    found = Writing.learned(WRITTEN)
    assert found is not None
    n = sum(one != other for one, other in zip(now, sound, strict=True))
    expected = f"Column 'price' changed how its numbers are written: {said.format(n=n)}." if said else ""
    assert found.broken(csv(now)) == expected


def test_a_few_exponents_are_single_entries() -> None:
    counts = [csv([str(k * 7 + seed) for k in range(N)]) for seed in range(7)]
    found = Writing.learned(counts)
    assert found == Writing(bare=True)
    assert found.broken(csv(["1e3", *map(str, range(N - 1))])) == ""


def test_amounts_within_texts_are_told_as_numbers_are() -> None:
    found = Writing.learned([texts([f"{v:.2f} EUR" for v in amounts(k)]) for k in range(7)])
    assert found == Writing(digits=(1.0, 1.0))
    assert found.broken(texts([f"{v:.2f} EUR" for v in amounts(9)])) == ""
    said = "Column 'zip' changed how its values are written: none of 400 has a number with a fraction, and all had."
    assert found.broken(texts([f"{v:.0f} EUR" for v in amounts(9)])) == said
    said = "Column 'zip' changed how its values are written: none of 400 has 2 digits or more after the point, and all had."
    assert found.broken(texts([f"{v:.1f} EUR" for v in amounts(9)])) == said


@pytest.mark.parametrize("lengths", [1, 3])
def test_codes_without_their_leading_zeros_are_told(lengths: int) -> None:
    found = Writing.learned([texts(codes(k, lengths)) for k in range(7)])
    assert found is not None
    assert found == Writing(padded=found.padded, length=5 if lengths == 1 else 0)
    assert 0.06 < found.padded < 0.125
    sound = codes(9, lengths)
    assert found.broken(texts(sound)) == ""
    least = f"{100 * found.padded:.4g}%"
    said = f"Column 'zip' lost leading zeros: none of 400 values begins with 0, and in all batches before at least {least} did."
    assert found.broken(texts([code.lstrip("0") for code in sound])) == said
    # Blanks and quotation marks around them are another fault, of which other rules tell.
    assert found.broken(texts([f"'{code} " for code in sound])) == ""


def test_codes_of_which_all_begin_with_zero_are_told_where_some_do_not() -> None:
    found = Writing.learned([texts([f"{7 * k + seed:06d}" for k in range(N)]) for seed in range(7)])
    assert found == Writing(padded=1.0, length=6)
    now = texts([str(7 * k) if k % 2 else f"{7 * k:06d}" for k in range(N)])
    assert found.broken(now) == "Column 'zip' lost leading zeros: 200 of 400 values begin with 0, and all did."


def test_where_codes_seldom_begin_with_zero_nothing_is_learned_of_it() -> None:
    assert Writing.learned([texts(["0123", *(f"{k + 1000}" for k in range(99))])] * 7) is None
    assert Writing.learned([texts(["0123", "0124", *(f"{k + 1000}" for k in range(98))])] * 7) == Writing(padded=0.02, length=4)


def test_days_of_one_length_begin_with_zero_in_some_batches_only() -> None:
    assert CODES.broken(texts([f"{day}032024"[:5] for day in range(10, 32)] * 20)) == ""
    # A code that is shorter than all has lost something.
    assert CODES.broken(texts(["1234", *(["12345"] * N)])).startswith("Column 'zip' lost leading zeros: none of 401 values")


def test_what_has_no_values_breaks_nothing() -> None:
    empty = ColumnProfile.from_arrow("price", pa.array([None] * 40, pa.float64()), "double")
    assert Writing(digits=(0.9,), padded=0.5).broken(empty) == ""
    assert Writing(digits=(0.9,)).broken(replace(empty, type="null")) == ""
