"""A run as an event of OpenLineage, with its results as the facet of data-quality assertions on the table that was judged.

Source: OpenLineage's specification, RunEvent (2-0-2) and DataQualityAssertionsDatasetFacet (1-0-1).
"""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from avh_ui.config import Config, Source
from avh_ui.validator.results import RuleResult
from avh_ui.validator.run import Run
from avh_ui.version import __version__

# What lineage calls a table: its namespace and its name there.
Dataset = tuple[str, str]
_SCHEMAS = "https://openlineage.io/spec"
# A name for this program, as a URI: it has no address on the web that is sure to stay.
_PRODUCER = f"urn:avh_ui:{__version__}"
# Of this program alone: equal runs have equal ids, on every machine.
_IDS = uuid.uuid5(uuid.NAMESPACE_URL, "urn:avh_ui")


def event_of(run: Run, dataset: Dataset | None = None) -> dict[str, Any]:
    """The event as plain data, without values of the data.

    A run that reached a verdict is complete, whatever it is; one that could not evaluate everything has failed. The facet knows success
    and no success: what warns, and what could not be evaluated, is none. The same run has the same id again.
    """
    namespace, name = dataset or ("avh_ui", run.pipeline)
    moment = datetime.fromisoformat(run.started)
    started = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).isoformat()
    return {
        "eventType": "FAIL" if run.status == "not_evaluated" else "COMPLETE",
        "eventTime": started,
        "producer": _PRODUCER,
        "schemaURL": f"{_SCHEMAS}/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": str(uuid.uuid5(_IDS, "\x1f".join((run.pipeline, _plain(run.batch), started)))), "facets": {}},
        "job": {"namespace": "avh_ui", "name": f"validate.{run.pipeline}", "facets": {}},
        "inputs": [{"namespace": namespace, "name": name, "facets": {}, "inputFacets": {"dataQualityAssertions": _assertions(run)}}],
        "outputs": [],
    }


def _assertions(run: Run) -> dict[str, Any]:
    told = []
    for result in run.results:
        of = result if isinstance(result, RuleResult) else result.constraint
        name, column = (of.rule, of.column) if isinstance(of, RuleResult) else (of.metric, of.own_column)
        one = {"assertion": _plain(name), "success": result.status == "pass", "severity": "error" if of.level == "error" else "warn"}
        told.append({**one, "column": _plain(column)} if column else one)
    return {
        "_producer": _PRODUCER,
        "_schemaURL": f"{_SCHEMAS}/facets/1-0-1/DataQualityAssertionsDatasetFacet.json#/$defs/DataQualityAssertionsDatasetFacet",
        "assertions": told,
    }


def datasets_of(config: Config, root: Path) -> dict[str, Dataset]:
    """What lineage calls the tables of a workspace, by pipeline: see `dataset_of`."""
    return {name: found for name, pipeline in config.pipelines.items() if (found := dataset_of(pipeline.source, root))}


def dataset_of(source: Source, root: Path) -> Dataset | None:
    """What OpenLineage's naming calls a source: files by the folder that all batches are in, a table by its name; None for what has none.

    Spark's own integration names files so; tables of a catalog it names by where they lie, which only the catalog knows.
    """
    if not source.path:
        return ("spark_catalog", source.table) if source.table else None
    place = min((at for at in (source.path.find("{"), source.path.find("*")) if at >= 0), default=-1)
    whole = source.path if place < 0 else source.path[:place].rpartition("/")[0]
    if "://" not in whole:
        return "file", str((root / whole).resolve())
    parts = urlsplit(whole)
    scheme = "s3" if parts.scheme in ("s3a", "s3n") else parts.scheme
    return f"{scheme}://{parts.netloc}", parts.path.strip("/") if scheme in ("s3", "gs") else parts.path


def _plain(text: str) -> str:
    """As JSON's readers take it: names of columns may hold half a surrogate pair."""
    return text.encode("utf-8", "replace").decode()
