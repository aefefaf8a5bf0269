"""What must not stand in any file: the paths of one machine, the addresses of registries, and notes to oneself."""

import re

import pytest

from tests.support.repository import PACKAGES, ROOT, files, read, text_of

# Each pattern is written so that it does not match itself.
FORBIDDEN = {
    "a path of one machine": re.compile(r"/(?:work|root)/|/(?:home|Users)/(?!user\b|me\b|someone\b)[A-Za-z]"),
    "the address of a package registry": re.compile(
        r"pypi\.org|pythonhosted\.org|npmjs\.(?:org|com)|yarnpkg\.com|deb\.debian\.org|crates\.io|proxy\.golang\.org"
    ),
    "a note to oneself": re.compile(r"\b(?:TO[D]O|FIX[M]E|X[X]X|HA[C]K)\b"),
    "a pointer into a tracker": re.compile(r"\bissue #?\d", re.IGNORECASE),
    "a voice that is not an author's": re.compile(r"\b[a]s an AI\b|\b[a]s a language model\b", re.IGNORECASE),
}


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_file_has(what: str) -> None:
    """No text file of the repository has one of the forbidden things in it."""
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:100]}"
        for path in files()
        for number, line in enumerate((text_of(path) or "").splitlines(), start=1)
        if FORBIDDEN[what].search(line)
    ]

    assert [] == found


@pytest.mark.parametrize(
    ("what", "line"),
    [
        ("a path of one machine", "see " + "/work" + "/main/x"),
        ("a path of one machine", "file://" + "/root" + "/.cache"),
        ("a path of one machine", "/home" + "/anna/src"),
        ("the address of a package registry", "https://" + "pypi" + ".org/simple"),
        ("a note to oneself", "# TO" + "DO: later"),
        ("a pointer into a tracker", "see issue" + " #12"),
        ("a voice that is not an author's", "As an" + " AI, I"),
    ],
)
def test_the_pattern_matches(what: str, line: str) -> None:
    """Each pattern finds what it is there to find."""
    assert FORBIDDEN[what].search(line)


@pytest.mark.parametrize("path", [str(folder.relative_to(ROOT)).split("/")[0] for folder in PACKAGES.values()])
def test_each_package_has_a_readme_that_admits_its_limits(path: str) -> None:
    """A README stands in the folder of each package, and has a section on what the package does not do."""
    headings = [line.lstrip("# ").lower() for line in read(f"{path}/README.md").splitlines() if line.startswith("#")]

    assert [] != [heading for heading in headings if "does not do" in heading or "limit" in heading]


def test_the_licence_is_the_one_declared() -> None:
    """The licence file is the text of the licence that the package's metadata names."""
    assert read("LICENSE").startswith("MIT License\n\nCopyright (c) ")
    assert 'license = "MIT"' in read("pyproject.toml")


def test_the_changelog_has_a_place_for_what_comes_next() -> None:
    """The changelog has an Unreleased section, where a change is written down with the change itself."""
    assert "## [Unreleased]" in read("CHANGELOG.md").splitlines()
