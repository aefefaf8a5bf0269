"""Random edits, applied by the plug-in in a real Neovim, give the text that the slow and obvious way gives."""

import random
from typing import Any

import pytest

from tests.support.naive_text import content_version, position_of
from tests.support.neovim_room import NeovimRoom

pytestmark = pytest.mark.slow

PIECES = ("a", "b", "\n", "\n", "ü", "😀", "\t", "  ", "word")

APPLY = """
    local case, encoding = ...
    local edit = require('dsh.edit')
    local buf = vim.api.nvim_create_buf(false, true)
    vim.bo[buf].fileformat = case.format
    vim.api.nvim_buf_set_lines(buf, 0, -1, true, case.lines)
    vim.bo[buf].eol = case.eol
    vim.lsp.util.buf_versions[buf] = 7
    local params = { version = 7, contentVersion = case.content, edits = case.edits }
    local applied, reason = edit.apply(buf, params, encoding)
    local text = View.text(buf)
    vim.api.nvim_buf_delete(buf, { force = true })
    return { applied, reason or '', text }
"""


def random_case(rng: random.Random, end: str, encoding: Any, size: int) -> tuple[dict[str, Any], str]:
    """A buffer, edits of it in an encoding, and the text that they lead to; lone returns are in Unix files."""
    pieces = [*PIECES, "\r"] if end == "\n" else PIECES
    text = "".join(rng.choice(pieces) for _ in range(rng.randrange(1, size))).replace("\n", end)
    lines = text.split(end)
    eol = len(lines) > 1 and lines[-1] == ""
    lines = lines[:-1] if eol else lines
    places = [at for at in range(len(text) + 1) if text[at - 1 : at + 1] != "\r\n"]
    count = rng.randrange(1, max(2, min(len(places) // 2, size // 8)))
    chosen = sorted(rng.sample(places, min(len(places), 2 * count)))
    spans = list(zip(chosen[::2], chosen[1::2], strict=False))
    if rng.random() < 0.3:
        spans.append((len(text), len(text)))
    edits, after, behind = [], "", 0
    for start, stop in spans:
        new = "".join(rng.choice(PIECES) for _ in range(rng.randrange(4))).replace("\n", end)
        at = {"start": position_of(text, start, encoding), "end": position_of(text, stop, encoding)}
        edits.append({"range": at, "newText": new})
        after += text[behind:start] + new
        behind = stop
    case = {
        "lines": lines,
        "eol": eol,
        "format": "dos" if end == "\r\n" else "unix",
        "content": content_version(text),
        "edits": edits,
    }
    return case, after + text[behind:]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["unix", "dos"])
async def test_random_edits(room: NeovimRoom, encoding: str, end: str) -> None:
    """Any disjoint edits in order, at the end of the text and its line end too."""
    nvim = await room.start()
    rng = random.Random(f"{encoding} {end!r}")
    for number in range(150):
        case, wanted = random_case(rng, end, encoding, 40 if number % 10 else 8000)
        if "\r" in wanted.replace("\r\n", "") and end == "\r\n":
            continue
        applied, reason, text = await nvim.lua(APPLY, case, encoding)

        assert (True, "", wanted) == (applied, reason, text), case


async def test_edits_that_do_not_fit_change_nothing(room: NeovimRoom) -> None:
    """Outside of the text, in the middle of a character, overlapping, out of order, of another version or content."""
    nvim = await room.start()

    def edit(line: int, start: int, stop: int) -> dict[str, Any]:
        at = {"start": {"line": line, "character": start}, "end": {"line": line, "character": stop}}
        return {"range": at, "newText": "X"}

    good = {"lines": ["äb", "c"], "eol": True, "format": "unix", "content": content_version("äb\nc\n")}
    for edits in (
        [edit(0, 0, 9)],
        [edit(9, 0, 0)],
        [edit(2, 0, 1)],
        [edit(0, 1, 2)],
        [edit(0, 3, 0)],
        [edit(0, 0, 3), edit(0, 2, 3)],
        [edit(1, 0, 1), edit(0, 0, 2)],
    ):
        applied, reason, text = await nvim.lua(APPLY, {**good, "edits": edits}, "utf-8")

        assert (False, "äb\nc\n") == (applied, text), edits
        assert reason
    applied, reason, _ = await nvim.lua(APPLY, {**good, "content": content_version("x"), "edits": []}, "utf-8")

    assert (False, "the document has another content") == (applied, reason)
