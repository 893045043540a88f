"""The package's files are read once for all conventions, and kept no longer than for these."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.conventions import sources


@pytest.fixture(scope="package", autouse=True)
def read_once() -> Iterator[None]:
    yield
    sources.forget()
