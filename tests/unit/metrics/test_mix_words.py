"""What an alarm on the mix of a column says: the values that fell or rose, and those that are new."""

from __future__ import annotations

import pyarrow as pa

from avh_ui.metrics.distances import SHAPE_DISTANCES, TEXT_DISTANCES
from avh_ui.metrics.frequencies import FrequencyState
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.mix_words import shape_words, told_mix
from avh_ui.metrics.profile import ColumnProfile


def state(**table: int) -> FrequencyState:
    return FrequencyState(dict(table), sum(table.values()))


def test_what_fell_and_rose_is_named_with_its_shares_and_rows() -> None:
    assert told_mix(state(sha1=30, md5=970), state(sha1=120, md5=880)) == (
        "'md5' rose from 88% to 97% of the values (about 90 rows more). 'sha1' fell from 12% to 3% of the values (about 90 rows fewer)."
    )


def test_what_is_gone_and_what_is_new_comes_by_its_number_of_rows_and_not_by_the_alphabet() -> None:
    said = told_mix(state(a=60, zz=30, c=6, b=4), state(a=50, x=50))
    assert said.startswith("3 values were not in the batch before, in 40 rows: 'zz' (30), 'c' (6) and 1 more. 'x' is gone: it was 50%")


def test_of_a_table_that_is_not_whole_nothing_is_called_new() -> None:
    before = FrequencyState({"a": 90}, 100, 5, b"sketch")
    assert "not in the batch before" not in told_mix(state(a=50, new=50), before)


def test_without_values_or_changes_there_is_nothing_to_say() -> None:
    assert told_mix(state(), state(a=1)) == told_mix(state(a=1), state()) == ""
    assert told_mix(state(a=2, b=2), state(a=1, b=1)) == ""


def test_a_long_value_is_cut() -> None:
    assert len(told_mix(state(a=1), FrequencyState({"x" * 9_000: 10}, 10))) < 200


def test_the_distances_of_texts_say_it_from_their_states() -> None:
    def states(values: list[str]) -> dict[str, object]:
        return dict(ColumnProfile.from_arrow("c", pa.array(values)).states)

    ours, theirs = states(["a"] * 9 + ["b"]), states(["a"] * 5 + ["b"] * 5)
    for metric in TEXT_DISTANCES:
        assert isinstance(metric, Metric)
        assert "'a' rose from 50% to 90%" in metric.told_between(ours, theirs)  # type: ignore[arg-type]
        assert metric.told_between({}, theirs) == ""  # type: ignore[arg-type]


def test_a_value_that_stands_for_another_now_is_told_as_one_change() -> None:
    said = told_mix(state(delivered=27, partial=73), state(ok=30, partial=70))
    assert said == "'ok' seems to be called 'delivered' now: the one is gone (it was 30% of the values), the other is new (27%, 27 rows)."
    for now, before in (
        (state(x=5, b=95), state(a=40, b=60)),
        (state(x=20, y=20, b=60), state(a=40, b=60)),
        (state(x=40), state(a=4, b=36)),
    ):
        assert "seems to be called" not in told_mix(now, before)


def test_one_row_is_no_rows() -> None:
    assert "(about 1 row more)" in told_mix(state(a=11, b=89), state(a=10, b=90))


def test_ways_of_writing_are_told_in_words_and_none_is_called_another_name() -> None:
    now, before = (
        dict(ColumnProfile.from_arrow("c", pa.array(values)).states) for values in (["7"] * 40 + ["a b"] * 60, ["x9"] * 40 + ["a b"] * 60)
    )
    for metric in SHAPE_DISTANCES:
        assert metric.told_between(now, before) == (
            "1 way of writing was not in the batch before, in 40 rows: “digits” (40). “letters, digits” is gone: it was 40% of the values."
        )
    some = dict(ColumnProfile.from_arrow("c", pa.array(["7"] * 10 + ["x9"] * 10)).states)
    assert (
        SHAPE_DISTANCES[0]
        .told_between(some, now)
        .startswith("1 way of writing was not in the batch before, in 10 rows: “letters, digits” (10).")
    )


def test_a_way_of_writing_of_many_parts_is_cut() -> None:
    assert shape_words("l d.") == "“letters, a blank, digits, punctuation”"
    assert shape_words("dldldldl") == "“digits, letters, digits, letters, digits, letters, …”"
    assert shape_words("") == "“nothing”"
    assert shape_words("l\u200b") == "“letters, another character”"
