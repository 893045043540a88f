from __future__ import annotations

import math

import pytest

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.readable import duration, readable_number
from avh_ui.constraints.reading import Reader, percent
from avh_ui.constraints.transforms import Transform
from avh_ui.ui.state.address import START, Address
from avh_ui.ui.state.axis import batch_axis
from avh_ui.ui.state.bounds_input import parse_bound
from avh_ui.ui.state.reading import count, one_in, rate, when
from avh_ui.ui.views.chart_data import number_style


def reader(metric: str, kind: str = "numeric", transform: Transform | None = None) -> Reader:
    return Reader.of(Constraint("c", metric, kind, 0.0, 1.0, transform or Transform()))


@pytest.mark.parametrize(
    ("metric", "kind", "lower", "upper", "text"),
    [
        ("row_count", "numeric", 24_000.3, 28_000.9, "24,001 – 28,000 rows"),
        ("row_count", "numeric", None, 28_000.0, "≤ 28,000 rows"),
        ("row_count", "numeric", 1_000_000.0004, 1_999_999.9996, "1,000,000 – 2,000,000 rows"),
        ("complete_ratio", "numeric", 0.9712, 0.985, "97.12% – 98.5%"),
        ("complete_ratio", "numeric", 0.97, 1.4, "≥ 97%"),
        ("complete_ratio", "numeric", 1.0, None, "= 100%"),
        ("complete_ratio", "numeric", None, 0.0, "= 0%"),
        ("complete_ratio", "numeric", 1 - 1e-10, 1 + 1e-10, "= 100%"),
        ("dist_val_count", "string", 1.0, 1.0, "= 1 value"),
        ("dist_val_count", "string", 3.0, 3.0, "= 3 values"),
        ("js_div", "numeric", None, 0.08412, "≤ 0.0841"),
        ("js_div", "numeric", -0.2, 0.08412, "≤ 0.0841"),
        ("mean", "numeric", -3.21, 12.5, "−3.2 – 12.5"),
        ("mean", "numeric", None, None, "defined"),
        ("str_len", "string", 20.7469, 22.0756, "20.75 – 22.08 chars"),
        ("min", "temporal", 1_735_689_600.0, 1_735_776_000.0, "2025-01-01 – 2025-01-02"),
        ("unheard_of", "numeric", 1.0, 2.0, "1 – 2"),
    ],
)
def test_bounds_read_with_their_unit(metric: str, kind: str, lower: float | None, upper: float | None, text: str) -> None:
    assert reader(metric, kind).bounds(lower, upper) == text


def test_bounds_of_a_change_read_as_a_change() -> None:
    assert reader("row_count", transform=Transform(1)).bounds(-120.0, 1400.0) == "−120 – +1,400 rows"
    assert reader("row_count", transform=Transform(7, True)).bounds(math.log(0.7), math.log(1.52)) == "×0.7 – ×1.52"
    assert reader("max", "temporal", Transform(7)).bounds(596_395.0, 613_330.0) == "+6.9 d – +7.1 d"
    assert reader("complete_ratio", transform=Transform(1)).bounds(-0.02, 0.02) == "−2 pt – +2 pt"


@pytest.mark.parametrize(
    ("metric", "lower", "upper", "words"),
    [
        ("row_count", 24_000.3, 28_000.9, "stays between 24,001 and 28,000 rows"),
        ("complete_ratio", 0.97, 1.0, "stays at or above 97%"),
        ("complete_ratio", 1 - 1e-10, 1.0, "is always 100%"),
        ("js_div", 0.0, 0.08412, "stays at or below 0.0841"),
        ("mean", None, None, "is defined"),
    ],
)
def test_bounds_end_a_sentence(metric: str, lower: float | None, upper: float | None, words: str) -> None:
    assert reader(metric).stays(lower, upper) == words


def test_one_value_ends_a_sentence() -> None:
    assert reader("dist_val_count", "string").stays(1.0, 1.0) == "is always 1 value"


def test_bounds_of_a_change_end_a_sentence() -> None:
    assert reader("row_count", transform=Transform(1)).stays(-120.0, 1400.0) == "stays between −120 and +1,400 rows"
    assert reader("max", "temporal", Transform(1)).stays(86_400.0, 86_400.0) == "is always +1 d"


def test_bounds_of_a_logarithm_read_as_values() -> None:
    assert reader("row_count", transform=Transform(0, True)).bounds(math.log1p(99), math.log1p(200)) == "99 – 200 rows"


def test_numbers() -> None:
    assert [readable_number(v) for v in (0, -0.0, 1234567, 0.08421, 41.234, -2.5, 1e20)] == [
        "0",
        "0",
        "1,234,567",
        "0.08421",
        "41.23",
        "−2.5",
        "1e+20",
    ]
    assert [percent(v) for v in (0.5, 1, 0.99999996, 0.00023)] == ["50%", "100%", "99.999996%", "0.023%"]
    assert [rate(v) for v in (0, 1e-7, 0.00042, 0.05)] == ["0%", "<0.001%", "0.042%", "5%"]
    assert [one_in(v) for v in (0, 0.001)] == ["never, by the bound", "at most 1 in 1,000 batches"]
    assert [one_in(v) for v in (0.4, 0.5, 0.6, 1.0, 1.5)] == [
        "at most 1 in 2 batches",
        "at most 1 in 2 batches",
        *["at most every batch"] * 3,
    ]
    assert [duration(v) for v in (90_000, 7_200, 90, 1.5)] == ["1.04 d", "2 h", "1.5 min", "1.5 s"]
    assert [count(n, "batch") for n in (1, 2, 1000)] == ["1 batch", "2 batches", "1,000 batches"]
    assert when("2026-03-04T10:41:00+02:00") == "2026-03-04 08:41 UTC"
    assert when("long ago") == "long ago"
    assert reader("mean").value(math.nan) == "undefined"


@pytest.mark.parametrize(
    ("text", "transform", "value"),
    [
        (" 24,000 ", Transform(), 24_000.0),
        ("97.5%", Transform(), 0.975),
        ("−3", Transform(), -3.0),
        ("", Transform(), None),
        ("open", Transform(), None),
        ("x1.5", Transform(7, True), math.log(1.5)),
    ],
)
def test_bounds_are_understood_as_typed(text: str, transform: Transform, value: float | None) -> None:
    assert parse_bound(text, transform) == value


@pytest.mark.parametrize(
    ("text", "transform"), [("many", Transform()), ("inf", Transform()), ("x2", Transform()), ("x0", Transform(1, True))]
)
def test_what_is_no_bound_is_explained(text: str, transform: Transform) -> None:
    with pytest.raises(ValueError, match=r"\.$"):
        parse_bound(text, transform)


def test_dates_are_an_axis_of_time() -> None:
    axis = batch_axis(["2025-01-01", "2025-01-02", "2025-01-04"])
    assert axis.dates
    assert axis.x[1] - axis.x[0] == 86_400_000
    assert batch_axis(["2025-01", "2025-02"]).dates


@pytest.mark.parametrize("batches", [[], ["b1", "b2"], ["2025-01-02", "2025-01-01"], ["2025-01-01", "late"]])
def test_other_ids_stand_at_their_position(batches: list[str]) -> None:
    axis = batch_axis(batches)
    assert not axis.dates
    assert axis.x.tolist() == list(range(len(batches)))
    assert axis.step == 1


def test_an_address_survives_the_round_trip() -> None:
    address = Address("2024", "review", suggestion="0a1b")
    assert Address.parse(address.search()) == address
    assert Address.parse("?tab=nothing&pipeline=a%26b&batch=1").among(["review", "runs"]) == Address("a&b", START)
    assert Address.parse("?self=1&suggestion=") == Address("", START)
    assert Address.parse("?pile=all") == Address("", "review", pile="all")
    about = Address("p", "drift", column="ü", batch="a..b", against="c", part="x=1", against_part='"a/b"=2')
    assert Address.parse(about.search()) == about
    assert Address().search() == ""


def test_the_app_begins_with_coverage_or_with_all_pipelines() -> None:
    searches = ("", "?pipeline=a", "?tab=runs", "?suggestion=0a1b")
    tabs = [[Address.parse(search).begun(pipelines).tab for search in searches] for pipelines in (1, 2)]
    assert tabs == [["coverage", "coverage", "runs", "review"], ["overview", "coverage", "runs", "review"]]


def test_how_far_a_sketch_may_be_off() -> None:
    assert reader("unique_ratio").error(0.0161) == "± 1.6 pt"
    assert reader("dist_val_count", "string").error(32.4) == "± 32"
    assert reader("median").error(math.nan) == "approximate"
    assert reader("mean").error(0.0) == ""


def test_moments_move_by_a_length_of_time_and_falls_are_parts() -> None:
    assert Reader.named("emd", "temporal").value(18_000.0) == "5 h"
    assert Reader.named("emd", "numeric").value(18_000.0) == "18,000"
    assert number_style(Reader.named("emd", "temporal"), measured=True) == "duration"
    for metric, style, text in (("largest_fall", "fall", "50%"), ("largest_rise", "factor", "\N{MULTIPLICATION SIGN}2")):
        read = Reader.named(metric, "rows")
        assert (number_style(read, measured=True), read.value(math.log(2))) == (style, text)
    for metric, text in (("count_fall", "17.2 from 100"), ("count_rise", "18.8 from 100")):
        read = Reader.named(metric, "rows")
        assert (number_style(read, measured=True), read.value(math.log(2) * 1.3)) == (metric, text)


def test_falls_that_stand_beside_one_another_are_of_as_many() -> None:
    read = Reader.named("count_fall", "rows").level(0.2, math.nan, 3.0, None)
    assert [read.value(far) for far in (0.2, 3.0)] == ["12.6 from 1,000", "181 from 1,000"]
    assert number_style(read, measured=True) == "count_fall 1000"
    bounded = Constraint("n by id", "count_fall", "rows", None, 3.0)
    assert (Reader.of(bounded).value(0.2), Reader.of(bounded).bounds(None, 3.0)) == ("12.6 from 1,000", "≤ 181 from 1,000")
    assert Reader.named("mean", "numeric").level(1.0, 2.0) == Reader.named("mean", "numeric")
