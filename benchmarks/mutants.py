"""A mutation test: of random changes of the code, how many does a fast test notice?

    make mutants MUTANTS=200

mutmut makes every mutant of `metrics`, `constraints`, `inference` and `validator` (`[tool.mutmut]` in pyproject.toml) in a copy of the
checkout. A seeded sample of them, each package by its share, is tried with the tests that call the changed function. Functions with a
decorator other than `staticmethod` and `classmethod`, and what stands outside of functions, have no mutants: mutmut cannot switch them.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import importlib
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from scipy.stats import binomtest

ROOT = Path(__file__).parents[1]
# What the tests import, loaded once, before the process of each mutant is forked.
_PRELOADED = (
    "bokeh.util.warnings", "cryptography.hazmat.primitives.asymmetric.ed25519", "datasketches", "fsspec", "hypothesis", "pandas",
    "playwright.sync_api", "pyarrow.compute", "pydantic", "pytest", "rfc8785", "scipy.stats", "sqlalchemy", "statsmodels.tsa.stattools",
    "yaml",
)  # fmt: skip
_PACKAGES = ("metrics", "constraints", "inference", "validator", "history", "issues", "review", "workflows", "store", "bootstrap")
# Of pytest: 1 is a test that failed, 2 one that ended the run, 3 an error of its own; anything else did not end as pytest does.
_OUTCOMES = {0: "survived", 1: "killed", 2: "killed", 3: "killed", -signal.SIGXCPU: "timed out", -signal.SIGKILL: "timed out"}
# Of the tests that call a function, the quickest are taken that need so many seconds together. So what survived may still fail a slow one.
_BUDGET = 20.0
# A mutant has this many times the seconds that its tests took, and these to start them, of processor time; ten times that by the clock.
_TIMES, _START, _IDLE = 3, 20, 10


def copy_checkout(to: Path) -> None:
    """Copy the files that git knows or would add, as they are now."""
    listed = subprocess.run(["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, to / name)


def mutmut(tree: Path, *words: str) -> str:
    """What a command of mutmut prints."""
    command = [sys.executable, "-c", "from mutmut.__main__ import cli; cli()", *words]
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    done = subprocess.run(command, cwd=tree, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.stdout


def make_mutants(tree: Path) -> tuple[list[str], dict[str, dict[str, float]]]:
    """Names of all mutants (module.function__mutmut_number), and of each function the tests that call it with their seconds."""
    # No command does only this; it ends with the message that nothing has that name.
    said = mutmut(tree, "run", "--max-children", "1", "none")
    stats = tree / "mutants" / "mutmut-stats.json"
    if not stats.exists():
        sys.exit(said)
    read = json.loads(stats.read_text(encoding="utf-8"))
    seconds: dict[str, float] = defaultdict(float)
    for test, took in read["duration_by_test"].items():
        seconds[test.partition("[")[0]] += took
    calls = {name: {test.partition("[")[0] for test in tests} for name, tests in read["tests_by_mangled_function_name"].items()}
    metas = sorted((tree / "mutants" / "avh_ui").rglob("*.meta"))
    names = [name for path in metas for name in json.loads(path.read_text(encoding="utf-8"))["exit_code_by_key"]]
    return names, {name: {test: seconds[test] for test in tests} for name, tests in calls.items()}


def tests_of(function: str, calls: Mapping[str, Mapping[str, float]], loading: set[str]) -> dict[str, float]:
    """The quickest tests that call a function; of one that a module calls as it loads, those that call any function of that module."""
    if function not in loading:
        return quickest(calls.get(function, {}))
    module = function.rpartition(".")[0]
    return quickest({test: took for name, tests in calls.items() if name.rpartition(".")[0] == module for test, took in tests.items()})


def quickest(tests: Mapping[str, float]) -> dict[str, float]:
    """The tests that take `_BUDGET` together, or the quickest one, in the order of their seconds."""
    chosen: dict[str, float] = {}
    for test, seconds in sorted(tests.items(), key=lambda item: (item[1], item[0])):
        if chosen and sum(chosen.values()) + seconds > _BUDGET:
            break
        chosen[test] = seconds
    return chosen


def package(name: str) -> str:
    """The package of a mutant: `metrics`, `constraints`, ..."""
    return name.split(".")[1]


def draw(names: Iterable[str], wanted: int, seed: int) -> list[str]:
    """A random sample of about `wanted` in random order, each package by its share, the same for the same names and seed."""
    groups: dict[str, list[str]] = defaultdict(list)
    for name in sorted(names):
        groups[package(name)].append(name)
    total, rng = sum(map(len, groups.values())), random.Random(seed)
    drawn = [name for group in groups.values() for name in rng.sample(group, min(len(group), round(wanted * len(group) / total)))]
    return rng.sample(drawn, len(drawn))


def preload(tree: Path) -> set[str]:
    """Load what the tests need from the mutants' tree, and give the functions that its modules call as they load."""
    from mutmut.mutation.trampoline import set_mutant_under_test
    from mutmut.state import state

    os.chdir(tree)
    sys.path.insert(0, str(tree))
    os.environ["PYTHONPATH"] = str(tree)
    for module in _PRELOADED:
        importlib.import_module(module)
    set_mutant_under_test("stats")
    for path in sorted((tree / "avh_ui").rglob("*.py")):
        parts = path.relative_to(tree).with_suffix("").parts
        if len(parts) > 1 and parts[1] in _PACKAGES and "alembic" not in parts and "migrations" not in parts:
            importlib.import_module(".".join(parts).removesuffix(".__init__"))
    return set(state()._stats)


def _run_tests(name: str, tests: Sequence[str], anew: bool) -> int:
    """In a process of its own: the exit code of the tests with the mutant; `anew` loads avh_ui once more, with it."""
    import pytest
    from mutmut.mutation.trampoline import set_mutant_under_test

    os.setsid()
    silent = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(silent, descriptor)
    set_mutant_under_test(name)
    for module in [module for module in sys.modules if anew and module.split(".")[0] == "avh_ui"]:
        del sys.modules[module]
    words = ["-x", "--rootdir=.", "-m", "not spark and not browser and not postgres", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
    return int(pytest.main([*words, *tests]))


def attempt(name: str, tests: Mapping[str, float], *, anew: bool) -> str:
    """Whether the tests, the quickest first, notice the mutant: killed, survived, timed out, crashed; or there is none."""
    if not tests:
        return "no test"
    child = os.fork()
    if not child:
        code = 70
        with contextlib.suppress(BaseException):
            # Of processor time: a busy machine makes no mutant slow.
            limit = int(time.process_time() + _START + _TIMES * sum(tests.values()))
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
            code = _run_tests(name, list(tests), anew)
        os._exit(code)
    end, outcome = time.monotonic() + _IDLE * (_START + _TIMES * sum(tests.values())), "timed out"
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            outcome = _OUTCOMES.get(os.waitstatus_to_exitcode(status), "crashed")
            break
        time.sleep(0.05)
    else:
        os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return outcome


def place(tree: Path, name: str, diff: str) -> str:
    """`file:line` of a mutant, whose diff counts the lines of its function."""
    module, _, mangled = name.rpartition(".")
    path = tree / (module.replace(".", "/") + ".py")
    mangled = mangled.rpartition("__mutmut_")[0]
    owner, function = mangled.split("ǁ")[1:] if "ǁ" in mangled else ("", mangled.removeprefix("x_"))
    body = ast.parse(path.read_text(encoding="utf-8")).body
    if owner:
        body = next(node.body for node in body if isinstance(node, ast.ClassDef) and node.name == owner)
    found = next(node for node in body if isinstance(node, ast.FunctionDef) and node.name == function)
    first = min([found.lineno, *(decorator.lineno for decorator in found.decorator_list)])
    lines = diff.splitlines()
    hunk = next(number for number, line in enumerate(lines) if line.startswith("@@"))
    changed = next(number for number, line in enumerate(lines[hunk + 1 :]) if line.startswith("-"))
    start = int(lines[hunk].split()[1].removeprefix("-").split(",")[0])
    return f"{path.relative_to(tree)}:{first + start - 1 + changed}"


def row(title: str, outcomes: Mapping[str, int]) -> str:
    """Counts, and the share that a test noticed (killed, timed out or crashed) with its 95 % interval of Wilson."""
    tried = sum(outcomes.values())
    noticed = tried - outcomes.get("survived", 0) - outcomes.get("no test", 0)
    interval = binomtest(noticed, tried).proportion_ci(method="wilson")
    counts = ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items()))
    return f"{title}: {noticed} of {tried} noticed, {noticed / tried:.1%} ({interval.low:.1%} to {interval.high:.1%}): {counts}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mutants", type=int, default=200, help="how many are tried")
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument("--minutes", type=float, default=60.0, help="after these no other mutant is tried")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="avh_ui-mutants-") as folder:
        tree = Path(folder).resolve()
        copy_checkout(tree)
        print("Making the mutants, and running the tests once to see which calls what (about five minutes)", flush=True)
        names, calls = make_mutants(tree)
        sample = draw(names, args.mutants, args.seed)
        print(f"Trying {len(sample)} of {len(names)} mutants (seed {args.seed}, at most {args.minutes:g} minutes)", flush=True)
        loading = preload(tree / "mutants")
        # What is noticed must be the mutant's doing.
        if (without := attempt("none", quickest(next(iter(calls.values()))), anew=True)) != "survived":
            sys.exit(f"Tests fail without a mutant, too: {without}.")
        end, outcomes = time.monotonic() + 60 * args.minutes, {}
        for name in sample:
            if time.monotonic() > end:
                break
            function = name.rpartition("__mutmut_")[0]
            outcomes[name] = attempt(name, tests_of(function, calls, loading), anew=function in loading)
            if outcomes[name] in ("survived", "no test"):
                diff = mutmut(tree, "show", name)
                print(f"\n{place(tree, name, diff)}: {outcomes[name]} ({name})\n{diff[diff.find('@@') :]}", flush=True)
        for title in sorted(set(map(package, outcomes))):
            print(row(title, Counter(outcome for name, outcome in outcomes.items() if package(name) == title)))
        print(row("all", Counter(outcomes.values())), f"({len(sample) - len(outcomes)} of the sample not tried)")


if __name__ == "__main__":
    main()
