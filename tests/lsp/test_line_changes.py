"""Edits of lines as a change of the text."""

from hypothesis import given
from hypothesis import strategies as st

from dsh_ledger.line_edits import LineEdit
from dsh_lsp.buffers.document_diff import document_lines
from dsh_lsp.review.line_changes import line_change

TEXTS = st.text(alphabet="ab\n\r", max_size=20).map(lambda text: text.replace("\r\n", "\n"))
NEW = st.lists(st.sampled_from(["", "x", "y"]), max_size=3).map(tuple)


@given(TEXTS, st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3), NEW), max_size=4))
def test_the_text_has_the_lines_that_the_edits_say(text: str, drawn: list[tuple[int, int, tuple[str, ...]]]) -> None:
    """Anywhere: at the end, where lines touch, in an empty text."""
    lines = document_lines(text)
    edits: list[LineEdit] = []
    at = 0
    for skip, count, new in drawn:
        start = min(at + skip, len(lines))
        end = min(start + count, len(lines))
        edits.append(LineEdit(start, tuple(lines[start:end]), new))
        at = end
    expected = list(lines)
    for edit in reversed(edits):
        expected[edit.start : edit.end] = edit.new

    after = line_change(text, reversed(edits)).apply(text)

    assert (expected or [""]) == document_lines(after)


def test_what_is_not_edited_keeps_its_line_ends() -> None:
    """A lone carriage return elsewhere stays one."""
    change = line_change("a\rb\nc\rd", [LineEdit(1, ("b",), ("B", "B"))])

    assert "a\rB\nB\nc\rd" == change.apply("a\rb\nc\rd")
