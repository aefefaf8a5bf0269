"""The mirror of one open document against the simplest model of it: a plain string."""

import time
from dataclasses import dataclass
from functools import lru_cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dsh_ledger.versions import version_of_text
from dsh_lsp.text.document import AppliedChange, Document
from dsh_lsp.text.positions import PositionEncoding

ENCODINGS: tuple[PositionEncoding, ...] = ("utf-8", "utf-16", "utf-32")


def opened(text: str, encoding: PositionEncoding = "utf-16") -> Document:
    """A freshly opened document."""
    return Document("file:///a%20b.py", text, language_id="python", version=1, epoch=1, encoding=encoding)


# --- the model ---------------------------------------------------------------------------------------------------


def joined(text: str) -> str:
    """The text with surrogates that meet made one code point."""
    result = ""
    for char in text:
        if result and "\ud800" <= result[-1] <= "\udbff" and "\udc00" <= char <= "\udfff":
            high, low = ord(result[-1]) - 0xD800, ord(char) - 0xDC00
            result = result[:-1] + chr(0x10000 + high * 0x400 + low)
        else:
            result += char
    return result


@lru_cache(maxsize=4)
def line_starts(text: str) -> tuple[int, ...]:
    """The offset at which each line starts."""
    starts = [0]
    for index, char in enumerate(text):
        if char == "\n" or (char == "\r" and text[index + 1 : index + 2] != "\n"):
            starts.append(index + 1)
    return tuple(starts)


def lines_of(text: str) -> list[str]:
    """The lines with their ends."""
    starts = line_starts(text)
    return [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]


def width(char: str, encoding: PositionEncoding) -> int:
    """Units of one code point."""
    point = ord(char)
    match encoding:
        case "utf-8":
            return 1 if point < 0x80 else 2 if point < 0x800 else 3 if point < 0x10000 else 4
        case "utf-16":
            return 1 if point < 0x10000 else 2
        case "utf-32":
            return 1


def offset_in(text: str, line: int, character: int, encoding: PositionEncoding) -> int:
    """The offset of an LSP position."""
    starts = line_starts(text)
    if line >= len(starts):
        return len(text)
    offset = starts[line]
    while offset < len(text) and text[offset] not in "\r\n" and width(text[offset], encoding) <= character:
        character -= width(text[offset], encoding)
        offset += 1
    return offset


def position_in(text: str, offset: int, encoding: PositionEncoding) -> tuple[int, int]:
    """The LSP position of an offset."""
    if text[offset - 1 : offset + 1] == "\r\n":
        offset -= 1
    starts = line_starts(text)
    line = max(index for index, start in enumerate(starts) if start <= offset)
    return line, sum(width(char, encoding) for char in text[starts[line] : offset])


# --- what is done to both ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of a range."""

    start: tuple[int, int]
    end: tuple[int, int]
    text: str


@dataclass(frozen=True, slots=True)
class Replacement:
    """A change of the whole text."""

    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """A look at one position, which fills the mirror's caches up to there."""

    position: tuple[int, int]


PLAIN = st.sampled_from(["\n", "\r", "\r\n", "\n\r", "}\n", "a", "b", " ", "\ufeff"])
NO_ENDS = st.sampled_from("\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029\0")
WIDE = st.sampled_from(["é", "e\u0301", "漢", "😋", "🧑\u200d💻", "\U0010ffff", "\ud83d", "\ude0b"])
PIECES = PLAIN | NO_ENDS | WIDE
# Few kinds of pieces, for much that meets at a boundary: line ends that join or split, halves of one character.
FEW_PIECES = st.sampled_from(["\n", "\r", "\r", "a", "}\n", "\ud83d", "\ude0b"])
FEW_LINES = st.lists(FEW_PIECES, min_size=3, max_size=10).map("".join)
TEXTS = st.lists(PIECES, max_size=14).map("".join) | FEW_LINES
HUGE = st.sampled_from([2**31 - 1, 2**31, 2**32 - 1, 2**63])
POSITIONS = st.tuples(st.integers(0, 9) | HUGE, st.integers(0, 9) | HUGE)
NEAR_POSITIONS = st.tuples(st.integers(0, 3), st.just(0) | st.integers(0, 3))
INSERTIONS = NEAR_POSITIONS.flatmap(lambda at: st.builds(Edit, st.just(at), st.just(at), FEW_PIECES | PIECES))
# Whole contents and whole lines, replaced by nothing or by little.
NEAR_EDITS = st.builds(
    lambda start, lines, end, text: Edit(start, (start[0] + lines, end), text),
    NEAR_POSITIONS,
    st.integers(0, 1),
    st.just(0) | st.integers(0, 3) | HUGE,
    st.just("") | FEW_PIECES,
)
EDITS = NEAR_EDITS | INSERTIONS | st.builds(Edit, POSITIONS, POSITIONS, TEXTS)
STEPS = EDITS | EDITS | EDITS | st.builds(Replacement, TEXTS) | POSITIONS.map(Question)
SESSIONS = st.tuples(FEW_LINES | TEXTS, st.lists(STEPS, min_size=2, max_size=8), st.sampled_from(ENCODINGS))
# A busy machine is not a reason to fail.
ON_ANY_MACHINE = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
Session = tuple[str, list[Edit | Replacement | Question], PositionEncoding]


def check_session(session: Session) -> None:
    """Do the same to the mirror and to the model and compare all there is to see after each step."""
    text, steps, encoding = session
    text = joined(text)
    document = opened(session[0], encoding)
    for step in steps:
        before = list(document.lines())
        change: AppliedChange | None = None
        match step:
            case Edit():
                start, end = sorted([offset_in(text, *step.start, encoding), offset_in(text, *step.end, encoding)])
                text = joined(text[:start] + step.text + text[end:])
                change = document.apply(*step.start, *step.end, step.text)
            case Replacement():
                text = joined(step.text)
                change = document.replace_all(step.text)
            case Question():
                assert offset_in(text, *step.position, encoding) == document.offset_at(*step.position)
        if change is not None:
            check_change(before, change, lines_of(text))
        assert lines_of(text) == list(document.lines())
        if isinstance(step, Question):
            assert text == document.text
            assert version_of_text(text) == document.content_version
    check_view(text, document)


def check_change(before: list[str], change: AppliedChange, after: list[str]) -> None:
    """A change says exactly which lines were replaced by which, and names no line that stayed."""
    start, old, new = change.start_line, list(change.old_lines), list(change.new_lines)

    assert old == before[start : start + len(old)]
    assert after == before[:start] + new + before[start + len(old) :]
    assert not (old and new) or (old[0] != new[0] and old[-1] != new[-1])


def check_view(text: str, document: Document) -> None:
    """Everything that can be asked of the document agrees with the text."""
    lines, offsets = lines_of(text), list(range(len(text) + 1))
    positions = [position_in(text, offset, document.encoding) for offset in offsets]

    assert positions == document.positions_at(offsets)
    assert positions[::-1] == document.positions_at(offsets[::-1])
    assert positions == [document.position_at(offset) for offset in offsets]
    assert [offset_in(text, *position, document.encoding) for position in positions] == [
        document.offset_at(*position) for position in positions
    ]
    assert [*line_starts(text), len(text)] == [document.offset_of_line(line) for line in range(len(lines) + 1)]
    assert lines == [document.line(index) for index in range(document.line_count)]
    assert text == document.text
    assert version_of_text(text) == document.content_version


@settings(ON_ANY_MACHINE, max_examples=300)
@given(SESSIONS)
def test_the_mirror_is_the_clients_text(session: Session) -> None:
    """After any changes, whatever their ranges, the mirror answers everything as the plain text would."""
    check_session(session)


@pytest.mark.slow
@pytest.mark.timeout(600)
@settings(ON_ANY_MACHINE, max_examples=5_000)
@given(SESSIONS)
def test_the_mirror_is_the_clients_text_many_times(session: Session) -> None:
    """As above, many times."""
    check_session(session)


# --- by example --------------------------------------------------------------------------------------------------


def test_a_document_keeps_what_it_was_opened_with() -> None:
    """The uri is the client's spelling, and what the client said about the document is there to be read."""
    document = opened("a\n")

    assert ("file:///a%20b.py", "python", 1, 1) == (
        document.uri,
        document.language_id,
        document.version,
        document.epoch,
    )


def test_an_empty_document_has_one_empty_line() -> None:
    """An empty text has a line, a position and an offset, and can be typed into."""
    document = opened("")

    assert (1, "", [(0, 0)], 0) == (
        document.line_count,
        document.line(0),
        document.positions_at([0]),
        document.offset_of_line(1),
    )
    assert AppliedChange(0, ("",), ("a",)) == document.apply(0, 0, 0, 0, "a")


def test_typing_after_the_last_line_end_fills_the_last_line() -> None:
    """A document that ends with a line end has an empty last line, which a change there replaces."""
    document = opened("a\n")

    assert AppliedChange(1, ("",), ("b",)) == document.apply(1, 0, 1, 0, "b")
    assert "a\nb" == document.text


def test_a_position_past_the_end_is_the_end() -> None:
    """Past the last line is the end of the document, and past a line's content is before its line end."""
    document = opened("abc\r\nd")
    document.apply(2**32 - 1, 0, 2**32 - 1, 0, "!")
    document.apply(0, 2**32 - 1, 0, 2**32 - 1, "?")

    assert "abc?\r\nd!" == document.text


def test_a_lone_carriage_return_takes_the_newline_that_comes_to_it() -> None:
    r"""Deleting what stands between ``\r`` and ``\n`` makes one line end of the two."""
    document = opened("a\rb\nc")

    assert AppliedChange(0, ("a\r", "b\n"), ("a\r\n",)) == document.apply(1, 0, 1, 1, "")
    assert ("a\r\n", "c") == document.lines()


def test_an_emptied_line_stays_a_line() -> None:
    r"""Deleting the content of a line leaves its line end, which joins no other when no lone ``\r`` is before it."""
    document = opened("a\nb\r\nc")

    assert AppliedChange(1, ("b\r\n",), ("\r\n",)) == document.apply(1, 0, 1, 1, "")
    assert ("a\n", "\r\n", "c") == document.lines()


def test_a_newline_typed_after_a_carriage_return_joins_it() -> None:
    r"""A ``\n`` inserted at the start of the line after a lone ``\r`` completes that line's end."""
    document = opened("a\rb")

    assert AppliedChange(0, ("a\r",), ("a\r\n",)) == document.apply(1, 0, 1, 0, "\n")
    assert ("a\r\n", "b") == document.lines()


def test_text_that_begins_with_a_newline_joins_the_carriage_return_before_it() -> None:
    r"""Only the first ``\n`` of what is inserted after a lone ``\r`` goes to that line's end."""
    document = opened("a\rb")

    assert AppliedChange(0, ("a\r", "b"), ("a\r\n", "x\n", "yb")) == document.apply(1, 0, 1, 0, "\nx\ny")
    assert ("a\r\n", "x\n", "yb") == document.lines()


def test_a_carriage_return_typed_before_a_newline_joins_it() -> None:
    r"""A ``\r`` inserted before the ``\n`` of its line makes ``\r\n`` of it."""
    document = opened("a\nb")

    assert AppliedChange(0, ("a\n",), ("a\r\n",)) == document.apply(0, 1, 0, 1, "\r")


def test_a_position_inside_a_line_end_is_before_it() -> None:
    r"""No change gets between ``\r`` and ``\n``, and the offset between them is told as the position before both."""
    document = opened("a\r\nb")
    document.apply(0, 2, 0, 2, "x")

    assert "ax\r\nb" == document.text
    assert [(0, 2), (0, 2), (1, 0)] == document.positions_at([2, 3, 4])


def test_a_swapped_range_is_the_same_range() -> None:
    """A range whose end is before its start replaces what lies between the two."""
    document = opened("abc\ndef\n")
    document.apply(1, 2, 0, 1, "-")

    assert "a-f\n" == document.text


def test_D11_positions_count_the_units_of_the_encoding() -> None:
    """An edit of an astral character and what follows it has the range that a UTF-16 client means."""
    document = opened('x="😋"', "utf-16")

    assert [(0, 3), (0, 6)] == document.positions_at([3, 5])

    document.apply(0, 3, 0, 6, 'y"')

    assert 'x="y"' == document.text


def test_halves_of_a_character_sent_one_after_the_other_are_one_character() -> None:
    """Surrogates that meet by two changes give the text, and the version, of the character the editor shows."""
    document = opened("ab")
    document.apply(0, 1, 0, 1, "\ud83d")
    document.apply(0, 2, 0, 2, "\ude0b")

    assert "a😋b" == document.text
    assert version_of_text("a😋b") == document.content_version


@pytest.mark.parametrize(
    ("edit", "change"),
    [
        (Edit((1, 0), (1, 0), "}\n"), AppliedChange(1, (), ("}\n",))),
        (Edit((1, 1), (1, 1), "\n}"), AppliedChange(2, (), ("}\n",))),
        (Edit((1, 0), (2, 0), ""), AppliedChange(1, ("}\n",), ())),
        (Edit((1, 1), (2, 1), ""), AppliedChange(2, ("}\n",), ())),
        (Edit((0, 0), (3, 0), "a\n}\nx\n"), AppliedChange(2, ("}\n",), ("x\n",))),
    ],
)
def test_a_change_names_only_the_lines_it_changes(edit: Edit, change: AppliedChange) -> None:
    """Of equal lines, those typed or deleted are named; a line at the edge of the range that stayed is not."""
    assert change == opened("a\n}\n}\nz").apply(*edit.start, *edit.end, edit.text)


def test_a_change_that_changes_nothing_has_no_lines() -> None:
    """Text replaced by itself is told as no lines replaced by none."""
    change = opened("a\nb\n").apply(0, 0, 1, 1, "a\nb")

    assert ((), ()) == (change.old_lines, change.new_lines)


def test_the_whole_text_replaced_is_told_by_its_changed_lines() -> None:
    """A change without a range names the lines from the first to the last that differ."""
    document = opened("a\nb\nc\nd\n")

    assert AppliedChange(1, ("b\n", "c\n"), ("B\n",)) == document.replace_all("a\nB\nd\n")
    assert "a\nB\nd\n" == document.text


def test_a_repeated_line_that_goes_is_named_once() -> None:
    """Where one line less of equal ones is left, the lines kept before the change are not kept again after it."""
    document = opened("a\na\n")

    assert AppliedChange(1, ("a\n",), ()) == document.replace_all("a\n")
    assert ("a\n", "") == document.lines()


def test_the_version_is_the_one_of_the_logical_text() -> None:
    """Line ends and a byte order mark are the buffer's form and not its content, and a change of content is seen."""
    document = opened("\ufeffa\r\nb")

    assert version_of_text("a\nb") == document.content_version

    document.apply(1, 0, 1, 0, "x")

    assert version_of_text("a\nxb") == document.content_version


@pytest.mark.parametrize("position", [(-1, 0), (0, -1)])
def test_a_negative_position_is_refused_before_anything_changes(position: tuple[int, int]) -> None:
    """A negative line or character, which LSP doesn't have, raises and leaves the document alone."""
    document = opened("abc")

    with pytest.raises(ValueError, match="negative"):
        document.apply(*position, 0, 1, "x")
    with pytest.raises(ValueError, match="negative"):
        document.offset_at(*position)
    assert "abc" == document.text


def test_no_offsets_have_no_positions() -> None:
    """An empty list of offsets gives an empty list."""
    assert [] == opened("a").positions_at([])


@pytest.mark.parametrize("offset", [-1, 5])
def test_an_offset_outside_the_text_is_refused(offset: int) -> None:
    """Offsets are our own and never clamped."""
    with pytest.raises(ValueError, match="offset"):
        opened("a\nbc").positions_at([0, offset])


@pytest.mark.parametrize("index", [-1, 2])
def test_a_line_outside_the_document_is_refused(index: int) -> None:
    """Line indices are our own, never clamped and never counted from the end."""
    with pytest.raises(IndexError):
        opened("a\nbc").line(index)
    with pytest.raises(IndexError):
        opened("a\nbc").offset_of_line(index if index < 0 else index + 1)


def test_a_keystroke_does_not_touch_the_rest_of_a_large_document() -> None:
    """A thousand keystrokes in 100,000 lines take far less than a thousand passes over them would (2.4 s at best)."""
    document = opened("x" * 49 + "\n" + ("y" * 49 + "\n") * 99_999)
    document.positions_at([len(document.text)])
    started = time.process_time()
    for column in range(1000):
        document.apply(0, column, 0, column, "k")

    assert time.process_time() - started < 1
