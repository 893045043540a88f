"""Telling coverage: the latest sound batch is sampled, every fault is measured on it once, and any set of rules is then judged at once."""

from __future__ import annotations

import time
from collections import Counter, OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa

from avh_ui.config import Config, Pipeline
from avh_ui.constraints.column_kind import KnownKind
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.constraints.program_store import ProgramStore
from avh_ui.constraints.schema import SchemaConstraint, differences
from avh_ui.constraints.several import led_by
from avh_ui.errors import AvhError, NotFoundError, ProgramNotFoundError
from avh_ui.history.repository import HistoryRepository
from avh_ui.history.series import ColumnHistory, History
from avh_ui.history.standings import FARTHEST
from avh_ui.inference.kinds.declarations import declaration_of, in_no_unit
from avh_ui.issues.coverage import Deliveries, condition_of, try_column
from avh_ui.issues.faults import AS_TEXTS, EMPTY, REPEATED, SEVERITIES, TABLE, Fault, row_faults
from avh_ui.issues.sample import Sample
from avh_ui.issues.variants import IN_MILES
from avh_ui.metrics.column import NUMBER_KINDS
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.profiler import Profiler, Watch
from avh_ui.review.draft import Draft
from avh_ui.review.plain import plain
from avh_ui.review.repository import ReviewRepository, required_draft
from avh_ui.validator.results import RuleResult
from avh_ui.validator.schema_drift import schema_of
from avh_ui.validator.stale import stale_results
from avh_ui.workflows.calendar import batches_per_year, cadence_of
from avh_ui.workflows.closing import Closer, ClosingRule
from avh_ui.workflows.coverage import Coverage, FaultFinding, cells_of
from avh_ui.workflows.eligible import eligible, kinds_found
from avh_ui.workflows.known_samples import sample_as_known
from avh_ui.workflows.noticing import TriedBatch
from avh_ui.workflows.suggesting import SAMPLE_ROWS

if TYPE_CHECKING:
    from avh_ui.inference.by_history.measured import MeasuredRepository

# Pipeline, batch, regexes, conditions and siblings.
_BatchKey = tuple[str, str, frozenset[tuple[str, str]], frozenset[str], tuple[tuple[str, str], ...]]
Of = Literal["published", "draft", "all"]
# Cells of the sample in all: 20 columns of 20,000 rows take 5 seconds on one core, and no table takes many times that.
_CELLS = 400_000
_LEAST_ROWS = 2_000
# Batches whose faults stay measured, and answers that are kept: the one looked at and some to go back to.
_MEASURED, _ANSWERS = 2, 16
# What every validation asks, in words.
_EMPTY, _STALE, _TYPE = "a batch has rows", "a batch is none of those before", "no column changes its type"


@dataclass(frozen=True, eq=False)
class _Rules:
    """The rules whose coverage is told, in words; with the other suggestions of the draft and its budget of a column."""

    of: str
    constraints: tuple[Constraint, ...]
    schema: SchemaConstraint
    others: tuple[tuple[str, Constraint], ...]
    draft: Draft | None
    digest: str


class Coverages:
    """The coverage of each pipeline's program and draft. What was measured and told stays at hand while the process lives."""

    def __init__(
        self,
        config: Config,
        *,
        profiler: Profiler,
        history: HistoryRepository,
        reviews: ReviewRepository,
        programs: ProgramStore,
        measured: MeasuredRepository,
    ) -> None:
        self._config, self._profiler, self._history = config, profiler, history
        self._reviews, self._programs, self._kept = reviews, programs, measured
        self._batches: OrderedDict[_BatchKey, TriedBatch] = OrderedDict()
        self._told: OrderedDict[tuple[str, str, str], Coverage] = OrderedDict()

    def coverage(self, pipeline: str, of: Of | None = None, *, version: int | None = None, watch: Watch | None = None) -> Coverage:
        """Which faults of the latest sound batch the rules notice: of the program that is `published` (or an older `version`), of the
        `draft` as it would be published, or of `all` its suggestions that nobody rejected. None takes what is published, else the draft.

        Reads a sample of that batch and of the one before it; takes seconds. `NotFoundError` where there is neither program nor draft, or
        no batch has a profile, `SourceError` where the batch cannot be read.
        """
        settings, watch = self._config.pipeline(pipeline), watch or Watch()
        rules = self._rules(settings, of, version)
        batch, before = self._batch(settings)
        key = settings.name, rules.digest, batch
        if key not in self._told:
            start = time.monotonic()
            measured = self._measure(settings, batch, before, rules, watch)
            self._told[key] = replace(self._tell(settings, measured, rules), seconds=round(time.monotonic() - start, 3))
            _forget(self._told, _ANSWERS)
        return self._told[key]

    def _rules(self, pipeline: Pipeline, of: Of | None, version: int | None) -> _Rules:
        draft = self._reviews.draft(pipeline.name)
        if of is None and version is None:
            of = "published" if self._programs.versions(pipeline.name) else "draft"
        if of in ("draft", "all"):
            return self._of_draft(pipeline, required_draft(self._reviews, pipeline.name), whole=of == "all")
        try:
            program = self._programs.load(pipeline.name, version)
        except ProgramNotFoundError as error:
            if version is not None or draft is None:
                raise
            raise NotFoundError(
                "published program of", pipeline.name, (), hint=f"Ask for the draft: `avh coverage {pipeline.name} --draft`."
            ) from error
        others = tuple((i.suggestion.id, i.current) for i in draft.items if i.current.key not in program.by_key) if draft else ()
        digest = f"{program.sha256}{draft.digest if draft else ''}"
        return _Rules(f"version {program.version}", program.constraints, program.schema, others, draft, digest)

    def _of_draft(self, pipeline: Pipeline, draft: Draft, *, whole: bool) -> _Rules:
        chosen = [item for item in draft.items if item.in_program or (whole and item.status != "rejected")]
        others = tuple((i.suggestion.id, i.current) for i in draft.items if i not in chosen)
        newest = self._history.load(pipeline.name, draft.run.last_batch)
        schema = SchemaConstraint(schema_of(newest), newest.covers_all, level=pipeline.severities.schema_level)
        words = "all suggestions" if whole else "the draft"
        return _Rules(words, tuple(item.current for item in chosen), schema, others, draft, f"{draft.digest}{whole}")

    def _batch(self, pipeline: Pipeline) -> tuple[str, str]:
        """The newest batch that did not fail and is not labelled as wrong, and the one that it is compared with ('' = none)."""
        batches = self._history.batches(pipeline.name)
        if not batches:
            raise NotFoundError("profiled batch of", pipeline.name, (), hint=f"Profile some with `avh profile {pipeline.name}`.")
        standings = self._history.standings(pipeline.name, batches[-FARTHEST:])
        sound = [standing.batch for standing in standings if standing.sound] or batches[-1:]
        return sound[-1], sound[-2] if len(sound) > 1 else ""

    # Measuring

    def _measure(self, pipeline: Pipeline, batch: str, before: str, rules: _Rules, watch: Watch) -> TriedBatch:
        wanted = [*rules.constraints, *(constraint for _, constraint in rules.others)]
        regexes = frozenset((c.column, c.pattern.regex) for c in wanted if isinstance(c, PatternConstraint))
        conditions = frozenset(text for c in wanted if (text := condition_of(c)) is not None)
        siblings = _siblings(rules.draft.run.kinds) if rules.draft is not None else {}
        key = pipeline.name, batch, regexes, conditions, tuple(siblings.items())
        if key not in self._batches:
            self._batches[key] = self._try(pipeline, (batch, before), regexes, conditions, siblings, watch)
            _forget(self._batches, _MEASURED)
        self._batches[key].try_measures(wanted, watch)
        return self._batches[key]

    def _try(
        self,
        pipeline: Pipeline,
        batches: tuple[str, str],
        regexes: frozenset[tuple[str, str]],
        conditions: frozenset[str],
        siblings: Mapping[str, str],
        watch: Watch,
    ) -> TriedBatch:
        batch, before = batches
        watch.report(0, 1, "reading the history")
        history = self._history.history(pipeline.name, upto=batch)
        named = [name for name, column in history.columns.items() if column.kind not in ("skipped", "rows")]
        rows = max(_LEAST_ROWS, min(SAMPLE_ROWS, _CELLS // max(1, len(named))))
        watch.report(0, 1, f"drawing a sample of {batch}")
        sample = sample_as_known(pipeline, self._profiler, history, batch, rows, watch=watch)
        earlier, notes = self._earlier(pipeline, history, before, rows, watch)
        columns = {name: history.columns[name] for name in sample.column_names if name in named and _is_of(sample, history.columns[name])}
        latest = {name: {m: float(v[-1]) for m, v in column.values.items() if len(v)} for name, column in columns.items()}
        whole = int(history.rows[-1])
        baseline = self._history.load(pipeline.name, before) if before else None
        own = self._history.load(pipeline.name, batch) if sample.num_rows < whole else None
        types, beside = {name: c.kind for name, c in columns.items()}, {a: b for a, b in siblings.items() if b in columns}
        deliveries = Deliveries(sample, whole, types, latest, earlier, baseline, own, beside)
        faults = list(row_faults(sample.num_rows, earlier.num_rows if earlier is not None else 0))
        tried = {}
        for done, name in enumerate(columns):
            watch.check()
            watch.report(done, len(columns), f"trying faults on {name}")
            tried[name] = try_column(name, deliveries, faults, [regex for column, regex in regexes if column == name], sorted(conditions))
        watch.report(len(columns), len(columns), "done")
        if deliveries.sampled:
            notes = (f"Told on {sample.num_rows:,} of the batch's {whole:,} rows, drawn at random.", *notes)
        return TriedBatch(history, batch, deliveries, tried, self._stale(pipeline, batch, before), notes)

    def _earlier(
        self, pipeline: Pipeline, history: History, before: str, rows: int, watch: Watch
    ) -> tuple[pa.Table | None, tuple[str, ...]]:
        if not before:
            return None, ("There is no batch before to deliver again: stale is not tried.",)
        try:
            return sample_as_known(pipeline, self._profiler, history, before, rows, watch=watch), ()
        except AvhError as error:
            return None, (f"Of {before} no rows can be read, so that of stale only its whole file is tried: {error}",)

    def _stale(self, pipeline: Pipeline, batch: str, before: str) -> tuple[RuleResult, ...]:
        """What the rule says should the batch before come again as this batch."""
        if not before:
            return ()
        batches = self._history.batches(pipeline.name)
        known = batches[: batches.index(batch)][-FARTHEST:]
        again = replace(self._history.load(pipeline.name, before), batch=batch)
        return stale_results(again, pipeline.severities.stale, self._history, lambda: self._history.standings(pipeline.name, known))

    # Telling

    def _tell(self, pipeline: Pipeline, measured: TriedBatch, rules: _Rules) -> Coverage:
        kinds = rules.draft.run.kinds if rules.draft is not None else _kinds_of(pipeline, measured)
        by: dict[Fault, list[str]] = {f: [] for column in measured.columns.values() for f in column.faults if _may_happen(f, kinds)}
        untried = []
        for constraint in rules.constraints:
            found, words = measured.noticed(constraint), plain(constraint).rstrip(".")
            if found is None:
                untried.append(words)
                continue
            for fault, hit in found.items():
                if hit and fault in by:
                    by[fault].append(plain(led_by(constraint, fault.column)).rstrip(".") if constraint.of_each else words)
        _by_rules(measured, rules, by)
        closer = self._closer(pipeline, measured, rules)
        findings = [closer.close(FaultFinding(fault, tuple(dict.fromkeys(words)))) for fault, words in by.items()]
        notes = (*measured.notes, *measured.untold())
        if untried:
            count = Counter(untried)
            names = "; ".join(list(count)[:5]) + (f" and {len(count) - 5} more" if len(count) > 5 else "")
            why = "they alarm on the batch as it is, follow the history, or take Spark, another table or rows that are not kept"
            notes += (f"Not tried, since {why}: {names}.",)
        columns = tuple(measured.columns)
        return Coverage(pipeline.name, rules.of, measured.batch, len(rules.constraints), columns, cells_of(findings, columns), notes, 0.0)

    def _closer(self, pipeline: Pipeline, measured: TriedBatch, rules: _Rules) -> Closer:
        candidates = [ClosingRule(c, name, found) for name, c in rules.others if (found := measured.noticed(c)) is not None]
        exclude = rules.draft.run.excluded if rules.draft is not None else ()
        kept = [column for column in self._kept.load(pipeline.name) if column.history.column in measured.columns]
        prepared = {column.history.column: column.fitted_or_empty(exclude=exclude) for column in kept}
        budget = rules.draft.run.fpr if rules.draft is not None else pipeline.fpr
        known = frozenset(plain(constraint).rstrip(".") for constraint in rules.constraints)
        a_year = batches_per_year(cadence_of(pipeline, measured.history.batches))
        keyed = any(column.kind == "rows" for column in measured.history.columns.values())
        return Closer(measured.columns, candidates, prepared, budget, a_year, known, keyed)


def _is_of(sample: pa.Table, column: ColumnHistory) -> bool:
    return Sample.from_arrow(sample.column(column.column).slice(0, 1), column.kind).kind == column.kind


def _kinds_of(pipeline: Pipeline, measured: TriedBatch) -> dict[str, KnownKind]:
    """What the columns are where no draft says it, as a program that came from another workspace has none."""
    sample, baseline = measured.delivered.sample, measured.delivered.baseline
    columns = eligible(pipeline, measured.history, 0, sample)[0]
    before = baseline or BatchProfile(pipeline.name, "", 0, {})
    return kinds_found(pipeline, columns, sample, before, {column.column: frozenset() for column in columns}, {})


def _siblings(kinds: Mapping[str, KnownKind]) -> dict[str, str]:
    """By column the next one of its kind, around the end of the table: what is mistaken for it."""
    found = {}
    for name, known in kinds.items():
        same = [other for other, one in kinds.items() if one.kind == known.kind]
        if len(same) > 1:
            found[name] = same[(same.index(name) + 1) % len(same)]
    return found


def _may_happen(fault: Fault, kinds: Mapping[str, KnownKind]) -> bool:
    """Whether a fault means something of what its column is: identifiers are not in miles."""
    if fault.way != IN_MILES:
        return True
    of = declaration_of(kinds.get(fault.column))
    return of is None or not in_no_unit(of)


def _by_rules(measured: TriedBatch, rules: _Rules, by: dict[Fault, list[str]]) -> None:
    """What the rules of every validation notice: an empty batch, one that comes again, and columns of another type."""
    by[Fault(TABLE, "rows lost", 1.0, EMPTY)] = [_EMPTY]
    again = Fault(TABLE, "stale", 1.0, REPEATED)
    if again in by and any(result.status in ("fail", "warn") for result in measured.stale):
        by[again].insert(0, _STALE)
    expected = {column.name for column in rules.schema.columns}
    for name, column in measured.columns.items():
        if column.kind not in NUMBER_KINDS:
            continue
        seen = [replace(c, type="string", kind="string") if c.name == name else c for c in rules.schema.columns]
        changed = rules.schema.level != "off" and name in expected and bool(differences(rules.schema, seen))
        for severity in SEVERITIES:
            by[Fault(name, "type or format", severity, AS_TEXTS)] = [_TYPE] if changed else []


def _forget(kept: OrderedDict[Any, Any], most: int) -> None:
    while len(kept) > most:
        kept.popitem(last=False)
