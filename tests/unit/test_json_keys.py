"""Files of one JSON batch that have other keys than the rest."""

from __future__ import annotations

import gzip
import io

from avh_ui.spark.json_keys import FileKeys, first_keys, key_differences


def told(keys: dict[str, str], rows: dict[str, int], without: dict[str, str], values: dict[str, int]) -> dict[str, str]:
    """By file how it differs; keys and columns are letters."""
    files = {path: FileKeys(f"{path}.json", frozenset(found)) for path, found in keys.items()}
    found = key_differences(files, rows, {path: set(columns) for path, columns in without.items()}, values)
    assert found.others == len(found.differing)
    return {d.name: d.said for d in found.differing}


ROWS = {"1": 100, "2": 100, "3": 100}


def test_a_file_that_lacks_a_key_or_alone_has_one() -> None:
    assert told({"1": "ab", "2": "ab", "3": "ab"}, ROWS, {}, {"a": 300, "b": 300}) == {}
    lacks = told({"1": "ab", "2": "ab", "3": "a"}, ROWS, {"3": "b"}, {"a": 300, "b": 200})
    assert lacks == {"3.json": "lacks column 'b'"}
    renamed = told({"1": "ab", "2": "ab", "3": "ac"}, ROWS, {"1": "c", "2": "c", "3": "b"}, {"a": 300, "b": 200, "c": 100})
    assert renamed == {"3.json": "lacks column 'b' and has column 'c' besides"}


def test_what_may_be_chance_or_is_written_as_null_is_no_difference() -> None:
    # A key of one row in a hundred, a file of three rows, a null that is written, a file whose keys could not be read.
    assert told({"1": "a", "2": "a"}, ROWS, {"1": "b"}, {"a": 200, "b": 1}) == {}
    assert told({"1": "ab", "2": "a"}, {"1": 100, "2": 2}, {"2": "b"}, {"a": 102, "b": 100}) == {}
    assert told({"1": "ab", "2": "ab"}, ROWS, {"2": "b"}, {"a": 200, "b": 100}) == {}
    assert told({"1": "ab", "2": ""}, ROWS, {"2": "b"}, {"a": 200, "b": 100}) == {}
    # As soon as there are rows enough, it is none.
    assert told({"1": "ab", "2": "a"}, {"1": 100, "2": 4}, {"2": "b"}, {"a": 104, "b": 100}) == {"2.json": "lacks column 'b'"}


def test_of_an_object_that_is_missing_its_fields_are_not_named() -> None:
    files = {"1": FileKeys("1", frozenset({"a", "geo", "geo.lat", "tags"})), "2": FileKeys("2", frozenset({"a"}))}
    nested = ["geo", "geo.lat", "tags", "tags.size()"]
    (found,) = key_differences(files, ROWS, {"2": set(nested)}, dict.fromkeys(nested, 100)).differing
    assert found.said == "lacks columns 'geo', 'tags'"


def keys_of(content: bytes, path: str = "f.json") -> set[str]:
    return set(first_keys(path, io.BytesIO(content)))


def test_keys_of_the_first_rows() -> None:
    lines = b'\xef\xbb\xbf{"a": 1}\nno json\n{"geo": {"lat": 1}, "b": null}\n[1]\n{"cut": '
    assert keys_of(lines) == {"a", "b", "geo", "geo.lat"}
    assert keys_of(b'[{"a": 1},\n {"b": 2}]') == {"a", "b"}
    assert keys_of(gzip.compress(lines), "f.json.gz") == {"a", "b", "geo", "geo.lat"}
    assert keys_of(b"no gzip", "f.json.gz") == keys_of(b"") == keys_of(b"[" * 100_000) == set()
