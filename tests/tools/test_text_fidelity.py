"""Bytes to text and back, and edits that leave every other byte alone: properties against a slow and obvious model."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_ledger.edits import Change, Edit
from dsh_ledger.errors import FsNotText
from dsh_ledger.versions import logical_text, version_of_text
from dsh_tools.fs.encoding import NUL_NOTE, UTF8_BOM, Decoded, decode, text_content
from dsh_tools.fs.line_ends import rewrite, to_physical
from dsh_tools.fs.text_faults import FEW_NULS
from tests.support.line_end_model import BOM, modelled, units

# ---- strategies

pieces = st.sampled_from(["\n", "\r\n", "a", "bc", "", "é", "\u2028", "\U0001f600", "\x0c", "x" * 40])
lone = st.sampled_from(["\n", "\r\n", "\r", "a", "b\r"])
physicals = st.lists(pieces, max_size=30).map("".join)
marked = st.tuples(st.sampled_from(["", BOM]), physicals).map("".join)
inserts = st.lists(st.sampled_from(["\n", "\r\n", "N", "ü", ""]), max_size=5).map("".join)


@st.composite
def changes(draw: st.DrawFn, length: int) -> Change:
    """A change to a logical text of a length: up to four edits with something untouched between them."""
    offsets = sorted(draw(st.lists(st.integers(0, length), max_size=8, unique=True)))
    edits = []
    for start, end in zip(offsets[::2], offsets[1::2], strict=False):
        edits.append(Edit(start, draw(st.sampled_from([start, end])), draw(inserts)))
    return Change.of(*edits)


@given(st.data(), marked, st.sampled_from(["\n", "\r\n"]))
def test_a_change_is_carried_out_as_by_the_model(data: st.DataObject, physical: str, default_eol: str) -> None:
    """Offsets and line ends are those of the model, for mixed ends, with and without a byte order mark."""
    change = data.draw(changes(len(logical_text(physical))))

    actual = to_physical(change, physical, default_eol).apply(physical)

    assert modelled(change, physical, default_eol) == actual


@given(st.data(), marked)
def test_the_logical_text_changes_as_asked(data: st.DataObject, physical: str) -> None:
    r"""Read back, the changed physical text is the changed logical text, ``\r\n`` in an insert counting as ``\n``."""
    logical = logical_text(physical)
    change = data.draw(changes(len(logical)))

    actual = logical_text(to_physical(change, physical).apply(physical))

    assert change.apply(logical).replace("\r\n", "\n") == actual


@given(st.data(), st.lists(lone, max_size=20).map("".join))
def test_bytes_outside_the_spans_stay(data: st.DataObject, physical: str) -> None:
    r"""Every unit that no edit covers is in the result as it was and where it was, also next to a lone ``\r``."""
    change = data.draw(changes(len(units(physical))))
    there = to_physical(change, physical)
    after = there.apply(physical)

    at = 0
    for (start, _), edit in zip(there.spans_after(), there.edits, strict=True):
        shift = start - edit.start
        assert physical[at : edit.start] == after[at + shift : start]
        at = edit.end
    assert physical[at:] == after[len(after) - (len(physical) - at) :]


@given(st.data(), st.lists(st.sampled_from("ab\n"), max_size=20).map("".join))
def test_a24_length_law(data: st.DataObject, text: str) -> None:
    r"""Where every line end is ``\n``, nothing is added to or taken from what the edits say (A24)."""
    change = data.draw(changes(len(text)))
    there = to_physical(change, text)

    expected = len(text) + sum(len(e.text.replace("\r\n", "\n")) - (e.end - e.start) for e in change.edits)

    assert expected == len(there.apply(text))


# ---- examples


def test_nothing_to_translate_is_the_same_object() -> None:
    r"""A change to a text without ``\r`` and mark is given back as it is."""
    change = Change.of(Edit(0, 1, "x\ny"))

    assert to_physical(change, "a\nb") is change


@pytest.mark.parametrize(
    ("physical", "edit", "expected"),
    [
        ("a\nb\r\nc", Edit(2, 3, "B\nB2"), "a\nB\r\nB2\r\nc"),
        ("a\nb\r\nc", Edit(2, 2, "0\n"), "a\n0\nb\r\nc"),
        ("a\r\nb\nc", Edit(3, 3, "1\n2"), "a\r\nb1\n2\nc"),
        ("a\r\nb", Edit(3, 3, "\nc"), "a\r\nb\r\nc"),
        ("a\r\n", Edit(2, 2, "b\n"), "a\r\nb\r\n"),
        ("a\r\nb\nc\n", Edit(0, 5, "1\n2\n3\n4"), "1\r\n2\n3\n4\n"),
        ("a\r\nb\n", Edit(0, 4, "1\n2\n3\n"), "1\r\n2\n3\n"),
        ("a\r\nb", Edit(1, 1, "!"), "a!\r\nb"),
        ("a\r\nb", Edit(2, 2, "!"), "a\r\n!b"),
        (BOM + "a\r\nb", Edit(0, 1, "x\ny"), BOM + "x\r\ny\r\nb"),
        (BOM + "a\n", Edit(0, 1, BOM + "x"), BOM + "x\n"),
        ("a\n", Edit(0, 1, BOM + "x"), "x\n"),
        ("a\nb\n", Edit(2, 3, BOM + "x"), "a\n" + BOM + "x\n"),
        ("a\rb", Edit(1, 2, "-\r-"), "a-\r-b"),
        ("a", Edit(1, 1, "\nb"), "a\r\nb"),
        ("", Edit(0, 0, "x\n"), "x\r\n"),
    ],
)
def test_which_line_end_an_insert_takes(physical: str, edit: Edit, expected: str) -> None:
    r"""The one it replaces; the last replaced one; its own line's; the line before's; the default (here ``\r\n``)."""
    assert expected == to_physical(Change.of(edit), physical, "\r\n").apply(physical)


def test_an_edit_past_the_end_is_a_bug_that_shows() -> None:
    """An offset that the text does not have is not quietly moved into it."""
    with pytest.raises(ValueError, match="an edit ends at"):
        to_physical(Change.of(Edit(9, 9, "x")), "a\r\nb").apply("a\r\nb")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("a\r\nb\r\n", "x\ny\nz\n", "x\r\ny\r\nz\r\n"),
        ("a\nb\n", "x\r\ny\r\n", "x\ny\n"),
        ("", "x\n", "x\n"),
        ("a\r\nb\nc\r\nd\r\n", "a\nb\nX\nY\nd\n", "a\r\nb\nX\r\nY\r\nd\r\n"),
        ("a\r\nb\nc\nd\n", "a\nc\nd\n", "a\r\nc\nd\n"),
        ("a\nb\r\nc\nd\n", "b\nc\nd\n", "b\r\nc\nd\n"),
        ("a\nb\r\nc", "a\nb\nc\nd", "a\nb\r\nc\nd"),
        (BOM + "a\r\n", "b\n", BOM + "b\r\n"),
        ("a\r\n", BOM + "b\n", "b\r\n"),
        ("a\rb\n", "a\rc\n", "a\rc\n"),
    ],
)
def test_overwriting_keeps_the_style(old: str, new: str, expected: str) -> None:
    """Uniform ends stay; in a mixed text unchanged leading and trailing lines keep theirs, the rest take most's."""
    assert expected == rewrite(old, new)


@given(marked, physicals.map(logical_text))
def test_an_overwritten_text_reads_as_given(old: str, new: str) -> None:
    """Whatever was there, the new logical text is the one that was written."""
    assert new == logical_text(rewrite(old, new))


@given(marked)
def test_overwriting_with_the_same_text_changes_nothing(old: str) -> None:
    """A text written over itself is byte for byte the same, however mixed its ends."""
    assert old == rewrite(old, logical_text(old))


# ---- decoding


@given(st.text(), st.sampled_from([b"", UTF8_BOM]))
def test_decoded_text_encodes_to_the_same_bytes(text: str, bom: bytes) -> None:
    """UTF-8 in, the same bytes out; the mark is kept apart and comes back."""
    data = bom + text.encode()
    decoded = decode(data, "f")

    assert data == decoded.encode(decoded.text, "f")


@given(st.binary(max_size=40))
def test_bytes_are_text_or_refused(data: bytes) -> None:
    """Any bytes either come back unchanged or are refused; nothing is replaced."""
    try:
        decoded = decode(data, "f")
    except FsNotText:
        with pytest.raises(UnicodeDecodeError):
            data.decode()
    else:
        assert data == decoded.encode(decoded.text, "f")


def test_a08_a09_the_mark_is_apart() -> None:
    """The byte order mark is not text, and a file without one has none (A08, A09)."""
    assert Decoded("class A{}\n", UTF8_BOM) == decode(UTF8_BOM + b"class A{}\n", "b.cs")
    assert Decoded("# t\n", b"") == decode(b"# t\n", "n.md")


@pytest.mark.parametrize(("data", "offset"), [(b"line1\ncaf\xe9\n", 9), (UTF8_BOM + b"a\xff", 4)])
def test_a11_says_where_the_bytes_stop_being_text(data: bytes, offset: int) -> None:
    """The refusal names the encoding and the offset of the first bad byte, and no content (A11)."""
    with pytest.raises(FsNotText) as caught:
        decode(data, "l.php")

    assert f"l.php is not text in utf-8: the byte at offset {offset} does not decode." == caught.value.message


def test_a_lone_surrogate_is_named() -> None:
    """A character that UTF-8 has no bytes for is refused by its code point."""
    with pytest.raises(FsNotText, match=r"the new text has U\+D800"):
        Decoded("").encode("a\ud800", "f")


def test_a20_nul_is_text_with_a_note() -> None:
    """A NUL in UTF-8 is kept and mentioned (A20)."""
    data = b"k='a'\0'b'\n"

    assert ((NUL_NOTE,), "k='a'\0'b'\n") == ((content := text_content(decode(data, "z"), data)).notes, content.logical)


@given(
    st.text(alphabet="\r\n\ufeffaé\0").filter(lambda text: text.count("\0") <= FEW_NULS),
    st.sampled_from([b"", UTF8_BOM]),
)
def test_the_version_is_that_of_the_text(text: str, bom: bytes) -> None:
    """However it is come by, the version is `version_of_text` of the decoded text, and the logical text its fold."""
    data = bom + text.encode()
    decoded = decode(data, "f")
    content = text_content(decoded, data)

    assert (version_of_text(decoded.text), logical_text(decoded.text)) == (content.version, content.logical)
