"""Samples of rows by a key, and what they say of two batches, against tables that are searched row by row."""

from __future__ import annotations

import base64
import math
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from avh_ui.metrics.by_key import OF_VALUES, SUM_FALLEN
from avh_ui.metrics.joining import join
from avh_ui.metrics.keys_matched import OF_KEYS
from avh_ui.metrics.matching import Matched
from avh_ui.metrics.row_drawing import Drawing, _latest
from avh_ui.metrics.row_keys import key_hashes
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.rows import Need, Rows

BY_NAME = {m.name: m for m in (*OF_KEYS, *OF_VALUES)}
numbers = st.none() | st.integers(-3, 3) | st.sampled_from([1000, -22, 22, 180])
tables = st.lists(st.tuples(st.none() | st.integers(0, 12), numbers, st.none() | st.sampled_from("abc")))
Bare = list[tuple[Any, ...]]


def sample(table: pa.Table, k: int = 4096, **how: Any) -> RowSample:
    arrays = {name: table.column(name).combine_chunks() for name in table.column_names}
    return RowSample.of_rows(Rows(table.num_rows, arrays), Need(RowSample, tuple(arrays), None, Drawing(1, k, **how)))


def table(rows: Bare) -> pa.Table:
    key, number, text = ([row[i] for row in rows] for i in range(3))
    return pa.table({"key": pa.array(key, pa.int64()), "n": pa.array(number, pa.int64()), "t": pa.array(text, pa.string())})


def hash_of(value: Any) -> int:
    return int(key_hashes([pa.array([value])], [False])[0][0])


def measured(name: str, ours: RowSample, theirs: RowSample, column: str = "") -> float:
    metric = BY_NAME[name]
    sides = ({"matched": Matched(s, column), "row_sample": s} for s in (ours, theirs))
    return metric.value(*sides)


@settings(max_examples=60)
@given(rows=tables, k=st.integers(1, 8))
def test_a_sample_has_the_rows_of_the_smallest_keys(rows: Bare, k: int) -> None:
    found = sample(table(rows), k)
    by_key: dict[int, list[tuple[Any, ...]]] = {}
    for row in rows:
        if row[0] is not None:
            by_key.setdefault(row[0], []).append(row)
    kept = sorted(by_key, key=hash_of)[:k]
    assert found.hashes.tolist() == [hash_of(key) for key in kept]
    assert found.counts.tolist() == [len(by_key[key]) for key in kept]
    assert (found.more, found.rows, found.nulls) == (len(by_key) > k, len(rows), sum(row[0] is None for row in rows))
    for name, place in (("n", 1), ("t", 2)):
        expected = [text_of(by_key[key][0][place]) if len(by_key[key]) == 1 else "null" for key in kept]
        assert [found.columns[name].shown(at) for at in range(found.keys)] == expected


@settings(max_examples=60)
@given(several=st.lists(tables | st.just([]), min_size=1, max_size=5), k=st.integers(1, 8))
def test_samples_that_are_drawn_together_are_those_of_each_table(several: list[Bare], k: int) -> None:
    """Of tables of which some are the one before, and as texts of a source without types, too."""
    several = [rows for each in several for rows in (each, each)]
    for plain in (True, False):
        arrays = [table(rows).columns for rows in several]
        typed = [[column if plain else column.cast(pa.string()) for column in columns] for columns in arrays]
        drawing = Drawing(1, k, untyped=frozenset() if plain else frozenset("knt"))
        some = [Rows(len(columns[0]), dict(zip("knt", columns, strict=True))) for columns in typed]
        need = Need(RowSample, tuple("knt"), None, drawing)
        together = [found.to_record() for found in RowSample.of_each(some, need)]
        assert together == [RowSample.of_rows(rows, need).to_record() for rows in some]
        _latest.clear()
        assert together == [RowSample.of_rows(rows, need).to_record() for rows in reversed(some)][::-1]


def text_of(value: Any) -> str:
    return "null" if value is None else f"{value:,}" if isinstance(value, int) else str(value)


def pairs_of(after: Bare, before: Bare) -> list[tuple[tuple[Any, ...], tuple[Any, ...]]]:
    """The rows of the keys that one row has on each side."""
    keys = {row[0] for row in after} & {row[0] for row in before} - {None}
    found = [([r for r in after if r[0] == key], [r for r in before if r[0] == key]) for key in keys]
    return [(one[0], other[0]) for one, other in found if len(one) == len(other) == 1]


def scaled(value: float) -> float:
    return math.copysign(math.log1p(abs(value)), value)


@settings(max_examples=60)
@given(before=tables, after=tables)
def test_measures_of_whole_tables_are_those_of_their_rows(before: Bare, after: Bare) -> None:
    now, then = ({row[0] for row in rows} - {None} for rows in (after, before))
    ours, theirs, pairs = sample(table(after)), sample(table(before)), pairs_of(after, before)

    def share(expected: list[bool]) -> Any:
        return pytest.approx(sum(expected) / len(expected) if expected else math.nan, nan_ok=True)

    assert measured("keys_gone", ours, theirs) == share([key not in now for key in then])
    assert measured("keys_new", ours, theirs) == share([key not in then for key in now])
    assert measured("changed_share", ours, theirs, "t") == share([a[2] != b[2] for a, b in pairs])
    assert measured("unchanged_share", ours, theirs, "n") == share([a[1] == b[1] for a, b in pairs])
    assert measured("emptied_share", ours, theirs, "n") == share([a[1] is None and b[1] is not None for a, b in pairs])
    assert measured("filled_share", ours, theirs, "t") == share([a[2] is not None and b[2] is None for a, b in pairs])
    took = [a[2] != b[2] and None not in (a[2], b[2]) and any((c[2], d[2]) == (b[2], a[2]) for c, d in pairs) for a, b in pairs]
    assert measured("exchanged_share", ours, theirs, "t") == share(took)
    fallen, rise = (measured(name, ours, theirs, "n") for name in ("fallen_share", "largest_rise"))
    both = [(a[1], b[1]) for a, b in pairs if a[1] is not None and b[1] is not None]
    if both:
        assert fallen == pytest.approx(sum(a < b for a, b in both) / len(pairs))
        assert rise == pytest.approx(max(0.0, *(scaled(a) - scaled(b) for a, b in both)))
        whole = sum(abs(b) for _, b in both)
        fell = sum(b - a for a, b in both if a < b) / whole if whole else math.nan
        # No more is told than that all changed their sign.
        assert measured("sum_fallen", ours, theirs, "n") == pytest.approx(min(fell, SUM_FALLEN.highest), nan_ok=True)
        roots = [math.copysign(math.sqrt(abs(a)), a) - math.copysign(math.sqrt(abs(b)), b) for a, b in both]
        assert measured("count_rise", ours, theirs, "n") == pytest.approx(max(0.0, *roots))
        assert measured("count_fall", ours, theirs, "n") == pytest.approx(max(0.0, *(-step for step in roots)))
        once = [rows[0] for key in then if len(rows := [r for r in before if r[0] == key]) == 1]
        known = [scaled(row[1]) for row in once if row[1] is not None]
        fresh = [a[1] for a, b in pairs if a[1] != b[1] and a[1] is not None]
        fresh += [one[0][1] for key in now - then if len(one := [r for r in after if r[0] == key]) == 1 and one[0][1] is not None]
        large = max(20.0, np.median([abs(b) for _, b in both if b] or [0]))
        assert measured("wiped_share", ours, theirs, "n") == pytest.approx(
            sum(abs(b) >= large and a * b <= 0 for a, b in both) / len(pairs)
        )
        wiped = [abs(b) >= large and a * b <= 0 for a, b in both]
        lone = measured("exchanged_share", ours, theirs, "n") * len(pairs)
        spoiled = measured("spoiled_share", ours, theirs, "n") * len(pairs)
        sizes = [abs(b) for _, b in both if b]
        least = max(20.0, min(np.quantile(sizes, 0.1), np.median(sizes) / 4)) if sizes else 0.0
        pace = max(1.0, float(np.quantile([abs(a) / abs(b) for a, b in both if b] or [1.0], 0.25)))
        leapt = [abs(b) >= least and b != 0 and abs(a) >= pace * 8 * abs(b) for a, b in both]
        alone = sum(map(max, wiped, leapt))
        assert max(lone, alone) - 1e-9 <= spoiled <= lone + alone + 1e-9
        if not lone:
            assert spoiled == pytest.approx(alone)
        beyond = max([0.0, *(max(scaled(v) - max(known), min(known) - scaled(v)) for v in fresh)])
        assert measured("beyond", ours, theirs, "n") == pytest.approx(beyond)


def test_a_row_that_rises_ten_times_where_all_rise_much_is_no_mistake() -> None:
    sunday = [88.0, 77.0, 414.0, 100.0, 60.0, 200.0]
    tuesday = [883.0, 300.0, 1_700.0, 350.0, 260.0, 900.0]
    typed = [880.0, 80.0, 420.0, 98.0, 63.0, 190.0]
    theirs, risen, wrong = (sample(pa.table({"key": list(range(6)), "n": side})) for side in (sunday, tuesday, typed))
    assert measured("spoiled_share", risen, theirs, "n") == 0
    assert measured("spoiled_share", wrong, theirs, "n") == pytest.approx(1 / 6)
    # Half of the rows times ten are no pace of all.
    half = sample(pa.table({"key": list(range(6)), "n": [880.0, 770.0, 4_140.0, 98.0, 63.0, 190.0]}))
    assert measured("spoiled_share", half, theirs, "n") == pytest.approx(3 / 6)


@pytest.mark.filterwarnings("error")
def test_infinite_numbers_are_not_wiped_and_warn_of_nothing() -> None:
    before, after = ([math.inf, 0.0, 40.0, 60.0, -60.0, None], [0.0, math.inf, -math.inf, 0.0, 61.0, 1.0])
    theirs, ours = (sample(pa.table({"key": pa.array(range(6)), "n": pa.array(side, pa.float64())})) for side in (before, after))
    assert measured("wiped_share", ours, theirs, "n") == pytest.approx(2 / 6)


@pytest.mark.parametrize("code", ["{:04X}", "{:06X}", "{:07x}"])
def test_no_two_hexadecimal_codes_are_one_key(code: str) -> None:
    codes = [code.format(number) for number in range(2**16)] + [code.format(number * 4_001) for number in range(17, 2**12)]
    codes = sorted({text for text in codes if len(text) == len(codes[0])})
    hashes, there = key_hashes([pa.array(codes)], [True])
    assert there.all()
    assert len(np.unique(hashes)) == len(codes)


def test_one_key_has_one_hash_whatever_type_writes_it() -> None:
    forms = [pa.array([1, 20, 300]), pa.array([1.0, 20.0, 300.0]), pa.array([Decimal("1.00"), Decimal("20.00"), Decimal("300.00")])]
    forms += [pa.array([1, 20, 300], pa.int16()), pa.array(["1", "20", "300"]), pa.array(["1.0", "2e1", "300"])]
    hashes = [key_hashes([form], [True])[0].tolist() for form in forms]
    assert hashes == [hashes[0]] * len(forms)
    assert key_hashes([pa.array(["01", "1 ", "1.0"])], [False])[0].tolist().count(hashes[0][0]) == 0
    encoded = pa.array(["a", None, "b"]).dictionary_encode()
    plain, there = key_hashes([encoded], [False])
    assert plain[[0, 2]].tolist() == key_hashes([pa.array(["a", "b"])], [False])[0].tolist()
    assert there.tolist() == [True, False, True]


def test_samples_of_large_tables_join_on_the_same_keys_without_bias() -> None:
    rng, n = np.random.default_rng(1), 20_000
    before = pa.table({"key": np.arange(n), "n": rng.normal(size=n)})
    some = rng.random(n) < 0.2
    after = pa.table({"key": np.arange(n), "n": np.where(some, before["n"].to_numpy() - 1, before["n"].to_numpy())}).slice(2_000)
    ours, theirs = sample(after, 500), sample(before, 500)
    found = join(ours, theirs)
    assert len(found.ours) > 400
    metric = BY_NAME["fallen_share"]
    states = tuple({"matched": Matched(s, "n")} for s in (ours, theirs))
    value = metric.value(*states)
    error = metric.error_between(*states, value)
    assert 0.01 < error < 0.03
    assert value == pytest.approx(some[2_000:].mean(), abs=4 * error)
    assert measured("keys_gone", ours, theirs) == pytest.approx(0.1, abs=0.06)
    # Of whole tables nothing is drawn.
    whole = tuple({"matched": Matched(sample(t, n), "n")} for t in (after, before))
    assert metric.error_between(*whole, metric.value(*whole)) == 0.0
    assert metric.value(*whole) == pytest.approx(some[2_000:].mean())


def test_parts_in_any_order_and_number_give_the_sample_of_the_whole() -> None:
    rng = np.random.default_rng(2)
    whole = pa.table({"key": rng.permutation(3_000), "n": rng.normal(size=3_000).round(2), "t": [f"v{i % 7}" for i in range(3_000)]})
    parts = [sample(whole.slice(at, 500), 100) for at in rng.permutation(np.arange(0, 3_000, 500))]
    merged = parts[0]
    for part in parts[1:]:
        merged = merged.merge(part)
    direct = sample(whole, 100)
    assert merged.to_record() == direct.to_record()
    twice = direct.merge(direct)
    assert twice.hashes.tolist() == direct.hashes.tolist()
    assert set(twice.counts.tolist()) == {2}
    assert twice.twice == 1.0


def test_a_sample_of_20_columns_is_small() -> None:
    rng, n = np.random.default_rng(3), 10_000
    columns = {"key": np.arange(n) + 10**6}
    columns |= {f"n{i}": rng.normal(100, 30, n).round(2) for i in range(7)} | {f"c{i}": rng.integers(0, 5_000, n) for i in range(6)}
    columns |= {f"t{i}": [f"word {j}" for j in rng.integers(0, 2_000 if i else n, n)] for i in range(6)}
    record = sample(pa.table(columns)).to_record()
    assert len(record) <= 250_000
    assert RowSample.from_record(record).to_record() == record


def test_texts_of_a_megabyte_are_kept_by_their_beginning_and_a_hash() -> None:
    long = "è" * 600_000
    found = sample(pa.table({"key": [1, 2, 3], "t": [long, long + "x", "short"]}))
    values = found.columns["t"]
    shown = {values.shown(at) for at in range(3)}
    assert len(shown) == 3
    assert all(len(text) < 60 for text in shown)
    assert "short" in shown
    hashed = found.without_texts()
    assert not any("è" in hashed.columns["t"].shown(at) or "short" in hashed.columns["t"].shown(at) for at in range(3))


# What release 0.1's successor wrote (version 1, each column with names of its own) of ids 3, 1, 2, 2 and null.
BEFORE_SHARED_NAMES = (
    "FaZDndm?saa&u{KZX!A{EFx<nIy5jjHY_4yc_KPnB57nIT`VGPZ*pZKI%Z*Pb7d?da&LEYB04oJB5rkTY;z(yF)SizVRL9@WFk6dVQh0{EFxoXY;|pJb0RuhTOw&>"
    "A}o6%W^ZzBB03^&b!}p0aw04uZgp*9WpZ;OIwEyxZge;zEFy4hVPj=;B04ZEB4KQ7B06+(b!B~BEL$RUA}o6%W^ZzBB03@>EFyGecyx0jIwEOqbTKv}eO)YDB5ooq"
    "dm?6Ua&00yB5rkUVr6n7EFx}oZDM6|b0Rt-b!l#NI3g?}aBN{?Wpg4rF)SisY-}PrW?^h|Wqn;;EFyDhdS!DWI$JU{EHf-KEHErKEHW%JEHNxGT`VGNWqETVIx{RH"
    "BO*FmH8Nd&D77#BAS+n`03KmEbO@_KUbKYQ4^K>JWS5AcmYn^~ya56M0RjU6{{aC1009DG!>A7+"
)


def test_a_sample_that_an_older_release_wrote_is_read_and_stays_as_it_was_written() -> None:
    record = base64.b85decode(BEFORE_SHARED_NAMES)
    old = RowSample.from_record(record)
    rows = {"id": pa.array([3, 1, 2, 2, None]), "t": pa.array(["è", "b", None, "x", "y"]), "n": pa.array([1.5, None, 3, 4, 5])}
    new = RowSample.from_record(sample(pa.table(rows)).to_record())
    shown = [[[values.shown(at) for at in range(3)] for values in found.columns.values()] for found in (old, new)]
    assert old.to_record() == record
    assert shown[0] == shown[1] == [["1", "2", "3"], ["b", "null", "è"], ["null", "null", "1.5"]]
    assert {name: measured(name, old, new, "t") for name in ("changed_share", "keys_gone")} == {"changed_share": 0.0, "keys_gone": 0.0}
