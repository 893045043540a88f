"""What Java writes while Spark starts: kept from the terminal, and read where it ends too soon, of which Python is not told why."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

# Ivy's words: `:: io.delta#delta-spark_2.13;4.0.9: not found`, `[download failed: io.delta#delta-spark_2.13;4.0.1!delta-spark_2.13.jar]`.
_UNRESOLVED = re.compile(r":: ([^\s#]+)#([^\s;]+);(\S+): not found")
_NOT_LOADED = re.compile(r"download failed: ([^\s#]+)#([^\s;]+);([^\s!]+)!")
# Of Maven's own host: that another place of Spark's list cannot be reached says nothing of a package.
_NO_HOST = re.compile(r"(?:Host |Server access error at url https?://)[\w.-]*maven[\w.-]*")
_MIRROR = "Name a mirror by `spark: {conf: {spark.jars.repositories: URL}}`"
# What Java's launcher and Spark's say of what is wrong, before a sentence that nothing was made of it.
_REASONS = re.compile(r'^(?:Exception in thread "main" [\w.$]+: (?P<why>.+)|(?P<line>Invalid .+|Unrecognized .+|Error: .+))$', re.MULTILINE)


class JvmLog:
    """The file that takes the standard error of the Java that a process starts, and what was written there since."""

    def __init__(self) -> None:
        self.path = Path(tempfile.gettempdir()) / f"avh_ui-spark-{os.getpid()}.log"
        self._start = self.path.stat().st_size if self.path.exists() else 0

    @contextlib.contextmanager
    def taken(self) -> Iterator[None]:
        """Lets the JVM that starts inside inherit the file as its standard error.

        Its launcher and loggers write a dozen lines at every start that say nothing to the user; failures come as exceptions.
        """
        kept, log = os.dup(2), os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.dup2(log, 2)
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            os.close(log)

    def reason(self) -> tuple[str, str]:
        """Why Java ended, and what to do, as sentences; empty where it does not say."""
        with contextlib.suppress(OSError), self.path.open("rb") as file:
            file.seek(self._start)
            return why_ended(file.read().decode("utf-8", "replace"), self.path)
        return "", ""


def why_ended(text: str, path: Path) -> tuple[str, str]:
    """The reason that the log of a start that failed gives, and what to do, as sentences; empty where it gives none."""
    found = dict.fromkeys(":".join(parts) for parts in (*_UNRESOLVED.findall(text), *_NOT_LOADED.findall(text)))
    if found:
        what = f"the package{'s' * (len(found) > 1)} {', '.join(found)} cannot be had"
        if _NO_HOST.search(text):
            return f"{what}: Maven Central cannot be reached.", f"{_MIRROR} in avh.yml, or the files themselves by `spark.jars`."
        hint = f"Correct it under `spark: {{packages: [...]}}` in avh.yml. {_MIRROR}, where it lies elsewhere."
        return f"{what}: nothing of this name and version is in Maven Central or in the caches of this machine.", hint
    said = _REASONS.search(text)
    return (f"{said['why'] or said['line']}".rstrip(".") + ".", f"What Java wrote is in {path}.") if said else ("", "")
