"""What a broken or hostile peer may send: frames that are wrong in one way or another, made from a seed.

Deliberately absent: what the right answer to each is. It is always the same: an answer, or the end of that connection.
"""

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

from tests.support.framing import encode

METHODS = (
    "dsh/session/open",
    "dsh/session/close",
    "dsh/session/list",
    "dsh/session/replay",
    "dsh/tool/list",
    "dsh/tool/run",
    "dsh/ledger/query",
    "dsh/review/list",
    "dsh/review/keep",
    "dsh/review/undo",
    "dsh/review/summary",
    "dsh/subscribe",
    "$/cancelRequest",
    "initialize",
    "textDocument/didOpen",
    "no/such",
    "",
    "__init__",
    "\ud800",
)


def broken_frames(random_: random.Random, count: int) -> Iterator[bytes]:
    """So many frames, or what stands in the place of frames."""
    for _ in range(count):
        yield random_.choice(_KINDS)(random_)


def _header(random_: random.Random) -> bytes:
    body = b'{"jsonrpc":"2.0","id":1,"method":"dsh/tool/list"}'
    line = random_.choice(
        [
            b"Content-Length: -1",
            b"Content-Length: x",
            b"Content-Length: ",
            b"Content-Length: 1e3",
            b"Content-Length: \xd9\xa3",
            b"Content-Length: 99999999999999999999999",
            b"Content-Length: 70000000",
            b"Content-Length : 10",
            b"Content-Length: 5\r\nContent-Length: 6",
            b"Content-Type: x",
            b"GET / HTTP/1.1",
            b"X: " + b"y" * random_.randrange(20_000),
            b"\x00\xff" * 50,
            b"",
        ]
    )
    return line + random_.choice([b"\r\n\r\n", b"\n\n", b"\r\r", b"\r\n"]) + body


def _length(random_: random.Random) -> bytes:
    body = b'{"jsonrpc":"2.0","id":1,"method":"dsh/tool/list"}'
    return b"Content-Length: %d\r\n\r\n%b" % (len(body) + random_.randrange(-20, 5), body)


def _body(random_: random.Random) -> bytes:
    body = random_.choice(
        [
            b"",
            b"{",
            b"[]",
            b"null",
            b"NaN",
            b'{"a":NaN}',
            b"1" * 5000,
            b'"\\ud800"',
            b"\xff\xfe",
            b"[" * 100_000,
            b'{"a":' * 5000 + b"1" + b"}" * 5000,
            b'{"jsonrpc":"2.0","id":1,"method":"x","params":' + b"[" * 300 + b"]" * 300 + b"}",
            b'[{"jsonrpc":"2.0","id":1,"method":"dsh/tool/list"}]',
            b'{"jsonrpc":"2.0","id":1,"method":"dsh/tool/list"}garbage',
        ]
    )
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def _message(random_: random.Random) -> bytes:
    message = {
        "jsonrpc": random_.choice(["2.0", "2.0", "2.0", "1.0", 2, None]),
        "id": random_.choice([1, "a", None, True, [], {}, -5, 2**80, 1.5, "x" * 10_000]),
        "method": random_.choice([*METHODS, 5, None, []]),
        "params": _value(random_, 3),
        "result": _value(random_, 1),
        "error": _value(random_, 1),
    }
    for name in random_.sample(sorted(message), random_.randrange(5)):
        del message[name]
    return encode(message)


def _call(random_: random.Random) -> bytes:
    params: dict[str, Any] = {
        "sessionId": random_.choice(["s", "", 5, None, "x" * 1000]),
        "callId": random_.choice(["c", "", 5, None]),
        "name": random_.choice(["read", "edit", "bash", "no_such", 5, None]),
        "arguments": random_.choice([{}, {"file_path": "../../etc/passwd"}, {"file_path": 5}, [], None, 5]),
        "uri": random_.choice(["file:///etc/passwd", "", 5, None]),
        "range": _value(random_, 2),
        "all": random_.choice([True, 1, None]),
        "hunkIds": random_.choice([[], ["h"], [5], "h", None]),
    }
    kept = random_.sample(sorted(params), random_.randrange(len(params)))
    return encode(
        {"jsonrpc": "2.0", "id": 7, "method": random_.choice(METHODS), "params": {name: params[name] for name in kept}}
    )


def _mutated(random_: random.Random) -> bytes:
    frame = bytearray(
        encode({"jsonrpc": "2.0", "id": 3, "method": "dsh/session/open", "params": {"agent": {"name": "a"}}})
    )
    for _ in range(random_.randrange(1, 6)):
        at = random_.randrange(len(frame))
        match random_.randrange(3):
            case 0:
                frame[at] = random_.randrange(256)
            case 1:
                del frame[at]
            case _:
                frame.insert(at, random_.randrange(256))
    return bytes(frame)


def _value(random_: random.Random, depth: int) -> Any:
    simple: list[Any] = [None, True, 0, -1, 2**70, 1e308, "", "x", "\ud800", "\x00", "../..", "file:///"]
    kind = random_.randrange(4) if depth else 0
    if kind < 2:
        return random_.choice(simple)
    if kind == 2:
        return [_value(random_, depth - 1) for _ in range(random_.randrange(4))]
    names = ["sessionId", "name", "arguments", "uri", "id", "token", "agent", "capabilities", "x"]
    return {random_.choice(names): _value(random_, depth - 1) for _ in range(random_.randrange(5))}


def _noise(random_: random.Random) -> bytes:
    return random_.randbytes(random_.randrange(1, 2000))


_KINDS: tuple[Callable[[random.Random], bytes], ...] = (_header, _length, _body, _message, _call, _mutated, _noise)


def shown(data: bytes) -> str:
    """The beginning of what was sent, for the message of a failure."""
    return json.dumps(data[:200].decode("latin-1"))
