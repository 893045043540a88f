"""Where a slip in YAML is: the line that was changed, whatever YAML's reader stumbles over first."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from avh_ui import bounded_yaml

GOOD = """\
# what is checked
version: 1
engine: auto
pipelines:
  orders:
    source:
      format: csv
      path: 'data/{date}.csv'
      options:
        sep: ";"
        header: true
      decimal_comma: [price, total]
      timezone: Europe/Berlin
    cadence: daily
    description: "The shop's orders"
    key: [order_id, line]
    columns:
      exclude:
        - note
        - remark
    rules:
      - is_complete: order_id
        level: warning
      - is_contained_in: [state, [open, closed]]
  prices:
    source: {format: parquet, path: 'prices/{batch}', options: {mergeSchema: true}}
    cadence: PT6H
    owner: 'team'
notify:
  - webhook: $AVH_HOOK_TEAM
    when: [fail]
people: {anna: approver, ben: viewer}
"""
SIGNS = [place for place, sign in enumerate(GOOD) if sign in ":'\"{}[],-" and GOOD[:place].count("\n")]


def told(text: str) -> str:
    with pytest.raises(ValueError, match=r".+") as caught:
        bounded_yaml.load(text)
    return str(caught.value)


def test_the_text_is_fine_as_it_stands() -> None:
    assert set(bounded_yaml.load(GOOD)) == {"version", "engine", "pipelines", "notify", "people"}


@given(st.sampled_from(SIGNS))
@example(GOOD.index(": csv"))
@example(GOOD.index("'\n      options"))
@example(GOOD.index('"\n        header'))
@example(GOOD.index(", line]"))
@example(GOOD.index("]\n    columns"))
@example(GOOD.index("- is_complete"))
def test_a_sign_that_is_gone_is_looked_for_in_its_line(place: int) -> None:
    spoilt = GOOD[:place] + GOOD[place + 1 :]
    try:
        bounded_yaml.load(spoilt)
    except ValueError as error:
        lines = [int(line) for line in re.findall(r"line (\d+)", str(error))]
    else:
        lines = []
    # What is still YAML says something else; what it says is looked at field by field.
    assume(lines)
    assert GOOD[:place].count("\n") + 1 in lines


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("a: 1\ncadence daily\nb: 2", "line 2 lacks a colon after its name (`name: value`): `cadence daily`"),
        ("a: 1\ncadence:daily\nb: 2", "line 2 lacks a space after its colon"),
        ("source\n  format: csv", "line 1 lacks a colon"),
        ("a: Orders: of the shop", "line 1 has a second colon: write a value that has one in quotes"),
        ("a: 'x\nb: 2", "line 1 opens a quote that it does not close: `a: 'x`"),
        ("a: 'x\nb: 'y'\nc: 3", "line 1 opens a quote"),
        ("text: 'two\n  lines'\nb c\nd: 1", "line 3 lacks a colon"),
        ("a: 'The shop's'", "line 1, column 14: a value with signs of YAML's stands in quotes, in double ones where it has an apostrophe"),
        (r'a: "C:\data"', "line 1 has a backslash in double quotes"),
        ("a: {b: 1\nc: 2", "line 1 opens a bracket that is not closed: `a: {b: 1`"),
        ("a: [b,\n    c\nd: 2", "line 1 opens a bracket"),
        ("a: [b, c", "line 1 opens a bracket"),
        ("a: {b: 1}}", "line 1 closes a bracket that is not open (}): `a: {b: 1}}`"),
        ("a: {p: d/{date}.csv}", "values with { } or [ ] in them stand in quotes"),
        ("a: {p: 'd' q: 1}", "line 1, column 12: a comma is missing"),
        ("a: {p: “d/{date}”}", "line 1 has quotes of a text processor"),
        ("a: {date}.csv", "stands in quotes"),
        ("a: *.csv", "stands in quotes"),
        ("a: @team", "line 1, column 4"),
        ("a: !secret x", "stands in quotes"),
        ("a:\n  b: 1\n c: 2", "line 3 is indented by 1 and line 2 above it by 2, which does not fit: `c: 2`"),
        ("a: b\n  c: d", "line 2 is indented by 2 and line 1 above it by 0"),
        ("a:\n\tb: 1", "line 2 is indented by a tab: indent by spaces"),
        ("a:\tb\n", "line 1 has a tab: write a space there"),
        ("a: 1\n---\nb: 2", "line 2 begins a second document (---): keep one of them"),
        ("a: 1\npassword hunter2\nb: 1", "line 2 lacks a colon after its name (`name: value`): it is not shown here"),
    ],
)
def test_what_is_said_of_a_slip(lines: str, said: str) -> None:
    assert said in told(lines)
    assert "hunter2" not in told(lines)


def test_the_line_of_a_field() -> None:
    assert bounded_yaml.line_of(GOOD, ("pipelines", "orders", "source", "timezone")) == 13
    assert bounded_yaml.line_of(GOOD, ("pipelines", "orders", "rules", 1)) == 24
    assert bounded_yaml.line_of(GOOD, ("pipelines", "orders", "owner")) == 5, "the nearest above that is there"
    assert bounded_yaml.line_of(GOOD, ()) == 0
