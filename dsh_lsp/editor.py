"""An editor as the server uses it: what it said it can do, and the few things it may be asked.

Held here: which dialect of "apply this edit" an editor speaks. Deliberately absent: believing it. Whether an edit
arrived is for `dsh_lsp.buffers` to see in the text that comes back.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from pydantic import ValidationError
from pygls.exceptions import JsonRpcException

from dsh_lsp.messages import unlinked
from dsh_lsp.rpc.errors import PeerGone
from dsh_lsp.text.positions import PositionEncoding
from dsh_lsp.wire import (
    ApplyEditParams,
    DshCapabilities,
    ReloadDocumentParams,
    ReloadDocumentResult,
    SaveDocumentParams,
    SaveDocumentResult,
    TextEdit,
)

_PROPOSAL = "dsh"
"""The id of the annotation that a proposed edit has (LSP 3.16, ``ChangeAnnotation``)."""

_REASON_SHOWN = 200
"""Characters of an editor's own words that are passed on."""


class Peer(Protocol):
    """The part of a connection that is needed to talk to whoever is at its other end."""

    async def request(self, method: str, params: object = None, *, timeout: float | None = None) -> Any:  # noqa: ASYNC109
        """Ask, and wait for the answer. Raises JsonRpcException, PeerGone, TimeoutError."""
        ...

    def notify(self, method: str, params: object = None) -> None:
        """Tell."""
        ...


@dataclass(frozen=True, slots=True)
class EditorTraits:
    """What an editor said of itself in ``initialize``.

    Attributes:
        name: ``clientInfo.name``, or an empty string.
        encoding: The position encoding that was chosen.
        applies_edits: It declared ``workspace.applyEdit``.
        refreshes_tokens: It declared ``workspace.semanticTokens.refreshSupport``.
        annotates: It declared ``workspace.workspaceEdit.changeAnnotationSupport``.
        shows_progress: It declared ``window.workDoneProgress``.
        dsh: ``experimental.dsh``.
    """

    name: str = ""
    encoding: PositionEncoding = "utf-16"
    applies_edits: bool = False
    refreshes_tokens: bool = False
    annotates: bool = False
    shows_progress: bool = False
    dsh: DshCapabilities = field(default_factory=DshCapabilities)

    @property
    def is_stock_neovim(self) -> bool:
        """A Neovim without a client of ours: it never checks version 0, and answers yes to edits that it skips."""
        return self.name == "Neovim" and not self.dsh.apply_edit

    @property
    def confirms_edits(self) -> bool:
        """It has its user confirm an edit that asks for it. A Neovim declares that too, and applies without asking."""
        return self.annotates and self.applies_edits and not self.dsh.apply_edit and not self.is_stock_neovim

    @property
    def flushes(self) -> bool:
        """It can be made to send the changes that it holds back: see `Editor.flush`."""
        return self.is_stock_neovim and self.refreshes_tokens


@dataclass(frozen=True, slots=True)
class SaidYes:
    """The editor says that it applied the edit. No proof."""


@dataclass(frozen=True, slots=True)
class SaidNo:
    """The editor says that it did not apply the edit, and perhaps why."""

    reason: str | None


@dataclass(frozen=True, slots=True)
class Silent:
    """The editor went away before it answered."""


EditAnswer: TypeAlias = SaidYes | SaidNo | Silent


_uses = itertools.count(1)


class Editor:
    """One editor.

    Args:
        peer: Its connection.
        traits: What it said of itself.

    Attributes:
        peer: As above.
        traits: As above.
        last_used: Greater than that of every editor whose user has done something less recently.
    """

    def __init__(self, peer: Peer, traits: EditorTraits) -> None:
        self.peer = peer
        self.traits = traits
        self.last_used = 0

    def use(self) -> None:
        """Its user has done something in it."""
        self.last_used = next(_uses)

    @property
    def can_apply_edits(self) -> bool:
        """There is a way to ask it for an edit."""
        return self.traits.applies_edits or self.traits.dsh.apply_edit

    async def apply_edit(
        self,
        uri: str,
        version: int,
        content_version: str,
        edits: Sequence[TextEdit],
        *,
        proposes: bool = False,
    ) -> EditAnswer:
        """Ask for edits of one document at one version.

        Args:
            uri: The document, in the editor's own spelling.
            version: The LSP version that the edits were computed for.
            content_version: The content version that they were computed for.
            edits: Disjoint and in order.
            proposes: The user is to confirm them; only for an editor of which `EditorTraits.confirms_edits`.
        """
        try:
            if self.traits.dsh.apply_edit:
                params = ApplyEditParams(
                    uri=uri, version=version, content_version=content_version, edits=tuple(edits)
                ).to_wire()
                answer = await self.peer.request("dsh/applyEdit", params)
            else:
                answer = await self.peer.request(
                    "workspace/applyEdit", self._workspace_edit(uri, version, edits, proposes=proposes)
                )
        except JsonRpcException as error:
            # eglot refuses a stale edit with an error; whatever the editor's error is, it did not say yes.
            return SaidNo(_shown(error.message))
        except PeerGone:
            return Silent()
        return _answer(answer)

    def _workspace_edit(self, uri: str, version: int, edits: Sequence[TextEdit], *, proposes: bool) -> dict[str, Any]:
        # One document: a stock Neovim checks the version of the first one only. No label: Neovim prints it and may ask
        # for a key. Version 0 means "don't check" to Neovim, and every fresh document of its is at 0; 1 is refused
        # as soon as the user has typed, and accepted until then.
        exact = max(1, version) if self.traits.is_stock_neovim else version
        document = {"uri": uri, "version": exact}
        plain = [edit.to_wire() for edit in edits]
        if not proposes:
            return {"edit": {"documentChanges": [{"textDocument": document, "edits": plain}]}}
        return {
            "edit": {
                "documentChanges": [
                    {"textDocument": document, "edits": [{**edit, "annotationId": _PROPOSAL} for edit in plain]}
                ],
                "changeAnnotations": {_PROPOSAL: {"label": "Edit by an agent", "needsConfirmation": True}},
            }
        }

    async def flush(self) -> None:
        """Make a stock Neovim send the changes that it holds back; returns when they have arrived.

        Its answer to ``workspace/semanticTokens/refresh`` comes after the ``didChange``. Others have no such barrier,
        and need none: this returns at once.
        """
        if self.traits.flushes:
            try:
                await self.peer.request("workspace/semanticTokens/refresh", None)
            except (JsonRpcException, PeerGone):
                return

    async def ask(self, message: str, answers: Sequence[str], within: float) -> str | None:
        """Ask the user, ``within`` seconds; the answer that was chosen, or None for none."""
        ours = self.traits.dsh != DshCapabilities()  # a client of ours shows each character as what it is
        shown = message if ours else unlinked(message)
        params = {"type": 3, "message": shown, "actions": [{"title": answer} for answer in answers]}
        try:
            chosen = await self.peer.request("window/showMessageRequest", params, timeout=within)
        except (JsonRpcException, PeerGone, TimeoutError):
            return None
        title = chosen.get("title") if isinstance(chosen, dict) else None
        return title if title in answers else None

    async def save(self, uri: str, version: int, within: float) -> SaveDocumentResult:
        """Ask for a save at that version, ``within`` seconds. Every failure is an answer."""
        try:
            params = SaveDocumentParams(uri=uri, version=version).to_wire()
            answer = await self.peer.request("dsh/saveDocument", params, timeout=within)
            return SaveDocumentResult.model_validate(answer)
        except (JsonRpcException, PeerGone, TimeoutError, ValidationError) as error:
            return SaveDocumentResult(saved=False, reason=_shown(str(error) or type(error).__name__))

    async def reload(self, uri: str, within: float) -> bool:
        """Ask for a reload from the disk; whether the editor says, ``within`` seconds, that it did."""
        try:
            params = ReloadDocumentParams(uri=uri).to_wire()
            answer = await self.peer.request("dsh/reloadDocument", params, timeout=within)
            return ReloadDocumentResult.model_validate(answer).reloaded
        except (JsonRpcException, PeerGone, TimeoutError, ValidationError):
            return False


def _answer(answer: object) -> EditAnswer:
    if not isinstance(answer, dict):
        return SaidNo("its answer was not understood")
    if answer.get("applied") is True:
        return SaidYes()
    reason = answer.get("failureReason") or answer.get("reason")
    return SaidNo(_shown(reason) if isinstance(reason, str) else None)


def _shown(words: str) -> str:
    line = " ".join(words.split())
    return line if len(line) <= _REASON_SHOWN else f"{line[:_REASON_SHOWN]}…"
