"""The naive text model against plain expectations, and against the server's mirror, with which it shares nothing."""

import hashlib
from typing import Any, cast

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dsh_lsp.text.document import Document
from tests.support.buffers import Buffer, path_of
from tests.support.naive_text import (
    Encoding,
    Outside,
    Span,
    content_changes,
    content_version,
    difference,
    offset_of,
    position_of,
    ranges_in,
    replaced,
    spans_of,
)
from tests.support.vim_text import VimText
from tests.support_selftest.scripted_server import edit

TEXTS = st.text(alphabet="ab\r\n\u2028é😋\ud800", max_size=20)
ENCODINGS = st.sampled_from(["utf-8", "utf-16", "utf-32"])


@pytest.mark.parametrize(
    ("encoding", "character"),
    [("utf-8", 7), ("utf-16", 4), ("utf-32", 3)],
)
def test_position_counts_in_the_encoding(encoding: Encoding, character: int) -> None:
    """A character of a position is a byte, a UTF-16 unit or a code point."""
    text = "x\r\né😋b|"

    assert {"line": 1, "character": character} == position_of(text, 6, encoding)
    assert 6 == offset_of(text, {"line": 1, "character": character}, encoding)


@pytest.mark.parametrize(
    ("line", "character", "clamped"),
    [
        (0, 3, 2),  # past the end of a line, which has a line end
        (2, 0, 7),  # past the last line
        (1, 2, 4),  # inside a surrogate pair
        (1, 9, 7),  # past the end of the last line
    ],
)
def test_place_outside_is_an_error_or_clamped(line: int, character: int, clamped: int) -> None:
    """A place outside the text is an error, and for an editor the nearest place before."""
    text = "ab\n\u00e9😋cd"
    place = {"line": line, "character": character}

    with pytest.raises(Outside):
        offset_of(text, place, "utf-16")
    assert clamped == offset_of(text, place, "utf-16", clamp=True)


def test_no_position_inside_a_line_end() -> None:
    r"""There is no position between a ``\r`` and its ``\n``."""
    with pytest.raises(Outside):
        position_of("a\r\nb", 2, "utf-16")


def test_only_three_line_ends_end_a_line() -> None:
    r"""``\n``, ``\r\n`` and a lone ``\r`` end a line; U+2028, U+0085, vertical tab and form feed do not."""
    assert {"line": 3, "character": 5} == position_of("\n\r\n\r\u2028\x85\x0b\x0cx", 9, "utf-16")


def test_edits_of_one_place_keep_their_order() -> None:
    """Inserts at one place stand in the order of the array, a replacement of what follows comes last."""
    spans = spans_of("ab", [edit(0, 1, 1, "1"), edit(0, 1, 1, "2"), edit(0, 1, 2, "3")], "utf-16")

    assert "a123" == replaced("ab", spans)


@pytest.mark.parametrize(
    "edits",
    [
        [edit(0, 0, 2, "x"), edit(0, 1, 3, "y")],
        [edit(0, 1, 2, "x"), edit(0, 1, 1, "y")],
        [edit(0, 2, 1, "x")],
        [edit(0, 0, 4, "x")],
    ],
    ids=["overlap", "insert after replacement", "reversed", "outside"],
)
def test_edits_that_lsp_forbids_are_errors(edits: list[Any]) -> None:
    """Overlapping, reversed and outlying ranges are not edits."""
    with pytest.raises(Outside):
        spans_of("abc", edits, "utf-16")


@given(TEXTS, TEXTS)
@example("a\r\nb", "a\rXb")
@example("x\r\n", "y\n")
def test_difference_makes_one_text_of_the_other(old: str, new: str) -> None:
    """The difference of two texts is a span with positions, and replacing it gives the other text."""
    old, new = replaced(old, []), replaced(new, [])
    span = difference(old, new)

    assert new == replaced(old, [span])
    position_of(old, span.start, "utf-16")
    position_of(old, span.end, "utf-16")


def test_difference_is_small() -> None:
    """The difference of two texts is what differs, and no more."""
    assert Span(2, 3, "XY") == difference("abcde", "abXYde")


@given(st.data(), TEXTS, ENCODINGS)
def test_changes_mean_the_same_to_the_servers_mirror(data: st.DataObject, text: str, encoding: str) -> None:
    """The change events of any spans leave the server's mirror with the text that the naive way gives."""
    text = replaced(text, [])
    places = sorted(
        data.draw(st.lists(st.integers(0, len(text)), min_size=2, max_size=4).filter(lambda p: len(p) % 2 == 0))
    )
    places = [place - 1 if text[place - 1 : place + 1] == "\r\n" and place else place for place in places]
    spans = [Span(start, end, data.draw(TEXTS)) for start, end in zip(places[::2], places[1::2], strict=True)]
    named = cast("Encoding", encoding)
    mirror = Document("file:///a", text, language_id="", version=1, epoch=1, encoding=named)
    for event in content_changes(text, spans, named):
        start, end = event["range"]["start"], event["range"]["end"]
        mirror.apply(start["line"], start["character"], end["line"], end["character"], event["text"])

    assert replaced(text, spans) == mirror.text
    assert content_version(replaced(text, spans)) == mirror.content_version


def test_content_version_is_of_the_logical_text() -> None:
    """Line ends and a byte order mark don't count, the final newline does."""
    expected = hashlib.sha256(b"a\nb\n").hexdigest()

    assert [expected] * 2 == [content_version("a\nb\n"), content_version("\ufeffa\r\nb\r\n")]
    assert expected != content_version("a\nb")


def test_ranges_are_found_wherever_they_are() -> None:
    """Every range of a JSON value is found, whatever its member is called."""
    one, other = (edit(line, 0, 0, "")["range"] for line in (1, 2))

    assert [one, other] == list(ranges_in({"hunks": [{"range": one, "words": [other]}], "start": 3}))


@pytest.mark.parametrize(
    ("before", "edits", "after"),
    [
        ("one\ntwo\n", [edit(2, 0, 0, "three\n")], "one\ntwo\nthree\n\n"),
        ("one\ntwo\n", [edit(1, 3, 3, "\nthree")], "one\ntwo\nthree\n"),
        ("a\nb\n", [edit(1, 0, 0, "B\nC\n", end_line=2)], "a\nB\nC\n"),
        ("a\nb", [edit(0, 0, 0, "A\nB\n", end_line=2)], "A\nB"),
        ("a\nb\n", [edit(1, 1, 0, "", end_line=2)], "a\nb\n"),
        ("a\r\nb\r\n", [edit(0, 1, 1, "\nz")], "a\r\nz\r\nb\r\n"),
        ("", [edit(0, 0, 0, "new content\n")], "new content\n\n"),
        ("é😋\n", [edit(0, 2, 6, "x"), edit(0, 0, 0, "y")], "yéx\n"),
    ],
    ids=[
        "insert after the last line",
        "append to the last line",
        "replace up to past the end",
        "no final newline to add",
        "no final newline to take",
        "dos",
        "empty",
        "columns are bytes",
    ],
)
def test_vim_text_edits_as_measured(before: str, edits: list[Any], after: str) -> None:
    """A Neovim's buffer takes edits as a real one was seen to."""
    assert after == VimText.load(before).edited(edits, "utf-8").text


@pytest.mark.parametrize(
    ("on_disk", "told"),
    [("a\r\nb\r\n", "a\r\nb\r\n"), ("a\r\nb\n", "a\r\nb\n"), ("a\nb", "a\nb"), ("", "\n"), ("\n", "\n")],
)
def test_vim_text_loads_as_measured(on_disk: str, told: str) -> None:
    """What a Neovim tells of a file is the file's text, but an empty file is an empty line."""
    assert told == VimText.load(on_disk).text


def test_buffer_knows_what_is_unsaved_and_whose() -> None:
    """An agent's edit makes a buffer dirty, typing makes it typed, undoing all makes it neither."""
    buffer = Buffer("file:///a", "ab", 1, 2, "plaintext", "utf-16", saved_text="ab")
    states = [(buffer.is_dirty, buffer.typed)]
    buffer.change([Span(0, 1, "A")], "agent")
    states.append((buffer.is_dirty, buffer.typed))
    buffer.change([Span(1, 2, "B")], "user")
    states.append((buffer.is_dirty, buffer.typed))
    buffer.undo()
    buffer.undo()
    states.append((buffer.is_dirty, buffer.typed))

    assert [(False, False), (True, False), (True, True), (False, False)] == states
    assert ("ab", 5) == (buffer.text, buffer.version)


def test_path_of_a_uri_in_any_spelling() -> None:
    """Percent escapes are read, and only ``file:`` is a path."""
    assert "/w/a b#ü" == str(path_of("file:///w/a%20b%23%c3%bc"))
    assert path_of("untitled:Untitled-1") is None
