"""What comes back after an odd day that nobody called wrong is no second fault; what is new in the batch itself still alarms."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from avh_ui.constraints.constraint import Constraint, Verdict
from avh_ui.history.standings import Standing, outcome
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.profile import BatchProfile
from avh_ui.store.history_files import HistoryFiles
from avh_ui.validator.returning import Returning
from avh_ui.validator.validate import validate
from tests.unit.validator.test_matched_rows import KEY, N, batch, program, rule

# Milano has a tenth for a day.
ODD = [*N[:3], 500, *N[4:]]


def judged(folder: Path, after: list[int | None], *days: BatchProfile, of: str = "spoiled_share", upper: float = 0.0) -> Verdict:
    history = HistoryFiles(str(folder / "history"))
    for day in days:
        history.save(day)
    made = program(rule(of, upper=upper))
    return validate(made, batch("b9", after, judged=made), history, stale="off").verdicts[0]


@pytest.mark.parametrize(("of", "upper"), [("spoiled_share", 0.0), ("largest_rise", 0.5), ("count_rise", 10.0)])
def test_the_end_of_an_odd_day_passes_and_says_whose_it_is(tmp_path: Path, of: str, upper: float) -> None:
    verdict = judged(tmp_path, [1001, *N[1:]], batch("b1"), batch("b2", ODD), of=of, upper=upper)
    assert (verdict.status, verdict.samples) == ("pass", ())
    assert verdict.message.endswith(": the end of what batch b2 had, and usual beside batch b1.")
    # What was observed stays beside it.
    assert verdict.observed is not None
    assert verdict.observed > upper


def test_the_odd_day_itself_alarms(tmp_path: Path) -> None:
    assert judged(tmp_path, ODD, batch("b1"), batch("b2"), of="largest_fall", upper=0.5).status == "fail"


def test_a_new_fault_on_the_day_after_alarms(tmp_path: Path) -> None:
    verdict = judged(tmp_path, [0, *N[1:]], batch("b1"), batch("b2", ODD), of="largest_fall", upper=0.5)
    assert (verdict.status, verdict.observed) == ("fail", pytest.approx(math.log1p(N[0])))


@pytest.mark.parametrize("of", ["spoiled_share", "mistaken_rows"])
def test_a_row_that_the_batch_before_the_odd_one_has_not_comes_back_to_nothing(tmp_path: Path, of: str) -> None:
    """Beside a batch without its key nothing is known of it: in a window of rates that moves it passed."""
    made = program(rule(of) if of == "spoiled_share" else several(of))
    history = HistoryFiles(str(tmp_path / "history"))
    before, now = [*N, 4000, 4100], [*N, 4000, 0]
    for name, numbers in (("b1", N), ("b2", before)):
        history.save(batch(name, numbers, m=numbers))
    (verdict,) = validate(made, batch("b3", now, judged=made, m=now), history, stale="off").verdicts
    assert verdict.status == "fail"


def several(of: str) -> Constraint:
    measure = Measure(of, ("n", "m"), parameters=(KEY,))
    return Constraint(measure.subject, of, "rows", None, 0.0, measure=measure)


def test_without_a_batch_before_the_odd_one_nothing_is_known(tmp_path: Path) -> None:
    assert judged(tmp_path, N, batch("b2", ODD)).status == "fail"


def test_a_counter_that_fell_to_its_number_of_two_days_ago_fell(tmp_path: Path) -> None:
    verdict = judged(tmp_path, N, batch("b1"), batch("b2", [n + 10 for n in N]), of="fallen_share")
    assert (verdict.status, verdict.observed) == ("fail", 1.0)


def test_that_a_counter_fell_far_is_told_where_its_rise_was_not(tmp_path: Path) -> None:
    verdict = judged(tmp_path, N, batch("b1"), batch("b2", [*N[:3], N[3] * 2, *N[4:]]), of="fallen_counters")
    assert (verdict.status, verdict.observed) == ("fail", pytest.approx(1 / len(N)))


def test_what_is_empty_again_passes_and_what_is_empty_alarms(tmp_path: Path) -> None:
    empty = [None, *N[1:]]
    assert judged(tmp_path / "again", empty, batch("b1", empty), batch("b2"), of="emptied_share").status == "pass"
    assert judged(tmp_path / "new", empty, batch("b1"), batch("b2"), of="emptied_share").status == "fail"


def test_the_batch_before_is_the_one_that_the_odd_day_was_compared_with(tmp_path: Path) -> None:
    """A day that failed, and that nobody answered, is passed over as for every comparison."""
    failed = replace(batch("b2", [0] * 6), extra=outcome("fail", stale=False))
    verdict = judged(tmp_path, N, batch("b1"), failed, batch("b3", ODD))
    assert verdict.message.endswith("batch b3 had, and usual beside batch b1.")


class _Unread:
    def load(self, *_: object) -> BatchProfile:
        raise AssertionError("nothing is to be read")


def test_nothing_is_read_of_what_passes(tmp_path: Path) -> None:
    passed = judged(tmp_path, N, batch("b1"), batch("b2"))
    assert passed.status == "pass"
    found = Returning(batch("b3"), _Unread(), lambda: [Standing("b1")], None, lambda *_: passed)  # type: ignore[arg-type]
    assert found.judged(passed) is passed
    failed = replace(passed, status="fail")
    assert found.judged(failed) is failed
