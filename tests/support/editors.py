"""The kinds of editor that tests are run with: stock VS Code, stock Neovim, a client of ours, and a poor one.

Any of them takes another way of applying or sending: ``VsCodeLike(applying=Rejecting())``,
``OwnClient(sending=DelayedChange())``, ``StockNeovim(sending=Coalesced(None))``. What they do was measured on the real
ones. Deliberately absent: what a server can't see, such as painting.
"""

from typing import ClassVar

from tests.support.applying import Applying, ErrorsOnApply, LikeNeovim, LikeVsCode
from tests.support.buffers import Buffer
from tests.support.editor import StrictEditor
from tests.support.peer import ServerRequest
from tests.support.profile import OWN, PLAIN, Profile, neovim, vs_code
from tests.support.sending import Coalesced, NextTurn, Sending
from tests.support.vim_text import VimText


class VsCodeLike(StrictEditor):
    """VS Code with vscode-languageclient and nothing of ours: UTF-16, one version per key, answers before it tells."""

    profile: ClassVar[Profile] = vs_code()
    types_by_keystroke: ClassVar[bool] = True

    def usual_applying(self) -> Applying:
        """As VS Code."""
        return LikeVsCode()

    def usual_sending(self) -> Sending:
        """After the answer."""
        return NextTurn()


class StockNeovim(StrictEditor):
    """Neovim 0.11.4 with nothing of ours: UTF-8 columns, versions from 0 that jump, changes in one lump, always yes."""

    profile: ClassVar[Profile] = neovim()
    types_by_keystroke: ClassVar[bool] = True

    def usual_applying(self) -> Applying:
        """As Neovim."""
        return LikeNeovim()

    def usual_sending(self) -> Sending:
        """Debounced."""
        return Coalesced()

    def loaded(self, text: str) -> str:
        """An empty file is one empty line."""
        return VimText.load(text).text

    def to_write(self, buffer: Buffer) -> str:
        """A last line without an end gets one on the disk ('fixendofline'), of which the server is not told."""
        vim = VimText.load(buffer.text)
        if vim.lines == ("",):
            return ""
        return buffer.text if vim.final_newline else buffer.text + vim.newline

    def reloaded(self, buffer: Buffer, text: str) -> None:
        """Close and open again, the version from the start; also if the text is the same."""
        self.flush()
        self.tell("textDocument/didClose", {"textDocument": {"uri": buffer.uri}})
        self.sending.forget(buffer)
        buffer.text, buffer.version, buffer.ticks = text, self.profile.first_version, self.profile.first_change
        buffer.undo_steps.clear()
        self.did_open(buffer)

    def refresh_tokens(self, request: ServerRequest) -> None:
        """Ask for the tokens of each buffer, if the server has any, for which the buffer is flushed; then answer."""
        if self.server_capabilities.get("semanticTokensProvider"):
            for uri in self.buffers:
                self.start_request("textDocument/semanticTokens/full", {"textDocument": {"uri": uri}})
        request.answer(None)


class OwnClient(StrictEditor):
    """A client of ours: it paints, applies by version and content, and tells of every change before it answers."""

    profile: ClassVar[Profile] = OWN


class EglotLike(StrictEditor):
    """Emacs' eglot 1.9: UTF-16, versions from 0, and an error for an edit of another version."""

    profile: ClassVar[Profile] = Profile(
        {"name": "Eglot", "version": "1.9"}, None, PLAIN.capabilities, first_version=0, first_change=1
    )

    def usual_applying(self) -> Applying:
        """As eglot."""
        return ErrorsOnApply()


class NoApplyEdit(StrictEditor):
    """A client that can't be asked for an edit at all."""

    profile: ClassVar[Profile] = PLAIN.without_apply_edit()
