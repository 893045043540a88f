"""Algorithm 1 against its pseudo-code, read literally, and against the optimum."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.inference.selection import Taste, needed, select, tightest

Instance = tuple[list[int], list[set[int]], int]


@st.composite
def instances(draw: st.DrawFn, most: int = 10) -> Instance:
    """Costs and budget in whole thousandths, so that sums are exact in the oracle, and the sets caught."""
    n = draw(st.integers(0, most))
    costs = draw(st.lists(st.integers(0, 12), min_size=n, max_size=n))
    sets = draw(st.lists(st.sets(st.integers(0, 9)), min_size=n, max_size=n))
    return costs, sets, draw(st.integers(0, 20))


def run(instance: Instance, **options: object) -> tuple[int, ...]:
    costs, sets, budget = instance
    matrix = np.zeros((len(sets), 10), dtype=bool)
    for i, caught in enumerate(sets):
        matrix[i, list(caught)] = True
    return select(np.array(costs, dtype=float) / 1000, matrix, budget / 1000, **options)  # type: ignore[arg-type]


def literal(instance: Instance) -> list[int]:
    """Algorithm 1 line by line, with the ties and the stop of the design."""
    costs, sets, delta = instance
    left, chosen, fpr = list(range(len(costs))), [], 0
    while fpr <= delta and left:

        def worth(i: int) -> tuple[object, ...]:
            gain = len(sets[i] - set().union(*(sets[j] for j in chosen)))
            ratio = math.inf if costs[i] == 0 and gain else Fraction(gain, max(costs[i], 1)) if gain else -1
            return ratio, gain, -costs[i], len(sets[i]), -i

        best = max(left, key=worth)
        if worth(best)[1] == 0:
            break
        if costs[best] + fpr <= delta:
            chosen.append(best)
            fpr += costs[best]
        left.remove(best)
    fitting = [i for i in range(len(costs)) if costs[i] <= delta]
    if fitting:
        single = max(fitting, key=lambda i: (len(sets[i]), -costs[i], -i))
        if len(set().union(*(sets[j] for j in chosen))) < len(sets[single]):
            chosen = [single]
    return chosen


@given(instances())
def test_algorithm_1(instance: Instance) -> None:
    assert list(run(instance)) == literal(instance)


@given(instances(most=8))
def test_proposition_4(instance: Instance) -> None:
    costs, sets, budget = instance
    chosen = run(instance)
    assert sum(costs[i] for i in chosen) <= budget
    reached = len(set().union(*(sets[i] for i in chosen)))
    subsets = itertools.chain.from_iterable(itertools.combinations(range(len(costs)), r) for r in range(len(costs) + 1))
    optimum = max(len(set().union(*(sets[i] for i in s))) for s in subsets if sum(costs[i] for i in s) <= budget)
    assert reached >= (0.5 - 0.5 / math.e) * optimum


@given(instances(), st.integers(0, 4))
def test_at_most_so_many(instance: Instance, most: int) -> None:
    groups = [i // 2 for i in range(len(instance[0]))]
    chosen = run(instance, groups=groups, max_groups=most)
    assert len({groups[i] for i in chosen}) <= most
    assert set(run(instance, max_groups=99)) == set(run(instance))


@given(instances())
def test_every_choice_adds_something(instance: Instance) -> None:
    seen: set[int] = set()
    for i in run(instance):
        assert instance[1][i] - seen
        seen |= instance[1][i]


def test_the_best_single_beats_the_greedy() -> None:
    # 1 issue for 1 is better value than 9 for 20, and leaves no budget for it.
    assert run(([1, 20], [{9}, set(range(9))], 20)) == (1,)


def test_ten_tenths_of_a_budget_fit() -> None:
    costs = np.full(10, 0.0001)
    assert len(select(costs, np.eye(10, dtype=bool), 0.001)) == 10


def test_the_tightest_of_nested_bounds_is_kept() -> None:
    matrix = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 1]], dtype=bool)
    assert tightest((0, 2, 1), [7, 7, 8], matrix) == (1, 2)


@given(st.data())
def test_leaving_out_what_is_dominated_changes_nothing(data: st.DataObject) -> None:
    """Grids of nested bounds, as metrics give them: the literal algorithm on all of them catches the same at the same cost."""
    costs, sets = [], []
    groups = []
    for group in range(data.draw(st.integers(1, 4))):
        caught: set[int] = set()
        steps = data.draw(st.lists(st.tuples(st.integers(0, 3), st.sets(st.integers(0, 9), max_size=3)), min_size=1, max_size=5))
        cost = data.draw(st.integers(0, 3))
        for more, new in steps:
            cost, caught = cost + more, caught | new
            costs.append(cost)
            sets.append(set(caught))
            groups.append(group)
    instance = costs, sets, data.draw(st.integers(0, 20))
    ours, theirs = run(instance, groups=groups), literal(instance)
    assert sum(costs[i] for i in ours) == sum(costs[i] for i in theirs)
    assert set().union(*(sets[i] for i in ours)) == set().union(*(sets[i] for i in theirs))


def test_an_upgrade_costs_the_difference() -> None:
    """Wide and tight bounds of one metric, and another metric: the budget pays for the tight bounds and the other, not for all three."""
    matrix = np.array([[True, False, False], [True, True, False], [False, False, True]])
    costs = np.array([0.001, 0.006, 0.004])
    assert set(select(costs, matrix, 0.01, groups=[0, 0, 1])) == {0, 2}
    assert set(select(costs, matrix, 0.01, groups=[0, 0, 1], taste=Taste(0.0, np.ones(3)))) == {0, 1, 2}
    assert tightest((0, 2, 1), [0, 0, 1], matrix) == (1, 2)


def test_costs_below_the_least_are_equal() -> None:
    """Two bounds of one metric that catch the same: the cheaper, wider one, unless both cost next to nothing."""
    matrix = np.array([[True, True], [True, True]])
    costs = np.array([0.0009, 0.0001])
    assert select(costs, matrix, 0.01, groups=[0, 0]) == (1,)
    assert select(costs, matrix, 0.01, groups=[0, 0], taste=Taste(0.0005, np.ones(2))) == (1,)
    assert select(costs, matrix, 0.01, groups=[0, 0], taste=Taste(0.001, np.ones(2))) == (0,)


def test_the_plain_one_of_near_equals_wins() -> None:
    matrix = np.array([[True, True, True], [True, True, False], [False, False, True]])
    costs = np.full(3, 0.001)
    assert select(costs, matrix, 0.003) == (0,)
    assert select(costs, matrix, 0.003, taste=Taste(0.0, np.array([1.4, 1, 1]))) == (0,)
    assert set(select(costs, matrix, 0.003, taste=Taste(0.0, np.array([2.0, 1, 1])))) == {1, 2}


def test_what_others_make_superfluous_goes_the_dearest_first() -> None:
    matrix = np.array([[True, True, False], [True, False, False], [False, True, True]])
    costs = np.array([0.003, 0.002, 0.001])
    nothing = np.zeros(3, dtype=bool)
    assert needed((0, 1, 2), costs, matrix, nothing) == (1, 2)
    assert needed((0, 1, 2), costs, matrix, np.array([True, False, False])) == (0, 2)
    assert needed((0,), costs, matrix, nothing) == (0,)


def test_the_wider_of_equals_where_the_tighter_no_longer_fits() -> None:
    """All cost next to nothing; beside the first metric only the cheaper bounds of the second are within the budget."""
    matrix = np.array([[True, True, True, False], [False, False, False, True], [False, False, False, True]])
    costs = np.array([0.0006, 0.0009, 0.0002])
    assert select(costs, matrix, 0.001, groups=[0, 1, 1], taste=Taste(0.001, np.ones(3))) == (0, 2)


def test_the_tightest_of_cheap_bounds_that_still_fits_is_taken() -> None:
    """Of three bounds that cost next to nothing the tightest does not fit beside the other metric, and the middle one does."""
    matrix = np.array([[True, True, True, False], *[[False, False, False, True]] * 3])
    costs = np.array([0.0006, 0.0009, 0.0003, 0.0002])
    assert select(costs, matrix, 0.001, groups=[0, 1, 1, 1], taste=Taste(0.001, np.ones(4))) == (0, 2)
