"""Walking forward over young tables: what the guesses alarm on without a reason, and which documented faults they notice."""

from __future__ import annotations

import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from avh_ui.history.standings import outcome
from avh_ui.validator.results import Outcome
from avh_ui.validator.validate import validate
from avh_ui.workspace import Workspace
from benchmarks.avh.tables import Table
from benchmarks.coverage.tables import NAMES, PIPELINE, load, name_of, sound, workspace

STARTS, AFTER = (1, 2, 4, 6), 5
# Each table is young at so many places of its history, the first of them its beginning.
_PLACES = 4
_EARLY = 12


def measure(data: Path, folder: Path, names: tuple[str, ...] = NAMES) -> dict[str, Any]:
    """False alarms by the number of batches known, and the faults that are noticed."""
    judged, alarmed, standing, by = Counter[int](), Counter[int](), Counter[int](), Counter[str]()
    faults: list[dict[str, Any]] = []
    for name in names:
        table = load(name, data)
        clean = sound(table)
        places = [k * (len(clean) - max(STARTS) - AFTER - 1) // (_PLACES - 1) for k in range(_PLACES)]
        runs = [(start, clean[at : at + start + AFTER]) for at in places for start in STARTS]
        labels = sorted({label.first for label in table.labels if label.fault and label.first > 0})
        runs_of = {b: [*[k for k in clean if k < b][-max(STARTS) :], b] for b in labels}
        needed = sorted({k for _, kept in runs for k in kept} | {k for kept in runs_of.values() for k in kept if _rows(table, k)})
        ws = workspace(folder / name, table, needed)
        for start, kept in runs:
            for rules in _walk(ws, folder / "young", kept, start):
                judged[start] += 1
                # Those without a column are of every validation: the columns, the delivery, a repetition.
                alarmed[start] += any(" of " in rule for rule in rules)
                standing[start] += bool(rules) and not any(" of " in rule for rule in rules)
                by.update(f"{name}: {rule}" for rule in rules)
        for batch, kept in runs_of.items():
            if len(kept) > 1 and _rows(table, batch):
                (rules,) = _walk(ws, folder / "young", kept, len(kept) - 1)
                text = "; ".join(label.text for label in table.labels if label.fault and label.first == batch)
                columns = sorted({c for label in table.labels if label.fault and label.first == batch for c in label.columns})
                faults.append({"table": name, "batch": batch, "text": text, "early": batch <= _EARLY, "rules": rules, "columns": columns})
        print(name, dict(judged), dict(alarmed), [one for one in by.most_common(40) if one[0].startswith(name)], flush=True)
    return {"judged": dict(judged), "alarmed": dict(alarmed), "standing": dict(standing), "by": dict(by), "faults": faults}


def _rows(table: Table, k: int) -> int:
    return len(next(iter(table.batch(k).values()), ()))


def _walk(ws: Workspace, folder: Path, kept: list[int], known: int) -> list[list[str]]:
    """Of each batch after the first `known` what alarms, as `rule or metric of column`."""
    shutil.rmtree(folder, ignore_errors=True)
    young = workspace(folder, _NOTHING, [])
    source, history = ws.services.batches._history, young.services.batches._history
    (folder / "data").rmdir()
    (folder / "data").symlink_to((ws.root / "data").resolve())
    for k in kept[:known]:
        history.save(replace(source.load(PIPELINE, name_of(k)), extra={}))
    draft = young.suggest(PIPELINE)
    if not draft.items:
        return [[] for _ in kept[known:]]
    young.decide(PIPELINE, [item.suggestion.id for item in draft.items], "accept")
    program = young.publish(PIPELINE, message="first")
    found = []
    for k in kept[known:]:
        profile = replace(source.load(PIPELINE, name_of(k)), extra={})
        run = validate(program, profile, history)
        history.save(replace(profile, extra=outcome(run.status, stale=False)))
        bad = [Outcome.of(result) for result in run.results if result.status in ("fail", "warn")]
        found.append([f"{one.name} of {one.column}" if one.column else one.name for one in bad])
    return found


_NOTHING = Table("", (), (), lambda _: {})
