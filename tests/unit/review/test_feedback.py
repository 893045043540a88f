"""What follows from the log of feedback."""

from __future__ import annotations

from avh_ui.review.feedback import excluded_batches, snoozed, standing_labels
from tests.fakes.run_contract import said


def test_the_last_label_stands() -> None:
    log = [said("known_error"), said("false_alarm"), said("real_issue", batch="b2"), said("unlabel", batch="b2"), said("snooze", until="z")]
    assert {alarm: entry.action for alarm, entry in standing_labels(log).items()} == {("b1", "k"): "false_alarm"}


def test_wrong_data_are_excluded_and_right_data_are_kept() -> None:
    labels = ("known_error", "real_issue", "false_alarm", "expected_change", "snooze")
    log = [said(action, batch=f"b{k}") for k, action in enumerate(labels)]
    assert excluded_batches(log) == ["b0", "b1"]
    assert excluded_batches([*log, said("unlabel", batch="b0")]) == ["b1"]


def test_one_wrong_column_of_several_excludes_the_batch_once() -> None:
    assert excluded_batches([said(key="a"), said(key="b"), said("false_alarm", key="a")]) == ["b1"]


def test_mended_data_are_learned_from_again() -> None:
    log = [said(key="a"), said(key="b")]
    assert excluded_batches(log, [("b1", "a"), ("b2", "b")]) == ["b1"]
    assert excluded_batches(log, [("b1", "a"), ("b1", "b")]) == []


def test_a_snooze_ends_by_itself_or_by_hand() -> None:
    log = [said("snooze", until="2026-02-08T00:00:00+00:00")]
    assert set(snoozed(log, "2026-02-07T00:00:00+00:00")) == {"k"}
    assert snoozed(log, "2026-02-08T00:00:00+00:00") == {}
    assert snoozed([*log, said("wake")], "2026-02-07T00:00:00+00:00") == {}
