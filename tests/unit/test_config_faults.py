"""What is said of a wrong avh.yml: the line, the field, and what to write."""

from __future__ import annotations

from pathlib import Path

import pytest

from avh_ui.config import load_config
from avh_ui.errors import ConfigError

PIPELINE = "pipelines:\n  p:\n    source: {format: csv, path: 'd/{date}.csv'}\n    "
SOURCE = "pipelines:\n  p:\n    source:\n      format: csv\n      path: 'd/{date}.csv'\n      "


def told(folder: Path, text: str | bytes) -> str:
    (folder / "avh.yml").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ConfigError) as caught:
        load_config(folder)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("pipelins: {}", "line 1: pipelins is unknown. Did you mean 'pipelines'?"),
        ("cadence: daily", "line 1: cadence is unknown there: it belongs under `pipelines: NAME:`."),
        ("source: {}", "source is unknown there: it belongs under `pipelines: NAME:`."),
        (PIPELINE + "cadance: daily", "line 4: pipelines.p.cadance is unknown. Did you mean 'cadence'?"),
        (PIPELINE + "timezone: UTC", "timezone is unknown there: it belongs under `pipelines: NAME: source:`."),
        (PIPELINE + "spark: {}", "spark is unknown there"),
        (PIPELINE + "notify: []", "it belongs to the file as a whole: do not indent it."),
        (SOURCE + "cadence: daily", "line 6: pipelines.p.source.cadence is unknown there: it belongs under `pipelines: NAME:`."),
        (SOURCE + "separator: ';'", "separator is unknown: write `options: {sep: ...}`."),
        (SOURCE + "colour: red", "colour is unknown: correct its name or remove it. There is format, path,"),
        ("pipelines: {p: {source: {format csv, path: 'd/{date}.csv'}}}", "write `format: csv`, with a space after the colon."),
        (PIPELINE + "severities: {schemas: off}", "severities.schemas is unknown. Did you mean 'schema'?"),
        ("\u00a0pipelines: {}", "no-break space"),
    ],
)
def test_fields_that_are_none_or_stand_elsewhere(tmp_path: Path, text: str, said: str) -> None:
    assert said in told(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (PIPELINE + "key: order_id", "line 4: pipelines.p.key should be a list, not 'order_id': write `key: [order_id]`."),
        (PIPELINE + "owner: [ann]", "pipelines.p.owner should be a text, not ['ann']: write `owner: ann`."),
        (PIPELINE + "owner: [ann, ben]", "should be a text, not ['ann', 'ben']: keep one of them."),
        (PIPELINE + "owner: 3", "put it in quotes (`owner: '3'`)."),
        (PIPELINE + "owner: on", "put it in quotes (`owner: 'true'`)."),
        (PIPELINE + "owner: {team}", "put it in quotes where it has braces."),
        (PIPELINE + "cadence: 2026-01-01", "not '2026-01-01'"),
        (PIPELINE + "cadence: Daily", "'Daily' is written 'daily'."),
        (PIPELINE + "cadence: quarterly", "'quarterly' is written 'P3M'."),
        (PIPELINE + "cadence: 5min", "PT15M (minutes)"),
        (PIPELINE + "fpr: 5", "fpr should be at most 0.5, not 5."),
        (PIPELINE + "table_fpr: one false alarm a month", "write `fpr: one false alarm a month`."),
        (PIPELINE + "owner:", "pipelines.p.owner is empty: give it a value, or remove the line."),
        (PIPELINE + "rows: hash", "should be 'values', 'hashed' or 'none', not 'hash'. Did you mean 'hashed'?"),
        (PIPELINE + "measures: [mean]", "measures[0] should be names with values (`columns: ...`, each in a line of its own), not 'mean'."),
        (
            PIPELINE + "\nnotify: {webhook: 'https://x.org'}",
            "notify should be a list: begin each of its parts with a hyphen (`- webhook: ...`).",
        ),
        (
            "pipelines: {p: {source: x.csv}}",
            "should be names with values, not 'x.csv': write `source: {format: csv, path: 'data/{date}.csv'}`.",
        ),
        ("pipelines: {p: {source: }}", "source is empty: write `source: {format: csv"),
        ("pipelines: {p: {cadence: daily}}", "source is missing: write `source: {format: csv"),
        ("pipelines: [p]", "avh.yml is wrong: pipelines should be a mapping"),
        ("version: '1'", "has version '1', which is no whole number. Write `version: 1`."),
        ("hello", "should hold names with values (`pipelines:` and below it yours), not 'hello'."),
        (b"a: 1\nb: caf\xe9\n", "line 2 is not in UTF-8. Save the file in UTF-8."),
    ],
)
def test_values_of_another_type(tmp_path: Path, text: str | bytes, said: str) -> None:
    assert said in told(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("options: {locale: klingon}", "locale is 'klingon', which is none: write a language, or one with a country, such as de or de-DE."),
        ("options: {locale: de_DE}", "locale is 'de_DE', which is none"),
        ("options: {timeZone: Berlin}", "'Berlin' is no time zone, e.g. Europe/Berlin. Did you mean 'Europe/Berlin'?"),
        ("options: {encoding: latin-99}", "encoding is 'latin-99', which is no encoding: write UTF-8, ISO-8859-1"),
        ("options: {mode: lax}", "mode is 'lax', and it has to be PERMISSIVE, DROPMALFORMED or FAILFAST."),
        ("options: {sep: ''}", "sep is empty: write the character between columns in quotes, such as '|'."),
        ("options: {dateFormat: DD/MM/YYYY}", "Y is the year of a week"),
        ("timezone: '+02:00'", "'+02:00' is no time zone, e.g. Europe/Berlin."),
        ("skip_lines: true", "skip_lines should be a whole number, not True."),
    ],
)
def test_time_zones_locales_and_encodings_that_are_none(tmp_path: Path, text: str, said: str) -> None:
    assert said in told(tmp_path, SOURCE + text)


@pytest.mark.parametrize(
    "options",
    ["locale: de", "locale: pt-BR", "timeZone: '+02:00'", "timeZone: UTC", "encoding: latin1", "encoding: x-windows-874", "mode: failfast",
     "sep: '||'", "dateFormat: \"yyyy'Year'\""],
)  # fmt: skip
def test_those_that_are(tmp_path: Path, options: str) -> None:
    (tmp_path / "avh.yml").write_text(SOURCE + f"options: {{{options}}}", encoding="utf-8")
    assert load_config(tmp_path).pipeline("p").source.options


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("{format: tsv, path: 'd/{date}.tsv'}", "'tsv' is none: write `format: csv` and `options: {sep:"),
        ("{format: xlsx, path: 'd/{date}.xlsx'}", "'xlsx' is none: write `format: excel`, with a reader of it under"),
        ("{format: jdbc, table: t, batch: day}", "format jdbc needs the address of its database: write url: jdbc:postgresql://HOST:5432"),
        (
            "{format: jdbc, table: t, batch: day, options: {url: 'postgres://ann:pw@h/shop'}}",
            "url begins with 'postgres:', and it has to begin with jdbc:postgresql:",
        ),
        (
            "{format: jdbc, table: t, batch: day, options: {url: 'jdbc:postgres://h/shop'}}",
            "url begins with 'jdbc:postgres:', and it has to begin with jdbc:postgresql:",
        ),
        ("{format: xml, path: 'd/{date}.xml'}", "format xml needs the element that is a row: write options: {rowTag: order}"),
        ("{format: CSV, path: 'd/{date}.csv'}", "not 'CSV'. Did you mean 'csv'?"),
        ("{path: 'd/%Y-%m-%d.csv'}", "has %Y, which is of other tools: the place of the batch is written {date} or {batch}."),
        ("{path: 'd/{{ ds }}.csv'}", "has {{ ds }}, which is of other tools"),
        ('{path: "d/{date}.csv\'"}', "has a quote at one end"),
        ("{path: d.csv, batch: minute(ts)}", "hours are the shortest. A column that holds the minute as a text is one as it stands."),
        ("{path: d.csv, batch: day(ts)}", "Did you mean 'date'?"),
        ("{path: d.csv, batch: this minute}", "write `now` (the day) or `this hour`"),
    ],
)
def test_formats_and_places_of_other_tools(tmp_path: Path, source: str, said: str) -> None:
    assert said in told(tmp_path, f"pipelines: {{p: {{source: {source}}}}}")
