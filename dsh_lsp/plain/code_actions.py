"""``textDocument/codeAction``: keep and undo by hunk, by selected lines, by file and all (LSP 3.17, "Code Action").

What is done to the hunks of a line is a quick fix: that is what editors show at a diagnostic and in their light bulb.
What is done to files is a source action, which VS Code shows in a menu of its own, so that no line of a file has a
light bulb for it; most others show both in one list. Each action has a kind of its own, so that a key can be bound to
it. None is ever preferred (editors apply those without asking), and nothing is offered for files where no person has
asked: an editor that runs source actions on every save must not decide for its user.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lsprotocol import types

from dsh_lsp.buffers.open_document import OpenDocument
from dsh_lsp.plain.client import PlainClient
from dsh_lsp.plain.commands import KEEP, UNDO
from dsh_lsp.plain.diagnostics import hunk_of
from dsh_lsp.plain.names import Names
from dsh_lsp.plain.places import ShownHunk, shown_on
from dsh_lsp.plain.wording import authors, counts

_WAYS = (("Keep", "keep", KEEP), ("Undo", "undo", UNDO))
_HUNKS, _LINES, _FILE, _ALL = "", "Lines", "File", "All"

KINDS = [
    *(f"quickfix.dsh.{way}{what}" for what in (_HUNKS, _LINES) for _, way, _ in _WAYS),
    *(f"source.dsh.{way}{what}" for what in (_FILE, _ALL) for _, way, _ in _WAYS),
]
"""The kinds of all actions."""


@dataclass(frozen=True, slots=True)
class _Offer:
    """Something that can be kept or undone.

    Attributes:
        kind: ``{}`` stands for ``keep`` or ``undo``.
        what: It, in words.
        arguments: It, for the command.
        hunks: The ids of the hunks whose diagnostics it settles.
    """

    kind: str
    what: str
    arguments: dict[str, Any]
    hunks: frozenset[str] = frozenset()


def code_actions(
    document: OpenDocument, params: types.CodeActionParams, client: PlainClient, names: Names, files: int
) -> list[types.CodeAction | types.Command]:
    """What can be done at a range, of the kinds that are wanted.

    Args:
        document: Where.
        params: The request.
        client: Who asks.
        names: Who made the hunks.
        files: The number of files in which something is pending.
    """
    context = params.context
    offers = list(_at_range(document, params.range, names))
    if context.trigger_kind != types.CodeActionTriggerKind.Automatic:
        offers += _of_files(document, files)
    return [
        _action(offer, title, way, command, context.diagnostics, client)
        for offer in offers
        for title, way, command in _WAYS
        if _is_wanted(offer.kind.format(way), context.only)
    ]


def _at_range(document: OpenDocument, chosen: types.Range, names: Names) -> Iterator[_Offer]:
    first, last = chosen.start.line, chosen.end.line
    if last > first and chosen.end.character == 0:
        last -= 1  # a selection that ends at the beginning of a line has nothing of that line
    found = shown_on(document, first, last)
    if not found:
        return
    uri = document.mirror.uri
    ids = [each.hunk.id for each in found]
    by_id = {"uri": uri, "hunkIds": ids}
    if chosen.start != chosen.end and any(each.first < first or last < each.last for each in found):
        place = {end: {"line": at.line, "character": at.character} for end, at in _ends(chosen)}
        # Lines mean something in one text alone; the command refuses another one.
        lines = {**by_id, "range": place, "version": document.mirror.version}
        yield _Offer(f"quickfix.dsh.{{}}{_LINES}", f"the selected lines of {_these(found, names)}", lines)
    yield _Offer(f"quickfix.dsh.{{}}{_HUNKS}", f"{_these(found, names)} {counts(found)}", by_id, frozenset(ids))


def _of_files(document: OpenDocument, files: int) -> Iterator[_Offer]:
    count = len(document.hunks)
    if count:
        what = f"all changes by agents in this file ({count})"
        yield _Offer(f"source.dsh.{{}}{_FILE}", what, {"uri": document.mirror.uri})
    if files > (1 if count else 0):
        what = f"all changes by agents in the workspace ({files} file{'' if files == 1 else 's'})"
        yield _Offer(f"source.dsh.{{}}{_ALL}", what, {"all": True})


def _these(found: Sequence[ShownHunk], names: Names) -> str:
    return f"this change by {authors(found[0], names)}" if len(found) == 1 else f"these {len(found)} changes by agents"


def _action(
    offer: _Offer, title: str, way: str, command: str, told: Sequence[types.Diagnostic], client: PlainClient
) -> types.CodeAction | types.Command:
    doing = types.Command(title=f"{title} {offer.what}", command=command, arguments=[offer.arguments])
    if not client.literals:
        return doing
    settled = [each for each in told if hunk_of(each) in offer.hunks]
    return types.CodeAction(title=doing.title, kind=offer.kind.format(way), diagnostics=settled or None, command=doing)


def _is_wanted(kind: str, only: Sequence[str] | None) -> bool:
    """Whether a kind is one of those that are asked for, or below one; the empty kind is above all."""
    return only is None or any(not each or kind == each or kind.startswith(each + ".") for each in only)


def _ends(chosen: types.Range) -> Iterator[tuple[str, types.Position]]:
    yield "start", chosen.start
    yield "end", chosen.end
