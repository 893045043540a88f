"""The tag of an XML file's rows."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import pytest

from avh_ui.errors import SourceError
from avh_ui.scan.listing import outside
from avh_ui.scan.looking import look
from avh_ui.scan.xml_looking import look_at_xml, refuse_cut

ORDER = "<order id='{0}'><line>1</line><line>2</line><line>3</line></order>"


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("<orders>{}</orders>", "order"),
        ("<?xml version='1.0' encoding='UTF-8'?>\n<data><head>x</head><orders>{}</orders></data>", "order"),
        ("<orders><day>2026-01-01</day>{}", "order"),  # cut off
    ],
)
def test_rows_are_what_comes_again_nearest_to_the_root(text: str, tag: str) -> None:
    found = look_at_xml(text.replace("{}", "".join(map(ORDER.format, range(5)))).encode(), Path("orders.xml"))
    assert found.options == {"rowTag": tag}
    assert "a row for each <order> (rowTag)" in found.remarks[0]


def test_names_that_spark_takes_for_patterns_are_told() -> None:
    text = f"<orders>{ORDER * 2}</orders>".encode()
    assert "give them names without" in look_at_xml(text, Path("d/orders [1].xml")).remarks[1]
    assert len(look_at_xml(text, Path("[d]/orders.xml")).remarks) == 1


@pytest.mark.parametrize(
    ("text", "said"), [("a,b\n1,2\n", "is no XML: "), ("<a><b/><c/></a>", "has no element that comes twice"), ("", "twice")]
)
def test_what_has_no_rows_is_told(text: str, said: str) -> None:
    with pytest.raises(SourceError, match=said):
        look_at_xml(text.encode(), Path("orders.xml"))


def test_files_are_the_batches_of_a_table(tmp_path: Path) -> None:
    paths = [tmp_path / f"orders-2026-01-0{day}.xml" for day in (1, 2, 3)]
    for path in paths:
        path.write_text(f"<orders>{ORDER * 4}</orders>")
    (seen,) = look(paths).tables
    assert (seen.format, seen.path, len(seen.batches)) == ("xml", str(tmp_path / "orders-{batch}.xml"), 3)
    assert seen.options == {"rowTag": "order"}
    (alone,) = look(paths[:1]).tables
    assert len(alone.batches) == 1


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("<?xml version='1.0'?>\n<!-- of May -->\n<rows day='2'>\n<row>1</row>\n", True),
        ("<rows>\n<row>1</row>\n</rows>\n", False),
        ("<rows>\n<row>1</row>\n<row>2", False),  # Spark says so, with the line
        ("<n:rows><row>1</row>", True),
        ("<row><x>1</x></row>\n<row><x>2</x></row>\n", False),
        ("<rows/>", False),
    ],
)
def test_a_file_that_ends_before_its_root_does_is_cut(tmp_path: Path, text: str, *, cut: bool) -> None:
    (tmp_path / "day.xml").write_text(text, encoding="utf-8")
    listing, files = outside(str(tmp_path / "day.xml"))
    with pytest.raises(SourceError, match=r"day\.xml ends before </") if cut else nullcontext():
        refuse_cut(listing, files, "row")
