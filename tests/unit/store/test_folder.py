"""What a folder of the stores says where it is none."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from avh_ui.errors import AvhError, DeliveryError
from avh_ui.store.folder import Folder


def test_a_path_below_a_file_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    folder = Folder(str(tmp_path / "taken" / "history"))
    said = re.escape(f"{tmp_path / 'taken'} is a file. Name a folder under `store:` of avh.yml.")
    with pytest.raises(AvhError, match=f"cannot be read: {said}"):
        folder.read("orders/labels.json")
    with pytest.raises(DeliveryError, match=f"could not be written: {said}"):
        folder.replace("orders/labels.json", b"{}")
