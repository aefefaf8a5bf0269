"""A keystroke in a document with 10,000 pending hunks, beside a diff of the two texts; and huge rewrites.

Milliseconds. 100,000 lines, of which an agent has changed every tenth. ``key`` and ``newline`` are medians of what the
server does at a ``didChange`` while nobody waits for anything else: mirror, hunks, and the painter's being told;
``key_worst`` is the longest of them. ``key_while_painting`` is the median with the painter at work between the keys.
``diff`` is what following the hunks saves: a whole diff of the texts. ``paint_first`` makes what is said of every hunk,
``paint_same`` is a note after typing, ``paint_moved`` one after a line that moves them all, ``paint_slice`` the longest
time that a note keeps others waiting but for its sending, ``paint_send`` that; ``paint_models`` is the note made of
models, each time anew. ``hunks_made`` is the arrival of the edit that makes the 10,000 hunks, and
``hunks_made_foreseen`` what a thread does for it before it is sent. ``rewrite_all`` has 100,000 lines become 100,000
others, and ``rewrite_half`` every other line.
"""

import asyncio
import itertools
import json
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

from dsh_lsp.buffers.decorations import decorations
from dsh_lsp.buffers.document_diff import document_blocks
from dsh_lsp.buffers.open_document import Author, OpenDocument, TextChange
from dsh_lsp.editor import Editor, EditorTraits
from dsh_lsp.painting import Painter
from dsh_lsp.rpc.framing import encode
from dsh_lsp.text.document import Document
from dsh_lsp.wire import DshCapabilities

LINES = 100_000
HUNKS = 10_000
KEYS = 300


def measure() -> dict[str, float]:
    """The figures, by the names above."""
    return asyncio.run(_measure())


class _Wire:
    """A peer that makes frames of what it is told, and throws them away."""

    def __init__(self) -> None:
        self.told = asyncio.Event()
        self.took: list[float] = []

    async def request(self, method: str, params: object = None, *, timeout: float | None = None) -> Any:  # noqa: ASYNC109
        raise AssertionError(f"{method} {params} {timeout}")

    def notify(self, method: str, params: object = None) -> None:
        began = perf_counter()
        encode({"jsonrpc": "2.0", "method": method, "params": params})
        self.took.append((perf_counter() - began) * 1e3)
        self.told.set()

    async def note(self) -> None:
        await self.told.wait()
        self.told.clear()


async def _measure() -> dict[str, float]:
    before = [_line(n, "old") for n in range(LINES)]
    after = [_line(n, "new" if n % (LINES // HUNKS) == 0 else "old") for n in range(LINES)]
    row: dict[str, float] = {}
    wire, painter = _Wire(), Painter(share=1.0)
    document = _opened(before, wire)
    row |= _agent_writes(document, after, "hunks_made")
    assert len(document.hunks) == HUNKS
    row["diff"] = _ms(lambda: document_blocks("".join(before), document.mirror.text))

    def key(text: str = "k") -> None:
        document.change(document.mirror.version + 1, [TextChange((50_003, 4, 50_003, 4), text)])
        painter.changed(document)

    row["paint_first"] = await _painted(painter, document, wire)
    row["paint_same"] = await _painted(painter, document, wire, key)
    row["paint_moved"] = await _painted(painter, document, wire, lambda: key("\n"))
    row["paint_slice"] = await _longest_wait(painter, document, wire)
    row["paint_send"] = median(wire.took)
    keys = [_ms(key) for _ in range(KEYS)]
    row["key"], row["key_worst"] = median(keys), max(keys)
    row["newline"] = median(_ms(lambda: key("\n")) for _ in range(KEYS))
    keys, painter = [], Painter()
    for _ in range(KEYS):
        keys.append(_ms(key))
        await asyncio.sleep(0.005)
    row["key_while_painting"] = median(keys)
    row["paint_models"] = _ms(lambda: json.dumps(decorations(document).to_wire()))
    for name, every in (("rewrite_all", 1), ("rewrite_half", 2)):
        row |= await _rewritten(name, every)
    return row


async def _rewritten(name: str, every: int) -> dict[str, float]:
    """An agent's edit of that many lines arrives; it is painted; a key is typed in it; the editor's undo comes."""
    before = [_line(n, "old") for n in range(LINES)]
    after = [_line(n, "new" if n % every == 0 else "old") for n in range(LINES)]
    wire, painter = _Wire(), Painter(share=1.0)
    document = _opened(before, wire)
    row = _agent_writes(document, after, name)
    row[f"{name}_paint"] = await _painted(painter, document, wire)
    row[f"{name}_key"] = median(
        _ms(lambda: document.change(2, [TextChange((50_003, 4, 50_003, 4), "k")])) for _ in range(50)
    )
    whole = TextChange(None, "".join(before))
    row[f"{name}_undo"] = _ms(lambda: document.change(3, [whole]))
    assert not document.hunks
    return row


def _line(number: int, word: str) -> str:
    return f"    value_{number} = compute({number}, {word})\n"


def _opened(lines: list[str], wire: _Wire) -> OpenDocument:
    mirror = Document("file:///a", "".join(lines), language_id="x", version=1, epoch=1, encoding="utf-16")
    editor = Editor(wire, EditorTraits(dsh=DshCapabilities(decorations=True)))
    ids = itertools.count()
    return OpenDocument(mirror, editor, lambda: f"h{next(ids)}", lambda _: None)


def _agent_writes(document: OpenDocument, lines: list[str], name: str) -> dict[str, float]:
    """An agent's edit is prepared, which a thread does, and arrives."""
    before, after, author = document.mirror.text, "".join(lines), Author("session", "call")
    began = perf_counter()
    foreseen = document.foresee(document.hunks, before, after, author)
    row = {f"{name}_foreseen": (perf_counter() - began) * 1e3}
    began = perf_counter()
    flight = document.launch(before, after, author, foreseen)
    document.change(2, [TextChange(None, after)])
    document.land(flight)
    return {**row, name: (perf_counter() - began) * 1e3}


async def _painted(
    painter: Painter, document: OpenDocument, wire: _Wire, change: Callable[[], None] = lambda: None
) -> float:
    """The time from the beginning of a note to its end, whatever it has to wait for before it."""
    change()
    painter.changed(document)
    began = perf_counter()
    await wire.note()
    return (perf_counter() - began) * 1e3


async def _longest_wait(painter: Painter, document: OpenDocument, wire: _Wire) -> float:
    """The longest time between two turns of the loop while a note is made."""
    painter.changed(document)
    longest, last = 0.0, perf_counter()
    while not wire.told.is_set():
        await asyncio.sleep(0)
        now = perf_counter()
        longest, last = max(longest, now - last), now
    wire.told.clear()
    return longest * 1e3 - wire.took[-1]


def _ms(work: Callable[[], object]) -> float:
    began = perf_counter()
    work()
    return (perf_counter() - began) * 1e3


if __name__ == "__main__":
    for figure, value in measure().items():
        print(f"{figure:20} {value:10.2f} ms")
