"""What is known of an incident, read anew for its page: what changed together, the rows behind it, and which column moved farthest."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from avh_ui.constraints.constraint import Verdict
from avh_ui.constraints.reading import declaration_of
from avh_ui.constraints.schema import EXTRA
from avh_ui.errors import AvhError
from avh_ui.history.rarity import Rarity
from avh_ui.history.series import History
from avh_ui.metrics.contributions import Contribution, of_numbers, of_rows
from avh_ui.metrics.exchanged_columns import EXCHANGED
from avh_ui.metrics.moved import Moved
from avh_ui.metrics.new_column import column_words
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.quartiles import exchanged
from avh_ui.metrics.renamed_keys import renamed_words
from avh_ui.metrics.sampled_rows import sample_in
from avh_ui.metrics.shifted_rows import shifted
from avh_ui.metrics.strayed_values import Strayed, strayed_values
from avh_ui.metrics.type_names import ROWS
from avh_ui.scan.planning import spark_only
from avh_ui.ui.state.comparison import Comparison
from avh_ui.ui.state.runs_words import in_app
from avh_ui.validator.alarms import Alarm
from avh_ui.validator.delivery_rules import MALFORMED
from avh_ui.validator.incidents import Incident, clusters, copy_of
from avh_ui.validator.moved_rows import fact_of, headline
from avh_ui.validator.plain_facts import columns_of
from avh_ui.validator.results import Outcome, RuleResult
from avh_ui.workflows.incidents import ToldIncident
from avh_ui.workflows.services import Services

# Of more clusters nobody reads the rows.
_EXPLAINED = 3
# Of more rows a batch is read in parts, which say nothing of their order; these are read within a second.
_READ = 20_000
# Columns that took each other's values.
_BOTH = 2


@dataclass(frozen=True)
class Cluster:
    """Alarms of the batch that tells of an incident which have something in common, the most surprising result of them, and its rows.

    `beside` is what another rule on the same column says of the rows that a key matches, where the first says nothing of them.
    """

    alarms: tuple[Alarm, ...]
    result: RuleResult | Verdict
    moved: Moved | None = None
    beside: str = ""

    @property
    def message(self) -> str:
        """What the result says, without the command that the page has a button for."""
        return in_app(self.result.message)

    @property
    def fact(self) -> str:
        """What happened: to which rows where that is known, else what the result says."""
        told = replace(self.result, message=self.message)
        if isinstance(told, RuleResult):
            return fact_of(told, tuple(dict.fromkeys(alarm.column for alarm in self.alarms if alarm.name == told.rule)))
        return headline(told.constraint, self.moved) or fact_of(told)

    @property
    def such(self) -> str:
        """A row that breaks it, as a sentence, where its fact names none."""
        samples = self.result.samples if isinstance(self.result, Verdict) and self.result.failing else ()
        return f" Such is {samples[0]}." if samples and not any(one in self.fact for one in samples) else ""

    @property
    def measured(self) -> str:
        """What the result says beside the fact, without the rows that it names: they stand in a table."""
        if isinstance(self.result, RuleResult):
            return self.message.partition(fact_of(self.result))[2].strip()
        said = self.message.removeprefix(self.fact)
        for told in (self.moved.said, self.moved.listed.partition(":")[0]) if self.moved is not None else ():
            said = said.partition(told)[0] if told else said
        return said.strip()

    @property
    def shared(self) -> bool:
        """Whether the rows that fail are known to have something in common."""
        return isinstance(self.result, Verdict) and bool(self.result.shared)

    @property
    def columns(self) -> tuple[str, ...]:
        """Its columns; '' is the table."""
        return tuple(dict.fromkeys(alarm.column for alarm in self.alarms))

    @property
    def of_rows(self) -> bool:
        """Whether it is the table's number of rows that alarms."""
        return any(alarm.of_rows and alarm.column in ("", ROWS) for alarm in self.alarms)

    @property
    def places(self) -> tuple[str, ...]:
        """The same for people: rules of several columns, and queries, in words."""
        return tuple(dict.fromkeys(alarm.place for alarm in self.alarms))


@dataclass(frozen=True)
class Mover:
    """The column `of` several that moved farthest against its own past, by its metric that did: in words, `now` and `before`."""

    column: str
    words: str
    now: str
    before: str
    rarity: Rarity
    of: tuple[str, ...]


@dataclass(frozen=True)
class Story:
    """What is known of an incident: the batch that tells of it beside `against` ('' where there is none before), by clusters, and who
    carries it.

    `related` are the columns that its first rule keeps together, none where it is of one column; `mover` is the one of them that moved
    farthest, None where each moved as usual, and `mover_rows` its rows where a key matches them. `strayed` are columns that have another
    one's values; `renamed` says which keys look written otherwise, `exchanged` which two columns look like each other's, `slipped` which
    column's values are those of another row, and `new` what is in a new column.
    """

    told: ToldIncident
    against: str = ""
    clusters: tuple[Cluster, ...] = ()
    contributions: tuple[Contribution, ...] = ()
    comparison: Comparison | None = None
    related: tuple[str, ...] = ()
    mover: Mover | None = None
    mover_rows: Moved | None = None
    strayed: tuple[Strayed, ...] = ()
    renamed: str = ""
    exchanged: tuple[str, str] | None = None
    slipped: str = ""
    new: tuple[str, ...] = ()

    @property
    def incident(self) -> Incident:
        """The incident."""
        return self.told.incident

    @property
    def taken(self) -> str:
        """That two columns took each other's values; '' where they did not, and where the first rule says it."""
        if len(self.strayed) != _BOTH or EXCHANGED in self.clusters[0].fact:
            return ""
        one, other = self.strayed
        exchanged = (one.column, one.of) == (other.of, other.column)
        return f"{one.column} and {one.of} seem to be exchanged." if exchanged else ""

    @property
    def begun(self) -> str:
        """What happened, in a sentence: a slip or an exchange before what a rule says; with its batch where that is not the first."""
        if not self.clusters:
            return ""
        copied = f"{copy_of(f'batch {self.against}' if self.against else 'an earlier batch')} " if self.incident.copied else ""
        dated = f"{self.incident.told_by}: " if self.incident.told_by != self.incident.since else ""
        return f"{copied}{dated}{self.slipped or self.taken or self.clusters[0].fact}"


def story_of(services: Services, pipeline: str, name: str, history: History | None) -> Story:
    """Read all that is known of an incident; what a history or a sample of rows lacks is left out."""
    told = services.incidents.incident(pipeline, name)
    first = told.incident.told_by
    baselines = dict(zip(history.batches, history.baselines, strict=False)) if history is not None else {}
    at = history.batches.index(first) if history is not None and first in history.batches else 0
    against = (baselines.get(first) or (history.batches[at - 1] if at else "")) if history is not None else ""
    by_key = {Outcome.of(result).key: result for result in told.results}
    places = {key: place for place, key in enumerate(by_key)}
    alarms = sorted((alarm for alarm in told.incident.on(first) if alarm.key in by_key), key=lambda alarm: places[alarm.key])
    found = _rows_first([Cluster(some, by_key[some[0].key], beside=_beside(some, by_key)) for some in clusters(alarms)])
    # What the profile tells of one that is mended are other rows than those that alarmed.
    if not against or told.incident.mended:
        return Story(told, "", tuple(found))
    sides = [services.batches.view(pipeline, span=batch) for batch in (first, against)]
    comparison = Comparison(sides[0], sides[1], history)
    ours, theirs = sides[0].columns, sides[1].columns
    mine, other = sample_in(ours), sample_in(theirs)
    sampled = mine is not None and other is not None
    if sampled:
        found = [_with_rows(services, pipeline, one, first, against) if k < _EXPLAINED else one for k, one in enumerate(found)]
    related = related_of(found[0], ours) if found else ()
    mover = mover_of(related, comparison)
    rows = None
    if sampled and found and not any(one.moved and one.moved.rows for one in found):
        asked = _asked_rows(found[0], by_key, mover)
        rows = services.batches.moved_rows(pipeline, first, against, column=asked[0], metric=asked[1]) if asked else None
    rows = rows if rows is not None and rows.rows else None
    renamed = renamed_words(mine, other) if mine is not None and other is not None else ""
    columns = [name for one in found for name in one.columns]
    named = [*related, *(name for one in found for alarm in one.alarms for name in alarm.of)]
    return Story(
        told, against, tuple(found), _carried(found, ours, theirs), comparison, related, mover, rows,
        strayed_values(columns, ours, theirs), renamed, exchanged(columns, ours, theirs),
        _slipped(services, pipeline, told, against, named), _new(found, ours),
    )  # fmt: skip


def _carried(found: Sequence[Cluster], ours: Mapping[str, ColumnProfile], theirs: Mapping[str, ColumnProfile]) -> tuple[Contribution, ...]:
    """Who carries the change: of the number of rows, or of the numbers of the column that an incident begins with."""
    if found and found[0].of_rows:
        return tuple(of_rows(ours, theirs))
    mine, other = sample_in(ours), sample_in(theirs)
    if not found or mine is None or other is None:
        return ()
    return tuple(of_numbers(mine, other, found[0].alarms[0].column.partition(" by ")[0]))


def related_of(first: Cluster, there: Collection[str]) -> tuple[str, ...]:
    """The columns that the rule keeps together which an incident begins with; none where it is of one column."""
    found = [name for name in first.alarms[0].of if name in there] or columns_of(first.columns[0], there)
    return tuple(found) if len(found) > 1 else ()


def _asked_rows(first: Cluster, results: Mapping[str, RuleResult | Verdict], mover: Mover | None) -> tuple[str, str] | None:
    """The column and the metric whose rows tell of an incident where its first rule names none: those of another rule on the same rows,
    or of the column that moved farthest.
    """
    told = [result for alarm in first.alarms if isinstance(result := results[alarm.key], Verdict)]
    keyed = next((one.constraint for one in told if one.constraint.measure.key), None)
    if mover is not None:
        return mover.column, ""
    return None if keyed is None else (keyed.column, keyed.metric)


def _new(found: Sequence[Cluster], columns: Mapping[str, ColumnProfile]) -> tuple[str, ...]:
    """What is in each new column, in a sentence."""
    names = [alarm.column for one in found for alarm in one.alarms if alarm.name == EXTRA and alarm.column in columns]
    return tuple(filter(None, (column_words(name, columns[name]) for name in names)))


def _slipped(services: Services, pipeline: str, told: ToldIncident, against: str, columns: Sequence[str]) -> str:
    """That one of these columns slipped by a row, in a sentence; '' where none did, and of batches of more rows than are read at once."""
    # Spark takes longer to read them than a page may.
    if told.rows is None or told.rows > _READ or told.incident.copied or spark_only(services.pipeline(pipeline).source):
        return ""
    with suppress(AvhError):  # the source may have no such batch any more
        ours, theirs = (services.batches.sample(pipeline, batch, _READ) for batch in (told.incident.told_by, against))
        found = shifted(ours, theirs, list(dict.fromkeys(columns)))
        return found.words(against) if found is not None else ""
    return ""


def _beside(alarms: Sequence[Alarm], results: Mapping[str, RuleResult | Verdict]) -> str:
    """That 60 of 300 matched rows are 0 now, where the most surprising rule is on the column's distribution; '' where no rule tells it."""
    first, *others = (results[alarm.key] for alarm in alarms)
    if isinstance(first, RuleResult) or first.constraint.measure.key:
        return ""
    for other in others:
        if isinstance(other, Verdict) and other.constraint.measure.key and other.constraint.measure.columns == (first.constraint.column,):
            rows = other.message.partition(other.constraint.alarmed)[0].strip()
            if rows:
                return rows
    return ""


def _rows_first(found: list[Cluster]) -> list[Cluster]:
    """Of a file that was cut off it is plainer that rows are missing than that one of them is malformed."""
    rows = [one for one in found if one.of_rows]
    first = found[:1] and isinstance(found[0].result, RuleResult) and found[0].result.rule == MALFORMED
    return [*rows, *(one for one in found if one not in rows)] if first else found


def rows_said(rows: Moved) -> str:
    """How many rows did what, with one of them: those that something tells from the rest, where it does."""
    if rows.group is None:
        return f"{rows.among_words} {rows.did}, such as {rows.rows[0]}."
    return f"{rows.said.removesuffix('.')}{'' if rows.group.after else f' {rows.did}'}, such as {rows.rows[0]}."


def mover_of(columns: Sequence[str], comparison: Comparison) -> Mover | None:
    """The column of several that moved farthest against its own past; None where none moved farther than usual.

    It is told by a metric of one batch where one stands out, which has a value on both sides: a distance has none before.
    """
    found = []
    for name in columns:
        far = [shift for shift in comparison.metrics(name) if shift.rarity.marked and not shift.grows]
        if far:
            said = next((shift for shift in far if not shift.distance), far[0])
            found.append((far[0].rarity.order, Mover(name, said.words, said.ours, said.theirs, said.rarity, tuple(columns))))
    return max(found, key=lambda ranked: ranked[0])[1] if found else None


def _with_rows(services: Services, pipeline: str, one: Cluster, batch: str, against: str) -> Cluster:
    if not isinstance(one.result, Verdict) or declaration_of(one.result.constraint.metric, one.result.constraint.kind) is None:
        return one
    constraint = one.result.constraint
    moved = services.batches.moved_rows(pipeline, batch, against, column=constraint.column, metric=constraint.metric)
    return replace(one, moved=moved)
