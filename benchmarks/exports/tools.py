"""Runs in the environment of the tools, without avh_ui: one exported document on every batch, by the tool that it is written for.

`python tools.py TOOL FOLDER OUTPUT IVY`. The answer: the tool's version, its verdict by batch and constraint key, its complaints.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pyspark
import yaml
from pyspark.sql import DataFrame, SparkSession

DEEQU, DQDL = "com.amazon.deequ:deequ:2.0.7-spark-3.5", "software.amazon.glue:dqdl:1.0.0"
# Deequ names a native BLAS that it does not need here and that is no longer found in every repository.
_EXCLUDED = "net.sourceforge.f2j:arpack_combined_all"
KEY = re.compile(r"\(([0-9a-f]{12})\)")
Verdicts = dict[str, bool]


class Tool:
    """The batches as frames, and what was found."""

    def __init__(self, folder: Path, text: str, ivy: str, jars: str) -> None:
        self.folder, self.text, self.ivy = folder, text, ivy
        self.problems: list[str] = []
        self.conf = {
            "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.sql.session.timeZone": "UTC",
            "spark.sql.shuffle.partitions": "2", "spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1",
            "spark.driver.memory": "1g", "spark.jars.ivy": ivy,
        }  # fmt: skip
        if jars:
            self.conf |= {"spark.jars.packages": jars, "spark.jars.excludes": _EXCLUDED}

    def spark(self) -> SparkSession:
        """A session of its own."""
        builder = SparkSession.builder.master("local[2]")
        for key, value in self.conf.items():
            builder = builder.config(key, value)
        made = builder.getOrCreate()
        made.sparkContext.setLogLevel("ERROR")
        return made

    def paths(self) -> dict[str, Path]:
        """Batch -> its file."""
        return {path.stem: path for path in sorted(self.folder.glob("batch-*.parquet"))}

    def frames(self) -> dict[str, DataFrame]:
        """Batch -> its frame."""
        spark = self.spark()
        return {name: spark.read.parquet(str(path)) for name, path in self.paths().items()}


def all_of(found: Verdicts, key: str, holds: bool) -> None:
    """A constraint holds when each of its rules does."""
    found[key] = found.get(key, True) and holds


def great_expectations(tool: Tool) -> tuple[str, dict[str, Verdicts]]:
    import great_expectations as gx

    context = gx.get_context(mode="ephemeral")
    suite = gx.ExpectationSuite(**json.loads(tool.text))
    asset = context.data_sources.add_spark("spark").add_dataframe_asset("orders").add_batch_definition_whole_dataframe("whole")
    verdicts: dict[str, Verdicts] = {}
    for name, frame in tool.frames().items():
        verdicts[name] = {}
        for result in asset.get_batch({"dataframe": frame}).validate(suite).results:
            key = (result.expectation_config.meta or {}).get("avh", {}).get("id")
            raised = [e for e in result.exception_info.values() if isinstance(e, dict)] if not key or not result.success else []
            tool.problems += [f"{result.expectation_config.type}: {e.get('exception_message')}" for e in raised]
            if key:
                all_of(verdicts[name], key, bool(result.success))
            elif not result.success:
                tool.problems.append(f"{result.expectation_config.type} fails")
    return version("great-expectations"), verdicts


def dqx(tool: Tool) -> tuple[str, dict[str, Verdicts]]:
    from databricks.labs.dqx.engine import DQEngine
    from databricks.sdk import WorkspaceClient

    checks = yaml.safe_load(tool.text)
    status = DQEngine.validate_checks(checks)
    tool.problems += [str(error) for error in status.errors]
    frames = tool.frames()
    engine = DQEngine(MagicMock(spec=WorkspaceClient), spark=tool.spark())
    keys = [check["name"].split("_")[1] for check in checks if check.get("name")]
    verdicts: dict[str, Verdicts] = {}
    for name, frame in frames.items():
        judged = engine.apply_checks_by_metadata(frame, checks)
        failed = {row[0] for of in ("_errors", "_warnings") for row in judged.selectExpr(f"explode({of}.name)").distinct().collect()}
        verdicts[name] = {key: not any(key in one for one in failed) for key in keys}
        tool.problems += [f"{one} fails" for one in failed if not any(key in one for key in keys)]
    return version("databricks-labs-dqx"), verdicts


def soda(tool: Tool) -> tuple[str, dict[str, Verdicts]]:
    from soda.scan import Scan

    verdicts: dict[str, Verdicts] = {}
    for name, frame in tool.frames().items():
        frame.createOrReplaceTempView("orders")
        scan = Scan()
        scan.set_scan_definition_name(name)
        scan.set_data_source_name("spark_df")
        scan.add_spark_session(tool.spark())
        scan.add_sodacl_yaml_str(tool.text)
        scan.execute()
        verdicts[name] = {}
        for check in scan.get_scan_results()["checks"]:
            key = KEY.search(check["name"])
            if key:
                all_of(verdicts[name], key[1], check["outcome"] == "pass")
            elif check["outcome"] != "pass":
                tool.problems.append(f"{check['name']}: {check['outcome']} on {name}")
        tool.problems += [log.message for log in scan.get_error_logs()]
    return version("soda-core-spark-df"), verdicts


def odcs(tool: Tool) -> tuple[str, dict[str, Verdicts]]:
    import jsonschema
    import open_data_contract_standard
    from datacontract.data_contract import DataContract

    contract = yaml.safe_load(tool.text)
    schema = json.loads((Path(open_data_contract_standard.__file__).parent / "schema.json").read_text(encoding="utf-8"))
    checker = jsonschema.validators.validator_for(schema)(schema)
    tool.problems += [f"{list(error.absolute_path)}: {error.message[:200]}" for error in checker.iter_errors(contract)]
    frame_server = [{"property": "customType", "value": "dataframe"}]
    contract["servers"] = [{"server": "spark", "type": "custom", "customProperties": frame_server}]
    verdicts: dict[str, Verdicts] = {}
    for name, frame in tool.frames().items():
        frame.createOrReplaceTempView("orders")
        run = DataContract(data_contract_str=yaml.safe_dump(contract), spark=tool.spark(), server="spark").test()
        verdicts[name] = {}
        for check in run.checks:
            key = KEY.search(getattr(check, "qualityDefinition", None) or "")
            outcome = getattr(check.result, "value", check.result)
            if key:
                all_of(verdicts[name], key[1], outcome == "passed")
            if outcome == "error" or "Error" in str(check.reason) or (outcome != "passed" and not key):
                tool.problems.append(f"{check.name}: {outcome}: {str(check.reason)[:120]}")
    return f"{version('datacontract-cli')}, schema {version('open-data-contract-standard')}", verdicts


def dqdl(tool: Tool) -> tuple[str, dict[str, Verdicts]]:
    """Read by the parser of AWS. What runs rules is not published for everybody: their queries run on Spark here, as it gives them back."""
    spark, verdicts = tool.spark(), {}
    jvm: Any = spark.sparkContext._jvm
    parsed = jvm.software.amazon.glue.dqdl.parser.DQDLParser().parse(tool.text)
    # Rules keep their order; the comment in front of each names its constraint, those of the schema have none.
    keys = [KEY.search(comment)[1] for comment in re.findall(r"^    # (.*)$", tool.text, re.MULTILINE)]  # type: ignore[index]
    rules = list(parsed.getRules())
    for name, frame in tool.frames().items():
        frame.createOrReplaceTempView("primary")
        verdicts[name] = {}
        for at, rule in enumerate(rules):
            parts = list(rule.getNestedRules()) or [rule]
            held = [holds(part, frame) for part in parts]
            if at < len(keys):
                all_of(verdicts[name], keys[at], all(held))
            elif not all(held):
                tool.problems.append(f"{rule} fails")
    return f"parser {DQDL.rsplit(':', maxsplit=1)[-1]}", verdicts


def holds(rule: Any, frame: DataFrame) -> bool:
    """One rule by what the language's reference says of its type."""
    kind, given = rule.getRuleType(), dict(rule.getParameters())
    column = "`" + given.get("TargetColumn", "").replace("`", "``") + "`"
    if kind == "ColumnExists":
        return given["TargetColumn"] in frame.columns
    queries = {
        "RowCount": "COUNT(*)", "ColumnCount": "1", "Completeness": f"COUNT({column}) * 1E0 / COUNT(*)",
        "Mean": f"AVG({column})", "Sum": f"SUM({column})",
    }  # fmt: skip
    query = given["CustomSqlStatement"] if kind == "CustomSql" else f"SELECT {queries[kind]} FROM primary"
    ((value,),) = frame.sparkSession.sql(query).collect() if kind != "ColumnCount" else ((len(frame.columns),),)
    sign, bound = re.fullmatch(r"\s*(>=|<=|=)\s*(\S+)\s*", rule.getCondition().getConditionAsString()).groups()  # type: ignore[union-attr]
    return {">=": float(value) >= float(bound), "<=": float(value) <= float(bound), "=": float(value) == float(bound)}[sign]


def deequ(tool: Tool) -> tuple[str, dict[str, Verdicts]]:
    script = tool.folder / "run.scala"
    batches = ", ".join(f'("{name}", "{path}")' for name, path in tool.paths().items())
    script.write_text(
        f"""{tool.text}
import com.amazon.deequ.VerificationSuite
for ((name, path) <- Seq({batches})) {{
  val result = VerificationSuite().onData(spark.read.parquet(path)).addChecks(Seq(error, warning)).run()
  for (check <- Seq(error, warning); (one, at) <- result.checkResults(check).constraintResults.zipWithIndex)
    println(Seq("VERDICT", name, check.level, at, one.status, one.message.getOrElse("").replaceAll("\\\\s", " ")).mkString("\\t"))
}}
System.exit(0)
""",
        encoding="utf-8",
    )
    shell = [str(Path(pyspark.__file__).parent / "bin" / "spark-shell"), "--master", "local[2]"]
    done = subprocess.run(
        [*shell, *(part for key, value in tool.conf.items() for part in ("--conf", f"{key}={value}")), "-i", str(script)],
        capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    keys = {level: KEY.findall(part) for level, part in re.findall(r"CheckLevel\.(\w+),(.*?)(?=\nval |\Z)", tool.text, re.DOTALL)}
    verdicts: dict[str, Verdicts] = {}
    for line in done.stdout.splitlines():
        if line.startswith("VERDICT\t"):
            _, name, level, at, status, message = line.split("\t")
            all_of(verdicts.setdefault(name, {}), keys[level][int(at)], status == "Success")
            if status != "Success" and "does not meet" not in message:
                tool.problems.append(f"{message[:160]} on {name}")
        elif "error:" in line:
            tool.problems.append(line.strip()[:200])
    return DEEQU.rsplit(":", maxsplit=1)[-1], verdicts


def main() -> None:
    """Run one tool."""
    name, folder, output, ivy = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4]
    tool = Tool(folder, (folder / f"{name}.txt").read_text(encoding="utf-8"), ivy, {"deequ": DEEQU, "dqdl": DQDL}.get(name, ""))
    runs = {"great-expectations": great_expectations, "dqx": dqx, "soda": soda, "odcs": odcs, "dqdl": dqdl, "deequ": deequ}
    found, verdicts = runs[name](tool)
    answer = {"version": found, "verdicts": verdicts, "problems": sorted(set(tool.problems))}
    output.write_text(json.dumps(answer), encoding="utf-8")


if __name__ == "__main__":
    main()
