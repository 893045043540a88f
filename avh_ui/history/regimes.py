"""Lasting changes: what people said of a pipeline's batches, where a column's regime begins by it, and which batches teach a column.

A change that somebody calls expected begins a new regime of a column: its level, shares and distances before say nothing of what comes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from avh_ui.history.standings import Said, Standing

# In place of a column's name: the number of rows of the table.
TABLE = ""


def begun(standings: Sequence[Standing], column: str) -> list[int]:
    """The places of the batches with which a column's regimes begin, in order. One that is wrong itself begins none."""
    return [k for k, s in enumerate(standings) if column in s.begins and s.said != "wrong"]


def teaching(standings: Sequence[Standing], column: str) -> list[bool]:
    """Which of the batches a column is learned from: those that did not fail in it, unless somebody called them right, and after a change
    that somebody expected, those that failed one after the other for it.
    """
    found, changed = [], False
    for standing in standings:
        begins = bool(standing.begins & {column, TABLE}) and standing.said != "wrong"
        teaches = standing.teaches(column)
        # Where one passed, the change is learned: what fails later is something else.
        changed = begins or (changed and not teaches)
        found.append(teaches or (changed and standing.said != "wrong" and not standing.unread))
    return found


def untaught(standings: Sequence[Standing], column: str) -> frozenset[str]:
    """The batches that nothing is learned from of a column, since they failed in it and nobody said why."""
    taught = teaching(standings, column)
    return frozenset(s.batch for s, teaches in zip(standings, taught, strict=True) if not teaches and s.said is None and not s.unread)


@dataclass(frozen=True)
class Labels:
    """What people said of a pipeline's batches: whether the data of each are right, and of which columns (`TABLE` of the number of rows)
    a lasting change `begins` with it.
    """

    said: Mapping[str, Said] = field(default_factory=dict)
    begins: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def standing(self, batch: str, content: str, extra: Mapping[str, str]) -> Standing:
        """Of one kept batch."""
        return Standing.of(batch, content, extra, self.said.get(batch), self.begins.get(batch, ()))

    @property
    def key(self) -> tuple[object, ...]:
        """Equal where they are; to look up by."""
        return tuple(self.said.items()), tuple(self.begins.items())


def labels_to_json(labels: Labels) -> bytes:
    """As a file's content."""
    begins = {batch: sorted(columns) for batch, columns in sorted(labels.begins.items())}
    return json.dumps({"said": dict(sorted(labels.said.items()))} | ({"begins": begins} if begins else {})).encode("ascii")


def labels_from_json(content: bytes) -> Labels:
    """From `labels_to_json`, also as the release before wrote it; `ValueError` when it is damaged."""
    found = json.loads(content)
    if not isinstance(found, dict) or not isinstance(found.get("said"), dict):
        raise ValueError("it holds no labels")
    begins = found.get("begins", {})
    if not isinstance(begins, dict) or not all(isinstance(columns, list) for columns in begins.values()):
        raise ValueError("it does not say what changed")
    said: dict[str, Said] = {str(batch): word for batch, word in found["said"].items() if word in ("right", "wrong")}
    return Labels(said, {str(batch): tuple(map(str, columns)) for batch, columns in begins.items()})
