"""Frames of the base protocol: what is read, what is refused, and what a refusal says about the next frame."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsh_lsp.rpc.framing import FrameReader, JsonText, Limits, Rejected, encode, parse
from tests.support.raw_peer import frame

PARSE_ERROR, INVALID_REQUEST = -32700, -32600


async def read_all(*chunks: bytes, limits: Limits | None = None) -> list[dict[str, Any] | Rejected]:
    """Return what comes of the chunks, fed one per turn of the loop, up to the end or a fatal refusal."""
    stream = asyncio.StreamReader()
    reader = FrameReader(stream, limits or Limits())

    async def feed() -> None:
        for chunk in chunks:
            stream.feed_data(chunk)
            await asyncio.sleep(0)
        stream.feed_eof()

    feeding = asyncio.create_task(feed())
    read: list[dict[str, Any] | Rejected] = []
    async with asyncio.timeout(60):
        while (item := await reader.read()) is not None:
            read.append(item)
            if isinstance(item, Rejected) and item.fatal:
                break
    feeding.cancel()
    return read


async def rejected(*chunks: bytes, limits: Limits | None = None) -> Rejected:
    """Return the refusal that is the first thing to come of the chunks."""
    first = (await read_all(*chunks, limits=limits))[0]
    assert isinstance(first, Rejected)
    return first


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
messages = st.dictionaries(st.text(), json_values, max_size=5)


@given(sent=st.lists(messages, max_size=4), data=st.data())
@settings(max_examples=150, deadline=None)
def test_any_chunking_gives_the_messages_back(sent: list[dict[str, Any]], data: st.DataObject) -> None:
    """Whatever the pieces that a stream arrives in, the messages read are the messages sent."""
    stream = b"".join(encode(message) for message in sent)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=12)))
    chunks = [stream[start:end] for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)]

    assert sent == asyncio.run(read_all(*chunks))


pieces = st.sampled_from([b"Content-Length", b":", b" ", b"2", b"40", b"\r\n", b"\n", b"{}", b"[", b"-", b"X: y\r\n"])
noise_near_frames = st.lists(pieces | st.binary(max_size=3), max_size=20).map(b"".join)


@given(noise_near_frames)
@settings(max_examples=300, deadline=None)
def test_any_bytes_end_in_messages_or_refusals(noise: bytes) -> None:
    """No bytes whatsoever raise or hang."""
    assert all(isinstance(item, dict | Rejected) for item in asyncio.run(read_all(noise)))


@given(st.binary(max_size=200))
@settings(max_examples=300, deadline=None)
def test_any_body_leaves_the_stream_in_step(noise: bytes) -> None:
    """However bad a body is, the frame after it is read."""
    stream = b"Content-Length: %d\r\n\r\n%b" % (len(noise), noise)

    assert {"after": 1} == asyncio.run(read_all(stream, frame({"after": 1})))[-1]


async def test_A19_multibyte_characters_in_one_byte_chunks() -> None:
    """Text of 3- and 4-byte characters arrives whole, cut between any two bytes."""
    message = {"text": "x─本\U0001f600é" * 40}

    assert [message] == await read_all(*(bytes([byte]) for byte in frame(message)))


@pytest.mark.parametrize("boundary", [4096, 65536])
async def test_A19_multibyte_characters_across_a_boundary(boundary: int) -> None:
    """A character that straddles a usual buffer size is not damaged, wherever the cut falls in it."""
    empty = len(frame({"text": ""}))
    for shift in range(-4, 5):
        message = {"text": "x" * (boundary - empty - 8 + shift) + "─本\U0001f600" * 8}
        stream = frame(message)

        assert [message] == await read_all(stream[:boundary], stream[boundary:])


@pytest.mark.parametrize("name", [b"Content-Length", b"content-length", b"CONTENT-LENGTH", b"cOnTeNt-LeNgTh"])
async def test_header_names_are_case_insensitive(name: bytes) -> None:
    """Header field names are matched as in HTTP."""
    assert [{"a": 1}] == await read_all(name + b":7\r\n\r\n" + b'{"a":1}')


async def test_unknown_fields_are_skipped() -> None:
    """Fields before and after Content-Length that mean nothing to us don't matter."""
    head = b"X-Trace: a:b\r\nContent-Length:  7 \r\nContent-Type: application/vscode-jsonrpc; charset=utf8\r\n\r\n"

    assert [{"a": 1}] == await read_all(head + b'{"a":1}')


async def test_bare_newlines_are_taken() -> None:
    r"""A header whose lines end in \n alone is unambiguous, and is read."""
    assert [{"a": 1}] == await read_all(b'Content-Length: 7\n\n{"a":1}')


@pytest.mark.parametrize(
    "header",
    [
        b"Content-Length: -1\r\n\r\n",
        b"Content-Length: +1\r\n\r\n",
        b"Content-Length: 1.0\r\n\r\n",
        b"Content-Length: twelve\r\n\r\n",
        b"Content-Length: 0x10\r\n\r\n",
        b"Content-Length: \xd9\xa3\r\n\r\n",
        b"Content-Length:\r\n\r\n",
        b"Content-Type: text\r\n\r\n",
        b"\r\n",
        b"no colon\r\n\r\n",
        b': "}}Content-Length: 2\r\n\r\n',
        b'"}}Content-Length: 2\r\n\r\n{}',
        b'"}}X: the rest of a body\r\nContent-Length: 2\r\n\r\n{}',
        b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n",
        b"X: " + b"x" * 9000 + b"\r\n\r\n",
        b"X: 1\r\n" * 2000,
        b"x" * 200_000,
    ],
)
async def test_G04_a_broken_header_is_fatal(header: bytes) -> None:
    """Where a header doesn't say how long the body is, nothing after it can be read."""
    refused = await rejected(header)

    assert (PARSE_ERROR, True, None) == (refused.code, refused.fatal, refused.id)


@pytest.mark.parametrize("length", [b"101", b"999999999999", b"9" * 5000])
async def test_G04_a_body_over_the_limit_is_fatal_before_it_is_read(length: bytes) -> None:
    """An announced length over the cap is refused at once, however absurd."""
    refused = await rejected(b"Content-Length: %b\r\n\r\n" % length, limits=Limits(body=100))

    assert (INVALID_REQUEST, True) == (refused.code, refused.fatal)


async def test_a_body_at_the_limit_is_read() -> None:
    """The cap itself is still allowed, leading zeros or not."""
    assert [{"a": 1}] == await read_all(b'Content-Length: 0007\r\n\r\n{"a":1}', limits=Limits(body=7))


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", PARSE_ERROR),
        (b"{", PARSE_ERROR),
        (b'{"a":1}}', PARSE_ERROR),
        (b'{"a":"\xff\xfe"}', PARSE_ERROR),
        (b'{"a":"\xed\xa0\x80"}', PARSE_ERROR),
        ('{"a":1}'.encode("utf-16"), PARSE_ERROR),
        (b'\xef\xbb\xbf{"a":1}', PARSE_ERROR),
        (b'{"a":NaN}', PARSE_ERROR),
        (b'{"a":-Infinity}', PARSE_ERROR),
        (b'{"a":' + b"1" * 5000 + b"}", PARSE_ERROR),
        (b"[]", INVALID_REQUEST),
        (b'[{"jsonrpc":"2.0","id":1,"method":"x"}]', INVALID_REQUEST),
        (b"null", INVALID_REQUEST),
        (b'"text"', INVALID_REQUEST),
        (b"[" * 100_000, PARSE_ERROR),
        (b"[" * 100_000 + b"]" * 100_000, PARSE_ERROR),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, PARSE_ERROR),
    ],
)
async def test_G04_a_broken_body_is_refused_and_the_next_frame_read(body: bytes, code: int) -> None:
    """A bad body in a good frame costs that frame and no other."""
    refused, following = await read_all(b"Content-Length: %d\r\n\r\n%b" % (len(body), body), frame({"b": 2}))

    assert isinstance(refused, Rejected)
    assert (code, False, None, {"b": 2}) == (refused.code, refused.fatal, refused.id, following)


def deep(levels: int, opening: str, closing: str) -> bytes:
    """Return a request with so many containers inside each other, itself the first."""
    inside = opening * (levels - 1) + "0" + closing * (levels - 1)
    return f'{{"id":7,"method":"m","params":{inside}}}'.encode()


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}"), ('["[",', "]"), ('{"{":1,"a":', "}")])
def test_depth_is_limited_to_a_level_exactly(opening: str, closing: str) -> None:
    """The deepest level allowed is taken, one more is not, and the answer can name the request."""
    assert isinstance(parse(deep(200, opening, closing)), dict)
    assert Rejected(PARSE_ERROR, "the body is nested deeper than 200", id=7) == parse(deep(201, opening, closing))


def test_many_brackets_in_text_are_not_depth() -> None:
    """Source code is full of brackets; only containers count."""
    message = {"text": "[{(" * 100_000, "list": [[] for _ in range(1000)]}

    assert message == parse(json.dumps(message).encode())


async def test_a_stream_that_ends_inside_a_frame_has_ended() -> None:
    """Half a header, or half a body, is the end of the stream and not an error."""
    assert [] == await read_all(b"Content-Len")
    assert [] == await read_all(b"Content-Length: 10\r\n")
    assert [] == await read_all(b"Content-Length: 10\r\n\r\n{}")


def test_encoded_frames_are_ascii_with_their_length_in_bytes() -> None:
    """What is sent has one header, and a body that any decoder takes, lone surrogates included."""
    encoded = encode({"text": "本\U0001f600\ud800"})

    assert b'Content-Length: 35\r\n\r\n{"text":"\\u672c\\ud83d\\ude00\\ud800"}' == encoded
    assert {"text": "本\U0001f600\ud800"} == parse(encoded.split(b"\r\n\r\n")[1])


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1, 2}, b"bytes", object(), {"k": {(1, 2): 3}}])
def test_what_is_not_json_is_not_encoded(value: object) -> None:
    """NaN, infinities and foreign types are the sender's error, and nothing is written."""
    with pytest.raises((TypeError, ValueError)):
        encode({"value": value})


def test_params_that_are_json_already_go_in_as_they_are() -> None:
    """Wherever they stand in the message, and whatever its other members end with."""
    params = JsonText('{"uri":"file:///\\u00e9","hunks":[1,2]}')

    for message in ({"method": "m", "params": params}, {"params": params, "method": "m0"}):
        sent = encode(message)
        assert {"method": message["method"], "params": {"uri": "file:///\u00e9", "hunks": [1, 2]}} == json.loads(
            sent.partition(b"\r\n\r\n")[2]
        )
