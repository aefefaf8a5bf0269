r"""What changed in a document's lines, in texts whose end is far below: told without looking at it."""

from hypothesis import given, settings
from hypothesis import strategies as st

from dsh_ledger.line_edits import LineEdit
from dsh_lsp.buffers.document_diff import document_blocks, document_lines, settled_edits
from dsh_tools.diff import line_blocks

TAILS = {
    "empty lines": "\n" * 70_000,
    "the same line": "a\n" * 35_000,
    "the same line, ended by a carriage return": "a\r" * 35_000,
    "other lines": "".join(f"line {n}\n" for n in range(8_000)),
    "one line": "x" * 70_000,
    "a long line": "b\n" + "x" * 70_000 + "\n",
}
HEADS = st.lists(st.sampled_from(["a", "b", "", "a\rb", "line 1"]), max_size=6).map("\n".join)


def applied(lines: list[str], edits: list[LineEdit]) -> list[str]:
    """The lines after the edits, each of which finds what it replaces."""
    for edit in edits:
        assert list(edit.old) == lines[edit.start : edit.start + len(edit.old)]
        lines[edit.start : edit.start + len(edit.old)] = edit.new
    return lines


@settings(max_examples=60, deadline=None)
@given(HEADS, HEADS, st.sampled_from(sorted(TAILS)), st.sampled_from(["", "\n", "a", "\na\n"]))
def test_what_is_far_below_changes_nothing(before: str, after: str, tail: str, end: str) -> None:
    """Blocks are those of a diff, edits lead from one text to the other, and a single one is as low as it goes."""
    old, new = (f"{head}\n{TAILS[tail]}{end}" for head in (before, after))
    edits = settled_edits(old, new)

    assert document_blocks(old, new) == line_blocks(old.replace("\r", "\n"), new.replace("\r", "\n")).blocks
    assert document_lines(new) == applied(document_lines(old), edits)
    if len(edits) == 1:
        assert edits == [edits[0].settled(document_lines(old))]
