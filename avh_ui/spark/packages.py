"""Whether the packages that `spark: {packages: [...]}` names are of the Spark that takes them: a wrong one fails late, in words of Java."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from avh_ui.errors import SparkError
from avh_ui.settings import load_settings

# The Scala of PySpark's own Java archives. Those of a Spark of one's own (SPARK_HOME) may be of another: 3.5 is built with both.
_SCALA = {3: "2.12", 4: "2.13"}
_SCALA_OF = re.compile(r"_(2\.1[23])$")
# `hudi-spark3.5-bundle_2.12`, `iceberg-spark-runtime-4.0_2.13`, `delta-spark_4.1_2.13`.
_SPARK_OF = re.compile(r"spark(?:-runtime-|-|_)?(\d\.\d)(?!\d)")
# By its releases (docs.delta.io/releases; of the later ones what they are built on): the Spark of each, and the first of its patches that
# has what it calls. 3.3 is built on 3.5.3 and failed on 3.5.1, 4.4 failed on 4.3.
_DELTA = {
    "3.0": (3, 5, 0), "3.1": (3, 5, 0), "3.2": (3, 5, 0), "3.3": (3, 5, 3), "4.0": (4, 0, 0), "4.1": (4, 1, 0), "4.2": (4, 1, 0),
    "4.3": (4, 1, 0), "4.4": (4, 2, 0),
}  # fmt: skip


# Delta reads and writes nothing in a session without these, which cannot be given to one that is there.
_OF_DELTA = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
}


def settings_of(packages: Sequence[str]) -> dict[str, str]:
    """The settings of Spark that packages take, which avh.yml need not repeat: those of Delta, of others none."""
    return _OF_DELTA if any(package.startswith("io.delta:delta-spark") for package in packages) else {}


def package_of_avro() -> str:
    """The package by which the PySpark that is installed reads Avro."""
    from pyspark import __version__

    return f"org.apache.spark:spark-avro_{_SCALA[int(__version__.partition('.')[0])]}:{__version__}"


def require_fitting(packages: Sequence[str], spark: str) -> None:
    """`SparkError` for packages that are not of this version of Spark, and for what is no package."""
    if said := [f"{package} {why}" for package in packages for why in _misfits(package, spark)]:
        raise SparkError(f"{'; '.join(said)}.", hint="Name those of this Spark under `spark: {packages: [...]}` in avh.yml.")


def _misfits(package: str, spark: str) -> Iterator[str]:
    """Why a package does not fit, at most one reason, as the end of a sentence."""
    number = tuple(int(part) for part in re.findall(r"\d+", spark)[:3])
    group, artifact, version, *more = [*package.split(":"), "", ""]
    if not (group and artifact and version) or any(more):
        yield "is no package: one is GROUP:ARTIFACT:VERSION, as Maven has it"
        return
    minor, scala = ".".join(map(str, number[:2])), _SCALA_OF.search(artifact)
    ours = None if load_settings().spark_home else _SCALA.get(number[0])
    named = _SPARK_OF.search(artifact)
    is_delta = (group, artifact.partition("_")[0]) == ("io.delta", "delta-spark") and not named
    delta = _DELTA.get(".".join(version.split(".")[:2])) if is_delta else None
    if scala and ours and scala[1] != ours:
        yield f"is of Scala {scala[1]}, and Spark {minor} of {ours}: its name ends with _{ours}"
    elif named and named[1] != minor:
        yield f"is of Spark {named[1]}, and Spark {spark} takes it"
    elif group == "org.apache.spark" and not version.startswith(f"{minor}."):
        yield f"is of another Spark than {spark}: both have the same version"
    elif delta and delta[:2] != number[:2]:
        yield f"is of Spark {delta[0]}.{delta[1]}, and Spark {spark} takes it"
    elif delta and delta > number:
        yield f"needs Spark {'.'.join(map(str, delta))} or newer, and Spark {spark} takes it: io.delta:delta-spark 3.2 fits"
