"""Faults of sources and stores, each made on a small workspace; `docs/exit_codes.md` says what `avh validate` answers to each."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from click.testing import CliRunner
from pyarrow import orc

from avh_ui.cli.main import cli
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.program import ColumnSchema, Program, SchemaConstraint
from avh_ui.store.history_files import HistoryFiles
from avh_ui.store.program_files import ProgramFiles
from avh_ui.workflows.frames import profile_table
from tests.fakes.workspaces import day, orders

FILES = ("parquet", "csv", "json", "orc")
BATCH = day(2)
DERBY = {"driver": "org.apache.derby.iapi.jdbc.AutoloadedDriver", "url": "jdbc:derby:memory:exit_codes;create=true"}
QUERY = "select id, amount, country, paid from exit_orders where day = '{batch}'"
SOURCES: dict[str, dict[str, Any]] = {
    **{kind: {"format": kind, "path": f"data/{{batch}}.{kind}"} for kind in FILES},
    "table": {"format": "table", "table": "exit_orders", "batch_column": "day"},
    "query": {"format": "query", "query": QUERY},
    "jdbc": {"format": "jdbc", "table": "EXIT_ORDERS", "batch_column": "day", "options": DERBY},
    "delta": {"format": "delta", "path": "data", "batch_column": "day"},
    "iceberg": {"format": "iceberg", "table": "shop.orders", "batch_column": "day"},
}
SOURCES["csv"]["options"] = {"header": True}
RULES = (
    Constraint("amount", "row_count", "numeric", 300.0, 500.0, fpr=0.0001),
    Constraint("amount", "mean", "numeric", 90.0, 110.0, fpr=0.0002, proposition=3),
    Constraint("country", "js_div", "string", 0.0, 0.1, fpr=0.0003, proposition=2),
)
NUMBERS = {"id": "bigint", "amount": "double"}


@dataclass(frozen=True)
class Shop:
    """A workspace with a program per source and two days of history, and the means to spoil it."""

    root: Path
    patch: pytest.MonkeyPatch
    source: str

    @property
    def file(self) -> Path:
        """The batch's file."""
        return self.root / "data" / f"{BATCH}.{self.source}"

    def deliver(self, table: pa.Table | None = None) -> None:
        """Write the batch as its source's format."""
        write(self.file, self.source, orders(2) if table is None else table)

    def engine(self, name: str) -> None:
        """Let this engine measure."""
        path = self.root / "avh.yml"
        path.write_text(yaml.safe_dump({**yaml.safe_load(path.read_text()), "engine": name}))

    def settings(self, **changes: Any) -> None:
        """Change avh.yml: the settings of the source's pipeline (`source=`, `rules=`), or with `store=` those of the stores."""
        path = self.root / "avh.yml"
        config = yaml.safe_load(path.read_text())
        for name, change in changes.items():
            place = config if name == "store" else config["pipelines"][self.source]
            place[name] = {**place.get(name, {}), **change}
        path.write_text(yaml.safe_dump(config))


def write(path: Path, kind: str, table: pa.Table) -> None:
    """A table as a file of a format."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "parquet":
        pq.write_table(table, path)
    elif kind == "orc":
        orc.write_table(table, path)
    elif kind == "json":
        path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
    else:
        rows = [table.column_names, *(row.values() for row in table.to_pylist())]
        path.write_text("".join(",".join(str(v).lower() if isinstance(v, bool) else str(v) for v in row) + "\n" for row in rows))


def make_workspace(root: Path) -> None:
    """avh.yml, programs and history."""
    pipelines = {name: {"source": source} for name, source in SOURCES.items()}
    (root / "avh.yml").write_text(yaml.safe_dump({"pipelines": pipelines, "spark": {"master": "local[2]"}}))
    history, programs = HistoryFiles(str(root / "history")), ProgramFiles(str(root / "programs"))
    for name in SOURCES:
        number = {"csv": "number"} if name == "csv" else {}
        columns = [ColumnSchema(c, number.get("csv", t), "numeric") for c, t in NUMBERS.items()]
        columns += [ColumnSchema("country", "string", "string"), ColumnSchema("paid", "string" if name == "csv" else "boolean", "boolean")]
        if name in ("table", "jdbc"):
            columns.append(ColumnSchema("day", "string", "string"))
        if name == "csv":
            columns[3] = ColumnSchema("paid", "string", "string")
        for k in range(2):
            history.save(profile_table(orders(k), name, day(k)))
        schema = SchemaConstraint(tuple(columns))
        programs.publish(
            Program(
                pipeline=name,
                version=0,
                constraints=RULES,
                schema=schema,
                created_at="2024-01-01T00:00:00+00:00",
                author="ann",
                message="first",
                fpr_target=0.001,
            )
        )


def nothing(shop: Shop) -> None:
    """A fault that is only in what is asked for."""


def content(data: bytes, shop: Shop) -> None:
    shop.deliver()
    shop.file.write_bytes(data)


def again(shop: Shop) -> None:
    write(shop.file.with_stem(day(1)), shop.source, orders(1))
    CliRunner().invoke(cli, ["validate", shop.source, "--batch", day(1), "--no-record"])
    shop.deliver(orders(1))


def half(shop: Shop) -> None:
    shop.deliver()
    data = shop.file.read_bytes()
    shop.file.write_bytes(data[: len(data) // 2])


def table(change: Callable[[pa.Table], pa.Table], shop: Shop) -> None:
    shop.deliver(change(orders(2)))


def zipped(data: Callable[[bytes], bytes], shop: Shop) -> None:
    shop.settings(source={"path": f"data/{{batch}}.{shop.source}.gz"})
    shop.deliver()
    shop.file.with_name(shop.file.name + ".gz").write_bytes(data(shop.file.read_bytes()))


def folder(shop: Shop, *names: str) -> None:
    shop.settings(source={"path": "folders/{batch}"})
    (shop.root / "folders" / BATCH).mkdir(parents=True)
    for name in names:
        write(shop.root / "folders" / BATCH / name, shop.source, orders(2))


def unfinished(shop: Shop) -> None:
    folder(shop, f"part-0.{shop.source}")
    (shop.root / "folders" / BATCH / "_temporary").mkdir()


def parts(change: Callable[[pa.Table], pa.Table], shop: Shop) -> None:
    """A folder of two halves, of which the second is changed."""
    folder(shop)
    first, second = orders(2).slice(0, 200), change(orders(2).slice(200))
    for k, half_of_it in enumerate((first, second)):
        write(shop.root / "folders" / BATCH / f"part-{k}.{shop.source}", shop.source, half_of_it)


def bad_part(shop: Shop) -> None:
    parts(lambda t: t, shop)
    (shop.root / "folders" / BATCH / f"part-1.{shop.source}").write_bytes(GARBAGE)


def malformed(shop: Shop) -> None:
    shop.deliver()
    with shop.file.open("a") as file:
        file.write({"csv": "1,2\n", "json": "no json\n"}[shop.source] * 5)


def unreadable(shop: Shop) -> None:
    # Root may read everything; nobody follows a link to itself.
    shop.file.parent.mkdir(parents=True, exist_ok=True)
    shop.file.symlink_to(shop.file)


def vanishing(shop: Shop) -> None:
    from avh_ui.local import group
    from avh_ui.spark import profiler

    shop.deliver()
    for module, name in ((group, "planned"), (profiler, "measure")):
        shop.patch.setattr(module, name, partial(_then_gone, getattr(module, name), shop.file))


def _then_gone(call: Any, file: Path, *args: Any) -> Any:
    if call.__name__ == "measure":
        file.unlink(missing_ok=True)
        return call(*args)
    found = call(*args)
    file.unlink()
    return found


def source(shop: Shop, **changes: Any) -> None:
    shop.settings(source=changes)


def no_java(shop: Shop) -> None:
    from avh_ui.errors import JavaNotFoundError
    from avh_ui.spark import profiler

    def none(_: object) -> None:
        raise JavaNotFoundError("Spark needs Java 17 or newer and none was found.")

    shop.deliver()
    shop.engine("spark")
    shop.patch.setattr(profiler, "get_spark", none)


def stating(shop: Shop, rows: int = 400, **of_pipeline: Any) -> None:
    """Settings of the pipeline: `rules`, `segments`, `columns`."""
    path = shop.root / "avh.yml"
    config = yaml.safe_load(path.read_text())
    config["pipelines"][shop.source] |= of_pipeline
    path.write_text(yaml.safe_dump(config))
    shop.deliver(orders(2, rows=rows))


def raising(error: BaseException, shop: Shop) -> None:
    from avh_ui.local import group

    def planned(*_: object) -> None:
        raise error

    shop.deliver()
    shop.patch.setattr(group, "planned", planned)


def delivered(then: Callable[[Shop], object], shop: Shop) -> None:
    shop.deliver()
    then(shop)


def program(shop: Shop) -> Path:
    return shop.root / "programs" / shop.source / "v000001.json"


def rewritten(shop: Shop, old: bytes, new: bytes) -> None:
    program(shop).chmod(0o644)
    program(shop).write_bytes(program(shop).read_bytes().replace(old, new) if old else new)


def warning(shop: Shop) -> None:
    store = ProgramFiles(str(shop.root / "programs"))
    live = store.load(shop.source)
    store.publish(replace(live, version=0, constraints=tuple(replace(c, level="warning") for c in live.constraints)))
    shop.deliver(orders(2, rows=250))


def at_history(shop: Shop, then: Callable[[Path], object]) -> None:
    shop.deliver()
    then(shop.root / "history" / shop.source)


def looped(path: Path) -> None:
    """A folder that nobody can open, not even root."""
    shutil.rmtree(path)
    path.symlink_to(path)


def blocked(path: Path) -> None:
    """Nothing can be written below what is no folder."""
    if path.is_dir():
        shutil.rmtree(path)
    path.touch()


Fault = tuple[Callable[[Shop], object], list[str]]
HERE = ["--batch", BATCH]
GARBAGE = bytes(range(200, 256)) + b"\x00\xff\n\xfe" * 20
# By source (or `files`, for each of the four) and the words of the docs' table.
FAULTS: dict[tuple[str, str], Fault] = {
    ("all files", "nothing is wrong"): (Shop.deliver, HERE),
    ("all files", "file missing"): (nothing, HERE),
    ("all files", "file of 0 bytes"): (partial(content, b""), HERE),
    ("all files", "garbage"): (partial(content, GARBAGE), HERE),
    ("all files", "cut short"): (half, HERE),
    ("all files", "no rows"): (partial(table, lambda t: t.slice(0, 0)), HERE),
    ("all files", "no permission"): (unreadable, HERE),
    ("all files", "vanishes while it is read"): (vanishing, HERE),
    ("all files", "column missing"): (partial(table, lambda t: t.drop_columns(["country"])), HERE),
    ("all files", "column of another type"): (
        partial(table, lambda t: t.set_column(1, "amount", pa.array([f"x{v}" for v in t.column("amount").to_pylist()]))),
        HERE,
    ),
    ("all files", "folder without files"): (folder, HERE),
    ("all files", "folder that is still being written"): (unfinished, HERE),
    ("all files", "files of a batch differ"): (partial(parts, lambda t: t.drop_columns(["country"])), HERE),
    ("all files", "two files, nothing is wrong"): (partial(parts, lambda t: t), HERE),
    ("parquet", "second file is garbage"): (bad_part, HERE),
    ("orc", "second file is garbage"): (bad_part, HERE),
    ("csv", "malformed rows"): (malformed, HERE),
    ("json", "malformed rows"): (malformed, HERE),
    ("all files", "the batch before delivered again"): (again, HERE),
    ("csv", "no gzip in .gz"): (partial(zipped, lambda data: data), HERE),
    ("csv", "cut gzip"): (partial(zipped, lambda data: gzip.compress(data)[:-100]), HERE),
    ("json", "no gzip in .gz"): (partial(zipped, lambda data: data), HERE),
    ("json", "cut gzip"): (partial(zipped, lambda data: gzip.compress(data)[:-100]), HERE),
    ("table", "nothing is wrong"): (nothing, HERE),
    ("table", "table missing"): (partial(source, table="nowhere"), HERE),
    ("table", "batch column missing"): (partial(source, batch_column="date"), HERE),
    ("table", "no rows of the batch"): (nothing, ["--batch", "1999-01-01"]),
    ("query", "nothing is wrong"): (nothing, HERE),
    ("query", "query does not parse"): (partial(source, query="selec * fro exit_orders where day = '{batch}'"), HERE),
    ("query", "column missing"): (partial(source, query="select nope from exit_orders where day = '{batch}'"), HERE),
    ("query", "table missing"): (partial(source, query="select * from nowhere where day = '{batch}'"), HERE),
    ("query", "value that cannot be cast"): (
        partial(source, query="select id, amount, country, cast(country as boolean) paid from exit_orders where day = '{batch}'"),
        HERE,
    ),
    ("query", "no rows of the batch"): (nothing, ["--batch", "1999-01-01"]),
    ("jdbc", "nothing is wrong"): (nothing, HERE),
    ("jdbc", "table missing"): (partial(source, table="NOWHERE"), HERE),
    ("jdbc", "driver missing"): (partial(source, options={"url": "jdbc:postgresql://localhost:9/shop"}), HERE),
    ("jdbc", "database down"): (partial(source, options={**DERBY, "url": "jdbc:derby:memory:not_there"}), HERE),
    ("jdbc", "no rows of the batch"): (nothing, ["--batch", "1999-01-01"]),
    ("delta", "package missing"): (nothing, HERE),
    ("iceberg", "package missing"): (nothing, HERE),
    ("parquet", "a file by --input, missing"): (nothing, ["--input", "nowhere.parquet"]),
    ("orc", "a file by --input, garbage"): (lambda shop: (shop.root / "x.orc").write_bytes(GARBAGE), ["--input", "x.orc"]),
    ("parquet", "rule broken"): (partial(table, lambda t: t.slice(0, 200)), HERE),
    ("parquet", "rule of level warning broken"): (warning, HERE),
    ("parquet", "rule of level warning broken, --fail-at warning"): (warning, [*HERE, "--fail-at", "warning"]),
    ("parquet", "rule of avh.yml on a column that is not there"): (partial(stating, rules=[{"is_complete": "amuont"}]), HERE),
    ("parquet", "rule of avh.yml on a column that is not there, rule broken"): (
        partial(stating, rows=200, rules=[{"is_complete": "amuont"}]),
        HERE,
    ),
    ("parquet", "segments by a column that is not there"): (partial(stating, segments=["region"]), HERE),
    ("parquet", "column to leave out that is misspelt"): (partial(stating, columns={"exclude": ["amuont"]}), HERE),
    ("parquet", "rule broken, --fail-at never"): (partial(table, lambda t: t.slice(0, 200)), [*HERE, "--fail-at", "never"]),
    ("parquet", "no rows, --fail-at never"): (partial(table, lambda t: t.slice(0, 0)), [*HERE, "--fail-at", "never"]),
    ("parquet", "file missing, --fail-at never"): (nothing, [*HERE, "--fail-at", "never"]),
    ("parquet", "no rows, severities: {empty: warning}"): (partial(stating, rows=0, severities={"empty": "warning"}), HERE),
    ("parquet", "no rows, severities: {empty: off}"): (partial(stating, rows=0, severities={"empty": "off"}), HERE),
    ("parquet", "no Java"): (no_java, HERE),
    ("parquet", "no avh.yml"): (lambda shop: (shop.root / "avh.yml").unlink(), HERE),
    ("parquet", "wrong avh.yml"): (lambda shop: (shop.root / "avh.yml").write_text("pipelines: 3"), HERE),
    ("parquet", "no program"): (lambda shop: shutil.rmtree(shop.root / "programs"), HERE),
    ("parquet", "unreadable program"): (lambda shop: rewritten(shop, b"", b"{"), HERE),
    ("parquet", "tampered program"): (lambda shop: rewritten(shop, b"first", b"worst"), HERE),
    ("parquet", "unsigned program where signatures are required"): (lambda shop: shop.settings(store={"require_signature": True}), HERE),
    ("parquet", "unreadable batch before"): (
        lambda shop: at_history(shop, lambda folder: (folder / f"{day(1)}.parquet").write_bytes(b"no history")),
        HERE,
    ),
    ("parquet", "unreadable history"): (partial(at_history, then=looped), HERE),
    ("parquet", "unreadable history, rule broken"): (
        lambda shop: (at_history(shop, looped), table(lambda t: t.slice(0, 200), shop)),
        HERE,
    ),
    ("parquet", "no batch before"): (lambda shop: at_history(shop, shutil.rmtree), HERE),
    ("parquet", "history not writable"): (lambda shop: at_history(shop, blocked), [*HERE, "--batch", BATCH]),
    ("parquet", "review database down"): (partial(delivered, lambda shop: (shop.root / "reviews.db").mkdir()), [*HERE, "--record"]),
    ("parquet", "output not writable"): (partial(delivered, lambda shop: (shop.root / "x").touch()), [*HERE, "--output", "x/report"]),
    ("parquet", "output not writable, rule broken"): (
        lambda shop: (table(lambda t: t.slice(0, 200), shop), (shop.root / "x").touch()),
        [*HERE, "--output", "x/report"],
    ),
    ("parquet", "no batch named"): (nothing, []),
    ("parquet", "unknown option"): (nothing, [*HERE, "--nonsense"]),
    ("parquet", "error that nobody foresaw"): (partial(raising, ZeroDivisionError("oops")), HERE),
    ("parquet", "memory used up"): (partial(raising, MemoryError()), HERE),
    ("parquet", "Ctrl-C"): (partial(raising, KeyboardInterrupt()), HERE),
}
