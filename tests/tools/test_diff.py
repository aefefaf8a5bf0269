"""The hunks are those of ``git diff``: positions, lines and flags. The real git is asked."""

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsh_ledger.hunks import Diff, Hunk, HunkLine, LineKind
from dsh_ledger.versions import version_of_text
from dsh_tools.diff import compare, diff, hunks, line_blocks, scripts
from tests.support.real_git import git_hunks
from tests.support.text_pairs import pairs, rewritten_pair, sliding_pair

Context, Removed, Added = LineKind.CONTEXT, LineKind.REMOVED, LineKind.ADDED


@pytest.fixture
def windows_always(monkeypatch: pytest.MonkeyPatch) -> None:
    """However short the texts, only a window of them is handed to libgit2."""
    monkeypatch.setattr(scripts, "_WHOLE", 0)


def check(examples: list[tuple[str, str]]) -> None:
    """Compare ours with git's, example by example."""
    for (old, new), expected in zip(examples, git_hunks(examples), strict=True):
        assert expected == hunks(old, new), (old, new)


@settings(max_examples=40, deadline=None)
@given(st.lists(pairs(), min_size=10, max_size=25))
def test_small_texts(examples: list[tuple[str, str]]) -> None:
    """Short texts of few distinct lines have git's hunks."""
    check(examples)


@pytest.mark.parametrize("most", [5, 60, 400, 1200])
def test_runs_that_slide(most: int) -> None:
    """Changes amid repeating lines are where git puts them, though only a window of the texts is compared."""
    random = Random(most)
    check([sliding_pair(random, most) for _ in range(100)])


@pytest.mark.usefixtures("windows_always")
@pytest.mark.parametrize("most", [60, 400, 1200])
def test_runs_that_slide_in_windows(most: int) -> None:
    """The same where both sides have lines to match."""
    random = Random(most + 1)
    check([sliding_pair(random, most) for _ in range(100)])


@pytest.mark.usefixtures("windows_always")
def test_runs_that_slide_at_the_top() -> None:
    """A run can't slide above the first line, and what lies below the window is not taken for lines above it."""
    random = Random(2)
    examples: list[tuple[str, str]] = []
    for _ in range(150):
        letters = random.choice(["ab", ["a", ""], ["", "{", "  x"]])
        below = random.choices(letters, k=random.randint(1, 4)) * 300
        tops = [random.choices(letters, k=random.randint(1, 9)) for _ in "ab"]
        examples.append(("\n".join(tops[0] + below), "\n".join(tops[1] + below)))
    check(examples)


@pytest.mark.usefixtures("windows_always")
@pytest.mark.parametrize("most", [400, 3000])
def test_lines_that_are_frequent_elsewhere(most: int) -> None:
    """Which lines git leaves out because they are frequent in the whole text is known in a window too."""
    random = Random(most)
    check([rewritten_pair(random, most) for _ in range(60)])


@pytest.mark.usefixtures("windows_always")
@pytest.mark.parametrize("line", ["}", ""])
def test_the_number_of_lines_decides_what_is_frequent(line: str) -> None:
    """Forty lines are many among 900 and few among 5,400: a window is compared as the whole text would be."""
    random = Random(1)
    around = [str(random.random()) for _ in range(5000)]

    def block() -> list[str]:
        return [line if index % 10 == 5 else str(random.random()) for index in range(400)]

    texts = ["\n".join(around[:2500] + block() + around[2500:]) for _ in "ab"]

    check([(texts[0], texts[1])])


@pytest.mark.usefixtures("windows_always")
@pytest.mark.parametrize("period", [["c"], ["def f():", *["    pass"] * 58, ""]])
def test_a_run_that_slides_out_of_the_window(period: list[str]) -> None:
    """One repetition taken out of many is shown where it reads best, however far from the other change that is."""
    above = "".join(f"{index}\n" for index in range(600))
    part = "".join(f"{line}\n" for line in period)
    times = 3_000 // len(period)

    check(
        [
            (f"{above}1\nx\n{part * times}{tail}", f"{above}2\nx\n{part * (times - 1)}{tail}")
            for tail in ("", "end\n", "end")
        ]
    )


@pytest.mark.slow
@pytest.mark.usefixtures("windows_always")
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("make", [sliding_pair, rewritten_pair])
def test_many_texts(make: Callable[[Random, int], tuple[str, str]], seed: int) -> None:
    """Thousands of pairs, short and long."""
    random = Random(seed)
    for most in (0, 5, 60, 400, 1200, 3000):
        check([make(random, most) for _ in range(300 if most < 100 else 40)])


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.lists(pairs(), min_size=20, max_size=40))
def test_many_small_texts(examples: list[tuple[str, str]]) -> None:
    """Thousands of small pairs."""
    check(examples)


@settings(max_examples=20, deadline=None)
@given(st.lists(pairs(), min_size=10, max_size=20), st.sampled_from([1, 2, 5]))
def test_other_contexts(examples: list[tuple[str, str]], context: int) -> None:
    """Hunks with another context are those of git with the same."""
    for (old, new), expected in zip(examples, git_hunks(examples, context), strict=True):
        assert expected == hunks(old, new, context)


@given(pairs(), st.integers(0, 4))
def test_blocks_are_those_of_the_hunks(pair: tuple[str, str], context: int) -> None:
    """The runs of changed lines are the same, whatever the context."""
    expected = line_blocks(*pair).blocks

    assert expected == tuple(block for hunk in hunks(*pair, context) for block in hunk.blocks())


def test_lone_carriage_returns_stay_in_lines() -> None:
    r"""Only ``\n`` ends a line."""
    expected = (
        Hunk(1, 2, 1, 2, (HunkLine(Removed, "a\rb"), HunkLine(Added, "a\rc"), HunkLine(Context, "d\x0be\u2028"))),
    )

    assert expected == hunks("a\rb\nd\x0be\u2028\n", "a\rc\nd\x0be\u2028\n")


def test_form_feeds_are_no_indentation() -> None:
    r"""Where libgit2 and git differ about the blanks ``\v`` and ``\f``, git is followed."""
    check([(f"a\n{blank}\nb\n", f"a\nb\nb\na\n{blank}\nc\n{blank}\na\n{blank}\nb\n") for blank in "\v\f"])


def test_a_final_newline_that_goes() -> None:
    """A last line that loses its end is a changed line, and the flag says which side has no end."""
    expected = (Hunk(1, 1, 1, 1, (HunkLine(Removed, "a"), HunkLine(Added, "a")), False, True),)

    assert expected == hunks("a\n", "a")


def test_lines_that_look_like_diff_syntax() -> None:
    """A removed ``-- a`` is one removed line."""
    expected = (Hunk(1, 1, 1, 1, (HunkLine(Removed, "-- a"), HunkLine(Added, "++ b"))),)

    assert expected == hunks("-- a\n", "++ b\n")


def test_no_change_has_no_hunks() -> None:
    """Equal texts differ nowhere."""
    assert () == hunks("a\nb", "a\nb")


def test_an_empty_side_starts_at_zero() -> None:
    """A text with no lines begins before its first line."""
    assert [(0, 0, 1, 2)] == [(x.old_start, x.old_lines, x.new_start, x.new_lines) for x in hunks("", "a\nb\n")]
    assert [(1, 2, 0, 0)] == [(x.old_start, x.old_lines, x.new_start, x.new_lines) for x in hunks("a\nb\n", "")]


def test_E13_context_of_an_edit_is_not_a_change() -> None:
    """Lines that an edit replaced by themselves are context: the hunk is one line out, one line in."""
    [hunk] = hunks("x\na\nb\nc\ny\n", "x\na\nB\nc\ny\n")

    assert (1, 1) == (hunk.removed, hunk.added)
    assert ["x", "a", "c", "y"] == [line.text for line in hunk.lines if line.kind is Context]


def test_a_change_in_a_long_text_has_the_numbers_of_the_whole() -> None:
    """Line numbers count from the top of the text, not of the part that was compared."""
    lines = [f"line {index}" for index in range(50_000)]
    old = "\n".join(lines)
    lines[40_000] = "changed"
    lines.insert(40_002, lines[40_001])

    [hunk] = hunks(old, "\n".join(lines))

    assert (39_998, 7, 39_998, 8) == (hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines)
    assert "line 39997" == hunk.lines[0].text


def test_too_many_lines_are_one_coarse_hunk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over the budget one hunk stands for everything between the equal ends, and says that it is coarse."""
    monkeypatch.setattr(scripts, "MAX_LINES", 4)

    found = compare("a\n1\nx\n2\nb\n", "a\n3\ny\n4\nx\n5\nb\n")

    assert found.coarse
    assert [(1, 5, 1, 7, 3, 5)] == [
        (x.old_start, x.old_lines, x.new_start, x.new_lines, x.removed, x.added) for x in found.hunks
    ]
    assert not compare("a\n1\nb\n", "a\n2\nb\n").coarse


def test_too_many_characters_are_one_coarse_hunk(monkeypatch: pytest.MonkeyPatch) -> None:
    """The budget also counts code points."""
    monkeypatch.setattr(scripts, "MAX_CHARACTERS", 10)

    assert compare("same\n" + "x" * 11, "same\n" + "y" * 3).coarse
    assert not compare("same\n" + "x" * 10, "same\n" + "y" * 3).coarse


def test_a_diff_of_a_created_file() -> None:
    """A file that was not there has no lines on the old side; path and versions are carried along."""
    version = version_of_text("a\n")
    expected = Diff("p", None, version, (Hunk(0, 0, 1, 1, (HunkLine(Added, "a"),)),))

    assert expected == diff("p", None, "a\n", None, version)
