"""Rules of other tools: documents in their forms give the golden rules, and name what is left out; what is no such document is told."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import yaml

import avh_ui as avh
from avh_ui.constraints.check_records import check_of
from avh_ui.constraints.importing import deequ, dqdl, great_expectations
from avh_ui.constraints.importing.catalogue import IMPORTERS
from avh_ui.errors import AvhError, ConstraintError, NotFoundError

c, of = avh.checks, avh.analyzers
RULES = Path(__file__).parents[2] / "data" / "rules"
DOCUMENTS = [
    ("dqdl", "orders.dqdl", None), ("great-expectations", "orders_suite.json", None), ("dbt", "schema.yml", "orders"),
    ("soda", "checks.yml", None), ("soda", "contract.yml", None), ("deequ", "suite.py.txt", None), ("deequ", "suite.scala.txt", None),
    ("deequ", "suggestions.json", None),
]  # fmt: skip
# The rule types of Glue's pages.
RULE_TYPES = """AggregateMatch ColumnCorrelation ColumnCount ColumnDataType ColumnExists ColumnLength ColumnNamesMatchPattern ColumnValues
    Completeness CustomSql DataFreshness DatasetMatch DetectAnomalies DistinctValuesCount Entropy FileFreshness FileMatch FileSize
    FileUniqueness IsComplete IsPrimaryKey IsUnique Mean ReferentialIntegrity RowCount RowCountMatch SchemaMatch StandardDeviation Sum
    UniqueValueRatio Uniqueness Variance Skewness Kurtosis Range InterquartileRange ZerosCount DuplicateRowCount""".split()  # noqa: SIM905


def as_data(imported: avh.Imported) -> dict[str, Any]:
    """What is compared with the golden file."""
    return {
        "rules": imported.to_records(),
        "means": [f"{check}: {check.measure}" for check in imported.rules],
        "left_out": [str(one) for one in imported.left_out],
        "notes": list(imported.notes),
    }


@pytest.mark.parametrize(("tool", "name", "table"), DOCUMENTS, ids=str)
def test_a_document_gives_the_golden_rules(tool: str, name: str, table: str | None) -> None:
    imported = avh.read_rules((RULES / name).read_text(encoding="utf-8"), tool, table=table)
    assert as_data(imported) == yaml.safe_load((RULES / f"{name}.golden.yml").read_text(encoding="utf-8"))
    # As avh.yml would hold them, they are the same.
    assert [check_of(record) for record in json.loads(json.dumps(imported.to_records()))] == list(imported.rules)


def test_every_tool_has_a_document() -> None:
    assert {tool for tool, _, _ in DOCUMENTS} == set(IMPORTERS)


def test_every_rule_type_of_glue_is_a_rule_or_has_a_reason() -> None:
    assert set(RULE_TYPES) - set(dqdl.RULE_TYPES) == set()


def test_methods_and_expectations_are_each_named_once() -> None:
    for names in (deequ.METHODS, great_expectations.EXPECTATIONS, dqdl.RULE_TYPES):
        assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("tool", "text", "said"),
    [
        ("dqdl", "", "The document has no `Rules = [ ... ]`"),
        ("dqdl", "Analyzers = [ RowCount ]", "Its `Analyzers` measure and state nothing"),
        ("dqdl", 'Rules = [ IsComplete "a" ', "'[' where a bracket that is closed was expected"),
        ("dqdl", 'Rules = [ IsComplete "a ]', "Line 1 has a text that does not end"),
        ("dqdl", 'Rules = [\n IsComplete "a" ) ]', "Line 2 has ')' where no such bracket"),
        ("dqdl", "Rules = []", "The document holds no rule of DQDL"),
        ("dqdl", '{"expectations": []}', "where a section, such as `Rules = [ ... ]` was expected"),
        ("dqdl", "version: 2", "where a section"),
        ("great-expectations", "{", "This is no JSON"),
        ("great-expectations", "[" * 100_000, "This is no JSON"),
        ("great-expectations", "[]", "The document is a list, and keys with values were expected"),
        ("great-expectations", "{}", "no list `expectations`"),
        (
            "dbt",
            "a:\n  - [",
            "in: while parsing a flow node, expected the node content, but found '<stream end>' (line 2, column 6).",
        ),
        ("dbt", "a: 1\nb: c: d", "are written in: line 2 has a second colon: write a value that has one in quotes"),
        ("soda", "a: 1\nb: \x07", "are written in: special characters are not allowed: #x0007 (line 2, column 4)."),
        ("dbt", "a: 1", "none of models, seeds, snapshots, sources"),
        ("dbt", "models: [{name: a}, {name: b}]", "The document is of 2 tables (a, b)"),
        ("dbt", "models: [{name: a}]", "The document holds no rule of dbt"),
        ("soda", "checks: 1", "no `checks for TABLE:`"),
        ("soda", "checks for a: [row_count > 0]\nchecks for b: [row_count > 0]", "of 2 tables"),
        ("deequ", "[1]", "no list of suggestions"),
        ("deequ", "x = 1", "The document holds no rule of Deequ"),
        ("deequ", 'Check(CheckLevel.Error, "a").isComplete("a"', "The source cannot be read: a bracket is not closed"),
        ("soda", "checks for a: [row_count > 0]" + "#" * 4_000_000, "characters, and 4,000,000 are read"),
        ("dqdl", 'Rules = [ IsComplete "a" ]' + " " * 4_000_000, "characters, and 4,000,000 are read"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_is_no_such_document_is_told(tool: str, text: str, said: str) -> None:
    with pytest.raises(ConstraintError) as caught:
        avh.read_rules(text, tool)
    assert said in str(caught.value)


def test_unknown_names_have_the_nearest() -> None:
    with pytest.raises(NotFoundError, match="dqdl"):
        avh.read_rules("", "dqld")
    with pytest.raises(NotFoundError, match="Did you mean 'orders'"):
        avh.read_rules("models: [{name: orders}]", "dbt", table="order")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('Mean "a"', "it says nothing of its number"),
        ('Mean "a" matches "b"', "compared with what is none"),
        ('Mean "a" > "b"', "compared with what is none"),
        ('Mean "a" between 1', "it ends too early"),
        ("RowCount > 1 with threshold > 0.5", "takes no threshold"),
        ("RowCount > 1 labels", "'labels' is not understood"),
        ('ColumnValues "a" > NULL', "no bounds of `>`"),
        ('ColumnDataType "a" = "Integr"', "Did you mean 'integer'"),
        ("ColumnExists", "it has not the form"),
        ('IsUnique "b" > 0.9', "compares with no number"),
        ('Mean "a" > 1 with threshold > 0.5', "takes no threshold"),
        ('RowCountMatch "b" = 1.0 where "c = 1"', "takes no `where`"),
        ('RowCount "a" > 1', "names no column"),
        ('(ColumnExists "a") or (RowCount > 1)', "one of its rules is of column_exists, for which there is no query"),
        ("(RowCount > last()) or (RowCount > 1)", "one of its rules takes the last runs"),
        ('(Mean "a" > 1) and (Mean "a" < 2) or (Mean "a" > 3)', "joined by `and` or by `or`"),
        ('Mean "a" > $low', "no value"),
        ('ColumnValues "a" in [last()]', "of the last runs the smallest and the largest value are known"),
        ('ColumnValues "a" > last() with threshold > 0.5', "of the last runs the smallest and the largest value are known"),
        ('Mean "a" between 3 and 1', "No number is above 3 and below 1"),
        ('IsComplete "b" IsUnique "b"', "a comma was expected before IsUnique"),
        ('RowCount > 1 Mean "a" > 2', "a comma was expected before Mean"),
    ],
)
def test_one_rule_that_is_not_understood_is_left_out_alone(text: str, said: str) -> None:
    imported = avh.read_rules(f'Rules = [ IsComplete "a", {text}, IsUnique "a" ]', "dqdl")
    assert imported.rules == (c.is_complete("a"), c.is_unique("a"))
    (left_out,) = imported.left_out
    assert said in left_out.reason


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        (
            'ColumnDataType "a" in ["DATE", "string"] tags=["x"]',
            [
                c.satisfies("cast(`a` AS date) IS NOT NULL OR cast(`a` AS string) IS NOT NULL", says="a is of type date or string"),
            ],
        ),
        (
            'ColumnDataType "a" not in ["Integer", "date"]',
            [
                c.satisfies("cast(`a` AS int) IS NULL AND cast(`a` AS date) IS NULL", says="a is not of type int or date"),
            ],
        ),
        (
            '(RowCount > 3 where "a > 1") or ((IsUnique "a") and (Mean "b" not between 1 and 2)) labels=["x=y"]',
            [
                c.custom_sql(
                    "SELECT CASE WHEN (coalesce((SELECT COUNT(*) FROM batch WHERE (a > 1)) > 3.0D, true)) OR "
                    "(coalesce((SELECT count(CASE WHEN n = 1 THEN 1 END) / sum(n) FROM "
                    "(SELECT count(*) AS n FROM batch WHERE (`a` IS NOT NULL) GROUP BY `a`)) >= 1.0D, false) AND coalesce("
                    "NOT ((SELECT AVG(`b`) FROM batch) > 1.0D AND (SELECT AVG(`b`) FROM batch) < 2.0D), false)) THEN 1 ELSE 0 END",
                    says='(RowCount > 3 where "a > 1") or ((IsUnique "a") and (Mean "b" not between 1 and 2)) labels=["x=y"]',
                    exactly=1,
                ),
            ],
        ),
        ("RowCount not between 4 and 6", [c.has(of.size(), not_between=(4, 6))]),
        ("RowCount in [6]", [c.has(of.size(), exactly=6)]),
        ("RowCount in [6, 4, 9]", [c.has(of.size(), at_least=4, at_most=9), *(c.has(of.size(), not_between=p) for p in ((4, 6), (6, 9)))]),
        ("RowCount not in [6]", [c.has(of.size(), other_than=6)]),
        ("ColumnCount not in [6, 4]", [c.has_column_count(other_than=4), c.has_column_count(other_than=6)]),
        ('RowCountMatch "t" not between 0.8 and 0.9', [c.has_row_count_of("t", not_between=(0.8, 0.9))]),
        # What it compares with the last runs are its extremes.
        (
            'ColumnValues "a" > 0.5 * min(last(3))',
            [c.has_no_anomalies(of.minimum("a"), c.recent(0.5, of="min", batches=3, strict="lower")), c.is_complete("a")],
        ),
        (
            'ColumnValues "a" between 0 and max(last(3)) where "b > 1"',
            [
                c.has(of.minimum("a", where="b > 1"), above=0),
                c.has_no_anomalies(of.maximum("a", where="b > 1"), c.recent(None, 1, of="max", batches=3, strict="upper")),
                c.is_complete("a", where="b > 1"),
            ],
        ),
        # The deviation of the last runs, one of them, and a number without its sign.
        (
            "RowCount between avg(last(9)) - 3 * std(last(9)) and 5 + avg(last(9)) + std(last(9))",
            [
                c.has_no_anomalies(of.size(), c.recent(1, of="mean", batches=9, strict="lower", deviations=3)),
                c.has_no_anomalies(of.size(), c.recent(None, 1, of="mean", batches=9, strict="upper", deviations=1, plus=5)),
            ],
        ),
        (
            'Mean "a" = avg(last(3)) - std(last(3))',
            [
                c.has_no_anomalies(of.mean("a"), c.recent(1, of="mean", batches=3, deviations=1)),
                c.has_no_anomalies(of.mean("a"), c.recent(None, 1, of="mean", batches=3, deviations=-1)),
            ],
        ),
        ("RowCount >= index(last(8), 6) * 0.9", [c.has_no_anomalies(of.size(), c.recent(0.9, of="first", batches=7))]),
        ("RowCount >= index(last(8), 0)", [c.has_no_anomalies(of.size(), c.recent(1))]),
        ('Mean "a" < abs(-2 * last())', [c.has_no_anomalies(of.mean("a"), c.recent(None, 2, strict="upper", absolute=True))]),
        (
            'StandardDeviation "a" < 2 * std(last(7))',
            [c.has_no_anomalies(of.standard_deviation("a"), c.recent(None, 2, of="standard_deviation", batches=7, strict="upper"))],
        ),
        ('(RowCount > 0) and (IsComplete "a") labels=["team"="x"]', [c.has(of.size(), above=0), c.is_complete("a")]),
    ],
)
def test_forms_of_dqdl(text: str, rules: list[avh.Check]) -> None:
    imported = avh.read_rules(f"Rules = [ {text} ]", "dqdl")
    assert (list(imported.rules), imported.left_out) == (rules, ())


def test_loops_of_a_suite_are_written_out() -> None:
    text = """
KEYS = ["id", "o'k"]
check = Check(spark, CheckLevel.Warning, "orders")
for col in KEYS:  # each
    check = check.isComplete(col)

    # not "col"
    check.satisfies(f"{col} <> 0", f"{col} is not 0")
for name, low in [("a", 0), ("b", 1.5)]:
    check = check.hasMin(name, lambda x: x >= low).hasCompleteness(column=name, assertion=lambda x: x > 0.5)
for key in KEYS:
    check = check.isUnique(key)
for one in ["x"]:
    for other in ("y", "z"):
        check.isLessThan(one, other)
for x in ["n"]:
    check.hasMax(x, lambda x: x <= 9)
check.isUnique("col")
"""
    imported = avh.read_rules(text, "deequ")
    expected = [
        c.is_complete("id"), c.satisfies("id <> 0", says="id is not 0"), c.is_complete("o'k"), c.satisfies("o'k <> 0", says="o'k is not 0"),
        c.has(of.minimum("a"), at_least=0), c.has(of.completeness("a"), above=0.5),
        c.has(of.minimum("b"), at_least=1.5), c.has(of.completeness("b"), above=0.5),
        c.is_unique("id"), c.is_unique("o'k"), c.is_less_than("x", "y"), c.is_less_than("x", "z"),
        c.has(of.maximum("n"), at_most=9), c.is_unique("col"),
    ]  # fmt: skip
    assert imported.left_out == ()
    assert list(imported.rules) == [replace(check, level="warning") for check in expected]


@pytest.mark.parametrize(
    "loop",
    [
        "for col in df.columns:\n    check.isComplete(col)",
        'for col in ["a", "b"]:\n    if col == "a":\n        check.isComplete(col)',
        'for col in ["a"]:\n    col = col + "2"\n    check.isComplete(col)',
        'for col, low in [("a", 1), ("b",)]:\n    check.isComplete(col)',
        'for col in ["a", make()]:\n    check.isComplete(col)',
    ],
)
def test_other_loops_are_named(loop: str) -> None:
    imported = avh.read_rules(f'check = Check(spark, CheckLevel.Error, "x")\ncheck.isUnique("id")\n{loop}\n', "deequ")
    assert list(imported.rules) == [c.is_unique("id")]
    assert [one.what for one in imported.left_out] == ["isComplete(col)"]


@pytest.mark.parametrize(
    ("code", "values"),
    [
        (
            r""".isContainedIn("a", Array("Z\u00FCrich", "he said \"hi\"", "C:\\new", "\uD83D\uDE00", "a, \"b\""))""",
            ["Zürich", 'he said "hi"', r"C:\new", "😀", 'a, "b"'],
        ),
        (r""".isContainedIn("a", ["Gen\u00E8ve (GE]", "b (c) [d]", "e"))""", ["Genève (GE)", "b (c) [d]", "e"]),
        (r""".isContainedIn("a", ["b", "a (b]"), lambda x: x >= 0.9, "It should be above 0.9!")""", ["b", "a (b)"]),
        ('.isContainedIn("a", Array("he said "hi"", "b"))', ['he said "hi"', "b"]),
        ('.isContainedIn("a", Array("x, y", "(z", "]"), _ >= 0.9, Some("It should be above 0.9!"))', ["x, y", "(z", "]"]),
        (r""".isContainedIn("a", ["it's", "a\b"], lambda x: x >= 0.9, "It should be above 0.9!")""", ["it's", r"a\b"]),
    ],
)
def test_values_of_suggestions_are_as_deequ_writes_them(code: str, values: list[str]) -> None:
    imported = avh.read_rules(json.dumps([{"code_for_constraint": code}]), "deequ")
    share = {"at_least": 0.9, "hint": "It should be above 0.9!"} if "0.9" in code else {}
    assert (list(imported.rules), imported.left_out) == ([c.is_contained_in("a", values, **share)], ())


def test_values_of_the_engine_of_pydeequ_2_are_not_escaped() -> None:
    suggestion = {"suggesting_rule": "CategoricalRangeRule", "code_for_constraint": r""".isContainedIn("a", ["C:\new", "b"])"""}
    assert avh.read_rules(json.dumps([suggestion]), "deequ").rules == (c.is_contained_in("a", [r"C:\new", "b"]),)


def test_the_mean_that_deequ_suggests_is_told_to_be_the_maximum() -> None:
    suggestion = {"suggesting_rule": "HasMean()", "code_for_constraint": '.hasMean("a", _ == 1.0E7)'}
    imported = avh.read_rules(json.dumps([suggestion]), "deequ")
    assert imported.rules == (c.has(of.mean("a"), exactly=10_000_000),)
    assert imported.notes == ("HasMean of Deequ suggests the largest value as the mean: see whether its rule holds.",)


@pytest.mark.parametrize(
    ("condition", "kept"),
    [
        ("not in [EMPTY]", [True, False, True, True]), ('not in [EMPTY, "a"]', [True, False, True, False]),
        ("!= WHITESPACES_ONLY", [True, True, False, True]), ("not in [EMPTY, NULL]", [False, False, True, True]),
        ("in [EMPTY, WHITESPACES_ONLY]", [False, True, True, False]), ('not in [NULL, "a"]', [False, True, True, False]),
    ],
)  # fmt: skip
def test_keywords_of_dqdl_let_null_pass_where_it_is_not_named(condition: str, kept: list[bool]) -> None:
    table = pa.table({"x": [None, "", " ", "a"]})
    run = avh.check(table, avh.read_rules(f'Rules = [ ColumnValues "x" {condition} ]', "dqdl").rules)
    assert [not broken for broken in run.rows(table).column("failed").to_pylist()] == kept


GX = "great-expectations"
DEEQU = {
    # A hint behind the column of a rule is no second column of the key.
    'isUnique("a", Some("why"))': c.is_unique("a", hint="why"),
    'isUnique("a", "why")': c.is_unique("a", hint="why"),
    'isPrimaryKey("a", "b")': c.is_unique(["a", "b"]),
    'isPrimaryKey("a", Some("why"), "b")': c.is_unique(["a", "b"], hint="why"),
    'areUnique(Seq("a", "b"), Some("why"))': c.is_unique(["a", "b"], hint="why"),
    'isComplete("a", Some("why"))': c.is_complete("a", hint="why"),
    'hasCompleteness(column="a", assertion=lambda x: x >= .9, hint="why")': c.has(of.completeness("a"), at_least=0.9, hint="why"),
    'hasPattern("a", pattern=r"[0-9]")': c.has_pattern("a", "[0-9]"),
    'isContainedIn(column="a", allowed_values=["x"])': c.is_contained_in("a", ["x"]),
    'hasMean("a", x => math.abs(x - 3.5) < 0.5)': c.has(of.mean("a"), above=3.0, below=4.0),
    'hasMean("a", lambda x: abs(x - 3.5) <= 0.5)': c.has(of.mean("a"), at_least=3.0, at_most=4.0),
    'hasMean("a", _.abs < 0.5)': c.has(of.mean("a"), above=-0.5, below=0.5),
    'hasMean("a", x => (x - 3.5).abs <= 0.5)': c.has(of.mean("a"), at_least=3.0, at_most=4.0),
    # PyDeequ 2 has words for its assertions.
    'hasCompleteness("a", gte(0.95))': c.has(of.completeness("a"), at_least=0.95),
    'hasMean("a", predicates.between(-1.5, 40))': c.has(of.mean("a"), at_least=-1.5, at_most=40),
    'hasUniqueness(["a"], is_one(), "why")': c.has(of.uniqueness(["a"]), exactly=1, hint="why"),
    'hasMin("a", is_zero())': c.has(of.minimum("a"), exactly=0),
    'hasMin("a", is_positive())': c.has(of.minimum("a"), above=0),
    'hasMin("a", predicates.is_non_negative())': c.has(of.minimum("a"), at_least=0),
    # What is not so of one comparison is so of its contrary; of a set of numbers there is no bound.
    'hasMean("a", lambda x: not x < 3)': c.has(of.mean("a"), at_least=3),
    'hasMean("a", lambda x: not (3 <= x))': c.has(of.mean("a"), below=3),
    'hasMean("a", x => !(x == 3))': c.has(of.mean("a"), other_than=3),
    'hasMean("a", lambda x: not 3 < x < 5)': "is code, and is not run",
    'hasMean("a", lambda x: not x < 3 and x < 9)': "is code, and is not run",
    'hasMean("a", lambda x: x in [5, 6])': "is code, and is not run",
    'isContainedIn("a", Seq("x", "y").toArray, _ >= 0.9)': c.is_contained_in("a", ["x", "y"], at_least=0.9),
    # How many bins are shown is nothing that must hold.
    'hasNumberOfDistinctValues("a", _ == 3, None, Histogram.MaximumAllowedDetailBins)': c.has(of.distinct_with_null("a"), exactly=3),
    'hasNumberOfDistinctValues("a", lambda x: x == 3, binningUdf=None, maxBins=50)': c.has(of.distinct_with_null("a"), exactly=3),
    # Of a distribution the rows of one value, and how many values there are.
    'hasHistogramValues("a", lambda x: x.values().apply("x").ratio() >= 0.5)': c.has(of.compliance("`a` <=> 'x'"), at_least=0.5),
    'hasHistogramValues("a", _("x").ratio >= 0.5)': c.has(of.compliance("`a` <=> 'x'"), at_least=0.5),
    'hasHistogramValues("a", h => h.values("x").absolute == 3, Some("why"))': c.has(of.size(where="`a` <=> 'x'"), exactly=3, hint="why"),
    'hasHistogramValues("a", _("NullValue").ratio < 0.1).where("b > 1")': c.has(of.compliance("(b > 1) AND `a` IS NULL"), below=0.1),
    'hasHistogramValues("a", _.numberOfBins == 3)': c.has(of.distinct_with_null("a"), exactly=3),
    'hasHistogramValues("a", h => h("x").ratio > h("y").ratio)': "code over a whole distribution",
    'hasHistogramValues("a", _.values.size == 3)': "code over a whole distribution",
    # Of several texts the second is a hint, and a third would be lost.
    'isComplete("a", "b", "c")': "its argument 'c' is not understood",
    'isUnique("a", "b", "c")': "its argument 'c' is not understood",
    'hasMean("a", { m => m > 3 })': c.has(of.mean("a"), above=3),
    'hasMean("a", lambda x: x == 1 / 4)': c.has(of.mean("a"), exactly=0.25),
    'hasApproxQuantile("a", quantile = 0.9, _ < 5)': c.has(of.approx_quantile("a", 0.9), below=5),
    "hasDuplicateRowCount(_ == 0)": c.has(of.duplicate_row_count(), exactly=0),
    # What null counts as, which changes the length.
    'hasMinLength("a", _ > 1, analyzerOptions = Option(AnalyzerOptions(NullBehavior.Fail)))': c.has(
        of.min_length("a", nulls="fail"), above=1
    ),
    'hasMaxLength("a", _ < 9, None, Some(AnalyzerOptions(nullBehavior = NullBehavior.EmptyString)))': c.has(
        of.max_length("a", nulls="empty_string"), below=9
    ),
    'hasMinLength("a", _ > 1, analyzerOptions = Some(AnalyzerOptions(filteredRow = FilteredRowOutcome.NULL)))': c.has(
        of.min_length("a"), above=1
    ),
    'hasMinLength("a", _ > 1, analyzerOptions = Some(options))': "its analyzerOptions `options` are code",
    'hasNumberOfDistinctValues("a", _ < 9, Some(binner), 9)': "its argument `binner` is code",
    'isComplete("a", until = "noon")': "its argument 'until' is not understood",
    # A condition that is made when the suite runs is no column of that name.
    'isComplete("a").where(weekday)': "its condition `weekday` is code",
    """isComplete("a").where(s"day = '$day'")""": "is code, and is not run",
    """satisfies(s"day = '$day'", "today")""": "is made when it runs",
    'isFine("a")': "there is no method isFine",
    'isContainedIn("a", NAMES)': "its values `NAMES` are code",
    "isComplete(col)": "not [col]",
    'hasMean("a", x => math.abs(y - 3.5) < 0.5)': "is code, and is not run",
}


@pytest.mark.parametrize(("call", "rule"), DEEQU.items())
def test_arguments_of_deequ_are_read_as_they_may_stand(call: str, rule: avh.Check | str) -> None:
    imported = avh.read_rules(f'val check = Check(CheckLevel.Error, "x").{call}', "deequ")
    if isinstance(rule, str):
        assert imported.rules == ()
        assert rule in imported.left_out[0].reason
    else:
        assert (imported.rules, imported.left_out) == ((rule,), ())


def test_assertions_of_two_sides_blocks_and_constraints_from_elsewhere() -> None:
    text = """
    val check = Check(CheckLevel.Error, "x").hasSize { n => n < 2 || n > 5 }.hasMin("a", v => v <= 1 || v >= 3)
      .hasMax("a", _ > 5 * 1000).hasMax("b", v => v < 5 || v > 3)
      .doesDatasetMatch(ref, Map("id" -> "id"), Some(Map("a" -> "b")), _ > 0.9).addConstraint(made)
    """
    found = avh.read_rules(text, "deequ")
    assert found.rules == (
        c.has(of.size(), outside=(2, 5)), c.has(of.minimum("a"), not_between=(1, 3)), c.has(of.maximum("a"), above=5_000),
        c.has(c.matches("ref", ["id"], {"a": "b"}).measure, above=0.9),
    )  # fmt: skip
    assert [one.what for one in found.left_out] == ["addConstraint(made)", 'hasMax("b", v => v < 5 || v > 3)']


def test_a_level_is_found_behind_its_name() -> None:
    named = avh.read_rules('val lvl: CheckLevel.Value = CheckLevel.Warning\nCheck(lvl, "an Error").isComplete("a")', "deequ")
    assert (named.rules, named.notes) == ((c.is_complete("a", level="warning"),), ())
    code = avh.read_rules('Check(levelOf("x"), "Warning").isComplete("a")', "deequ")
    assert code.rules == (c.is_complete("a"),)
    assert code.notes == ("A check has a level that is code: its rules are taken as errors.",)


def test_each_comparison_of_a_distribution_is_a_rule() -> None:
    imported = avh.read_rules(
        'Check(CheckLevel.Warning, "x").hasHistogramValues("a", d => d("x").ratio > 0.5 && d("y").absolute < 9)', "deequ"
    )
    first, second = of.compliance("`a` <=> 'x'"), of.size(where="`a` <=> 'y'")
    assert imported.rules == (c.has(first, above=0.5, level="warning"), c.has(second, below=9, level="warning"))


def test_checks_that_are_added_to_a_check_are_its_rules() -> None:
    added = 'check.addConstraint(check.isUnique("a"))\ncheck.addConstraints([check.isComplete("b")])'
    imported = avh.read_rules(f'check = Check(spark, CheckLevel.Warning, "x")\n{added}', "deequ")
    assert (imported.rules, imported.left_out) == ((c.is_unique("a", level="warning"), c.is_complete("b", level="warning")), ())


def test_what_is_done_with_results_is_no_rule() -> None:
    imported = avh.read_rules("""
        check = Check(spark, CheckLevel.Error, "x")
        check.isComplete("a") \\
            .isFine("a")  # (really)
        check = base(check).isUnique("b")
        result.filter("constraint_status = 'Failure'").foreach(print)
    """, "deequ")  # fmt: skip
    assert imported.rules == (c.is_complete("a"), c.is_unique("b"))
    assert [one.what for one in imported.left_out] == ['isFine("a")']


def test_null_behaviour_of_values_is_told() -> None:
    imported = avh.read_rules('Check(CheckLevel.Error, "x").hasMin("a", _ > 1, None, Some(AnalyzerOptions(NullBehavior.Fail)))', "deequ")
    assert (imported.rules, len(imported.notes)) == ((c.has(of.minimum("a"), above=1),), 1)
    assert "null breaks no rule" in imported.notes[0]


def test_no_value_of_a_set_is_null_in_great_expectations() -> None:
    kwargs = {"column": "a", "value_set": ["x", None]}
    entries = [{"type": f"expect_column_values_to{no}_be_in_set", "kwargs": kwargs} for no in ("", "_not")]
    imported = avh.read_rules(json.dumps({"expectations": entries}), "great-expectations")
    assert (len(imported.rules), imported.rules[0], imported.left_out) == (2, c.is_contained_in("a", ["x"]), ())
    assert "'x'" in str(imported.rules[1].measure)
    assert "NULL)" not in str(imported.rules[1].measure).upper()


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"value_set": {"$PARAMETER": "known"}}, "its value_set is a parameter that the run fills in"),
        ({"value_set": "abc"}, "its value_set is no list"),
        ({"value_set": ["1/2/2020"], "parse_strings_as_datetimes": True}, "it reads texts as dates"),
        ({"value_set": [None]}, "null passes"),
    ],
)
def test_settings_of_great_expectations_are_read_or_named(settings: dict[str, Any], said: str) -> None:
    entry = {"type": "expect_column_values_to_be_in_set", "kwargs": {"column": "a", **settings}}
    imported = avh.read_rules(json.dumps({"expectations": [entry]}), "great-expectations")
    assert imported.rules == ()
    assert said in imported.left_out[0].reason


_AGE = {"type": "comparison", "column": {"name": "age"}, "operator": "<", "parameter": 18}


@pytest.mark.parametrize(
    ("condition", "where"),
    [
        (_AGE, "`age` < 18"),
        ({**_AGE, "operator": "NOT_IN", "parameter": ["a", "it's"]}, r"`age` NOT IN ('a', 'it\'s')"),
        ({"type": "nullity", "column": {"name": "my age"}, "is_null": False}, "`my age` IS NOT NULL"),
        ({"type": "or", "conditions": [_AGE, {**_AGE, "operator": "=="}]}, "(`age` < 18) OR (`age` = 18)"),
        (
            {"type": "and", "conditions": [_AGE, {"type": "nullity", "column": {"name": "b"}, "is_null": True}]},
            "(`age` < 18) AND (`b` IS NULL)",
        ),
        ({"type": "pass_through", "pass_through_filter": "b > 1"}, "b > 1"),
        ({**_AGE, "operator": "LIKE"}, None),
        ({**_AGE, "parameter": [1]}, None),
        ({"type": "or", "conditions": []}, None),
        (["age < 18"], None),
    ],
)  # fmt: skip
def test_row_conditions_of_great_expectations_are_objects_too(condition: object, where: str | None) -> None:
    kwargs = {"column": "a", "row_condition": condition, "condition_parser": "spark"}
    imported = avh.read_rules(json.dumps({"expectations": [{"type": "expect_column_values_to_not_be_null", "kwargs": kwargs}]}), GX)
    assert imported.rules == (() if where is None else (c.is_complete("a", where=where),))
    assert ["its row condition" in one.reason for one in imported.left_out] == ([True] if where is None else [])


def test_former_names_and_ignored_rows_of_great_expectations() -> None:
    kwargs: list[tuple[str, dict[str, Any]]] = [
        ("expect_column_pair_values_A_to_be_greater_than_B", {"column_A": "a", "column_B": "b", "ignore_row_if": "never"}),
        ("expect_compound_columns_to_be_unique", {"column_list": ["a", "b"], "ignore_row_if": "any_value_is_missing"}),
        ("expect_compound_columns_to_be_unique", {"column_list": ["a", "b"], "ignore_row_if": "never"}),
        ("expect_column_pair_values_to_be_in_set", {"column_A": "a", "column_B": "b", "value_pairs_set": [["x", None]]}),
        ("expect_column_values_to_be_in_type_list", {"column": "a", "type_list": ["NUMERIC(10,2)", "money"]}),
        ("expect_compound_columns_to_be_unique", {"column_list": ["a", "b"], "ignore_row_if": "sometimes"}),
    ]
    entries = [{"expectation_type": name, "kwargs": given} for name, given in kwargs]
    imported = avh.read_rules(json.dumps({"expectations": entries}), GX)
    twice = "SELECT count(*) FROM (SELECT 1 FROM batch GROUP BY `a`, `b` HAVING count(*) > 1)"
    assert imported.rules == (
        c.is_greater_than("a", "b"),
        c.is_unique(["a", "b"], where="`a` IS NOT NULL AND `b` IS NOT NULL"),
        c.custom_sql(twice, says="no two rows have the same a, b, null among them", at_most=0),
        c.satisfies("(`a` <=> 'x' AND `b` IS NULL)", says="a, b are x, None", where="(`a` IS NOT NULL OR `b` IS NOT NULL)"),
        c.has_column_type("a", "decimal(10,2)"),
    )
    assert "ignore_row_if 'sometimes' is not understood" in imported.left_out[0].reason


@pytest.mark.parametrize(
    ("line", "rules"),
    [
        (
            'invalid_count(a) = 0: {valid regex: "[0-9]"}',
            [c.satisfies("`a` IS NULL OR (`a` RLIKE '[0-9]')", says="a is valid (valid regex [0-9])")],
        ),
        (
            "invalid_count(a) < 3: {missing values: [x], valid values: [b]}",
            [c.has(of.size(where="NOT (`a` IS NULL OR `a` IN ('x')) AND NOT (`a` IN ('b'))"), below=3)],
        ),
        ("valid_count(a) > 3: {valid length: 2}", [c.has(of.size(where="`a` IS NOT NULL AND (length(`a`) = 2)"), above=3)]),
        ("valid_count(a) > 3", [c.has(of.size(where="`a` IS NOT NULL"), above=3)]),
        (
            "valid_percent(a) >= 95%: {valid values: [b], filter: c = 1}",
            [c.has(of.compliance("`a` IS NOT NULL AND (`a` IN ('b'))", where="c = 1"), at_least=0.95)],
        ),
        ("valid_percent(a) > 95: {valid format: whole number}", "the format 'whole number' is none of Soda's"),
        (
            "valid_percent(a) > 95: {valid format: integer}",
            [c.has(of.compliance("`a` IS NOT NULL AND (`a` RLIKE '^ *(?:[-+]? *[0-9]+) *$')"), above=0.95)],
        ),
        ("percentile(a, 0.95) < 5", [c.has(of.exact_quantile("a", 0.95), below=5)]),
        ("failed rows: {fail condition: a > b, warn: when > 5}", [c.has(of.size(where="(a > b)"), at_most=5, level="warning")]),
        ("failed rows: {fail condition: a > b, samples: 5}", "its setting 'samples' is not understood"),
        ("row_count > 5: {warn: when < 10}", "it has a threshold beside those of `fail` and `warn`"),
        ('min(a) > 0: {filter: "day = ${DAY}"}', "it holds a variable"),
        ("row_count between 1 and 5", [c.has(of.size(), at_least=1, at_most=5)]),
        ("row_count between (1 and 5]", [c.has(of.size(), above=1, at_most=5)]),
        ("row_count between [1 and 5)", [c.has(of.size(), at_least=1, below=5)]),
        ("row_count: {fail: when not between (1 and 5)}", [c.has(of.size(), above=1, below=5)]),
        ("row_count: {fail: when between 1 and 5}", [c.has(of.size(), outside=(1, 5))]),
        ("max(a) not between (1 and 5)", [c.has(of.maximum("a"), not_between=(1, 5))]),
        ("missing_percent(a) not between 1 and 5", [c.has(of.completeness("a"), outside=(0.95, 0.99))]),
        ("row_count not between (1 and 5]", "`not between(]` gives no bounds of a number: of what must not be between"),
        ("change same day last week percent for row_count < 20", [
            c.has_no_anomalies(of.size(), c.recent(upper=1.2, of="first", batches=7, strict="upper")),
        ]),
        ("change same day last month for row_count < 20", "months are 28 to 31 days long"),
        ("stddev(a) > 0", [c.custom_sql("SELECT stddev_samp(`a`) FROM batch", above=0)]),
        ("variance(a) < 9: {filter: b > 0, name: spread}", [
            c.custom_sql("SELECT var_samp(`a`) FROM batch WHERE (b > 0)", says="spread", below=9),
        ]),
        ("duplicate_count(a) < 5", [
            c.custom_sql("SELECT count(*) FROM (SELECT 1 FROM batch WHERE `a` IS NOT NULL GROUP BY `a` HAVING count(*) > 1)", below=5),
        ]),
        ("duplicate_percent(a) < 5%: {filter: b > 0}", [
            c.custom_sql(
                "SELECT coalesce(round(100D * (SELECT count(*) FROM (SELECT 1 FROM batch WHERE (b > 0) AND `a` IS NOT NULL GROUP BY `a` "
                "HAVING count(*) > 1)) / nullif(count(*), 0), 2), 0) FROM batch WHERE (b > 0)", below=5,
            ),
        ]),
        # What a filter leaves out is not looked at, and no filter is dropped.
        ("values in a must exist in b id: {filter: a > 0}", [c.refers_to(["a"], "b", ["id"], nulls=True, where="a > 0")]),
        ("row_count same as b: {filter: a > 0}", "its setting 'filter' is not understood"),
        ("n > 0: {n query: select count(*) from t, filter: a > 0}", "it is a query of its own beside a filter"),
    ],
)  # fmt: skip
def test_lines_of_soda_are_read_or_named(line: str, rules: list[avh.Check] | str) -> None:
    imported = avh.read_rules(f"checks for t:\n  - {line}", "soda")
    if isinstance(rules, str):
        assert (imported.rules, imported.left_out[0].reason[: len(rules)]) == ((), rules)
    else:
        assert list(imported.rules) == rules


SHARED = """
filter t [us]: {where: country = 'US'}
filter other [eu]: {where: country = 'EU'}
checks for t [us]:
  - row_count > 5
  - min(a) > 0: {filter: b > 1}
  - schema: {fail: {when required column missing: [a]}}
checks for t [eu]:
  - row_count > 6
for each dataset D:
  datasets: [t%, exclude trial]
  checks: [missing_count(id) = 0]
"""


def test_parts_and_checks_of_several_tables_of_soda_are_read() -> None:
    imported = avh.read_rules(SHARED, "soda")
    assert imported.rules == (
        c.has(of.size(where="country = 'US'"), above=5),
        c.has(of.minimum("a", where="(country = 'US') AND (b > 1)"), above=0),
        c.has_column("a"), c.is_complete("id"),
    )  # fmt: skip
    assert [one.reason for one in imported.left_out] == [
        "it is of the part [eu] of the table, and no `filter t [eu]` of the document says its rows"
    ]
    assert avh.read_rules(SHARED, "soda", table="t2").rules == (c.is_complete("id"),)
    for strange in ("trial", "x"):
        with pytest.raises(NotFoundError, match=f"table '{strange}' in the document"):
            avh.read_rules(SHARED, "soda", table=strange)


def test_a_contract_of_soda_says_of_a_column_what_holds_for_its_checks() -> None:
    column = "columns:\n- name: a\n  missing_values: [n/a]\n  checks:\n  - missing:\n  - invalid:\n    valid_min: 0\n"
    imported = avh.read_rules(f"dataset: d/t\nfilter: day = 1\n{column}checks:\n- row_count:\n", "soda")
    rows, missing, invalid = imported.rules
    assert str(missing.measure.where) == "`a` IS NULL OR `a` IN ('n/a')"
    assert invalid.measure.parameter("predicate") == "`a` IS NULL OR `a` IN ('n/a') OR (`a` >= 0.0)"
    assert rows == c.has(of.size(), above=0)
    assert "The filter of the contract" in imported.notes[0]


def test_a_large_ruleset_is_read_in_seconds() -> None:
    rules = ",\n".join(f'ColumnValues "c{i}" between 0 and {i + 1}' for i in range(3_000))
    assert len(avh.read_rules(f"Rules = [{rules}]", "dqdl").rules) == 6_000


def test_texts_of_dqdl_are_as_they_are_written() -> None:
    (check, *_) = avh.read_rules(r'Rules = [ ColumnValues "a b" in ["x\"y", "it' 's", "c:\\d"] ]', "dqdl").rules
    assert check == c.is_contained_in("a b", ['x"y', "its", "c:\\d"])


def test_errors_of_any_kind_are_ours() -> None:
    for tool in IMPORTERS:
        for text in ("\x00", "null", "[]", "{}", '"x"', "- a", "Rules", "checks for x:\n", "models:\n- 1"):
            with pytest.raises(AvhError):
                avh.read_rules(text, tool)


def test_references_count_nulls_as_the_tools_do() -> None:
    orders = pa.table({"customer": [1, 1, 2, None], "id": [1, 2, 3, 4]})
    customers = pa.table({"id": [1, 2]})
    documents = {
        "dqdl": 'Rules = [ ReferentialIntegrity "customer" "customers.{id}" = 1.0, RowCountMatch "customers" = 2.0 ]',
        "dbt": "models: [{name: o, columns: [{name: customer, tests: [relationships: {to: ref('customers'), field: id}]}]}]",
        "soda": "checks for o: [values in (customer) must exist in customers (id)]",
    }
    runs = {tool: avh.check(orders, avh.read_rules(text, tool).rules, tables={"customers": customers}) for tool, text in documents.items()}
    # A null refers to nothing in Glue; dbt and Soda pass it over.
    assert {tool: [verdict.status for verdict in run.verdicts] for tool, run in runs.items()} == {
        "dqdl": ["fail", "pass"],
        "dbt": ["pass"],
        "soda": ["pass"],
    }


def test_reference_data_and_open_ranges_of_a_contract() -> None:
    regions = "valid_reference_data: {dataset: db/schema/regions, column: id}"
    text = f"""
dataset: db/schema/orders
columns:
- name: zone
  {regions}
  checks: [invalid: , missing: ]
- name: region
  checks:
  - invalid: {{{regions}, threshold: {{metric: percent, must_be_less_than: 5}}}}
  - invalid: {{{regions}, threshold: {{must_be_less_than: 5}}}}
  - aggregate: {{function: avg, threshold: {{must_be_between: {{greater_than: 1, less_than: 5}}}}}}
  - aggregate: {{function: avg, threshold: {{must_be_between: {{greater_than: 1, less_than_or_equal: 5}}}}}}
  - aggregate: {{function: avg, threshold: {{must_be_between: {{less_than: 5, greater_than_or_equal: 1}}}}}}
  - aggregate: {{function: avg, threshold: {{must_be_between: {{greater_than: 1}}}}}}
  - aggregate: {{function: avg, threshold: {{must_be_not_between: {{greater_than: 1, less_than: 5}}}}}}
  - aggregate: {{function: avg, threshold: {{must_be_not_between: {{greater_than: 5, less_than: 1}}}}}}
  - aggregate: {{function: avg, threshold: {{must_be_not_between: {{greater_than_or_equal: 5, less_than_or_equal: 1}}}}}}
"""
    found = avh.read_rules(text, "soda")
    assert list(found.rules) == [
        c.refers_to("zone", "regions", "id", nulls=True),
        c.is_complete("zone"),
        c.has(of.refers_to("region", "regions", "id", nulls=True), above=0.95),
        c.has(of.mean("region"), above=1, below=5),
        c.has(of.mean("region"), above=1, at_most=5),
        c.has(of.mean("region"), at_least=1, below=5),
        c.has(of.mean("region"), outside=(1, 5)),
        c.has(of.mean("region"), not_between=(1, 5)),
    ]
    counted, one_end, outside = map(str, found.left_out)
    assert "counts rows that refer to nothing" in counted
    assert "a range has two ends" in one_end
    assert "`greater_than` is the upper end" in outside


def test_names_of_plain_values_in_a_suite_are_read() -> None:
    text = """
THRESHOLD = 0.95  # of all
KINDS = ["a",
         "b"]
FORM: str = r"^[a-z]+$"
once = 1
once = 2
limit = 3
check = (Check(spark, CheckLevel.Error, "THRESHOLD")
    .hasCompleteness("THRESHOLD", lambda x: x >= THRESHOLD)  # THRESHOLD
    .isContainedIn("k", KINDS)
    .hasPattern("k", FORM)
    .hasCorrelation("a", "b", lambda x: abs(x) < THRESHOLD)
    .hasSize(lambda x: x > once)
    .hasSize(lambda limit: limit > 2)
    .hasMean("a", lambda x: x in (1, 2)))
"""
    found = avh.read_rules(text, "deequ")
    assert list(found.rules) == [
        c.has(of.completeness("THRESHOLD"), at_least=0.95),
        c.is_contained_in("k", ["a", "b"]),
        c.has_pattern("k", "^[a-z]+$"),
        c.has(of.correlation("a", "b"), above=-0.95, below=0.95),
        c.has(of.size(), above=2),
    ]
    twice, among = map(str, found.left_out)
    assert "compares with 'once', which is no number" in twice
    assert "`lambda x: x in (1, 2)` is code, and is not run" in among
    scala = 'val atLeast: Double = 0.9\nval check = Check(CheckLevel.Error, "x").hasCompleteness("a", _ >= atLeast)'
    assert list(avh.read_rules(scala, "deequ").rules) == [c.has(of.completeness("a"), at_least=0.9)]
