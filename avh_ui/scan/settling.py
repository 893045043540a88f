"""Which type a column of texts (CSV) is found to have.

It is one of numbers when every text is one, unless earlier batches say that it holds text: it may hold nothing but numbers one day, and its
type must not flip with it; one of numbers may hold a broken text one day, and must not become text for good. Earlier batches say what each
of them holds, not what those before made of it: else three with texts would make texts of all that follow. What malformed lines spill
into columns of numbers is no text of theirs, however often it happens: there is no value in its place, as in the fields that such a line
lacks, where earlier batches say that the column is one of numbers. Where they do not, the batch is no witness.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import replace

from avh_ui.metrics.catalogue import named
from avh_ui.metrics.counts import CountState
from avh_ui.metrics.metric import find
from avh_ui.metrics.moments import MAX
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.profiler import KnownTypes
from avh_ui.metrics.type_names import NULL, SIZE
from avh_ui.scan.kernel_column import KernelColumn
from avh_ui.scan.texts_of_numbers import complete

# So many of the latest batches are looked at; text in so many of them makes a column text. A table with two broken batches a month
# keeps its numbers.
RECENT = 30
_TEXT_BATCHES = 3

Columns = dict[str, ColumnProfile]


class TypeMemory:
    """Settles the types of one run's batches, in their order."""

    def __init__(self, known: KnownTypes) -> None:
        self._texts = known.texts
        self.known = known
        self._recent = {name: deque(types, maxlen=RECENT) for name, types in known.recent.items()}
        self._latest: Columns = {}
        # By column what came of the texts and the numbers of the last batch whose lines were whole, and whether it was known as text.
        self._chosen: dict[str, tuple[ColumnProfile, ColumnProfile, bool, ColumnProfile]] = {}

    def settle(self, columns: tuple[KernelColumn, ...], profiles: Mapping[int, ColumnProfile], *, broken: int = 0) -> Columns:
        """One profile per column from the kernel's, which come by position: two of an untyped column, as texts and as numbers.
        So many of its lines are `broken`.

        A column without any value has type `null`: it agrees with whatever type the column has elsewhere. So has an array of JSON
        of which no value has elements. One with the states of the batch before is the same profile, so that nothing of it is computed
        again.
        """
        settled: Columns = {}
        position = 0
        for place, column in enumerate(columns):
            profile = profiles[position]
            if column.untyped:
                profile = self._choose(column.name, profile, profiles[position + 1], broken=broken)
            # The sizes of an array come after it.
            elif column.vague and _empty(profiles[position + 1] if [c.type for c in columns[place + 1 : place + 2]] == [SIZE] else profile):
                profile = replace(profile, type=NULL)
            position += column.positions
            settled[column.name] = self._shared(_with_measures(profile, column))
        return settled

    def _shared(self, profile: ColumnProfile) -> ColumnProfile:
        before = self._latest.get(profile.name)
        if before is not None and before.states is profile.states and (before.type, before.measures) == (profile.type, profile.measures):
            return before
        self._latest[profile.name] = profile
        return profile

    @staticmethod
    def alike(whole: Mapping[str, ColumnProfile], columns: tuple[KernelColumn, ...], profiles: Mapping[int, ColumnProfile]) -> Columns:
        """The profiles of a batch's segment, with the types that were settled for the whole batch, so that segments can be merged."""
        settled: Columns = {}
        position = 0
        for column in columns:
            chosen = whole[column.name].type
            numbers = column.untyped and chosen == "number"
            found = _without_strays(profiles[position + 1], profiles[position]) if numbers else complete(profiles[position])
            position += column.positions
            settled[column.name] = _with_measures(replace(found, type=chosen), column)
        return settled

    def _choose(self, name: str, texts: ColumnProfile, numbers: ColumnProfile, *, broken: int) -> ColumnProfile:
        """The same of the same profiles, should they come again while the column is known as the same."""
        before, is_text = self._chosen.get(name), self._is_text(name)
        if before is not None and not broken and before[0] is texts and before[1] is numbers and before[2] == is_text:
            chosen = before[3]
        else:
            chosen = self._found(name, texts, numbers, broken=broken, is_text=is_text)
        if not broken:
            self._chosen[name] = texts, numbers, is_text, chosen
            if chosen.type != NULL:
                held = "string" if _counts(texts).rows > _counts(numbers).rows else "number"
                self._recent.setdefault(name, deque(maxlen=RECENT)).append(held)
        return chosen

    def _found(self, name: str, texts: ColumnProfile, numbers: ColumnProfile, *, broken: int, is_text: bool) -> ColumnProfile:
        counted, every = _counts(numbers), _counts(texts)
        if counted.nulls == every.rows:
            return replace(texts, type=NULL)
        # Numbers of fewer rows: some text was none.
        strays = every.rows - counted.rows
        spilled = 0 < strays <= broken and "number" in self._recent.get(name, ())
        if (not strays or spilled) and not is_text:
            return replace(_without_strays(numbers, texts), type="number")
        return replace(complete(texts), type="string")

    def _is_text(self, name: str) -> bool:
        return name in self._texts or self._recent.get(name, deque[str]()).count("string") >= _TEXT_BATCHES


def _with_measures(profile: ColumnProfile, column: KernelColumn) -> ColumnProfile:
    """With the measures that were asked of it, but those of another kind than it was found to be."""
    measures = tuple(m for m in column.measures if any(profile.kind in metric.kinds for metric in named(m.name)))
    return replace(profile, measures=measures) if measures else profile


def _without_strays(numbers: ColumnProfile, texts: ColumnProfile) -> ColumnProfile:
    """The numbers of all rows: where a text is none there is no value."""
    counted, every = _counts(numbers), _counts(texts)
    if counted.rows == every.rows:
        return numbers
    whole = CountState(every.rows, every.rows - counted.rows + counted.nulls)
    return replace(numbers, states={**numbers.states, CountState.key: whole})


def _counts(profile: ColumnProfile) -> CountState:
    return find(profile.states, CountState) or CountState()


def _empty(profile: ColumnProfile) -> bool:
    """Whether a column has no value, or none but 0 (sizes)."""
    counted = _counts(profile)
    return counted.nulls == counted.rows or (profile.type == SIZE and MAX.value(profile.states) == 0)
