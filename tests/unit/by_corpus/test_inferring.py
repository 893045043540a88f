from __future__ import annotations

import json
import random
import re
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.constraints.rising import rises
from avh_ui.inference.by_corpus.corpus_index import CorpusIndex
from avh_ui.inference.by_corpus.fmdv import Algorithm, Thresholds
from avh_ui.inference.by_corpus.inferring import infer
from tests.unit.by_corpus.making import index_of

MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


@pytest.fixture(scope="module")
def index() -> CorpusIndex:
    """Thirty tables each of months, of clock times, of codes, of mixed texts, of closed categories."""
    draw = random.Random(7)
    columns: list[list[str]] = []
    for _ in range(30):
        columns.append([f"{draw.choice(MONTHS)} {draw.randint(1, 28):02} 20{draw.randint(10, 25)}" for _ in range(60)])
        columns.append([f"{draw.randint(0, 12)}:{draw.randint(0, 59):02}" for _ in range(60)])
        columns.append([f"{draw.choice('ABCD')}{draw.randint(1, 999)}" for _ in range(60)])
        columns.append([draw.choice(["red", "green", "blue"]) for _ in range(60)])
        columns.append([" ".join(draw.choices(["to", "be", "or", "not", "the", "Question"], k=draw.randint(1, 9))) for _ in range(60)])
        columns.append([f"2020-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}" for _ in range(60)])
    return index_of(columns)


def test_figure_2_generalises_the_month(index: CorpusIndex) -> None:
    """A column of March 2019 gets a pattern that April meets, not the profiling pattern "Mar <digit>{2} 2019"."""
    found = infer([f"Mar {day:02} 2019" for day in range(1, 31)], index)
    assert found is not None
    assert re.search(found.regex, "Apr 01 2020")
    assert not re.search(found.regex, "2019-03-01")
    assert found.nonconforming == 0
    assert found.chosen.kind == "pattern"


def test_the_ladder_goes_from_specific_to_general(index: CorpusIndex) -> None:
    found = infer([f"Mar {day:02} 2019" for day in range(1, 31)], index)
    assert found is not None
    rungs = found.alternatives
    assert found.chosen in rungs
    assert len(rungs) > 1
    assert [r.bits for r in rungs] == sorted(r.bits for r in rungs)
    assert all(0 <= r.fpr <= 1 and 0 <= r.matched <= 1 for r in rungs)
    assert json.loads(json.dumps(found.to_record()))["chosen"]["regex"] == found.regex


def test_dirty_values_are_cut_off(index: CorpusIndex) -> None:
    values = [f"{k % 12}:{k % 60:02}" for k in range(98)] + ["-", "-"]
    found = infer(values, index, Thresholds("fmdv-vh"))
    assert found is not None
    assert found.nonconforming == 2
    assert found.deviating == ("-",)
    assert infer(values, index, Thresholds("fmdv-v")) is None


def test_a_union_of_two_formats(index: CorpusIndex) -> None:
    values = [v for k in range(60) for v in (f"A{k}", f"{k % 12}:{k % 60:02}")]
    found = infer(values, index)
    assert found is not None
    assert found.chosen.kind == "union"
    assert re.search(found.regex, "C7")
    assert re.search(found.regex, "3:30")
    assert not re.search(found.regex, "3-30")
    assert " | " in found.pattern


def test_named_types(index: CorpusIndex) -> None:
    draw = random.Random(1)
    dates = infer([f"2021-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}" for _ in range(50)], index)
    assert dates is not None
    assert dates.chosen.kind == "type"
    assert dates.name == "ISO 8601 date"
    assert not re.search(dates.regex, "2021-13-01")
    ids = infer([str(uuid.UUID(int=draw.getrandbits(128))) for _ in range(50)], index)
    assert ids is not None
    assert ids.name == "UUID in lower case"


def test_a_closed_domain_is_a_dictionary_only_where_no_pattern_is_safe(index: CorpusIndex) -> None:
    draw = random.Random(3)
    values = [draw.choice(["n/a (not asked)", "yes!", "-"]) for _ in range(200)]
    closed = infer(values, index)
    assert closed is not None
    assert closed.chosen.kind == "dictionary"
    assert not re.search(closed.regex, "no!")


def test_texts_get_nothing(index: CorpusIndex) -> None:
    draw = random.Random(4)
    words = ["to", "be", "or", "not", "that", "is", "the", "Question:"]
    assert infer([" ".join(draw.choices(words, k=draw.randint(2, 12))) for _ in range(200)], index) is None


@pytest.mark.parametrize(
    "values",
    [
        [],
        [None] * 50,
        [""] * 50,
        ["x" * 1_000_000] * 10,
        [f"{k}" * 200_000 for k in range(10)],
        ["a\x00b", "\x1b[31m", "\x00\x01", "\x7f", "\n"] * 5,
        ["日本", "Ünï", "عربى", "mixed日x", "\U0001f600", "क्षि"] * 5,
        ["\ud800", "\udfff\ud800", "a\ud800"] * 5,
        ["\ue000", "\ue000\ue000", "1\ue000"] * 5,
        ["one"] * 40,
        ["<b>'\"`\\</b>"] * 40,
        ["-".join("ab12" for _ in range(60))] * 10,
        [f"{k}.{k}" + "," * k for k in range(60)],
    ],
    ids=range(13),
)
@pytest.mark.parametrize("method", ["fmdv", "fmdv-v", "fmdv-h", "fmdv-vh", "extended"])
def test_bad_input_never_crashes(index: CorpusIndex, values: list[str | None], method: Algorithm) -> None:
    found = infer(values, index, Thresholds(method))
    if found:
        assert found.nonconforming <= (1 - 0.9) * found.values + 1e-9
        assert re.compile(found.regex)


@given(st.lists(st.one_of(st.none(), st.text(max_size=6), st.from_regex(r"[A-C]?[0-9]{1,3}[-:.][0-9]", fullmatch=True)), max_size=40))
def test_any_values_are_taken(index: CorpusIndex, values: list[str | None]) -> None:
    found = infer(values, index, Thresholds(m=1, r=1.0))
    if found:
        bad = sum(1 for v in values if v and not re.search(found.regex, v))
        assert bad == found.nonconforming
        assert found.values == sum(1 for v in values if v)
        assert not rises(found.nonconforming, found.values, bad, found.values)


def test_shapes_say_more_than_letters_and_digits_mixed() -> None:
    """`VS1`, `VVS2` and `IF` share nothing but `<alphanum>+`; their shapes are safe where columns kept to theirs."""
    draw = random.Random(9)
    columns = [[draw.choice([f"V{chr(65 + k % 26)}S1", "IF", "SI3", "A1"]) for _ in range(400)] for k in range(30)]
    found = infer([draw.choice(["VS1", "VVS2", "IF", "SI3"]) for _ in range(100)], index_of(columns))
    assert found is not None
    assert set(found.pattern.split(" | ")) == {"<upper>+<digit>+", "<upper>+"}
    assert not re.search(found.regex, "1VS")


def mixed_index() -> CorpusIndex:
    draw = random.Random(9)
    return index_of([[draw.choice([f"V{chr(65 + k % 26)}S1", "IF", "SI3", "A1"]) for _ in range(400)] for k in range(30)])


def test_a_case_that_values_do_not_keep_is_not_asked_for() -> None:
    draw = random.Random(3)
    found = infer([draw.choice(["VS1", "vVS2", "IF", "SI3"]) for _ in range(100)], mixed_index())
    assert found is not None
    assert set(found.pattern.split(" | ")) == {"<letter>+<digit>+", "<letter>+"}
    two = infer([draw.choice(["VS1", "IF"]) for _ in range(100)], mixed_index())
    assert two is None or "upper" not in two.pattern


def test_many_values_that_are_all_the_same_say_nothing() -> None:
    index = index_of([[f"{c}{n}" for n in range(10, 99)] for c in "ABCDEFGH" for _ in range(2)])
    assert infer(["A12"] * 30, index) is None
    assert infer([f"A{n}" for n in range(10, 40)], index) is not None


def keeping_index() -> CorpusIndex:
    """Columns of a hundred forms: those of many different values keep to their shapes, those that begin alike change them."""
    forms = [f"{a}{b}" for a in "#$%&(*+-.:" for b in ")/;<=>?@^_"]
    columns = [[f"{form[0]}{n}{form[1]}{n}" for n in range(300)] for form in forms]
    columns += [[f"{form[0]}x{form[1]}"] * 40 + [f"x{form[k % 2]}{'x' * (k % 3 + 1)}" for k in range(400)] for form in forms]
    return index_of(columns)


def test_values_of_unknown_form_keep_to_what_they_have_shown() -> None:
    index = keeping_index()
    found = infer([f"{c}/{n}:{n}[{c}]" for n, c in zip(range(50), "xyzuv" * 10, strict=True)], index)
    assert found is not None
    assert found.chosen.kind == "pattern"
    assert re.fullmatch(found.regex, "b/7:8[x]")
    assert not re.fullmatch(found.regex, "b/7:8(x)")
    words = ["alpha beta", "gamma, delta", "e-f g", "(h) i", "j k l", "m; n o", "p q r s", "t? u", "v! w", "x. y z", "a/b c", "1 st"]
    assert infer([w for w in words for _ in range(3)], index) is None


def test_what_begins_alike_keeps_to_its_characters_where_shapes_changed() -> None:
    found = infer(["~x!"] * 40, keeping_index())
    assert found is not None
    assert found.pattern == "<[letter !~]>{1,6}"
    assert re.fullmatch(found.regex, "x!y~xx")
    assert not re.fullmatch(found.regex, "x!7")
    assert not re.fullmatch(found.regex, "x!xxxxx")
    # Nothing is known of columns that begin alike, so that nothing is risked.
    assert infer(["~x!"] * 40, index_of([[f"{n}" for n in range(100)]])) is None
