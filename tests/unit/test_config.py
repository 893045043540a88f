"""`avh.yml`: what is read, and what a wrong file is told."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from avh_ui.config import CONFIG_VERSION, ColumnsSetting, Config, load_config
from avh_ui.errors import ConfigError, NotFoundError

SOURCE = {"path": "data/{batch}.parquet"}
FULL = """
version: 1
pipelines:
  flights:
    source: {format: csv, path: "data/{batch}.csv", options: {header: true, sep: ";", maxColumns: 20}}
    cadence: weekly
    columns: {include: [a, b], exclude: [b]}
    segments: [region]
    fpr: 0.01
    rules: {schema: warning, level: warning}
spark: {master: "local[2]", conf: {spark.ui.enabled: "false"}}
store: {history: "s3://lake/history", require_signature: true}
people: {ada: approver}
"""


def workspace(folder: Path, text: str) -> Path:
    (folder / "avh.yml").write_text(text, encoding="utf-8")
    return folder


def pipeline(**fields: Any) -> Config:
    return Config.model_validate({"pipelines": {"flights": {"source": SOURCE, **fields}}})


def source(**fields: Any) -> Config:
    return pipeline(source=fields)


def test_a_whole_file(tmp_path: Path) -> None:
    config = load_config(workspace(tmp_path, FULL))
    flights = config.pipeline("flights")
    assert (flights.name, flights.cadence, flights.fpr, flights.segments) == ("flights", "weekly", 0.01, ("region",))
    assert flights.source.options == {"header": "true", "sep": ";", "maxColumns": "20"}
    assert (flights.severities.schema_level, flights.severities.level) == ("warning", "warning")
    assert (config.spark.master, config.store.history, config.store.require_signature) == ("local[2]", "s3://lake/history", True)
    assert config.store.programs == "programs/"
    assert config.people == {"ada": "approver"}


def with_options(options: str) -> str:
    return f"pipelines: {{p: {{source: {{format: csv, path: 'd/{{batch}}.csv', options: {{{options}}}}}}}}}"


@pytest.mark.parametrize("text", ["", "pipelines:", "pipelines: {}\npeople:\nspark:\n"])
def test_an_empty_file_has_no_pipelines(tmp_path: Path, text: str) -> None:
    assert load_config(workspace(tmp_path, text)) == Config()


def test_defaults_of_a_pipeline() -> None:
    flights = pipeline().pipeline("flights")
    assert (flights.cadence, flights.fpr, flights.table_fpr, flights.segments) == ("daily", 0.001, None, ())
    assert flights.columns.wants("any")


def test_excluded_columns_win_over_included() -> None:
    columns = ColumnsSetting(include=("a", "b"), exclude=("b",))
    assert [columns.wants(name) for name in ("a", "b", "c")] == [True, False, False]
    assert not ColumnsSetting(exclude=("a",)).wants("a")


def test_an_unknown_pipeline_names_the_nearest() -> None:
    with pytest.raises(NotFoundError, match="Did you mean 'flights'"):
        pipeline().pipeline("fligths")


@pytest.mark.parametrize("cadence", ["hourly", "daily", "weekly", "monthly", "PT6H", "P1D", "P2W", "P1Y2M3DT4H5M6S"])
def test_a_cadence_is_a_word_or_a_duration(cadence: str) -> None:
    assert pipeline(cadence=cadence).pipeline("flights").cadence == cadence


@pytest.mark.parametrize("cadence", ["yearly", "P", "PT", "P1DT", "P0D", "P1D\n", "1D", "P1H", "PT1D", "P1 day", "", 7, None])
def test_anything_else_is_no_cadence(cadence: Any) -> None:
    with pytest.raises(ValidationError):
        pipeline(cadence=cadence)


def test_a_number_is_told_at_once_what_a_cadence_is() -> None:
    with pytest.raises(ValidationError, match="'5' is neither hourly, daily, weekly, monthly nor an ISO 8601 duration"):
        pipeline(cadence=5)


@pytest.mark.parametrize("name", ["flights", "Flights_2024-v1.1", "_x", "-x", "1"])
def test_pipeline_names(name: str) -> None:
    assert Config.model_validate({"pipelines": {name: {"source": SOURCE}}}).pipeline(name).name == name


@pytest.mark.parametrize("name", ["", ".", "..", ".hidden", "a/b", "a b", "flights\n", "a\x00", "fl\u00fcge", 2024, True, None])
def test_names_that_are_no_folder_are_refused(name: Any) -> None:
    with pytest.raises(ValidationError, match="pipeline name"):
        Config.model_validate({"pipelines": {name: {"source": SOURCE}}})


@pytest.mark.parametrize(
    "fields",
    [
        {"format": "parquet", "path": "d/{batch}"},
        {"format": "csv", "path": "d", "batch_column": "day"},
        {"format": "table", "table": "lake.flights", "batch_column": "day"},
        {"format": "query", "query": "select * from t where day = '{batch}'"},
        {"format": "jdbc", "options": {"url": "jdbc:x", "dbtable": "t"}, "batch_column": "day"},
        {"format": "delta", "path": "d", "batch_column": "day"},
        {"format": "iceberg", "table": "lake.flights", "batch_column": "day"},
    ],
)
def test_sources(fields: dict[str, Any]) -> None:
    assert source(**fields).pipeline("flights").source.format == fields["format"]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"format": "csv", "table": "t", "batch_column": "day"}, "csv needs path"),
        ({"format": "query", "path": "d/{batch}"}, "query needs query"),
        ({"format": "table", "options": {"a": "b"}, "batch_column": "day"}, "table needs table"),
        ({"format": "delta", "options": {"a": "b"}, "batch_column": "day"}, "delta needs path or table"),
        ({"format": "csv", "path": "{batch}.csv", "query": "select 1"}, "format csv takes no query, but path"),
        ({"path": "data/flights.parquet"}, "batch_column names the column"),
        ({"format": "xml", "path": "d/{batch}"}, "format xml needs the element that is a row"),
        ({"format": "xls", "path": "d/{batch}"}, "'xls' is none: write `format: excel`"),
        ({"format": "feather", "path": "d/{batch}"}, "'parquet', 'csv'"),
        ({**SOURCE, "skip_lines": 3}, "skip_lines: is of files of csv, and the format is parquet"),
        ({**SOURCE, "format": "csv", "skip_lines": 3, "reader": "spark"}, "Spark's reader passes over no line: leave out `reader: spark`"),
        ({**SOURCE, "format": "csv", "skip_lines": 3, "options": {"lineSep": ";"}}, "passes over no line: leave out `lineSep: ;`"),
        ({**SOURCE, "format": "csv", "skip_lines": 101}, "less than or equal to 100"),
        ({**SOURCE, "options": ["a"]}, "valid dictionary"),
        ({**SOURCE, "options": {"sep": None}}, "'sep' has no value"),
    ],
)
def test_wrong_sources(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        source(**fields)


@pytest.mark.parametrize("fpr", [0, -0.1, 0.51, float("nan"), float("inf"), "many"])
def test_an_fpr_that_is_no_rate(fpr: Any) -> None:
    with pytest.raises(ValidationError):
        pipeline(fpr=fpr)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pipelines: [", "not valid YAML"),
        ("- a\n", "should hold names with values"),
        ("pipelines: 5", "pipelines should be a mapping"),
        ("pipelines: [ab]", "pipelines should be a mapping"),
        ("pipelines: {flights: }", "pipelines.flights"),
        ("pipelines: {flights: {source: {path: 'd/{batch}'}, fprr: 0.1}}", "pipelines.flights.fprr"),
        ("people: {ada: boss}", "people.ada"),
        ("colour: blue", "colour"),
        (f"version: {CONFIG_VERSION + 1}", "newer avh_ui"),
        ("version: one", "version 'one'"),
        ("pipelines:\n  a: 1\n  b: 2\n  a: 3\n", "'a' stands in line 2 and again in line 4: keep one of them"),
        ("pipelines:\n\ta: 1\n", "line 2 is indented by a tab: indent by spaces"),
        ("pipelines: !!python/object/apply:os.getcwd []", "not valid YAML"),
        (with_options("headr: true"), "the reader of csv knows no 'headr'. Did you mean 'header'?"),
        (with_options("infer_schema: true"), "Did you mean 'inferSchema'?"),
        (with_options("header: yes please"), "header is 'yes please', and it has to be true or false"),
        (with_options("multiLine: 1"), "multiLine is '1'"),
    ],
)
def test_a_wrong_file_is_told_what_is_wrong(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=r"avh\.yml") as caught:
        load_config(workspace(tmp_path, text))
    assert message in str(caught.value)


@pytest.mark.parametrize("options", ["HEADER: TRUE", "sep: ';'", "acme.key: x", "rowTag: row", "header: yes, nullValue: yes please"])
def test_options_that_are_like_none_are_the_readers(tmp_path: Path, options: str) -> None:
    assert load_config(workspace(tmp_path, with_options(options))).pipeline("p").source.options


def test_a_folder_without_a_file_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"is not a workspace.*avh init"):
        load_config(tmp_path)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "avh.yml").mkdir()
    with pytest.raises(ConfigError, match="cannot be read"):
        load_config(tmp_path)


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "avh.yml").write_bytes(b"pipelines: \xff\xfe")
    with pytest.raises(ConfigError, match="not valid YAML"):
        load_config(tmp_path)


def test_a_rule_is_switched_off_by_a_bare_off(tmp_path: Path) -> None:
    text = "pipelines: {p: {source: {path: 'x/{batch}'}, rules: {stale: off, schema: off, delivery: 'off'}}}"
    rules = load_config(workspace(tmp_path, text)).pipeline("p").severities
    assert (rules.stale, rules.schema_level, rules.delivery, rules.level) == ("off", "off", "off", "error")
    (tmp_path / "avh.yml").write_text(text.replace("stale: off", "stale: on"), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"severities\.stale"):
        load_config(tmp_path)


def test_rules_without_hyphens_are_told_to_be_a_list(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"rules should be a list, each rule after a hyphen \(`- is_complete: \.\.\.`\)"):
        load_config(workspace(tmp_path, "pipelines: {p: {source: {path: 'x/{batch}'}, rules: {is_complete: id}}}"))


def bomb(levels: int, last: str) -> str:
    """Nine times nine times ... values in a few lines."""
    lines = ["a0: &a0 {x: 1}"] + [f"a{k}: &a{k} {{<<: [{', '.join([f'*a{k - 1}'] * 9)}]}}" for k in range(1, levels)]
    return "\n".join([*lines, last])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (bomb(30, "pipelines: {}"), "its aliases make more than 2,000,000 values"),
        (
            "a: &a [1]\n" + "\n".join(f"b{k}: &b{k} [{', '.join(['*a' if k == 0 else f'*b{k - 1}'] * 99)}]" for k in range(9)),
            "its aliases make",
        ),
        ("pipelines: &p\n  more: *p\n", "nested more than 50 deep"),
        ("[" * 100_000, "nested more than 50 deep"),
        ("pipelines: " + "{a: " * 60 + "1" + "}" * 60, "nested more than 50 deep"),
        ("version: 2024-13-45", "month must be in"),
        ("version: " + "9" * 5_000, "Exceeds the limit"),
    ],
)
def test_a_file_that_would_take_the_machine_is_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "avh.yml").write_text(text)
    with pytest.raises(ConfigError, match=message):
        load_config(tmp_path)


def test_aliases_of_a_sensible_size_stay_usable(tmp_path: Path) -> None:
    common = "x: &daily {cadence: daily, source: {path: 'd/{batch}.csv', format: csv}}\n"
    text = common.replace("x: ", "pipelines:\n  a: ") + "  b: {<<: *daily, fpr: 0.01}\n"
    (tmp_path / "avh.yml").write_text(text)
    assert load_config(tmp_path).pipeline("b").source.format == "csv"


def test_references_lie_below_the_workspace(tmp_path: Path) -> None:
    (tmp_path / "avh.yml").write_text(
        "pipelines:\n  t:\n    source: {path: 'in/{batch}.csv', format: csv}\n    references:\n"
        "      carriers: {format: csv, path: data/carriers.csv, options: {header: true}}\n      far: {path: 's3://b/x'}\n"
    )
    found = load_config(tmp_path).pipeline("t").references
    assert found["carriers"].path == str(tmp_path / "data/carriers.csv")
    assert (found["carriers"].options, found["far"].path) == ({"header": "true"}, "s3://b/x")
    (tmp_path / "avh.yml").write_text(
        "pipelines:\n  t:\n    source: {path: 'in/{batch}.csv', format: csv}\n    references: {a: {format: table, path: x}}\n"
    )
    with pytest.raises(ConfigError, match="a reference of format table needs table"):
        load_config(tmp_path)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ({"format": "csv", "path": "a/{batch}.csv", "header": True}, "write it as options: {header: ...}"),
        ({"path": "data/{run}.parquet"}, "is written {batch}, or {date}, or {year}, {month}, {day}"),
        ({"path": "data/{month}/{day}.parquet"}, "{day} without {year}"),
    ],
)
def test_what_people_write_at_first_is_told_how(tmp_path: Path, source: dict[str, object], said: str) -> None:
    (tmp_path / "avh.yml").write_text(json.dumps({"pipelines": {"orders": {"source": source}}}))
    with pytest.raises(ConfigError, match=re.escape(said)):
        load_config(tmp_path)


@pytest.mark.parametrize(
    "source",
    [
        {"format": "query", "query": "SELECT * FROM t WHERE code RLIKE '^[A-Z]{3}$'", "batch_column": "day"},
        {"format": "query", "query": r"SELECT * FROM t WHERE name RLIKE '^\\p{Lu}'", "batch_column": "day"},
        {"path": "data/{north,south}/*.parquet", "batch_column": "day"},
    ],
)
def test_braces_that_name_nothing_are_no_place(tmp_path: Path, source: dict[str, object]) -> None:
    (tmp_path / "avh.yml").write_text(json.dumps({"pipelines": {"orders": {"source": source}}}))
    assert load_config(tmp_path).pipeline("orders").source.batch_column == "day"
