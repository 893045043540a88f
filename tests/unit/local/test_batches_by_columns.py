"""Tables of files whose columns say which batch a row is of, measured without Spark: held to what pandas tells of the same rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import orc

from avh_ui.errors import SourceError
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.profiler import FailedBatch, KnownTypes, Watch
from avh_ui.scan.listing import FileListing
from avh_ui.scan.parquet_reader import plan_table
from tests.unit.local.conftest import Make, SparkStandIn, profiled, run

IDS: dict[str, Callable[[pd.DataFrame], pd.Series]] = {
    "date(ts)": lambda rows: rows.ts.dt.strftime("%Y-%m-%d"),
    "hour(ts)": lambda rows: rows.ts.dt.strftime("%Y-%m-%dT%H"),
    "week(ts)": lambda rows: (rows.ts - pd.to_timedelta(rows.ts.dt.weekday, unit="D")).dt.strftime("%Y-%m-%d"),
    "month(ts)": lambda rows: rows.ts.dt.strftime("%Y-%m"),
    "year(ts)": lambda rows: rows.ts.dt.strftime("%Y"),
}


def events(rows: int = 400) -> pd.DataFrame:
    """Rows of ten days over the end of a year, some of them without a time."""
    rng = np.random.default_rng(3)
    times = pd.Timestamp("2025-12-27") + pd.to_timedelta(np.sort(rng.integers(0, 10 * 86_400, rows)), unit="s")
    region = rng.choice(["EU", "U,S", "1%"], rows)
    table = pd.DataFrame({"ts": times.astype("datetime64[us]"), "region": region, "amount": rng.gamma(2, 10, rows).round(2)})
    table.loc[::50, "ts"] = pd.NaT
    return table


def write(table: pd.DataFrame, root: Path, kind: str) -> dict[str, Any]:
    """The table as one file of a format; its source."""
    path = root / f"events.{kind}"
    if kind == "csv":
        table.to_csv(path, index=False, date_format="%Y-%m-%d %H:%M:%S")
    elif kind == "json":
        told = table.assign(ts=table.ts.dt.strftime("%Y-%m-%d %H:%M:%S"))
        told.to_json(path, orient="records", lines=True)
    else:
        table.to_parquet(path, index=False, row_group_size=40)
    return {"format": kind, "path": path.name, "options": {"header": "true"} if kind == "csv" else {}}


def remarks(profile: BatchProfile) -> tuple[str, ...]:
    """What is said of how a batch was read."""
    assert profile.delivery is not None
    return profile.delivery.remarks


@pytest.mark.parametrize("kind", ["parquet", "csv", "json"])
@pytest.mark.parametrize("batch", IDS)
def test_a_time_is_cut_as_pandas_cuts_it(local: Make, tmp_path: Path, spark_stand_in: SparkStandIn, kind: str, batch: str) -> None:
    table = events()
    found = run(local(source={**write(table, tmp_path, kind), "batch": batch}, only=True))
    expected = table.groupby(IDS[batch](table)).amount
    assert list(found) == sorted(expected.groups)
    for name, amounts in expected:
        profile = profiled(found[str(name)])
        assert profile.rows == len(amounts)
        assert profile.columns["amount"].single_metrics()["mean"] == pytest.approx(amounts.mean())
        assert remarks(profile) == ("8 rows of the table are in no batch: 'ts' is null or no time.",)
    assert not spark_stand_in.asked


def test_several_columns_and_what_their_texts_hold(local: Make, tmp_path: Path) -> None:
    table = events()
    found = run(local(source={**write(table, tmp_path, "csv"), "batch": ["date(ts)", "region"]}, only=True))
    names = table.region.str.replace("%", "%25").str.replace(",", "%2C")
    expected = table[table.ts.notna()].groupby(IDS["date(ts)"](table) + "," + names).size()
    assert {batch: profiled(profile).rows for batch, profile in found.items()} == expected.to_dict()


@pytest.mark.parametrize("batch", [["year", "month", "day"], "date(ts)"])
def test_folders_of_a_date(local: Make, tmp_path: Path, batch: Any) -> None:
    table = events()
    table = table[table.ts.notna()]
    parts = table.assign(year=table.ts.dt.year, month=table.ts.dt.month, day=table.ts.dt.day)
    parts.to_parquet(tmp_path / "parts", partition_cols=["year", "month", "day"], index=False)
    engine = local(source={"path": "parts", "batch": batch}, only=True)
    expected = table.groupby(IDS["date(ts)"](table)).size().to_dict()
    assert {b: profiled(p).rows for b, p in run(engine).items()} == expected
    newest = max(expected)
    assert engine.sample("t", newest, 1_000, 0).num_rows == expected[newest]
    assert engine.rows("t", newest).marked([]).num_rows == expected[newest]
    assert engine.distinct("t", newest, {"amount": "numeric"})["amount"] == table[table.ts >= newest].amount.nunique()


def test_rows_of_no_batch_are_counted_beside_one_batch(local: Make, tmp_path: Path) -> None:
    days = ["2026-01-01"] * 3 + ["2026-01-02"] * 3 + [None] * 2
    rows = pd.DataFrame({"day": days, "v": range(8)})
    rows.to_parquet(tmp_path / "folders", partition_cols=["day"], index=False)
    rows.assign(ts=pd.to_datetime(rows.day).astype("datetime64[us]")).drop(columns="day").to_parquet(
        tmp_path / "one.parquet", index=False, row_group_size=3
    )
    (tmp_path / "soon.csv").write_text("ts,v\n2026-01-01 05:00:00,1\nsoon,2\n,3\n2026-01-02,4\n")
    by_time = "2 rows of the table are in no batch: 'ts' is null or no time."
    for source, said in (
        ({"path": "folders", "batch": "day"}, "2 rows of the table are in no batch: 'day' is null."),
        ({"path": "one.parquet", "batch": "date(ts)"}, by_time),
        ({"format": "csv", "path": "soon.csv", "options": {"header": "true"}, "batch": "date(ts)"}, by_time),
    ):
        engine = local(source=source, only=True)
        assert engine.batches("t") == ["2026-01-01", "2026-01-02"]
        (alone,) = engine.profile("t", ["2026-01-02"], Watch())
        assert remarks(profiled(alone)) == (said,)
        assert engine.rows("t", "2026-01-02").marked([]).num_rows == profiled(alone).rows


def test_row_groups_of_other_times_are_not_read(tmp_path: Path) -> None:
    from avh_ui.config import Source

    table = events()
    table["ts"] = table.ts.fillna(pd.Timestamp("2025-12-27"))
    table.sort_values("ts").to_parquet(tmp_path / "events.parquet", index=False, row_group_size=40)
    source = Source.model_validate({"path": "events.parquet", "batch": "date(ts)"})
    listing = FileListing(source, tmp_path)
    _, all_of = plan_table(source, listing, listing.locate("table"), None)
    _, some = plan_table(source, listing, listing.locate("table"), ["2026-01-05"])
    parts = [len(share.parts or ()) for shares in (all_of, some) for share in shares]
    assert parts[0] == 10
    assert 1 <= parts[1] <= 3


def test_unique_columns_are_counted_within_the_batch(local: Make, tmp_path: Path) -> None:
    table = events(6_000).assign(id=lambda t: np.arange(len(t)) % 3_000)
    engine = local(source={**write(table, tmp_path, "parquet"), "batch": "year(ts)"}, only=True)
    (one, *_) = (profiled(r) for r in engine.profile("t", ["2026"], Watch(), KnownTypes(unique=frozenset({"id"}))))
    assert one.columns["id"].single_metrics()["unique_ratio"] == table[table.ts.dt.year == 2026].id.nunique() / one.rows


def test_a_malformed_line_that_lost_its_batch_is_told(local: Make, tmp_path: Path) -> None:
    (tmp_path / "e.csv").write_text("v,day\n1,2026-01-01\n2\n3,2026-01-02\n4,2026-01-02,x\n")
    source = {"format": "csv", "path": "e.csv", "options": {"header": "true"}, "batch": "day"}
    found = run(local(source=source, only=True))
    assert {batch: profiled(p).rows for batch, p in found.items()} == {"2026-01-01": 1, "2026-01-02": 2}
    told = profiled(found["2026-01-01"]).delivery
    assert told is not None
    assert "1 malformed line of the table has no batch." in told.sentences()


def test_a_column_of_numbers_stays_one_where_malformed_lines_spill_texts(local: Make, tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_text('name,v,w\na,1,4\nb,"two\nlines",5,6\nc,3,7\n')
    engine = local(source={"format": "csv", "path": "{batch}.csv", "options": {"header": "true"}}, only=True)
    (found,) = (profiled(r) for r in engine.profile("t", ["b"], Watch(), KnownTypes(recent={"v": ["number"]})))
    assert found.delivery is not None
    assert found.delivery.malformed_rows
    told = found.columns["v"].single_metrics()
    assert (found.columns["v"].type, told["min"], told["max"], told["row_count"]) == ("number", 1, 5, found.rows)


def test_orc_and_what_is_wrong_with_a_table(local: Make, tmp_path: Path, spark_stand_in: SparkStandIn) -> None:
    orc.write_table(pa.table({"day": ["a", "b", "b", None], "v": [1, 2, 3, 4]}), tmp_path / "t.orc")
    source = {"format": "orc", "path": "t.orc", "batch": "day"}
    assert {batch: profiled(p).rows for batch, p in run(local(source=source, only=True)).items()} == {"a": 1, "b": 2}
    with pytest.raises(SourceError, match=r"has no column 'dya', which `batch` names. Did you mean 'day'"):
        local(source={**source, "batch": "dya"}, only=True).batches("t")
    # Fractions are texts of Java's own.
    orc.write_table(pa.table({"day": [1.5, 2.5], "v": [1, 2]}), tmp_path / "f.orc")
    assert local(source={**source, "path": "f.orc"}).batches("t") == ["of Spark"]
    with pytest.raises(SourceError, match="It takes Spark: the column 'day' splits its rows and is a double"):
        local(source={**source, "path": "f.orc"}, only=True).batches("t")
    missing = local(source={**source, "path": "nowhere.orc"}, only=True)
    with pytest.raises(SourceError, match=r"nowhere\.orc"):
        missing.batches("t")
    (lost,) = local(source=source, only=True).profile("t", ["c"], Watch())
    assert isinstance(lost, FailedBatch)
    assert "is empty: it has no rows" in lost.reason


def test_a_decimal_comma_in_no_column_is_refused(local: Make, tmp_path: Path) -> None:
    (tmp_path / "2026-01-01.csv").write_text("day;price\n2026-01-01;1,5\n")
    options = {"header": "true", "sep": ";"}
    source = {"format": "csv", "options": options, "decimal_comma": ["prise"], "path": "*.csv", "batch": "day"}
    said = "has no column 'prise', which `decimal_comma` names. Did you mean 'price'"
    (failed,) = local(source=source, only=True).profile("t", ["2026-01-01"], Watch())
    assert isinstance(failed, FailedBatch)
    assert said in failed.reason
    with pytest.raises(SourceError, match=said):
        local(source=source, only=True).batches("t")
