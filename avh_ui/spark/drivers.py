"""The JDBC driver of a database, by its URL.

Java finds a driver by the URL alone where it was there when it started; of what Spark loads as a package it has to be told the class.
"""

from __future__ import annotations

from collections.abc import Mapping

# By what stands behind `jdbc:`; the names are the vendors' own, of drivers that are kept up.
DRIVERS = {
    "postgresql": "org.postgresql.Driver", "mysql": "com.mysql.cj.jdbc.Driver", "mariadb": "org.mariadb.jdbc.Driver",
    "sqlite": "org.sqlite.JDBC", "sqlserver": "com.microsoft.sqlserver.jdbc.SQLServerDriver", "oracle": "oracle.jdbc.OracleDriver",
    "h2": "org.h2.Driver", "duckdb": "org.duckdb.DuckDBDriver", "db2": "com.ibm.db2.jcc.DB2Driver",
    "snowflake": "net.snowflake.client.jdbc.SnowflakeDriver",
}  # fmt: skip


def with_driver(options: Mapping[str, str]) -> dict[str, str]:
    """The options of a JDBC source, with the class of its driver where they do not say it and its URL does."""
    known = {name.lower(): value for name, value in options.items()}
    _, _, rest = known.get("url", "").partition("jdbc:")
    found = DRIVERS.get(rest.partition(":")[0].lower())
    return dict(options) if found is None or "driver" in known else {**options, "driver": found}
