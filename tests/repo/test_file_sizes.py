"""Files stay small enough to be read in one go: median 120 lines, nine in ten within 350, none over 500.

The figures are those of well-kept servers and editor extensions. Empty files are not counted: they would buy room for
long ones.
"""

from pathlib import Path
from statistics import median, quantiles

from tests.support.repository import PYTHON_FOLDERS, ROOT, files

FOLDERS = (*PYTHON_FOLDERS, "editor-clients")
SUFFIXES = {".py", ".ts", ".js", ".lua"}
MEDIAN, NINE_IN_TEN, MOST = 120, 350, 500


def line_counts() -> dict[str, int]:
    """The number of lines of each file of code that has any, by its path from the root."""
    paths = [path for folder in FOLDERS if (ROOT / folder).is_dir() for path in files(ROOT / folder)]
    counts = {str(path.relative_to(ROOT)): lines(path) for path in paths if path.suffix in SUFFIXES}
    return {name: count for name, count in counts.items() if count}


def lines(path: Path) -> int:
    """The number of line ends in a file."""
    return path.read_bytes().count(b"\n")


def test_no_file_is_over_the_limit() -> None:
    """Not one file of code has more than 500 lines."""
    long = {name: count for name, count in line_counts().items() if count > MOST}

    assert {} == long


def test_most_files_are_short() -> None:
    """Half of the files have at most 120 lines."""
    assert median(line_counts().values()) <= MEDIAN


def test_nine_files_in_ten_are_of_moderate_length() -> None:
    """Nine files in ten have at most 350 lines."""
    assert quantiles(line_counts().values(), n=10)[-1] <= NINE_IN_TEN
