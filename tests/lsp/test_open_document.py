"""An open document: the agents' hunks in it as the user types, and whose change is whose."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from dsh_lsp.buffers.decorations import decorations
from dsh_lsp.buffers.document_diff import document_lines
from dsh_lsp.buffers.editing import text_edits
from dsh_lsp.buffers.open_document import Author, OpenDocument, TextChange
from dsh_lsp.editor import Editor, EditorTraits
from dsh_lsp.text.document import Document
from dsh_tools.diff import minimal_change

AUTHOR = Author("s", "c")


class NoPeer:
    """A connection that nothing is said on."""

    async def request(self, method: str, params: object = None, *, timeout: float | None = None) -> Any:  # noqa: ASYNC109
        """Never called."""
        raise AssertionError(method)

    def notify(self, method: str, params: object = None) -> None:
        """Never called."""
        raise AssertionError(method)


def opened(text: str) -> OpenDocument:
    """A document with this text."""
    mirror = Document("file:///a", text, language_id="x", version=1, epoch=1, encoding="utf-16")
    ids = iter(range(10_000))
    return OpenDocument(mirror, Editor(NoPeer(), EditorTraits()), lambda: f"h{next(ids)}", lambda _: None)


def agent_writes(document: OpenDocument, after: str) -> None:
    """An edit of an agent arrives as the editor applied it."""
    before = document.mirror.text
    if before == after:
        return
    flight = document.launch(before, after, AUTHOR)
    edits = text_edits(document.mirror, minimal_change(before, after))
    changes = [
        TextChange((e.range.start.line, e.range.start.character, e.range.end.line, e.range.end.character), e.new_text)
        for e in reversed(edits)
    ]
    document.change(document.mirror.version + 1, changes)
    assert flight.arrived.is_set()
    document.land(flight)


def user_writes(document: OpenDocument, after: str) -> None:
    """The user makes the text another one."""
    document.change(document.mirror.version + 1, [TextChange(None, after)])


def test_an_edit_becomes_a_hunk_and_its_undo_takes_it_away() -> None:
    """D16: the text is the old one again, and nothing is left to paint."""
    document = opened("a\nb\nc\n")
    agent_writes(document, "a\nB\nB2\nc\n")
    [hunk] = decorations(document).hunks
    assert (hunk.kind, hunk.removed_text, hunk.added_lines, hunk.removed_lines) == ("modified", "b", 2, 1)

    document.change(3, [TextChange((1, 0, 3, 0), "b\n")])

    assert decorations(document).hunks == ()


def test_a_hunk_moves_with_typing_above_it() -> None:
    """Lines typed above shift it; its id stays."""
    document = opened("a\nb\nc\n")
    agent_writes(document, "a\nB\nc\n")
    [before] = decorations(document).hunks

    document.change(3, [TextChange((0, 0, 0, 0), "new\nlines\n")])

    [after] = decorations(document).hunks
    assert after.id == before.id
    assert after.range.start.line == before.range.start.line + 2


def test_an_insertion_at_the_end_of_a_text_without_newline_is_undone_cleanly() -> None:
    """The final line end comes and goes with the edit."""
    document = opened("a\nb")
    agent_writes(document, "a\nb\nc\n")
    [hunk] = decorations(document).hunks
    assert (hunk.kind, hunk.added_lines) == ("added", 1)
    assert hunk.no_newline_at_end is not None
    assert (hunk.no_newline_at_end.old, hunk.no_newline_at_end.new) == (True, False)

    document.change(3, [TextChange((1, 0, 3, 0), "b")])

    assert document.mirror.text == "a\nb"
    assert decorations(document).hunks == ()


def test_typing_while_an_edit_is_in_flight_is_the_users() -> None:
    """A change that does not lead to the edit's text is no hunk of the agent's."""
    document = opened("a\nb\n")
    flight = document.launch("a\nb\n", "a\nB\n", AUTHOR)
    document.change(2, [TextChange((0, 0, 0, 1), "typed")])
    document.land(flight)

    assert not flight.arrived.is_set()
    assert decorations(document).hunks == ()


LINES = st.lists(st.sampled_from(["a", "b", "", "d\re", "x y"]), max_size=6)


def texts() -> st.SearchStrategy[str]:
    """Short texts of few distinct lines, with and without a final line end."""
    return st.builds(lambda lines, end: "\n".join(lines) + end, LINES, st.sampled_from(["", "\n"]))


@settings(max_examples=400, deadline=None)
@given(texts(), st.lists(st.tuples(st.sampled_from(["agent", "user", "undo"]), texts()), max_size=6))
def test_hunks_always_say_how_the_text_differs_from_the_one_without_agents(
    first: str, steps: list[tuple[str, str]]
) -> None:
    """Whatever happens: hunks are in order and inside the document, and what they say is there is there."""
    document = opened(first)
    for author, text in steps:
        before, known = document.mirror.text, document.hunks
        if author == "user":
            user_writes(document, text)
        else:
            agent_writes(document, text)
            if author == "undo":
                user_writes(document, before)
                assert known == document.hunks
        lines = document_lines(document.mirror.text)
        end = 0
        for hunk in document.hunks:
            assert end <= hunk.start
            end = hunk.start + hunk.count
            assert tuple(lines[hunk.start : end]) == hunk.current
        assert end <= len(lines)
        for shown in decorations(document).hunks:
            assert shown.range.end.line < document.mirror.line_count
            assert shown.added_lines + shown.removed_lines > 0 or shown.no_newline_at_end is not None


@settings(max_examples=400, deadline=None)
@given(texts(), texts())
def test_an_agents_edit_that_is_undone_at_once_leaves_nothing(first: str, second: str) -> None:
    """The editor's undo, as one replacement of the whole text, takes every hunk away."""
    document = opened(first)
    agent_writes(document, second)

    user_writes(document, first)

    assert decorations(document).hunks == ()


def test_what_was_foreseen_is_pending_when_the_edit_arrives() -> None:
    """The very hunks that were found out before it was sent."""
    document = opened("a\nb\n")
    foreseen = document.foresee(document.hunks, "a\nb\n", "a\nB\n", AUTHOR)
    flight = document.launch("a\nb\n", "a\nB\n", AUTHOR, foreseen)
    document.change(2, [TextChange((1, 0, 1, 1), "B")])
    document.land(flight)

    assert foreseen.after is document.hunks
    assert ["h0"] == [hunk.id for hunk in document.hunks]


def test_what_was_foreseen_for_other_hunks_is_not_believed() -> None:
    """Somebody has decided since; then it is found out when the edit arrives."""
    document = opened("a\nb\n")
    agent_writes(document, "a\nB\n")
    foreseen = document.foresee(document.hunks, "a\nB\n", "A\nB\n", AUTHOR)
    document.keep((("h0", None),))
    flight = document.launch("a\nB\n", "A\nB\n", AUTHOR, foreseen)
    document.change(3, [TextChange((0, 0, 0, 1), "A")])
    document.land(flight)

    assert [(("a",), ("A",))] == [(hunk.base, hunk.current) for hunk in document.hunks]
