"""What is made of a comparison: edits, unified text, drift, and texts side by side."""

from random import Random

import pytest
from hypothesis import given

from dsh_ledger.drift import ChangedLines, Drift
from dsh_ledger.edits import Change, Edit
from dsh_tools.diff import FileDiff, diff, drift, file_diffs, hunks, minimal_change, rendering, unified
from tests.support.text_pairs import pairs, sliding_pair


@given(pairs())
def test_a_minimal_change_makes_the_new_text(pair: tuple[str, str]) -> None:
    """Applied to the old text it gives the new one, with or without a final newline."""
    old, new = pair

    assert new == minimal_change(old, new).apply(old)


def test_a_minimal_change_amid_repeating_lines_makes_the_new_text() -> None:
    """The same for long texts, of which only a window is compared."""
    random = Random(7)
    for old, new in (sliding_pair(random, 1200) for _ in range(100)):
        assert new == minimal_change(old, new).apply(old)


def test_a_minimal_change_replaces_whole_lines_only_where_they_differ() -> None:
    """Each run of changed lines is one edit, and what lies between two runs is left alone."""
    expected = Change((Edit(2, 4, "B\n"), Edit(6, 6, "x\n")))

    assert expected == minimal_change("a\nb\nc\nd\n", "a\nB\nc\nx\nd\n")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("a", "a\n", Edit(0, 1, "a\n")),
        ("a\nb\n", "a\nb", Edit(2, 4, "b")),
        ("a\nb", "a\nb\nc", Edit(2, 3, "b\nc")),
        ("", "a", Edit(0, 0, "a")),
        ("a\n", "", Edit(0, 2, "")),
    ],
)
def test_a_minimal_change_at_the_end(old: str, new: str, expected: Edit) -> None:
    """The last line with and without an end."""
    assert Change((expected,)) == minimal_change(old, new)


def test_equal_texts_need_no_edit() -> None:
    """Nothing to do is the empty change."""
    assert Change() == minimal_change("a\n", "a\n")


def test_unified_text() -> None:
    """Headers as git writes them, and the mark of a missing last line end after each side that has none."""
    expected = "@@ -1,2 +1,3 @@\n a\n-b\n\\ No newline at end of file\n+c\n+d\n\\ No newline at end of file\n"

    assert (expected, False) == unified(hunks("a\nb", "a\nc\nd"))


def test_unified_text_marks_a_context_line_once() -> None:
    """A last line that is the same on both sides and has no end has one mark."""
    assert ("@@ -1,2 +1,2 @@\n-a\n+b\n z\n\\ No newline at end of file\n", False) == unified(hunks("a\nz", "b\nz"))


def test_unified_text_is_cut_by_lines() -> None:
    """What is over the limit is left out by whole lines, and said; what fits exactly is not cut."""
    found = hunks("a\nb\n", "c\nd\n")

    assert ("@@ -1,2 +1,2 @@\n-a\n-b\n+c\n+d\n", False) == unified(found, limit_lines=5)
    assert ("@@ -1,2 +1,2 @@\n-a\n-b\n+c\n", True) == unified(found, limit_lines=4)


def test_unified_text_is_cut_by_characters() -> None:
    """The limit counts code points with line ends."""
    found = hunks("a\n", "b\n")

    assert ("@@ -1 +1 @@\n-a\n+b\n", False) == unified(found, limit_chars=18)
    assert ("@@ -1 +1 @@\n-a\n", True) == unified(found, limit_chars=17)


def test_unified_text_has_no_header_without_lines() -> None:
    """A header whose first line does not fit goes too."""
    found = hunks("a\nx\ny\nb\n", "A\nx\ny\nB\n", 0)

    assert 2 == len(found)
    assert ("@@ -1 +1 @@\n-a\n+A\n", True) == unified(found, limit_lines=4)
    assert ("", True) == unified(found, limit_chars=12)


def test_drift_lists_changed_places() -> None:
    """Places without context, the text with one line of it, and the exact total."""
    expected = Drift(
        (ChangedLines(2, 1, 2, 1), ChangedLines(5, 0, 6, 1)),
        "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n@@ -5 +5,2 @@\n e\n+f\n",
        2,
        False,
    )

    assert expected == drift("a\nb\nc\nd\ne\n", "a\nB\nc\nd\ne\nf\n")


def test_drift_is_bounded() -> None:
    """At most 50 places, 60 lines and 4,000 characters; the total counts what was left out."""
    lines = [f"line {index}" for index in range(600)]
    found = drift(
        "\n".join(lines), "\n".join(line + "!" if index % 6 == 0 else line for index, line in enumerate(lines))
    )

    assert (50, 100, True) == (len(found.changes), found.total, found.truncated)
    assert found.hunks.count("\n") <= 60
    assert not drift("\n".join(lines), "\n".join([*lines[:-1], "last"])).truncated


def test_drift_says_that_places_are_not_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A text that is whole does not make a list whole."""
    monkeypatch.setattr(rendering, "DRIFT_LINES", 1_000)

    assert not drift("x\n1\n" * 50, "y\n1\n" * 50).truncated
    assert drift("x\n1\n" * 51, "y\n1\n" * 51).truncated


def test_drift_is_bounded_in_characters() -> None:
    """One long line does not make a long message."""
    found = drift("a\n", "b" * 5_000 + "\n")

    assert ("@@ -1 +1 @@\n-a\n", 1, True) == (found.hunks, found.total, found.truncated)


def texts(old: str | None, new: str | None) -> tuple[FileDiff, ...]:
    """The texts side by side of a change."""
    return file_diffs(diff("p", old, new, None, None))


def test_a_created_file_has_no_old_text() -> None:
    """All its lines are new."""
    assert (FileDiff("p", None, "a\nb", ChangedLines(0, 0, 1, 2)),) == texts(None, "a\nb")


def test_a_pure_insertion_has_the_added_lines_alone() -> None:
    """No old text, no context, and the place between two old lines."""
    assert (FileDiff("p", None, "x\ny\n", ChangedLines(1, 0, 2, 2)),) == texts("a\nb\n", "a\nx\ny\nb\n")


def test_an_insertion_before_a_last_line_without_an_end() -> None:
    """The missing end is not that of the added lines."""
    assert (FileDiff("p", None, "x\n", ChangedLines(1, 0, 2, 1)),) == texts("a\nb", "a\nx\nb")


def test_two_insertions_in_one_hunk_are_shown_with_context() -> None:
    """Added lines that don't belong together are not joined to one text."""
    assert (FileDiff("p", "a\nb\nc\n", "a\nx\nb\ny\nc\n", ChangedLines(1, 3, 1, 5)),) == texts(
        "a\nb\nc\n", "a\nx\nb\ny\nc\n"
    )


def test_a_modification_has_context_on_both_sides() -> None:
    """Old and new side of the hunk, line ends included."""
    assert (FileDiff("p", "a\nb", "a\nc\n", ChangedLines(1, 2, 1, 2)),) == texts("a\nb", "a\nc\n")


def test_a_deleted_file_has_an_empty_new_text() -> None:
    """All its lines are gone."""
    assert (FileDiff("p", "a\n", "", ChangedLines(1, 1, 0, 0)),) == texts("a\n", None)


def test_each_hunk_has_its_texts() -> None:
    """Two changes far apart are two."""
    found = texts("a\n" + "x\n" * 20 + "b\n", "A\n" + "x\n" * 20 + "B\n")

    assert [(1, 4), (19, 4)] == [(item.at.old_start, item.at.old_lines) for item in found]
