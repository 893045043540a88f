"""The error tree: message, hint and exit code of each."""

from __future__ import annotations

import errno
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui import errors
from avh_ui.errors import AvhError, NotFoundError, denied, ended, nearest, sentence_of

TREE = [value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, AvhError)]


def test_text_is_message_and_hint() -> None:
    assert str(AvhError("The file is locked.", hint="Close the other writer.")) == "The file is locked. Close the other writer."
    assert str(AvhError("The file is locked.")) == "The file is locked."


@pytest.mark.parametrize("kind", TREE)
def test_no_expected_error_exits_as_success(kind: type[AvhError]) -> None:
    assert 0 < kind.exit_code < 256
    # 1 says that a batch violates its program; no error may be taken for that.
    assert kind.exit_code != 1


@pytest.mark.parametrize("kind", TREE)
def test_every_error_says_when_it_is_raised(kind: type[AvhError]) -> None:
    assert kind.__doc__


def test_the_kinds_of_missing_batches_are_source_errors() -> None:
    for kind in (errors.BatchNotFoundError, errors.EmptyBatchError):
        assert issubclass(kind, errors.SourceError)


def test_not_found_names_the_nearest() -> None:
    error = NotFoundError("column", "dep_dealy", ["dep_delay", "dep_time", "carrier"])
    assert str(error).startswith("There is no column 'dep_dealy'. Did you mean 'dep_delay'")


def test_not_found_keeps_a_hint_of_its_own() -> None:
    assert str(NotFoundError("batch", "x", ["y"], hint="Profile it first.")) == "There is no batch 'x'. Profile it first."


def test_not_found_survives_another_process() -> None:
    error = pickle.loads(pickle.dumps(NotFoundError("column", "b", ["bb"])))
    assert isinstance(error, NotFoundError)
    assert str(error) == str(NotFoundError("column", "b", ["bb"]))


def test_nearest_lists_a_few_when_nothing_is_close() -> None:
    assert nearest("zzz", []) == "None is defined yet."
    assert nearest("zzz", ["b", "a"]) == "There is 'a', 'b'."
    assert nearest("zzz", [f"name{i}" for i in range(20)]).endswith(" and more.")


@given(st.text(), st.lists(st.text(max_size=20), max_size=20))
def test_nearest_takes_any_name(name: str, known: list[str]) -> None:
    hint = nearest(name, known)
    # A name is shown quoted and escaped: control characters of a column's name never reach a terminal.
    assert hint.isprintable()


@pytest.mark.parametrize(("text", "told"), [("It is gone", "It is gone."), ("It is gone..", "It is gone."), ("Is it gone?", "Is it gone?")])
def test_a_sentence_ends_with_one_sign(text: str, told: str) -> None:
    assert ended(text) == told
    assert sentence_of(AvhError(text)) == told


def test_who_may_not_read_is_told_what_to_change() -> None:
    refused = denied("a.csv", PermissionError(errno.EACCES, "..."))
    assert str(refused).startswith("a.csv may not be read: permission denied. Give the user that runs avh (on a cluster the one of")
    assert denied("a.csv", OSError(errno.EIO, "...")) is None
    assert denied("a.csv", ValueError("no")) is None


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("batch of 'orders'", "There is no batch 'x' of 'orders'."),
        ("metric for numeric columns", "There is no metric 'x' for numeric columns."),
        ("synthetic issue that changes column 'n'", "There is no synthetic issue 'x' that changes column 'n'."),
        ("column in the history of 'orders'", "There is no column 'x' in the history of 'orders'."),
        ("pipeline", "There is no pipeline 'x'."),
        ("run of 'orders' with id", "There is no run of 'orders' with id 'x'."),
        ("draft of pipeline", "There is no draft of pipeline 'x'."),
    ],
)
def test_the_name_stands_before_what_it_is_of(what: str, said: str) -> None:
    assert NotFoundError(what, "x", ()).message == said
