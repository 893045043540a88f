"""Exported programs in the tools they are written for: `python -m benchmarks.exports`.

One program with every kind of constraint is exported to each tool, loaded there, and run on batches of which each breaks something else.
For every constraint that the document says, the tool's verdict is compared with avh_ui's own. The tools are in an environment that is
made once under `--cache`; the first run needs the network, as do Deequ's jars.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.exporting.catalogue import EXPORTERS
from avh_ui.constraints.judging import judge
from avh_ui.constraints.pattern_constraint import METRIC, Pattern, PatternConstraint, judge_pattern
from avh_ui.constraints.program import ColumnSchema, Program, SchemaConstraint
from avh_ui.metrics.conformance import regexes_measured
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.regexes import portable
from benchmarks.environment import environment

# Deequ is built for one line of Spark, and Soda's Spark connector knows no later one; pandas 3 came after pyspark 3.5.
REQUIREMENTS = (
    "pyspark>=3.5,<3.6", "pandas<3", "setuptools<81", "great-expectations>=1.24", "databricks-labs-dqx>=0.17", "soda-core-spark-df>=3.5,<4",
    "datacontract-cli[dataframe]>=1.2", "jsonschema",
)  # fmt: skip
# Names that have to be quoted: in SQL, and in SQL, YAML, JSON and Scala.
DOTTED, ODD = "a.b", "odd `x` \"y\" 'z'"
TYPES = {
    "id": "bigint", "amount": "double", ODD: "double", DOTTED: "double", "zip": "string", "code": "string", "paid": "boolean",
    "at": "timestamp",
}  # fmt: skip
# Differing verdicts of one tool that are listed.
SHOWN = 20
REGEX = portable(r"[0-9]{5}|it's [A-Z]\.")


def batch(at: int, rows: int = 2_000) -> pa.Table:
    """Batch 0 is clean; each later one breaks something else."""
    rng = np.random.default_rng(at)
    rows = 900 if at == 1 else rows
    amount = rng.normal(50, 10, rows) * (3 if at == 2 else 1)
    zips = np.where(rng.random(rows) < 0.02, "it's A.", np.char.mod("%05d", rng.integers(0, 400 if at != 3 else 40, rows)))
    zips = np.where(rng.random(rows) < (0.3 if at == 4 else 0.001), "bad code", zips)
    codes = np.where(rng.random(rows) < (0.1 if at == 6 else 0.0), "", rng.choice(["abc", "abcd", "ÄÖÜ€"], rows))
    codes = np.where(rng.random(rows) < (0.1 if at == 7 else 0.0), "far too long", codes)
    at_all = np.datetime64("2026-01-01T00:00:00", "us") + rng.integers(0, 86_400, rows).astype("timedelta64[s]")

    def some(values: Any, share: float) -> pa.Array:
        return pa.array(values, mask=rng.random(rows) < share)

    return pa.table(
        {
            "id": pa.array(np.arange(rows) % (rows if at != 5 else rows - 40)),
            "amount": some(amount, 0.4 if at == 6 else 0.05),
            ODD: some(rng.exponential(2, rows) + (5 if at == 7 else 0), 0.1),
            DOTTED: some(rng.integers(0, 9, rows).astype(float) + (5 if at == 3 else 0), 0.1),
            "zip": some(np.where(rng.random(rows) < 0.05, "", zips), 0.1),
            "code": pa.array(codes),
            "paid": some(rng.random(rows) < 0.5, 0.0 if at != 6 else 0.2),
            "at": pa.array(at_all, pa.timestamp("us", tz="UTC")),
        }
    )


def program() -> Program:
    """Every metric that an exporter can say, with bounds that batch 0 is inside of by a margin."""
    table = batch(0)
    profiles = {name: profile_of(table, name) for name in table.column_names}
    wanted = {
        "id": ("row_count", "unique_ratio", "min", "complete_ratio"),
        "amount": ("mean", "min", "max", "sum", "median", "range", "standard_deviation", "complete_ratio"),
        DOTTED: ("mean", "max", "sum", "complete_ratio"),
        ODD: ("mean", "max", "unique_ratio", "complete_ratio"),
        "zip": ("dist_val_count", "str_len", "unique_ratio", "complete_ratio"),
        "code": ("str_len", "min_length", "max_length"),
        "paid": ("complete_ratio",),
        "at": ("complete_ratio",),
    }
    found: list[Constraint] = []
    for column, metrics in wanted.items():
        values = profiles[column].single_metrics()
        for metric in metrics:
            value, level = values[metric], "warning" if metric == "max" else "error"
            share = 0.5 if metric in ("min", "max", "range") else 0.1
            margin = 0.0 if metric in ("min_length", "max_length") or value in (0.0, 1.0) else share * abs(value) + 1e-3
            lower = None if metric == "max_length" else value - margin
            upper = None if metric == "min_length" else value + margin
            found.append(Constraint(column, metric, profiles[column].kind, lower, upper, level=level))  # type: ignore[arg-type]
    pattern = Pattern("zip or it's", REGEX, rows_with_values(profiles["zip"]), 2)
    found.append(PatternConstraint("zip", METRIC, "string", None, 0.02, fpr=0.001, origin="corpus", pattern=pattern, usual=1_700))
    schema = SchemaConstraint(tuple(ColumnSchema(name, TYPES[name], profiles[name].kind) for name in TYPES))
    return Program(
        pipeline="orders",
        version=1,
        constraints=tuple(found),
        schema=schema,
        created_at="2026-01-31T00:00:00+00:00",
        author="ann",
        message="all kinds",
        fpr_target=0.001,
        sha256="0" * 64,
    )


def profile_of(table: pa.Table, column: str) -> ColumnProfile:
    """A column's profile, with the pattern's values counted."""
    return ColumnProfile.from_arrow(column, table.column(column), regexes=(REGEX,) if column == "zip" else ())


def rows_with_values(profile: ColumnProfile) -> int:
    """How many values a pattern is judged by."""
    return regexes_measured(profile.states)[REGEX].values


def own_verdicts(of: Program, table: pa.Table) -> dict[str, bool]:
    """Whether each constraint holds on a batch, as the validator says."""
    profiles = {name: profile_of(table, name) for name in table.column_names}
    found = {}
    for constraint in of.judged:
        profile = profiles[constraint.column]
        if isinstance(constraint, PatternConstraint):
            verdict = judge_pattern(constraint, regexes_measured(profile.states)[REGEX])
        else:
            verdict = judge(constraint, profile.single_metrics()[constraint.metric])
        found[constraint.key] = verdict.status == "pass"
    return found


@dataclass(frozen=True)
class Outcome:
    """One tool: its version, how many constraints its document says, on how many (constraint, batch) pairs both say the same."""

    tool: str
    version: str
    said: int
    left_out: int
    pairs: int
    differing: tuple[str, ...]
    problems: tuple[str, ...]

    def line(self) -> str:
        """As a row of the table."""
        same = f"{self.pairs - len(self.differing)} of {self.pairs}"
        return f"| {self.tool} | {self.version} | {self.said} | {self.left_out} | {same} | {'; '.join(self.problems) or 'none'} |"


def compare(tool: str, of: Program, own: dict[str, dict[str, bool]], answer: dict[str, Any]) -> Outcome:
    """A tool's verdicts beside avh_ui's."""
    exported = EXPORTERS[tool](of)
    out = {c.key for c in of.judged if any(c.key in one.what for one in exported.left_out)}
    names = {c.key: f"{c.metric} of {c.column}" for c in of.judged if c.key not in out}
    triples = [(key, at, answer["verdicts"].get(at, {}).get(key)) for at in own for key in names]
    differing = [f"{names[key]} on {at}: {holds}" for key, at, holds in triples if holds != own[at][key]]
    return Outcome(tool, answer["version"], len(names), len(out), len(triples), tuple(differing), tuple(answer["problems"]))


def run(tool: str, python: Path, folder: Path, cache: Path) -> dict[str, Any]:
    """A tool on its document, in a process of its own."""
    script, output = Path(__file__).with_name("tools.py"), folder / f"{tool}.json"
    kept = {**os.environ, "PYSPARK_PYTHON": str(python), "PYSPARK_DRIVER_PYTHON": str(python)}
    command = [str(python), str(script), tool, str(folder), str(output), str(cache / "ivy")]
    done = subprocess.run(command, env=kept, capture_output=True, text=True, check=False)
    if done.returncode or not output.exists():
        return {"version": "?", "verdicts": {}, "problems": [(done.stderr.strip().splitlines() or ["no answer"])[-1][:300]]}
    found: dict[str, Any] = json.loads(output.read_text(encoding="utf-8"))
    return found


def main() -> None:
    """Export, run, compare, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, default=Path("~/.cache/avh_ui-benchmarks").expanduser())
    parser.add_argument("--batches", type=int, default=8)
    parser.add_argument("--tool", choices=list(EXPORTERS), action="append", help="only these")
    options = parser.parse_args()
    folder = options.cache / "exports-work"
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    of, own = program(), {}
    for at in range(options.batches):
        pq.write_table(batch(at), folder / f"batch-{at}.parquet")
        own[f"batch-{at}"] = own_verdicts(of, batch(at))
    python = environment(options.cache / "exports", REQUIREMENTS)
    failing = sum(not holds for verdicts in own.values() for holds in verdicts.values())
    print(f"{len(of.judged)} constraints on {len(own)} batches; {failing} of {len(own) * len(of.judged)} verdicts are failures")
    print("| tool | version | says | leaves out | same verdict | problems |\n| --- | --- | --- | --- | --- | --- |")
    for tool in options.tool or EXPORTERS:
        (folder / f"{tool}.txt").write_text(EXPORTERS[tool](of).text, encoding="utf-8")
        outcome = compare(tool, of, own, run(tool, python, folder, options.cache))
        print(outcome.line(), *(f"    {one}" for one in outcome.differing[:SHOWN]), sep="\n", flush=True)


if __name__ == "__main__":
    main()
