"""Versions: tokens of content that depend on nothing else."""

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsh_ledger.versions import BOM, logical_text, version_of_bytes, version_of_text

TEXTS = st.text(alphabet=st.sampled_from(["a", "\n", "\r", BOM, "é", "\U0001f60b", "\ud800"]), max_size=12)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\r\nb\r\n", "a\nb\n"),
        ("a\rb\n", "a\rb\n"),
        (f"{BOM}a", "a"),
        (f"{BOM}{BOM}a", f"{BOM}a"),
        (f"a{BOM}", f"a{BOM}"),
        ("a\r\r\n", "a\r\n"),
        ("a", "a"),
        ("", ""),
    ],
)
def test_the_logical_text(text: str, expected: str) -> None:
    """One byte order mark goes, CRLF becomes LF, and nothing else changes: not a lone CR, not the final newline."""
    assert expected == logical_text(text)


def test_a_version_is_the_sha256_that_every_client_can_compute() -> None:
    """The token of a text is the SHA-256, in hexadecimal, of its logical text in UTF-8."""
    assert hashlib.sha256("é\n".encode()).hexdigest() == version_of_text(f"{BOM}é\r\n")


@pytest.mark.parametrize("other", ["a\r\nb\r\n", f"{BOM}a\nb\n", f"{BOM}a\r\nb\r\n"])
def test_what_an_agent_cannot_see_makes_no_version(other: str) -> None:
    """Line ends and a byte order mark don't tell two contents apart."""
    assert version_of_text("a\nb\n") == version_of_text(other)


@pytest.mark.parametrize("other", ["a\nb", "a\nb\n\n", "a\rb\n", "A\nb\n", "a\nb \n", "a\nb\ufeff\n"])
def test_different_content_is_another_version(other: str) -> None:
    """Every other difference does, the final newline too."""
    assert version_of_text("a\nb\n") != version_of_text(other)


def test_unicode_forms_are_different_content() -> None:
    """Nothing is normalised: a composed letter is not a decomposed one."""
    assert version_of_text("\u00e9") != version_of_text("e\u0301")


@settings(deadline=None)
@given(TEXTS, TEXTS)
def test_versions_are_equal_exactly_when_the_logical_texts_are(one: str, two: str) -> None:
    """Equal content is never stale, different content always is; any string has a version, lone surrogates included."""
    assert (logical_text(one) == logical_text(two)) == (version_of_text(one) == version_of_text(two))


@settings(deadline=None)
@given(TEXTS)
def test_a_logical_text_has_the_version_of_the_physical_one(text: str) -> None:
    """But where taking off a mark, or a CR, leaves another: such a text is not the logical text of itself."""
    logical = logical_text(text)

    assert (logical == logical_text(logical)) == (version_of_text(text) == version_of_text(logical))


def test_lone_surrogates_are_content_too() -> None:
    """What an editor can send and UTF-8 can't hold is told apart, from other such and from a question mark."""
    assert len({version_of_text(text) for text in ("\ud800", "\udfff", "?", "\ufffd")}) == 4


def test_bytes_have_the_version_of_what_they_are() -> None:
    """Of content that is not text nothing is taken off."""
    assert hashlib.sha256(b"\xef\xbb\xbfa\r\n").hexdigest() == version_of_bytes(b"\xef\xbb\xbfa\r\n")
    assert version_of_bytes(b"a\r\n") != version_of_bytes(b"a\n")


@settings(deadline=None)
@given(TEXTS.map(logical_text).filter(lambda text: "\ud800" not in text and text == logical_text(text)))
def test_a_text_and_its_bytes_agree(text: str) -> None:
    """The version of a plain text is that of its UTF-8 bytes."""
    assert version_of_bytes(text.encode()) == version_of_text(text)
