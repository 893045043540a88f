"""Incidents of a pipeline: which alarms are one event, whose it is, and what people say of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from avh_ui.config import Config
from avh_ui.constraints.constraint import Verdict
from avh_ui.errors import NotFoundError, UsageError
from avh_ui.history.series import batch_order
from avh_ui.review.feedback import EXCLUDING, Feedback, FeedbackRepository, IncidentAction, standing_labels
from avh_ui.validator.alarms import Judged, judged
from avh_ui.validator.incidents import Incident, copy_of, incidents_of, mended_incidents
from avh_ui.validator.likeness import nearest_like
from avh_ui.validator.moved_rows import fact_of
from avh_ui.validator.results import Outcome, RuleResult
from avh_ui.validator.run import Run, RunIncident, RunStore, Unpassed
from avh_ui.workflows.people import People

# A year of a daily table. Whoever asks looks back on as many batches: an incident that began before would have another id for each.
LOOKS_BACK = 365


@dataclass(frozen=True)
class ToldIncident:
    """An incident with what people said of it, oldest first: labels and snoozes of its alarms, its owners, comments and closings.

    `like` is the nearest earlier incident, None where none is like it; `results` are what alarmed on the batch that tells of it
    (`Incident.told_by`), the most surprising first, and `rows` how many that batch has (None where it could not be read). `worst` is by
    batch the most surprising of what alarmed, and `beside` are other incidents with alarms on the same batch.
    """

    incident: Incident
    said: tuple[Feedback, ...] = ()
    like: Incident | None = None
    results: tuple[RuleResult | Verdict, ...] = ()
    rows: int | None = None
    worst: Mapping[str, RuleResult | Verdict] = field(default_factory=dict)
    beside: tuple[Incident, ...] = ()


class Incidents:
    """The incidents of each pipeline."""

    def __init__(self, config: Config, people: People, runs: RunStore, feedback: FeedbackRepository) -> None:
        self._config, self._people, self._runs, self._feedback = config, people, runs, feedback

    def incidents(self, pipeline: str, *, limit: int = LOOKS_BACK, unresolved: bool = False) -> list[Incident]:
        """Those of the batches validated last, the newest first; with `unresolved` those alone that still ask for somebody."""
        name = self._config.pipeline(pipeline).name
        runs, before = self._runs.unpassed(name, limit), self._runs.mended(name, limit)
        found = standing_incidents(map(_judged, runs), self._feedback.feedback(name), map(_judged, before))
        shown = [one for one in found[::-1] if not unresolved or one.state != "resolved"]
        return [_with_fact(one, _telling_run(one, runs, before)) for one in shown]

    def incident(self, pipeline: str, name: str, *, limit: int = LOOKS_BACK) -> ToldIncident:
        """One incident by its id, or as much of its beginning as no other has; `NotFoundError` names the nearest."""
        settings = self._config.pipeline(pipeline)
        unpassed, log = self._runs.unpassed(settings.name, limit), self._feedback.feedback(settings.name)
        before = self._runs.mended(settings.name, limit)
        found = standing_incidents(map(_judged, unpassed), log, map(_judged, before))
        one = _named(pipeline, found, name)
        first = _telling_run(one, unpassed, before)
        said = _said(one, _entries(found, log).get(one.id, ()), log)
        worst = {run.batch: of[0] for run in (before if one.mended else unpassed) if (of := _results(one, run))}
        beside = tuple(other for other in found if other.id != one.id and other.on(one.told_by))
        return ToldIncident(one, said, nearest_like(one, found), _results(one, first), first.rows, worst, beside)

    def tell_incident(
        self,
        pipeline: str,
        name: str,
        *,
        own: str | None = None,
        resolve: bool = False,
        reopen: bool = False,
        comment: str = "",
        by: str | None = None,
    ) -> Incident:
        """Say whose an incident is (`own`, '' for nobody's), close it or open it again, and say something; how it then stands.

        What is resolved and alarms again in a later batch is open again. All of it stands in the audit log. `UsageError` where nothing is
        said, `NotPermittedError` unless its author is reviewer or approver.
        """
        who = self._people.require(by, "reviewer", "say something of incidents")
        if resolve and reopen:
            raise UsageError("An incident is resolved or opened again, not both.")
        words = comment.strip()
        said: list[tuple[IncidentAction, str]] = [] if own is None else [("own", own.strip())]
        said += [("resolve", words)] if resolve else [("reopen", words)] if reopen else [("comment", words)] if words else []
        if not said:
            raise UsageError("What is to be said of the incident?", hint="Name its owner, resolve or reopen it, or comment on it.")
        settings, one = self._config.pipeline(pipeline), self.incident(pipeline, name).incident
        about, now = one.on(one.last)[0], datetime.now(UTC).isoformat(timespec="seconds")
        for action, text in said:
            self._feedback.give(settings.name, Feedback(one.last, about.key, action, who, now, text))
        return self.incident(pipeline, one.id).incident


def _results(incident: Incident, run: Unpassed) -> tuple[RuleResult | Verdict, ...]:
    """Those of a run that are of the incident, in their order."""
    keys = {alarm.key for alarm in incident.on(run.batch)}
    return tuple(result for result in run.results if Outcome.of(result).key in keys)


def _telling_run(incident: Incident, now: Iterable[Unpassed], before: Iterable[Unpassed]) -> Unpassed:
    """The run that tells of an incident: of one that is mended the newest of its first batch in which something of it alarmed."""
    if not incident.mended:
        return next(run for run in now if run.batch == incident.told_by)
    runs = [run for run in before if _results(incident, run) and run.batch == incident.since]
    results = tuple(result for run in runs[::-1] for result in run.results)
    return replace(runs[-1], results=results)


def _with_fact(incident: Incident, telling: Unpassed) -> Incident:
    """With what happened: that its first batch is an old one, and what of the batch that tells of it is the most surprising, with its date
    where that is not the first.
    """
    results = _results(incident, telling)
    if not results:
        return incident
    alike = [one.column for one in map(Outcome.of, results) if one.name == Outcome.of(results[0]).name]
    fact = fact_of(results[0], tuple(dict.fromkeys(alike)))
    if incident.told_by != incident.since:
        return replace(incident, said=f"{incident.told_by}: {fact}")
    return replace(incident, said=f"{copy_of('an earlier batch')} {fact}" if incident.copied else fact)


def _judged(run: Unpassed) -> Judged:
    return judged(run.batch, run.rows, run.results)


def with_incidents(run: Run, runs: RunStore, feedback: FeedbackRepository) -> Run:
    """The run with the incidents that its alarms are of, told from the runs so far; as it is where nothing alarms.

    Without a database to read there are none: that must not cost the verdict.
    """
    this = Judged.of(run)
    if not this.alarms:
        return run
    with suppress(Exception):  # no fault of a database may cost the verdict
        before = [_judged(one) for one in runs.unpassed(run.pipeline, LOOKS_BACK) if one.batch != run.batch]
        found = standing_incidents([*before, this], feedback.feedback(run.pipeline))
        return replace(run, incidents=tuple(_told(one, run.batch) for one in found if one.on(run.batch)))
    return run


def _told(incident: Incident, batch: str) -> RunIncident:
    alarms, batches = incident.on(batch), incident.batches
    so_far = batches.index(batch) + 1
    columns, keys = tuple(dict.fromkeys(alarm.column for alarm in alarms)), tuple(alarm.key for alarm in alarms)
    fails = any(alarm.status == "fail" for alarm in alarms)
    return RunIncident(incident.id, incident.state, incident.owner, incident.since, so_far, columns, keys, fails)


def standing_incidents(runs: Iterable[Judged], log: Sequence[Feedback], before: Iterable[Judged] = ()) -> list[Incident]:
    """The incidents with their owners and states, in the order they began; with what alarmed `before` its batches were validated again
    those that are mended, too.

    Resolved is what somebody closed and did not alarm since, what passed again, what is mended and what is labelled as right; acknowledged
    what has an owner, or a label that stands.
    """
    labels, now = standing_labels(log), tuple(runs)
    closed = {alarm for alarm, entry in labels.items() if entry.action not in EXCLUDING}
    found = incidents_of(now, closed)
    if mended := mended_incidents(now, before, closed):
        found = sorted([*found, *mended], key=lambda one: batch_order(one.since))
    about = _entries(found, log)
    return [_standing(one, about.get(one.id, ()), labels) for one in found]


def _standing(incident: Incident, said: Sequence[Feedback], labels: dict[tuple[str, str], Feedback]) -> Incident:
    owner = next((entry.why for entry in reversed(said) if entry.action == "own"), "")
    verdict = next((entry for entry in reversed(said) if entry.action in ("resolve", "reopen")), None)
    holds = verdict is not None and batch_order(verdict.batch) >= batch_order(incident.last)
    over = incident.ended is not None or incident.closed or incident.mended
    if verdict is not None and holds:
        over = verdict.action == "resolve"
    taken = owner or any((alarm.batch, alarm.key) in labels for alarm in incident.alarms)
    return replace(incident, owner=owner, state="resolved" if over else "acknowledged" if taken else "open")


def _said(incident: Incident, entries: Sequence[Feedback], log: Sequence[Feedback]) -> tuple[Feedback, ...]:
    """What people said of an incident and its alarms, oldest first; of a batch as a whole too."""
    alarms, keys, batches = {(alarm.batch, alarm.key) for alarm in incident.alarms}, set(incident.keys), set(incident.batches)
    found = list(entries)
    for entry in log:
        about = entry.batch in batches and not entry.of_incident
        if about and ((entry.batch, entry.key) in alarms or (entry.key in keys if not entry.is_label else not entry.key)):
            found.append(entry)
    return tuple(sorted(found, key=lambda entry: entry.seq))


def _entries(incidents: Sequence[Incident], log: Sequence[Feedback]) -> dict[str, list[Feedback]]:
    """By incident what was said of it: it is of that whose alarm it names; where that has passed since, of the one before of its rule."""
    by_alarm = {(alarm.batch, alarm.key): one for one in incidents for alarm in one.alarms}
    found: dict[str, list[Feedback]] = {}
    for entry in (entry for entry in log if entry.of_incident):
        before = (one for one in incidents[::-1] if entry.key in one.keys and batch_order(one.since) <= batch_order(entry.batch))
        one = by_alarm.get((entry.batch, entry.key)) or next(before, None)
        if one is not None:
            found.setdefault(one.id, []).append(entry)
    return found


def _named(pipeline: str, incidents: Sequence[Incident], name: str) -> Incident:
    exact = [one for one in incidents if one.id == name]
    found = exact or [one for one in incidents if name and one.id.startswith(name)]
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(
            f"{len(found)} incidents of {pipeline!r} begin with {name!r}.", hint=f"Which: {', '.join(o.id for o in found[:5])}?"
        )
    raise NotFoundError(f"incident of {pipeline!r}", name, [one.id for one in incidents])
