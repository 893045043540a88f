"""Every store, and the in-memory fake that stands for it in other tests, keeps the contract of its port."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path

import fsspec
import pytest

from avh_ui.constraints.program_store import ProgramStore
from avh_ui.history.repository import HistoryRepository
from avh_ui.review.repository import ReviewRepository
from avh_ui.store.history_files import HistoryFiles
from avh_ui.store.light_runs import LightRuns
from avh_ui.store.program_files import ProgramFiles
from avh_ui.store.reviews_sql import ReviewsSql
from avh_ui.store.runs_sql import RunsSql
from avh_ui.store.signing import KeyRing
from tests.fakes.contracts import HistoryContract, ProgramContract, ReviewContract
from tests.fakes.history import FakeHistory
from tests.fakes.programs import FakePrograms
from tests.fakes.reviews import FakeReviews
from tests.fakes.run_contract import RunContract
from tests.fakes.runs import FakeRuns


@pytest.fixture
def memory_url() -> Iterator[str]:
    url = f"memory://{uuid.uuid4().hex}"
    yield url
    fs = fsspec.filesystem("memory")
    if fs.exists(url):
        fs.rm(url, recursive=True)


class TestFakeHistory(HistoryContract):
    @pytest.fixture
    def repository(self) -> HistoryRepository:
        return FakeHistory()


class TestLocalHistory(HistoryContract):
    @pytest.fixture
    def repository(self, tmp_path: Path) -> HistoryRepository:
        return HistoryFiles(str(tmp_path / "history"))


class TestUrlHistory(HistoryContract):
    @pytest.fixture
    def repository(self, memory_url: str) -> HistoryRepository:
        return HistoryFiles(memory_url)


class TestFakeReviews(ReviewContract):
    @pytest.fixture
    def repository(self) -> ReviewRepository:
        return FakeReviews()


class TestSqliteReviews(ReviewContract):
    @pytest.fixture
    def repository(self, tmp_path: Path) -> Iterator[ReviewRepository]:
        reviews = ReviewsSql(f"sqlite:///{tmp_path}/new/reviews.db")
        yield reviews
        reviews.close()


@pytest.fixture(scope="module")
def emptied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database of this release that holds nothing: to make its tables takes a twentieth of a second."""
    path = tmp_path_factory.mktemp("emptied") / "reviews.db"
    RunsSql(f"sqlite:///{path}").close()
    return path


class TestFakeRuns(RunContract):
    @pytest.fixture
    def store(self) -> FakeRuns:
        return FakeRuns()


class TestSqliteRuns(RunContract):
    @pytest.fixture
    def store(self, tmp_path: Path, emptied: Path) -> Iterator[RunsSql]:
        runs = RunsSql(f"sqlite:///{shutil.copy(emptied, tmp_path)}")
        yield runs
        runs.close()


class TestLightRuns(RunContract):
    @pytest.fixture
    def store(self, tmp_path: Path, emptied: Path) -> Iterator[LightRuns]:
        path = Path(shutil.copy(emptied, tmp_path))  # without its tables it would be `RunsSql` that is tested again
        runs = LightRuns(f"sqlite:///{path}", path)
        yield runs
        runs.close()


class TestFakePrograms(ProgramContract):
    @pytest.fixture
    def store(self) -> ProgramStore:
        return FakePrograms()


class TestLocalPrograms(ProgramContract):
    @pytest.fixture
    def store(self, tmp_path: Path) -> ProgramStore:
        return ProgramFiles(str(tmp_path / "programs"))


class TestSignedPrograms(ProgramContract):
    @pytest.fixture
    def store(self, tmp_path: Path) -> ProgramStore:
        keys = KeyRing(tmp_path / "keys")
        keys.generate()
        return ProgramFiles(f"file://{tmp_path}/programs", require_signature=True, keys=keys)


class TestUrlPrograms(ProgramContract):
    @pytest.fixture
    def store(self, memory_url: str) -> ProgramStore:
        return ProgramFiles(memory_url)
