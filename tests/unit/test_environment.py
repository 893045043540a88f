"""pyproject.toml, environment.yml and versions.txt speak of the same packages."""

from __future__ import annotations

import re
import tomllib
from itertools import chain
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from avh_ui.extras import EXTRAS

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# What conda needs and pip does not.
CONDA_ONLY = {"python", "pip", "openjdk"}


def flat(requirements: list[str]) -> list[Requirement]:
    """The requirements, with those of the project's own extras in the place of their names."""
    found: list[Requirement] = []
    for item in map(Requirement, requirements):
        own = item.name == PROJECT["name"]
        found += chain.from_iterable(flat(PROJECT["optional-dependencies"][extra]) for extra in item.extras) if own else [item]
    return found


def pip_bounds(requirements: list[str]) -> dict[str, SpecifierSet]:
    return {canonicalize_name(item.name): item.specifier for item in flat(requirements)}


def conda_bounds(text: str) -> dict[str, SpecifierSet]:
    entries = [entry.partition(" ") for entry in yaml.safe_load(text)["dependencies"]]
    return {canonicalize_name(name): SpecifierSet(bounds) for name, _, bounds in entries if name not in CONDA_ONLY}


def differences(requirements: list[str], environment: str) -> list[str]:
    """Packages that only one side names, or whose bounds differ."""
    pip, conda = pip_bounds(requirements), conda_bounds(environment)
    return sorted(name for name in pip.keys() | conda.keys() if pip.get(name) != conda.get(name))


def unpinned(requirements: list[str], pins: list[str]) -> list[str]:
    """Requirements without a pin, or with one outside their bounds."""
    pinned = {canonicalize_name(name): version for name, _, version in (pin.partition("==") for pin in pins)}
    return sorted(name for name, bounds in pip_bounds(requirements).items() if name not in pinned or pinned[name] not in bounds)


def test_conda_and_pip_agree() -> None:
    wanted = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["app"]]
    assert differences(wanted, (ROOT / "environment.yml").read_text(encoding="utf-8")) == []


def test_the_licences_of_all_that_is_installed_are_listed() -> None:
    extras = [need for name, needs in PROJECT["optional-dependencies"].items() if name not in ("dev", "docs", "mutants") for need in needs]
    rows = re.findall(r"^\| ([^|]*) \| [^|]+ \| [^|]+ \|$", (ROOT / "docs" / "licences.md").read_text(encoding="utf-8"), re.MULTILINE)
    listed = {canonicalize_name(name) for row in rows[1:] for name in row.split(", ")}
    assert listed == pip_bounds([*PROJECT["dependencies"], *extras]).keys()


def test_conda_and_pip_agree_on_python() -> None:
    entries = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))["dependencies"]
    assert f"python {PROJECT['requires-python']}" in entries


def test_every_requirement_is_pinned() -> None:
    lines = (ROOT / "versions.txt").read_text(encoding="utf-8").splitlines()
    requirements = [*PROJECT["dependencies"], *chain.from_iterable(PROJECT["optional-dependencies"].values())]
    assert unpinned(requirements, [line for line in lines if not line.startswith("#")]) == []


@pytest.mark.parametrize("extra", sorted(EXTRAS))
def test_what_is_looked_for_is_what_an_extra_brings(extra: str) -> None:
    brought = {item.name.replace("-", "_") for item in map(Requirement, PROJECT["optional-dependencies"][extra])} - {PROJECT["name"]}
    assert set(EXTRAS[extra]) == brought


def test_all_is_every_extra_of_who_uses_it() -> None:
    extras = PROJECT["optional-dependencies"]
    assert Requirement(extras["all"][0]).extras == extras.keys() - {"all", "dev", "docs", "mutants"}


@pytest.mark.parametrize("environment", ["[numpy >=2.0]", "[numpy >=2.1, pandas]", "[numpy >=2.0, pandas, scipy]"])
def test_a_difference_is_found(environment: str) -> None:
    assert differences(["numpy>=2.0", "pandas"], f"dependencies: {environment}") != []
    assert differences(["numpy>=2.0", "pandas"], "dependencies: [numpy >=2.0, pandas, pip]") == []


def test_a_missing_or_outdated_pin_is_found() -> None:
    assert unpinned(["a>=2", "b", "C_d>=1"], ["a==1.9", "c-d==1.5"]) == ["a", "b"]
