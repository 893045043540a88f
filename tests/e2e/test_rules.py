"""Rules of avh.yml from the shell, on a small CSV table and without Spark: suggest, decide, publish, validate."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from avh_ui.cli.main import cli

CONFIG = """\
engine: local
pipelines:
  flights:
    source: {format: csv, path: "data/{batch}.csv", options: {header: true}}
    rules:
      - is_complete: {columns: carrier, hint: ask the airline}
      - is_unique: [flight, day]
      - has: {measure: size, at_least: 2}
      - has: {measure: mean, column: delay, below: 30, level: warning}
"""
GOOD = "flight,day,carrier,delay\n1,1,UA,{0}\n1,2,AA,10\n2,2,UA,12\n"
BAD = "flight,day,carrier,delay\n1,1,UA,50\n1,1,,60\n2,2,UA,70\n"
Avh = Callable[..., tuple[int, str]]


@pytest.fixture
def avh(tmp_path: Path) -> Avh:
    (tmp_path / "avh.yml").write_text(CONFIG)
    (tmp_path / "data").mkdir()
    for day in range(1, 4):
        (tmp_path / "data" / f"2024-01-0{day}.csv").write_text(GOOD.format(day))

    def run(*args: str) -> tuple[int, str]:
        result = CliRunner().invoke(cli, [*args, "-w", str(tmp_path)])
        return result.exit_code, result.stdout + result.stderr

    return run


def test_from_the_file_to_a_verdict(avh: Avh, tmp_path: Path) -> None:
    assert avh("profile", "flights")[0] == 0
    code, said = avh("suggest", "flights")
    assert (code, said.count("manual")) == (0, 4)
    code, said = avh("rules", "add", "flights", "is_complete: delay", "--json")
    rules = json.loads(said)
    assert [(rule["rule"], rule["from"]) for rule in rules[:2]] == [
        ("carrier is not null", "avh.yml"), ("flight, day is unique", "avh.yml"),
    ]  # fmt: skip
    assert rules[4]["rule"] == "delay is not null"
    assert all(rule["explanation"]["fired_on"] == [] for rule in rules)
    code, said = avh("rules", "add", "flights", "is_complete: carier")
    assert (code, said) == (3, "Error: There is no column 'carier'. Did you mean 'carrier'?\n")
    assert "would have alarmed on 3 of 3 batches" in avh("rules", "try", "flights", "has: {measure: max, column: delay, below: 12}")[1]
    said = avh("rules", "try", "flights", "--measure", "has: {measure: entropy, column: carrier, above: 0}")[1]
    assert "would have alarmed on none of 3 batches" in said
    assert avh("rules", "remove", "flights", "delay is not null")[0] == 0
    ids = [rule["id"] for rule in json.loads(avh("rules", "list", "flights", "--json")[1])]
    assert avh("decide", "flights", *ids, "--accept", "--by", "ann")[0] == 0
    assert avh("publish", "flights", "--by", "ann", "-m", "what we know")[0] == 0
    assert avh("validate", "flights", "--batch", "2024-01-03")[0] == 0
    (tmp_path / "data" / "2024-01-04.csv").write_text(BAD)
    code, said = avh("validate", "flights", "--batch", "2024-01-04", "--format", "json")
    found = {result["message"]: result["status"] for result in json.loads(said)["results"] if result["column"] not in (None, "")}
    assert code == 1
    null = "carrier is null in 1 of 3 rows; in batch 2024-01-03 in none."
    assert found == {
        f"{null} carrier is not null: it is so in 66.7% of the rows. ask the airline": "fail",
        "flight, day is unique: broken by 2 of 3 rows.": "fail",
        "The number of rows is at least 2: it is 3.": "pass",
        "The average delay is below 30: it is 60.": "warn",
    }


def test_what_past_batches_say_of_a_new_rule_is_told_once_they_are_measured_for_it(avh: Avh) -> None:
    avh("profile", "flights")
    said = avh("rules", "add", "flights", "satisfies: delay < 11")[1]
    assert ("not measured yet" in said, "profile flights --again" in said) == (True, True)
    assert [avh(*args)[0] for args in (("profile", "flights", "--again"), ("suggest", "flights"))] == [0, 0]
    said = avh("rules", "list", "flights")[1]
    (row,) = (line for line in said.splitlines() if "delay < 11" in line)
    assert ("3 of 3" in row, "profile flights --again" in said) == (True, False)


def test_a_wrong_rule_ends_every_command_with_its_place(avh: Avh, tmp_path: Path) -> None:
    (tmp_path / "avh.yml").write_text(CONFIG.replace("is_unique", "is_uniqe"))
    code, said = avh("profile", "flights")
    assert code == 3
    assert "pipelines.flights.rules[1]" in said
    assert "Did you mean 'is_unique'" in said


def test_a_rule_of_several_columns_and_one_taken_out(avh: Avh, tmp_path: Path) -> None:
    (tmp_path / "avh.yml").write_text(CONFIG.partition("    rules:")[0])
    head, days = "flight,origin,dest,carrier\n", [f"2024-02-{day:02}" for day in range(1, 13)]
    for place, day in enumerate(days):
        rows = [
            f"{place * 50 + n},{'EWR' if n % 3 else 'LGA'},{['IAH', 'MIA', 'BQN', 'ATL'][n % 4]},{['UA', 'AA', 'B6'][n % 3]}"
            for n in range(50)
        ]
        (tmp_path / "data" / f"{day}.csv").write_text(head + "\n".join(rows) + "\n")
    for old in (tmp_path / "data").glob("2024-01*"):
        old.unlink()
    assert avh("profile", "flights")[0] == 0
    found = json.loads(avh("suggest", "flights", "--json")[1])
    (rule,) = [one for one in found if one["metric"] == "least_complete_ratio"]
    assert rule["plain"] == "flight, origin, dest and carrier are never null."
    said = avh("decide", "flights", rule["id"], "--edit", "--without", "nothing", "--by", "ann")
    assert said == (3, "Error: 'nothing' cannot be taken out: the rule is of flight, origin, dest and carrier.\n")
    assert avh("decide", "flights", rule["id"], "--edit", "--without", "dest", "--without", "flight", "--by", "ann")[0] == 0
    assert avh("publish", "flights", "--by", "ann", "-m", "what is never null")[0] == 0
    code, said = avh("programs", "show", "flights")
    assert (code, said.count("complete_ratio"), "origin and carrier are never null." in said) == (0, 1, True)
    spoilt = "".join(f"{n},{'' if n < 1_005 else 'EWR'},{'' if n < 1_020 else 'IAH'},UA\n" for n in range(1_000, 1_050))
    (tmp_path / "data" / "2024-02-13.csv").write_text(head + spoilt)
    code, said = avh("validate", "flights", "--batch", "2024-02-13", "--format", "json")
    failed = {one["column"]: one["metric"] for one in json.loads(said)["results"] if one["status"] == "fail"}
    assert (code, failed) == (1, {"origin": "complete_ratio"})
