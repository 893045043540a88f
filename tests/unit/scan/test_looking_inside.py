"""Folders that are batches of several tables, or hold what is no table beside one."""

from __future__ import annotations

from pathlib import Path

import pytest

from avh_ui.scan.looking import look
from avh_ui.scan.looking_files import SeenTable
from tests.unit.scan.test_looking import make

DAYS = ("2026-01-30", "2026-01-31", "2026-02-01")
ORDERS, CUSTOMERS = "id,amount\n1,2.5\n2,3\n", "id;name;city\n1;Ann;Oslo\n2;Bob;Rome\n"


def seen_in(root: Path, **texts: str) -> list[SeenTable]:
    """The tables of a folder with a folder a day in it; `{}` of a name stands for the day, `{0}` for it without dashes."""
    for name, text in texts.items():
        make(root, *(f"data/{day}/{name.format(day.replace('-', ''), day=day)}" for day in DAYS), text=text)
    return list(look([root / "data"]).tables)


@pytest.mark.parametrize(
    ("orders", "customers", "paths", "days"),
    [
        ("orders.csv", "customers.csv", ("{batch}/customers.csv", "{batch}/orders.csv"), DAYS),
        ("orders/part-0.csv", "customers/part-0.csv", ("{batch}/customers", "{batch}/orders"), DAYS),
        ("orders_{day}.csv", "customers.csv", ("{batch}/customers.csv", "{batch}/orders_{batch}.csv"), DAYS),
        (
            "orders_{0}.csv", "customers_{0}.csv",
            ("{year}-{month}-{day}/customers_{year}{month}{day}.csv", "{year}-{month}-{day}/orders_{year}{month}{day}.csv"), DAYS,
        ),
        ("orders_00{0}1.csv", "customers.csv", ("{batch}/customers.csv", "{batch}/orders_*.csv"), DAYS),
        ("orders_00{0}1.csv", "customers.tsv", ("{batch}/customers.tsv", "{batch}/*.csv"), DAYS),
    ],
)  # fmt: skip
def test_each_name_that_holds_other_columns_is_a_table(
    orders: str, customers: str, paths: tuple[str, str], days: tuple[str, ...], tmp_path: Path
) -> None:
    seen = seen_in(tmp_path, **{orders: ORDERS, customers: CUSTOMERS})
    assert [one.name for one in seen] == ["customers", "orders"]
    assert tuple(one.path.removeprefix(f"{tmp_path}/data/") for one in seen) == paths
    assert [one.batches for one in seen] == [days, days]
    assert [one.options for one in seen] == [{"sep": ";", "header": "true"}, {"header": "true"}]
    # A pattern of one table's files is that table.
    if "/" not in orders:
        (alone,) = look([tmp_path / "data" / "*" / "orders*.csv"]).tables
        assert (alone.batches, alone.options) == (days, {"header": "true"})


@pytest.mark.parametrize("folder", ["dt={day}", "2026/{month}/{number}", "year=2026/month={month}/day={number}", "{number}.{month}.2026"])
def test_however_the_folders_say_their_day(folder: str, tmp_path: Path) -> None:
    for day in DAYS:
        inside = folder.format(day=day, month=day[5:7], number=day[8:])
        make(tmp_path, f"data/{inside}/orders.csv", text=ORDERS)
        make(tmp_path, f"data/{inside}/customers.csv", text=CUSTOMERS)
    seen = look([tmp_path / "data"]).tables
    assert [(one.name, one.batches) for one in seen] == [("customers", DAYS), ("orders", DAYS)]
    assert [Path(one.path).name for one in seen] == ["customers.csv", "orders.csv"]


def test_parts_of_one_table_stay_one(tmp_path: Path) -> None:
    parts = {f"part-0000{k}-3fa85f64-5717-4562-b3fc-2c963f66afa6-c000.csv": ORDERS for k in (0, 1)}
    (seen,) = seen_in(tmp_path, **parts)
    assert (seen.name, seen.path, seen.remarks) == ("data", str(tmp_path / "data/{batch}"), ())
    # So do regions, which have the same columns.
    (seen,) = seen_in(tmp_path / "more", **{"north.csv": ORDERS, "south.csv": ORDERS})
    assert seen.path == str(tmp_path / "more/data/{batch}")


@pytest.mark.parametrize(
    ("names", "path"),
    [(("orders.csv",), "orders.csv"), (("part-0.csv", "part-1.csv"), "*.csv"), (("north.csv", "south.csv"), "*.csv")],
)
def test_what_is_no_data_beside_a_table_is_left_out(names: tuple[str, ...], path: str, tmp_path: Path) -> None:
    beside = {"README.md": "# Orders\n", "README.txt": "Delivered daily.\n", f"{names[0]}.md5": "0123\n"}
    (seen,) = seen_in(tmp_path, **dict.fromkeys(names, ORDERS), **beside)
    assert (seen.name, seen.path, seen.batches) == ("data", str(tmp_path / "data/{batch}" / path), DAYS)
    assert seen.remarks == (f"Left out beside the data: README.md, {names[0]}.md5, README.txt.",)


def test_a_table_that_comes_now_and_then_has_the_days_on_which_it_came(tmp_path: Path) -> None:
    make(tmp_path, "data/2026-01-30/shops.csv", "data/2026-02-01/shops.csv", "data/2026-01-31/notes.csv", text=CUSTOMERS)
    orders, shops = seen_in(tmp_path, **{"orders.csv": ORDERS})
    assert (orders.name, orders.batches, shops.name, shops.batches) == ("orders", DAYS, "shops", (DAYS[0], DAYS[2]))
    assert orders.remarks == ("Left out beside the data: notes.csv.",), "which came once"


def test_a_table_is_written_as_its_newest_file_with_a_byte(tmp_path: Path) -> None:
    seen_in(tmp_path, **{"orders.csv": ORDERS, "customers.csv": CUSTOMERS})
    (tmp_path / "data" / DAYS[-1] / "customers.csv").write_text("")
    customers, orders = look([tmp_path / "data"]).tables
    assert (customers.options["sep"], customers.batches, orders.batches) == (";", DAYS, DAYS)


def test_a_name_that_takes_another_along_is_told(tmp_path: Path) -> None:
    orders, items = seen_in(tmp_path, **{"orders_00{0}1.csv": ORDERS, "orders_items_00{0}1.csv": CUSTOMERS})
    assert (items.name, items.remarks) == ("orders_items", ())
    assert orders.remarks == ("Its path takes orders_items_00202602011.csv along: rename one, or keep them in folders of their own.",)
