"""The rows that break a batch's rules: counted where a rule is broken, and kept apart (quarantined) where somebody asks for it.

They are kept in a folder of their own for each run, `PATH/PIPELINE/BATCH/START`, in Parquet: the columns of the batch, then `failed` (the
rules that a row breaks, with reasons), `avh_pipeline`, `avh_batch` and `avh_run` (when the run started). The folder has its name once it is
whole. Under `delta:PATH` they are appended to the Delta table `PATH/PIPELINE`, in one commit for a run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from urllib.parse import quote

from avh_ui.constraints.row_rules import RowRule, row_rules
from avh_ui.errors import AvhError, CancelledError, DeliveryError, sentence_of
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.shared_values import ValueCounts, countable, counted_numbers
from avh_ui.validator.failing import with_found
from avh_ui.validator.kept_rows import folder_of, on_a_disk, whole
from avh_ui.validator.row_table import DELTA, BrokenRows, RowTable, compared_columns
from avh_ui.validator.run import Run
from avh_ui.validator.whose_rows import Asked, asked_rows, with_whose

# So that a run is a folder wherever it is kept: a colon of a time of day is none of Windows' and Hadoop's.
_STAMP = "%Y%m%dT%H%M%S.%fZ"


@dataclass(frozen=True)
class BadRows:
    """The bad rows of a run, of which `target` will be the folder; `write` raises `DeliveryError` and leaves nothing."""

    target: str
    write: Callable[[], None]


def looked_at(
    run: Run,
    rows: Callable[[], RowTable],
    watch: Watch,
    *,
    samples: bool = True,
    quarantine: str | None = None,
    columns: Mapping[str, ColumnProfile] | None = None,
    key: tuple[str, ...] = (),
) -> tuple[Run, BadRows | None]:
    """The run with how many rows break each broken rule and (with `samples`) some of their values, by one more look at the rows, and what
    is to be kept of them under `quarantine`; None where no row is bad. Where all passed, and no rule allows exceptions, nothing is read.
    With the profile of the batch's `columns` it says what the rows share; by the `key` it names them.

    Where the rows cannot be read once more the verdicts stand, and a note says so.
    """
    rules = row_rules(run.verdicts)
    asked = [replace(rule, key=key) for rule in rules if rule.broken or (rule.excepts and quarantine is not None)]
    whose = asked_rows(run, columns or {}) if samples else ()
    if not asked and not whose:
        return run, None
    try:
        table = rows()
        there = countable(columns or {}) if samples else {}
        found = _found(table, asked, whose if there else (), watch, tuple(there))
        there |= _compared(asked, columns or {}) if samples else {}
    except CancelledError:
        raise
    except (AvhError, OSError) as error:
        said = f"The rows that break rules are not counted: {sentence_of(error)}"
        noted = replace(run, notes=(*run.notes, said))
        return noted, None if quarantine is None else BadRows(quarantine, lambda: _refuse(said))
    run = with_whose(with_found(run, found, samples=samples, there=there), whose, found, there)
    if quarantine is None or not found.bad:
        return run, None
    target = place(quarantine, run)
    kept = tuple(replace(v, kept=target) if v.failing else v for v in run.verdicts)
    rows_are = "row that breaks rules is" if found.bad == 1 else "rows that break rules are"
    note = f"{found.bad:,} {rows_are} kept in {target}."
    bad = BadRows(target, lambda: keep(table, replace(run, verdicts=kept), target))
    return replace(run, verdicts=kept, notes=(*run.notes, note)), bad


def _found(table: RowTable, asked: Sequence[RowRule], whose: Sequence[Asked], watch: Watch, among: Sequence[str]) -> BrokenRows:
    """What breaks the rules and, by the same look, the rows that facts speak of; these never cost the count of the others."""
    if whose:
        try:
            return table.found([*asked, *(one.rule for one in whose)], watch, among)
        except CancelledError:
            raise
        except AvhError:
            if not asked:
                return BrokenRows()
    return table.found(asked, watch, among)


def _compared(rules: Sequence[RowRule], columns: Mapping[str, ColumnProfile]) -> dict[str, ValueCounts]:
    names = {name for rule in rules for name in compared_columns(rule, list(columns))}
    return {name: counts for name in names if (counts := counted_numbers(columns[name]))}


def place(root: str, run: Run) -> str:
    """The folder of a run's bad rows, or the Delta table of its pipeline's; names of pipelines and batches are escaped as in a URL. A
    folder on this machine is named from its root on: whoever looks at the run stands elsewhere.
    """
    root = str(folder_of(root).absolute()) if on_a_disk(root) else root
    started = datetime.fromisoformat(run.started).astimezone(UTC).strftime(_STAMP)
    named = (quote(part, safe=" =,+@") if part.strip(".") else part.replace(".", "%2E") for part in (run.pipeline, run.batch))
    pipeline, *rest = named
    return "/".join((root.rstrip("/"), pipeline, *(() if root.startswith(DELTA) else (*rest, started))))


def without_kept(run: Run, bad: BadRows) -> Run:
    """The run as it is when its bad rows could not be kept."""
    notes = tuple(note for note in run.notes if bad.target not in note)
    return replace(run, verdicts=tuple(replace(v, kept="") for v in run.verdicts), notes=notes)


def keep(table: RowTable, run: Run, target: str) -> None:
    """Write the bad rows to a folder that must not be there yet, whole or not at all; `DeliveryError`."""
    more = {"avh_pipeline": run.pipeline, "avh_batch": run.batch, "avh_run": run.started}
    rules = row_rules(run.verdicts)
    with whole(target) as folder:
        table.write_bad(rules, folder, more)


def _refuse(why: str) -> None:
    raise DeliveryError(why)
