"""A program as it ages: the next batches judged one by one, as the validator does, by bounds that are frozen or follow the history."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from avh_ui.constraints.constraint import Constraint
from avh_ui.history.series import ColumnHistory, History
from avh_ui.history.standings import REACH, Standing
from avh_ui.metrics.catalogue import metric
from avh_ui.validator.learning import Lessons, judge_learned

AGES = ((1, 6), (7, 13), (14, 30), (31, 60))


@dataclass(frozen=True)
class Way:
    """How bounds are kept: `follows` the history or frozen; `answered` when somebody calls the first alarm of each episode right."""

    name: str
    follows: bool = True
    answered: bool = False


@dataclass
class Walk:
    """Batches after a place `at`, judged in their order; what fails is not learned from. Distances compare with the batch before; after one
    that failed they are not judged, since the validator would compare with the one before that.
    """

    batches: Sequence[str]
    columns: Mapping[str, ColumnHistory]
    labelled: Mapping[str, frozenset[int]]
    constraints: Sequence[Constraint]
    at: int
    way: Way
    failed: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    right: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    alarms: list[str] = field(default_factory=list)
    true: Mapping[str, frozenset[int]] = field(default_factory=dict)
    broken: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))

    def counted(self, ahead: range) -> Counter[str]:
        """What became of these batches: alarms of what is not labelled by age, and which labelled column-batches were noticed."""
        counted = Counter[str]()
        by_column: dict[str, list[Constraint]] = defaultdict(list)
        for constraint in self.constraints:
            by_column[constraint.column].append(constraint if self.way.follows else replace(constraint, recipe=None))
        for k in ahead:
            age = next(f"{a}-{b}" for a, b in AGES if a <= k - self.at + 1 <= b)
            failing = 0
            for name, history in self.columns.items():
                if history.present[k]:
                    failing += self._judged(name, history, by_column[name], k, age, counted)
            if not any(k in known for known in self.labelled.values()):
                for where in (age, "all"):
                    counted[f"{where} table-batches"] += 1
                    counted[f"{where} tables with fails"] += bool(failing)
        return counted

    def _judged(self, name: str, history: ColumnHistory, rules: Sequence[Constraint], k: int, age: str, counted: Counter[str]) -> bool:
        found = [(rule, *self._status(rule, history, k)) for rule in rules]
        fails = [one for one in found if one[1] == "fail"]
        if self.way.name == "following":
            for rule in (rule for rule in rules if metric(rule.metric, history.kind).volume):
                counted["rows tried"] += 1
                for factor, what in ((0.5, "half noticed"), (2.0, "twice noticed")):
                    counted[what] += self._status(rule, history, k, factor)[0] != "pass"
        if k in self.labelled[name]:
            self.failed[name] |= {k} if found and any(status != "pass" for _, status, _ in found) else set()
            counted["known"] += 1
            counted["known caught"] += any(status != "pass" for _, status, _ in found)
            return False
        again = k - 1 in self.failed[name]
        review = any(status == "warn" for _, status, _ in found)
        for where in (age, "all"):
            counted[f"{where} column-batches"] += 1
            counted[f"{where} fails"] += bool(fails)
            counted[f"{where} true"] += bool(fails) and k in self.true.get(name, frozenset())
            counted[f"{where} episodes"] += bool(fails) and not again
            counted[f"{where} reviews"] += review and not fails
        if fails or review:
            self.failed[name].add(k)
        if fails:
            self.alarms += [f"{self.batches[k]} {name}: {said}{' (again)' if again else ''}" for _, _, said in fails[:1]]
            if self.way.answered and not again:
                self.right[name].add(k)
        return bool(fails)

    def _status(self, rule: Constraint, history: ColumnHistory, k: int, factor: float = 1.0) -> tuple[str, str]:
        """What the validator says of a batch, and why."""
        declared = metric(rule.metric, history.kind)
        if declared.two_distribution and any(k - 1 in failed for failed in self.failed.values()):
            return "pass", ""
        series, lag = history.values[rule.metric], rule.transform.lag
        reference = rule.transform.reference_of_last(series[: k + 1], self.batches[: k + 1])
        steps = 1
        # As the validator does: the newest that is sound, of a week of them; where none is, the newest.
        back = range(k - lag, max(k - (REACH + 1) * lag, -1), -lag) if lag else range(0)
        if lag and (sound := next((j for j in back if j not in self.failed[rule.column]), None)) is not None:
            reference, steps = float(series[sound]), (k - sound) // lag
        lessons = self._lessons(history, k, rule) if rule.recipe is not None else Lessons()
        verdict = judge_learned(rule, factor * float(series[k]), reference, lessons, self.batches[k], steps=steps)
        if factor == 1.0 and verdict.status == "fail" and rule.recipe is None and self.way.follows:
            # A fact that is broken for a week unanswered asks (`validator.lasting_facts`).
            self.broken[rule.key].add(k)
            if self.broken[rule.key] >= set(range(k - REACH, k)):
                return "warn", verdict.message
        return ("pass" if verdict.status == "not_evaluated" else verdict.status), verdict.message

    def _lessons(self, history: ColumnHistory, k: int, rule: Constraint) -> Lessons:
        first = max(0, k - (rule.recipe.window if rule.recipe else 0) - 7 * rule.transform.lag)
        name, names = rule.column, tuple(self.batches[first:k])
        failed, right, wrong = self.failed[name], self.right[name], self.labelled[name]
        standings = [
            Standing(b, failed=j in failed, said="right" if j in right else "wrong" if j in wrong else None)
            for j, b in zip(range(first, k), names, strict=True)
        ]
        cut = history.window(first, k)
        return Lessons(History("p", names, cut.values["row_count"], {name: cut}, standings=tuple(standings)), names)
