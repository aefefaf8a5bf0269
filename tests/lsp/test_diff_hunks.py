r"""Hunks at the end of a text: an empty last line is a line to a document and none to a diff."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsh_ledger.pending import PendingHunk, PendingHunks
from dsh_ledger.pending_batch import edited
from dsh_lsp.buffers.diff_hunks import DiffHunk, diff_hunks
from dsh_lsp.buffers.document_diff import settled_edits
from dsh_lsp.text.document import Document
from dsh_tools.diff import hunks as diff

TEXTS = st.builds(
    lambda lines, end: "\n".join(lines) + end,
    st.lists(st.sampled_from(["a", "b", ""]), max_size=5),
    st.sampled_from(["", "\n"]),
)


def shown(*texts: str) -> tuple[DiffHunk, ...]:
    """The hunks after agents made each text the next one."""
    ids = itertools.count()
    hunks = PendingHunks()
    for before, after in itertools.pairwise(texts):
        hunks = edited(hunks, settled_edits(before, after), ("s", "c"), lambda: f"h{next(ids)}")
    mirror = Document("file:///a", texts[-1], language_id="x", version=1, epoch=1, encoding="utf-16")
    return diff_hunks(hunks, mirror)


def base_of(text: str, hunks: tuple[DiffHunk, ...]) -> str:
    """The base text, by what is shown."""
    lines = text.split("\n")
    ended = not text or text.endswith("\n")
    if ended:
        lines.pop()
    for hunk in reversed(hunks):
        assert list(hunk.current) == lines[hunk.start : hunk.start + len(hunk.current)]
        assert hunk.base != hunk.current or hunk.old_no_newline != hunk.new_no_newline
        lines[hunk.start : hunk.start + len(hunk.current)] = hunk.base
        if hunk.old_no_newline != hunk.new_no_newline:
            ended = not hunk.old_no_newline
    return "".join(f"{line}\n" for line in lines) if ended else "\n".join(lines)


@pytest.mark.parametrize(
    ("before", "after", "base", "current", "flags"),
    [
        ("a\n\n", "a\n", ("",), (), (False, False)),
        ("a\n", "a\n\n", (), ("",), (False, False)),
        ("\n", "", ("",), (), (False, False)),
        ("", "\n", (), ("",), (False, False)),
        ("", "a", (), ("a",), (False, True)),
        ("", "a\n", (), ("a",), (False, False)),
        ("a", "", ("a",), (), (True, False)),
        ("a", "a\n", (), (), (True, False)),
        ("a\n", "a", (), (), (False, True)),
        ("a\n", "a\n\nb", (), ("", "b"), (False, True)),
        ("a\n\nb", "a\n", ("", "b"), (), (True, False)),
        ("x\ny\nz", "x\ny", ("z",), (), (False, False)),
        ("a\nb\n", "a\nB\n", ("b",), ("B",), (False, False)),
    ],
)
def test_one_hunk_at_the_end(
    before: str, after: str, base: tuple[str, ...], current: tuple[str, ...], flags: tuple[bool, bool]
) -> None:
    """Lines as a diff counts them, and the flags where the two texts end differently."""
    [hunk] = shown(before, after)

    assert (base, current) == (hunk.base, hunk.current)
    assert flags == (hunk.old_no_newline, hunk.new_no_newline)


def test_a_base_text_without_any_line_lacks_no_line_end() -> None:
    """All that was in it was deleted, and that was kept: what is there now was all added."""
    hunks = PendingHunks.of([PendingHunk("h", 0, (), ("a",), (("s", "c"),))])
    [hunk] = diff_hunks(hunks, Document("file:///a", "a", language_id="x", version=1, epoch=1, encoding="utf-8"))

    assert ((), ("a",), False, True) == (hunk.base, hunk.current, hunk.old_no_newline, hunk.new_no_newline)


@settings(max_examples=600)
@given(st.lists(TEXTS, min_size=2, max_size=4))
def test_the_base_text_can_be_had_back_from_what_is_shown(texts: list[str]) -> None:
    """Whatever several edits have made of the end of the text, in hunks that stand one behind the other."""
    assert texts[0] == base_of(texts[-1], shown(*texts))


@settings(max_examples=400)
@given(TEXTS, TEXTS)
def test_one_edit_makes_the_text_as_much_longer_as_a_diff_says(before: str, after: str) -> None:
    """A last line that only loses or gets its end is a line on both sides to a diff, and a flag here."""
    found, expected = shown(before, after), diff(before, after, 0)
    grown = sum(len(hunk.current) - len(hunk.base) for hunk in found)

    assert grown == sum(hunk.added - hunk.removed for hunk in expected)
