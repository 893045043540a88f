"""What is said of errors of Spark, Java and databases that have no words of their own that help, or words with values of the data."""

from __future__ import annotations

import re

from avh_ui.errors import ended
from avh_ui.spark.drivers import DRIVERS, PACKAGES
from avh_ui.spark.packages import package_of_avro

_PACKAGE = "Name its package under `spark: {packages: [...]}` in avh.yml."
_AVRO = "THE PACKAGE OF AVRO"
_OF_DRIVER = f"{_PACKAGE.removesuffix('.')}, with its version:"
# Spark asks a database for the columns of a query by a condition of its own, and says what it answers behind that.
_ANSWERED = re.compile(r"\[JDBC_EXTERNAL_ENGINE_SYNTAX_ERROR.*? WHERE 1=0\. (?:ERROR: )?(.+?)\.?(?: The error occurred during|$)")
_POSITION = re.compile(r"\s+Position: \d+")
_MAY_NOT = re.compile("permission|denied|privilege", re.IGNORECASE)
SERVER_GONE = "The server of Spark Connect went away, or ended."
_JAVA_ENDED = "Spark's Java process has ended: it was killed, or its memory (spark.driver.memory) is too small."
# Spark's own readers of XML: that of whole files counts lines in the file, those before it in the row alone.
_PLACE = r"\[row,col [^\]]*\]: \[(\d+),(\d+)\].*\.StaxXMLRecordReader\."
_CUT = "in the middle of a row: it was cut off, or is still written."
_OF_XML = (
    (rf"WstxEOFException.*?{_PLACE}", rf"The file ends in line \1 (column \2), {_CUT}"),
    (r"WstxEOFException", f"A file ends {_CUT}"),
    (rf"\.Wstx\w+.*?{_PLACE}", r"The file is no XML from line \1 (column \2) on."),
    (r"\.Wstx\w+|_corrupt_record", "A row of it is no XML."),
)
# What has no words of its own that help, or words with values of the data: by what its messages hold, what to say.
_KNOWN: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"UnknownHostException: ([\w.-]+)"), r"No machine is known by the name \1."),
    # Where avh_ui writes, below it a folder that gets its name once all is there.
    (re.compile(r"Mkdirs failed to create (?:file:)?(.+?)(?:/\.[0-9a-f]{32}\.tmp)?/_temporary"), r"No folder can be made in \1."),
    # Of Spark's own files a full disk is told as a lack of memory.
    (re.compile(r"\[SPILL_OUT_OF_MEMORY\] Error while calling spill\(\) on \S+ : (.+?) SQLSTATE"), r"Spark's folder spark.local.dir: \1."),
    (re.compile(r"ConnectException: Call From \S+ to (\S+) failed"), r"Nothing answers at \1."),
    (re.compile(r"\A_(InactiveRpcError|MultiThreadedRendezvous)\b|\[RETRIES_EXCEEDED\]|StatusCode\.UNAVAILABLE"), SERVER_GONE),
    # Java says the same of what it cannot reach itself: a database, a file system.
    (
        re.compile(r"(?s)\A(?!.*java\.net\.).*(Error while sending|Answer from Java side is empty|Connection (refused|reset))"),
        _JAVA_ENDED,
    ),
    (re.compile(r"^Py4JError: An error occurred while calling \S+\s*$"), _JAVA_ENDED),
    (re.compile(r"OutOfMemoryError|Java heap space|GC overhead limit"), "The memory of Spark's Java (spark.driver.memory) is too small."),
    (re.compile(r"port number from avh_ui"), "ModuleNotFoundError: No module named 'avh_ui', or one that it needs."),
    (re.compile(r"Python worker exited unexpectedly"), "A Python worker of Spark died: it was killed, or the memory is too small."),
    (
        re.compile(r"Failed to find the data source: (?:com\.\S+\.)?(?:spark\.)?excel\b"),
        f"Spark knows no data source 'excel'. {_PACKAGE} com.crealytics:spark-excel of your Spark is one; or save each delivery as CSV or "
        "Parquet, which takes no package.",
    ),
    (
        re.compile(r"Failed to find the data source: xml\b"),
        f"Spark 3.5 reads no XML by itself. {_PACKAGE} It is com.databricks:spark-xml_2.12:0.18.0.",
    ),
    (re.compile(r"Failed to find the data source: (\S+?)\. "), rf"Spark knows no data source '\1'. {_PACKAGE}"),
    (
        re.compile(r"Failed to find data source: avro\b"),
        f"Spark reads Avro by a package. {_PACKAGE} It is {_AVRO}.",
    ),
    # Of XML, and of JSON with multiLine, Spark looks at the files by their names once more, as patterns, however they are escaped.
    (
        re.compile(r"Illegal file pattern|Input Pattern .+ matches 0 files"),
        "Spark takes [ ] { } and * in the names of these files for a pattern: give them names without, or write Parquet.",
    ),
    # Spark 3.5 says it without its class of files that cannot be read.
    (
        re.compile(r"(?:file:|: |\] |\n)(/[^\n]+?) \(Permission denied\)\s+It is possible the underlying files"),
        r"The file \1 cannot be read: the user of Spark's workers may not read it (permission denied).",
    ),
    *((re.compile(rf"(?s)MALFORMED_RECORD_IN_PARSING.*{told}"), sentence) for told, sentence in _OF_XML),
    (re.compile(r"QUERY_ONLY_CORRUPT_RECORD_COLUMN"), "No line of it is what its format asks for."),
    (
        re.compile(r"No suitable driver"),
        f"Spark has no JDBC driver for this URL. {_PACKAGE} Where it is there, say its class as `driver` among the options of the source.",
    ),
    *(
        (
            re.compile(rf"ClassNotFoundException: {re.escape(DRIVERS[name])}\b"),
            f"Spark has no JDBC driver for this URL. {_OF_DRIVER} {package}.",
        )
        for name, package in PACKAGES.items()
    ),
    (
        re.compile(rf"ClassNotFoundException: ({'|'.join(map(re.escape, DRIVERS.values()))})\b"),
        rf"Spark has no JDBC driver for this URL. {_PACKAGE.removesuffix('.')}, the one with \1.",
    ),
    (
        re.compile(r"TIMESTAMP\(NANOS"),
        "Spark does not read times in nanoseconds: name the Parquet files by `path`, with `reader: auto`, so that Arrow reads them, or "
        "write them in microseconds (pandas: `coerce_timestamps='us', allow_truncated_timestamps=True`).",
    ),
    (
        re.compile(r"UNSUPPORTED_TIME_TYPE"),
        "Spark does not read times of day: name the Parquet files by `path`, with `reader: auto`, so that Arrow reads them, or let "
        'Spark read them by `spark: {conf: {spark.sql.timeType.enabled: "true"}}` in avh.yml.',
    ),
    (
        re.compile(r"Illegal Parquet type: INT\d+ \(TIME\((MILLI|NANO)S"),
        "Spark does not read times of day but in microseconds: name the Parquet files by `path`, with `reader: auto`, so that Arrow reads "
        "them.",
    ),
    (re.compile(r"ClassNotFoundException: (?:Class )?(\S+)"), rf"Spark has no class \1. {_PACKAGE}"),
)


def known_sentence(text: str) -> str:
    """What is said of an error, by its class and its text; '' of one that tells by itself."""
    for known, sentence in _KNOWN:
        if match := known.search(text):
            # Its version is that of PySpark, which is not loaded to say the others.
            return match.expand(sentence).replace(_AVRO, package_of_avro() if _AVRO in sentence else "")
    return ""


def answer_of_database(message: str) -> str:
    """What a database answers to a query, without what Spark says around it; '' of other messages."""
    found = _ANSWERED.search(message)
    if found is None:
        return ""
    hint = " It takes GRANT SELECT for the user of the source." if _MAY_NOT.search(found[1]) else ""
    return f"{ended('The database answers: ' + _POSITION.sub('', found[1]))}{hint}"
