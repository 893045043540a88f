"""Delta and Iceberg tables as sources, in a Spark that has them: is each listed, profiled, and profiled again after a correction?

Their jars are built for one line of Spark each and not yet for the newest, so this makes an environment with a Spark that has both. Needs
the network. What is tried is what `avh.yml` says: packages and configuration of the session with a classic master, and a Spark
Connect server that has the packages itself.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import venv
from pathlib import Path

_ROOT = Path(__file__).parents[2]
# The newest releases of Spark, Delta and Iceberg that go together (November 2026).
SPARK = "4.0.*"
DELTA = "io.delta:delta-spark_2.13:4.0.1"
ICEBERG = "org.apache.iceberg:iceberg-spark-runtime-4.0_2.13:1.10.0"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "avh_ui-benchmarks", help="where the environment is kept")
    parser.add_argument("--spark", default=SPARK, help="release of pyspark")
    parser.add_argument("--delta", default=DELTA, help="Maven coordinates; empty leaves it out")
    parser.add_argument("--iceberg", default=ICEBERG, help="Maven coordinates; empty leaves it out")
    options = parser.parse_args()
    python = environment(options.cache, options.spark)
    lakes = [f"{name}={package}" for name, package in (("delta", options.delta), ("iceberg", options.iceberg)) if package]
    command = [str(python), "-m", "benchmarks.sources.lake_tables", *lakes]
    # A process each: it has one kind of session.
    done = [subprocess.run([*command, *more], check=False, cwd=_ROOT).returncode for more in ([], ["--remote"])]
    sys.exit(max(done))


def environment(cache: Path, spark: str) -> Path:
    """The Python of a virtual environment with this release of Spark and the tested versions of all else."""
    folder = cache / f"lakes-{re.sub(r'[^0-9.]', 'x', spark)}"
    python, done = folder / "bin" / "python", folder / ".installed"
    if not done.exists():
        print(f"Making an environment with pyspark {spark} in {folder}", flush=True)
        venv.create(folder, with_pip=True, clear=True)
        pins = [p for p in (_ROOT / "versions.txt").read_text(encoding="utf-8").splitlines() if not p.startswith("pyspark")]
        constraints = folder / "versions.txt"
        constraints.write_text("\n".join(pins), encoding="utf-8")
        install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-c", str(constraints)]
        subprocess.run([*install, f"pyspark[connect]=={spark}", "-e", str(_ROOT)], check=True)
        done.write_text(spark, encoding="utf-8")
    return python


if __name__ == "__main__":
    main()
