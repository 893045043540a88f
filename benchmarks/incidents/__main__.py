"""What the product catches of documented faults, walking forward over every table of a folder; see README.md, Incidents.

    python -m benchmarks.incidents DATA [--tables NAME ...] [--keep FOLDER] [--every 28] [--minutes 20]

Prints per table the faults that are caught, with the right column first and the right rows named, what alarms on batches that nobody
documents, and what it costs. With `--keep`, walks are kept there, and those that are kept are not walked again.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from benchmarks.incidents.deliveries import Deliveries, load, tables
from benchmarks.incidents.scoring import Found, Score, interval, score
from benchmarks.incidents.walk import Walked, walk

# Of a table that delivers more than so many bytes in all only the weeks up to each incident are walked: 6 GB of runways are too many.
_LARGE, _BEFORE, _AFTER = 200_000_000, 45, 3


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--tables", nargs="*")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--every", type=int, default=28)
    parser.add_argument("--upto", type=int, help="judge the first so many batches")
    parser.add_argument("--minutes", type=float, help="stop each table after so long, with what is judged by then")
    parser.add_argument("--brief", action="store_true")
    options = parser.parse_args()
    scores, walks = [], []
    for name in options.tables or tables(options.data):
        table = load(name, options.data)
        walked = _walked(table, options)
        scores.append(score(walked, table))
        walks.append(walked)
        print(_told(scores[-1], brief=options.brief), flush=True)
    print(overview(scores, walks))


def _walked(table: Deliveries, options: argparse.Namespace) -> Walked:
    kept = options.keep / f"{table.name}.json" if options.keep else None
    if kept is not None and kept.exists():
        return Walked.from_record(json.loads(kept.read_text(encoding="utf-8")))
    with tempfile.TemporaryDirectory() as folder:
        walked = walk(table, Path(folder), places=list(_places(table, options.upto)), every=options.every, minutes=options.minutes)
        shutil.rmtree(folder, ignore_errors=True)
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(walked.to_record()), encoding="utf-8")
    return walked


def _places(table: Deliveries, upto: int | None) -> Iterable[range]:
    count = min(len(table.ids), upto or len(table.ids))
    middle = len(table.content(count // 2))
    if middle * count < _LARGE:
        return [range(count)]
    made: list[range] = []
    for one in sorted(table.incidents, key=lambda i: i.first):
        start, stop = max(0, one.first - _BEFORE), min(count, one.first + _AFTER)
        if made and start <= made[-1].stop:
            made[-1] = range(made[-1].start, stop)
        else:
            made.append(range(start, stop))
    return made


def _told(found: Score, *, brief: bool) -> str:
    lines = [f"{found.name}: {found.judged} batches judged"]
    lines += [f"  {_word(f):14} {f.batch} {f.incident.kind}: {f.incident.text[:70]} | {f.by}" for f in found.faults]
    if not brief:
        lines += [f"  alarm          {j.batch} {'; '.join(_brief(j))}" for j in found.alarms]
    return "\n".join(lines)


def _word(f: Found) -> str:
    if not f.judged:
        return "not judged"
    return "right" if f.first else "column behind" if f.named else "other column" if f.caught else "missed"


def _brief(judged: object) -> list[str]:
    return [f"{a.name} of {', '.join(a.columns) or 'the table'} ({a.source})" for a in judged.alarms if a.status in ("fail", "warn")][:4]  # type: ignore[attr-defined]


_HEAD = (
    "| table | key | batches | faults | caught | right column first | right rows | quiet batches alarmed | episodes | by rows matched"
    " | by rows or relations alone, named by a note"
    " | s to judge | s to suggest | kB a batch |"
)


def overview(scores: list[Score], walks: list[Walked]) -> str:
    """A line per table, and their sums."""
    lines = [_HEAD, "|" + "---|" * (_HEAD.count("|") - 1)]
    for found, walked in zip(scores, walks, strict=True):
        faults, alarms = found.faults, len(found.alarms)
        low, high = interval(alarms, found.quiet)
        named = [f.rows for f in faults if f.rows is not None and f.caught]
        judge = np.median([j.seconds for j in walked.judged]) if walked.judged else 0
        cells = [
            found.name, ", ".join(walked.key) or "none", found.judged, len(faults), sum(f.caught for f in faults),
            sum(f.first for f in faults), f"{sum(named)} of {len(named)}" if named else "",
            f"{alarms} of {found.quiet}: {100 * alarms / max(found.quiet, 1):.1f} % ({100 * low:.1f} to {100 * high:.1f})",
            found.episodes,
            f"{found.by['key']} ({found.alone['key']} alone)", f"{found.alone_rows}, {found.alone_noted}", f"{judge:.2f}",
            f"{sum(walked.suggesting):.0f}", f"{walked.bytes / 1000:.0f}",
        ]  # fmt: skip
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    every = [f for s in scores for f in s.faults]
    alarms, quiet = sum(len(s.alarms) for s in scores), sum(s.quiet for s in scores)
    sources = sum((s.by for s in scores), start=type(scores[0].by)()) if scores else {}
    lines.append(
        f"\n{len(every)} faults: {sum(f.caught for f in every)} caught, {sum(f.first for f in every)} with the right column first;"
        f" {alarms} of {quiet} quiet batches alarmed; by source {dict(sources)}"
    )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
