"""The JDBC driver of a database, by its URL, and what it logs in with.

Java finds a driver by the URL alone where it was there when it started; of what Spark loads as a package it has to be told the class.
"""

from __future__ import annotations

from collections.abc import Mapping

from avh_ui.errors import SourceError
from avh_ui.settings import SECRET, load_settings

# By what stands behind `jdbc:`; the names are the vendors' own, of drivers that are kept up.
DRIVERS = {
    "postgresql": "org.postgresql.Driver", "mysql": "com.mysql.cj.jdbc.Driver", "mariadb": "org.mariadb.jdbc.Driver",
    "sqlite": "org.sqlite.JDBC", "sqlserver": "com.microsoft.sqlserver.jdbc.SQLServerDriver", "oracle": "oracle.jdbc.OracleDriver",
    "h2": "org.h2.Driver", "duckdb": "org.duckdb.DuckDBDriver", "db2": "com.ibm.db2.jcc.DB2Driver",
    "snowflake": "net.snowflake.client.jdbc.SnowflakeDriver",
}  # fmt: skip
# By the same, the package that has it; those of the others are named by their class.
PACKAGES = {
    "postgresql": "org.postgresql:postgresql", "mysql": "com.mysql:mysql-connector-j", "mariadb": "org.mariadb.jdbc:mariadb-java-client",
    "sqlite": "org.xerial:sqlite-jdbc", "sqlserver": "com.microsoft.sqlserver:mssql-jdbc", "oracle": "com.oracle.database.jdbc:ojdbc11",
}  # fmt: skip


def with_driver(options: Mapping[str, str]) -> dict[str, str]:
    """The options of a JDBC source, with the class of its driver where they do not say it and its URL does."""
    known = {name.lower(): value for name, value in options.items()}
    _, _, rest = known.get("url", "").partition("jdbc:")
    found = DRIVERS.get(rest.partition(":")[0].lower())
    return dict(options) if found is None or "driver" in known else {**options, "driver": found}


def with_secrets(options: Mapping[str, str]) -> dict[str, str]:
    """The options with what the environment holds for each that names a variable (`password: $AVH_SECRET_SHOP`); `SourceError` where it
    holds nothing.
    """
    secrets = load_settings().secrets if any(value.startswith(f"${SECRET}") for value in options.values()) else {}
    found = dict(options)
    for name, value in options.items():
        if value.startswith(f"${SECRET}"):
            if value[1:] not in secrets:
                text = f"The option {name} of the source is {value}, and the environment has no such variable."
                raise SourceError(text, hint="Set it where avh runs.")
            found[name] = secrets[value[1:]]
    return found
