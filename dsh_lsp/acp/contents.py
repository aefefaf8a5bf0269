"""What of a card stands in a tool call of ACP: its content, its locations, and its kind.

A card comes from a journal that may be damaged or of a later version. So nothing here fails: a member that is missing
or of another type is as if it had nothing to say, and a kind of card that is not known is shown as its JSON.

ACP's text is drawn as Markdown, and ours is literal: it stands in a fence that is longer than any in it, and what would
be Markdown in a sentence is escaped. Lines of locations are 1-based, as those of ACP's ``fs/read_text_file`` are; ACP 1
says nothing else about them.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import takewhile
from pathlib import PurePath
from typing import Any, Final, Literal, TypeAlias

from dsh_lsp.replaying.members import boolean, integer, items, pretty, string, strings
from dsh_tools.fs.uris import is_file_uri, uri_path

Json: TypeAlias = dict[str, Any]
Kind: TypeAlias = Literal["read", "edit", "search", "execute", "fetch", "other"]
"""Those of ACP's kinds of tools that cards can tell apart."""

_KINDS: Final[dict[object, Kind]] = {
    "diff": "edit",
    "terminal": "execute",
    "read": "read",
    "search": "search",
    "web": "fetch",
}
_FENCES: Final = re.compile(r"`{3,}")
_MARKUP: Final = re.compile(r"[\\`*_\[\]<>&~|]|^[#+-]", re.MULTILINE)
"""What may mean something in Markdown, in a text that has none."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What is shown of a card.

    Attributes:
        content: ``ToolCallContent`` items.
        locations: ``ToolCallLocation`` items.
        truncated: The card says that it does not show everything.
    """

    content: tuple[Json, ...] = ()
    locations: tuple[Json, ...] = ()
    truncated: bool = False


def kind_of(view: Mapping[str, Any]) -> Kind | None:
    """The kind of tool that such a card is of; None where the card does not say."""
    return _KINDS.get(view.get("card")) if isinstance(view.get("card"), str) else None


def shown(view: Mapping[str, Any], folder: str | None) -> Shown:
    """What is shown of a card, of a call or of a result.

    Args:
        view: The card, as JSON.
        folder: The workspace folder from which relative paths start, as an absolute path, if it is known.
    """
    match view.get("card"):
        case "generic":
            return Shown(_literal(string(view, "text")))
        case "terminal":
            return _terminal(view)
        case "diff":
            return _diff(view, folder)
        case "read":
            return _read(view, folder)
        case "search":
            return _search(view, folder)
        case "web":
            return _web(view)
        case _:
            return Shown(_literal(pretty(dict(view))))


def absolute(path: str, folder: str | None) -> str:
    """A path of a card as ACP wants it: absolute. One that starts nowhere stays as it is."""
    if is_file_uri(path):
        named = uri_path(path)
        return path if named is None else named.decode("utf-8", "replace")
    return os.path.normpath(PurePath(folder, path)) if folder is not None else path


def _terminal(view: Mapping[str, Any]) -> Shown:
    command = string(view, "command") or ""
    output = string(view, "output")
    if output is None:
        return Shown(_literal(f"$ {command}", "console"))
    truncated = boolean(view, "truncated") or False
    code = integer(view, "exitCode")
    said = ["Not all of the output is shown."] if truncated else []
    said.append("The command did not end by itself." if code is None else f"Exit code {code}.")
    return Shown((*_literal(f"$ {command}\n{output}", "console"), *_sentences(said)), truncated=truncated)


def _diff(view: Mapping[str, Any], folder: str | None) -> Shown:
    path = absolute(string(view, "uri") or string(view, "path") or "", folder)
    truncated = boolean(view, "truncated") or False
    said = ["The change is too large to be told apart line by line: it is shown as one block."] if truncated else []
    said += strings(view, "notes")
    if view.get("operation") == "unchanged":
        # A block without an old text would be a new file.
        return Shown(
            _sentences(["Nothing was changed: the file has this text already.", *said]), (_at(path),), truncated
        )
    recorded = items(view, "diffs")
    diffs = [diff for diff in recorded if isinstance(diff, Mapping) and string(diff, "newText") is not None]
    if len(diffs) < len(recorded):
        truncated = True
        said.append("Some of the change can't be shown.")
    lines = [line for diff in diffs if (line := _first_line(diff)) is not None]
    locations = tuple(_at(path, line) for line in lines) or (_at(path),)
    return Shown((*(_block(path, diff) for diff in diffs), *_sentences(said)), locations, truncated)


def _block(path: str, diff: Mapping[str, Any]) -> Json:
    """One hunk; where it stands is among what ACP leaves to others."""
    hunks = items(diff, "hunks")
    block = {
        "type": "diff",
        "path": path,
        "oldText": string(diff, "oldText"),
        "newText": string(diff, "newText"),
        "_meta": {"dsh": {"hunks": hunks}} if hunks else None,
    }
    return {name: value for name, value in block.items() if value is not None}


def _first_line(diff: Mapping[str, Any]) -> int | None:
    """The first line of a block that is not as it was, in the new text."""
    hunks = [hunk for hunk in items(diff, "hunks") if isinstance(hunk, Mapping)]
    start = integer(hunks[0], "newStart") if hunks else None
    if start is None:
        return None
    old, new = (_lines(string(diff, name)) for name in ("oldText", "newText"))
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False))
    return max(1, start + min(sum(1 for _ in alike), max(len(new) - 1, 0)))


def _lines(text: str | None) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []


def _read(view: Mapping[str, Any], folder: str | None) -> Shown:
    path = string(view, "uri") or string(view, "path") or ""
    offset = integer(view, "offset")
    first = 1 if offset is None else max(offset, 1)
    truncated = boolean(view, "truncated") or False
    count, total = integer(view, "lines"), integer(view, "totalLines")
    said = []
    if truncated and count and total is not None:
        said.append(f"Lines {first} to {first + count - 1} of {total}; not all of the file is shown.")
    elif truncated:
        said.append("Not all of the file is shown.")
    text = _literal(string(view, "text"))
    return Shown(
        (*text, *_sentences([*said, *strings(view, "notes")])), (_at(absolute(path, folder), first),), truncated
    )


def _search(view: Mapping[str, Any], folder: str | None) -> Shown:
    hits = [hit for hit in items(view, "hits") if isinstance(hit, Mapping)]
    places = [(string(hit, "path") or "", integer(hit, "line"), string(hit, "text")) for hit in hits]
    truncated = boolean(view, "truncated") or False
    listed = "\n".join(
        ":".join([path, *([str(line)] if line is not None else [])]) + ("" if text is None else f": {text}")
        for path, line, text in places
    )
    total = integer(view, "total")
    more = "more than " if boolean(view, "atLeast") else ""
    said = [f"{len(hits)} of {more}{total} hits are listed."] if truncated and total is not None else []
    if truncated and total is None:
        said.append("Not all hits are listed.")
    if not hits and not truncated:
        said.append("Nothing was found.")
    locations = tuple(_at(absolute(path, folder), line) for path, line, _ in places)
    return Shown((*_literal(listed), *_sentences([*said, *strings(view, "notes")])), locations, truncated)


def _web(view: Mapping[str, Any]) -> Shown:
    truncated = boolean(view, "truncated") or False
    status = integer(view, "status")
    said = [] if status is None else [f"Status {status}."]
    said += ["Not all of the page is shown."] if truncated else []
    return Shown((*_literal(string(view, "text")), *_sentences(said)), truncated=truncated)


def _at(path: str, line: int | None = None) -> Json:
    return {"path": path} if line is None or line < 0 else {"path": path, "line": line}


def _literal(text: str | None, language: str = "") -> tuple[Json, ...]:
    """A text as it is, in a fence that it can't end; nothing for no text."""
    if not text:
        return ()
    fence = "`" * max(3, 1 + max(map(len, _FENCES.findall(text)), default=0))
    return (_text(f"{fence}{language}\n{text.removesuffix(chr(10))}\n{fence}"),)


def _sentences(said: list[str]) -> tuple[Json, ...]:
    r"""Sentences, which may name files: ``__init__.py`` is no bold ``init``."""
    return (_text(_MARKUP.sub(r"\\\g<0>", "\n".join(said))),) if said else ()


def _text(text: str) -> Json:
    return {"type": "content", "content": {"type": "text", "text": text}}
