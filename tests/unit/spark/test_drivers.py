"""The JDBC driver of a database, by its URL."""

from __future__ import annotations

import pytest

from avh_ui.errors import SourceError
from avh_ui.spark.drivers import with_driver, with_secrets


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


def test_a_password_stands_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AVH_SECRET_SHOP", "p w")
    options = {"url": "jdbc:postgresql://host/shop", "user": "reader", "password": "$AVH_SECRET_SHOP"}
    assert with_secrets(options) == {**options, "password": "p w"}
    # Others are what they are.
    assert with_secrets({"password": "$HOME"}) == {"password": "$HOME"}
    monkeypatch.delenv("AVH_SECRET_SHOP")
    said = r"The option password of the source is \$AVH_SECRET_SHOP, and the environment has no such variable. Set it where avh runs."
    with pytest.raises(SourceError, match=said):
        with_secrets(options)
