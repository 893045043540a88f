"""The JDBC driver of a database, by its URL."""

from __future__ import annotations

import pytest

from avh_ui.spark.drivers import with_driver


@pytest.mark.parametrize(
    ("options", "driver"),
    [
        ({"url": "jdbc:postgresql://host/shop"}, "org.postgresql.Driver"),
        ({"URL": "jdbc:sqlite:/data/shop.db"}, "org.sqlite.JDBC"),
        ({"url": "jdbc:sqlserver://host;databaseName=shop"}, "com.microsoft.sqlserver.jdbc.SQLServerDriver"),
        ({"url": "jdbc:oracle:thin:@host:1521/shop"}, "oracle.jdbc.OracleDriver"),
        ({"url": "jdbc:postgresql://host/shop", "Driver": "a.B"}, None),
        ({"url": "jdbc:derby:memory:x"}, None),
        ({"dbtable": "orders"}, None),
    ],
)
def test_the_driver_follows_from_the_url_unless_it_is_said(options: dict[str, str], driver: str | None) -> None:
    assert with_driver(options) == (options if driver is None else {**options, "driver": driver})
