"""The lock files: they cover what pyproject.toml asks for, pin it by hash, and name no place to fetch it from."""

import re
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support.repository import read

LOCKS = ("requirements/runtime.txt", "requirements/dev.txt")
PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;]+)", re.MULTILINE)


def pins(lock: str) -> dict[str, str]:
    """The version pinned for each package of a lock file."""
    return {canonicalize_name(name): version for name, version in PIN.findall(read(lock))}


def asked(*groups: str) -> list[Requirement]:
    """The requirements of the project and of the named dependency groups, groups included by them left out."""
    pyproject = tomllib.loads(read("pyproject.toml"))
    lines = [*pyproject["project"]["dependencies"]]
    for group in groups:
        lines += [line for line in pyproject["dependency-groups"][group] if isinstance(line, str)]
    return [Requirement(line) for line in lines]


def allowed(need: Requirement, version: str | None) -> bool:
    """Whether a package is pinned at all, and at a version that the requirement allows."""
    return version is not None and version in need.specifier


@pytest.mark.parametrize(("lock", "groups"), [(LOCKS[0], ("build",)), (LOCKS[1], ("build", "dev"))])
def test_the_lock_covers_what_is_asked_for(lock: str, groups: tuple[str, ...]) -> None:
    """Each requirement is pinned, at a version that it allows; if not, ``make lock`` was forgotten."""
    pinned = pins(lock)
    lacking = [str(need) for need in asked(*groups) if not allowed(need, pinned.get(canonicalize_name(need.name)))]

    assert [] == lacking


def test_what_is_tested_is_what_is_run() -> None:
    """The development lock has every package of the runtime's, at the same version."""
    development = pins(LOCKS[1])
    others = {name: version for name, version in pins(LOCKS[0]).items() if development.get(name) != version}

    assert {} == others


@pytest.mark.parametrize("lock", LOCKS)
def test_every_pin_has_a_hash(lock: str) -> None:
    """After each pin comes a hash, on a continued line."""
    blocks = [block for block in re.split(r"^(?=[A-Za-z0-9])", read(lock), flags=re.MULTILINE) if PIN.match(block)]
    bare = [block.splitlines()[0] for block in blocks if "--hash=sha256:" not in block]

    assert [] != blocks
    assert [] == bare


@pytest.mark.parametrize("lock", LOCKS)
def test_the_lock_names_no_place(lock: str) -> None:
    """No address and no option about an index: where packages come from is for each machine to say."""
    places = re.findall(r"^.*(?:://|--index|--extra-index|--find-links|--trusted).*$", read(lock), re.MULTILINE)

    assert [] == places
