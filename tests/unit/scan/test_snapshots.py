"""`batch: now`: a source that is overwritten with each delivery has the batch of the day on which it is read."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from pathlib import Path

import pytest
from pydantic import ValidationError

from avh_ui.bootstrap import open_services
from avh_ui.config import Source
from avh_ui.errors import BatchNotFoundError, UsageError
from avh_ui.scan import snapshots
from avh_ui.scan.listing import FileListing
from avh_ui.workflows.validating import ValidateOptions

_AVH = "engine: local\npipelines:\n  stock: {source: {format: csv, path: stock.csv, batch: now, options: {header: true}}}\n"


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> type[datetime]:
    """A clock: `at.moment` is now."""

    class Clock(datetime):
        moment = datetime(2026, 1, 31, 22, 15, tzinfo=UTC)

        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
            return cls.moment.astimezone(tz)

    monkeypatch.setattr(snapshots, "datetime", Clock)
    return Clock


def test_what_is_there_is_todays(tmp_path: Path, at: type[datetime]) -> None:
    source = Source(format="csv", path="stock.csv", batch="now")
    assert FileListing(source, tmp_path).batches() == []
    (tmp_path / "stock.csv").write_text("id\n1\n")
    listing = FileListing(source, tmp_path)
    assert listing.batches() == ["2026-01-31"]
    assert [part.path for part in listing.locate("2026-01-31").parts] == [str(tmp_path / "stock.csv")]
    with pytest.raises(BatchNotFoundError, match=r"'2026-01-30' is not there: its source is overwritten .* there now is '2026-01-31'"):
        listing.locate("2026-01-30")
    assert FileListing(source.model_copy(update={"batch": ("this hour",), "path": "*.csv"}), tmp_path).batches() == ["2026-01-31T22"]


def test_a_history_grows_from_a_file_that_is_overwritten(tmp_path: Path, at: type[datetime]) -> None:
    (tmp_path / "avh.yml").write_text(_AVH)
    services = open_services(tmp_path)
    for day in range(1, 11):
        at.moment = datetime(2026, 1, day, 6, tzinfo=UTC)  # type: ignore[attr-defined]
        rows = "\n".join(f"{n},{n % 5 + day % 2}" for n in range(100 + day))
        (tmp_path / "stock.csv").write_text(f"id,amount\n{rows}\n")
        services.batches.profile("stock")
    assert services.batches.names("stock") == [f"2026-01-{day:02}" for day in range(1, 11)]
    # Of older ones the profile is all that is left: relations are looked for in today's rows alone.
    draft = services.suggestions.suggest("stock")
    assert draft.items
    services.suggestions.decide("stock", [item.suggestion.id for item in draft.items], "accept", why="all")
    services.programs.publish("stock", message="first")
    at.moment = datetime(2026, 1, 11, 6, tzinfo=UTC)  # type: ignore[attr-defined]
    (tmp_path / "stock.csv").write_text("id,amount\n1,1\n")
    assert services.batches.waiting("stock") == ["2026-01-11"]
    assert services.runs.validate("stock", batch="2026-01-11").status == "fail"
    old = services.runs.judge("stock", ValidateOptions("2026-01-02")).run
    assert old.status == "not_evaluated"
    assert "its source is overwritten each time (batch: now), and what is there now is '2026-01-11'" in old.results[0].message


@pytest.mark.parametrize("more", [{"path": "{batch}.csv"}, {"path": "a.csv", "batch_column": "day"}])
def test_a_source_names_its_batches_once(more: dict[str, str]) -> None:
    with pytest.raises(ValidationError, match="is of a source that is overwritten"):
        Source.model_validate({"format": "csv", "batch": "now", **more})


def test_an_input_is_profiled_as_a_batch_that_the_source_does_not_have(tmp_path: Path, at: type[datetime]) -> None:
    (tmp_path / "avh.yml").write_text(_AVH)
    (tmp_path / "late.csv").write_text("id,amount\n1,2\n")
    services = open_services(tmp_path)
    report = services.batches.profile("stock", batches="2026-01-15", input=str(tmp_path / "late.csv"))
    assert (report.profiled, services.batches.names("stock")) == (("2026-01-15",), ["2026-01-15"])
    (tmp_path / "late.csv").write_text("id,amount\n1,2\n3,4\n")
    services.batches.profile("stock", batches="2026-01-15", input=str(tmp_path / "late.csv"))
    assert services.batches.load("stock", "2026-01-15").rows == 2
    with pytest.raises(UsageError, match=r"ate\.csv is not there\. Did you mean '.*/late\.csv'"):
        services.batches.profile("stock", batches="2026-01-16", input=str(tmp_path / "ate.csv"))
    with pytest.raises(UsageError, match="profiled as one batch"):
        services.batches.profile("stock", input=str(tmp_path / "late.csv"))
