"""The review in plain LSP: what is announced to a client, and the table of what is answered to it.

Registered when the client has said what it can do, so that what was not announced is not answered either.
"""

from typing import Any

from lsprotocol import types

from dsh_lsp.buffers.open_document import OpenDocument
from dsh_lsp.editor import Editor
from dsh_lsp.hub import Hub
from dsh_lsp.plain.before import SCHEME, before_text, nothing_there, original_uri
from dsh_lsp.plain.client import PlainClient
from dsh_lsp.plain.code_actions import KINDS, code_actions
from dsh_lsp.plain.code_lens import code_lenses
from dsh_lsp.plain.commands import COMMANDS, KEEP, SHOW_BEFORE, UNDO, Commands
from dsh_lsp.plain.diagnostics import SOURCE, diagnostics, report
from dsh_lsp.plain.following import Follower
from dsh_lsp.plain.hover import hover
from dsh_lsp.plain.names import Names
from dsh_lsp.plain.showing import Showing
from dsh_lsp.rpc.editor import EditorProtocol


class PlainReview:
    """The review for one editor that does not paint.

    Args:
        hub: Where things are pending.
        editor: The editor.
        client: What it can do.
    """

    def __init__(self, hub: Hub, editor: Editor, client: PlainClient) -> None:
        self._hub = hub
        self._editor = editor
        self._client = client
        self._names = Names(hub.sessions)
        self._commands = Commands(hub, editor, Showing(hub, editor, client))
        self._follower = Follower(editor, client, hub.documents, self._names)

    def attach(self, peer: EditorProtocol, announced: types.ServerCapabilities) -> None:
        """Announce what the client can use, answer to it, and follow the documents."""
        client = self._client
        if client.pulls:
            announced.diagnostic_provider = types.DiagnosticOptions(
                inter_file_dependencies=False, workspace_diagnostics=False, identifier=SOURCE
            )
            peer.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, self._diagnostic)
        if client.hover is not None:
            announced.hover_provider = True
            peer.feature(types.TEXT_DOCUMENT_HOVER, self._hover)
        if client.lenses:
            announced.code_lens_provider = types.CodeLensOptions(resolve_provider=False)
            peer.feature(types.TEXT_DOCUMENT_CODE_LENS, self._code_lens)
        if client.actions:
            announced.code_action_provider = types.CodeActionOptions(KINDS) if client.literals else True
            peer.feature(types.TEXT_DOCUMENT_CODE_ACTION, self._code_action)
        if client.commands:
            announced.execute_command_provider = types.ExecuteCommandOptions(list(COMMANDS))
            peer.command(KEEP, self._commands.keep)
            peer.command(UNDO, self._commands.undo)
            peer.command(SHOW_BEFORE, self._commands.show_before)
        if client.content:
            announced.workspace = announced.workspace or types.WorkspaceOptions()
            announced.workspace.text_document_content = types.TextDocumentContentOptions([SCHEME])
            peer.feature(types.WORKSPACE_TEXT_DOCUMENT_CONTENT, self._content)
        self._hub.document_watchers.append(self._follower.changed)

    async def close(self) -> None:
        """The editor has gone."""
        self._hub.document_watchers.remove(self._follower.changed)
        await self._follower.close()
        await self._commands.close()

    async def _document(self, uri: str) -> OpenDocument | None:
        """An open document, once what was pending in its file is known to be pending in it."""
        await self._hub.documents.settled()
        return self._hub.documents.of_uri(uri, self._editor)

    async def _diagnostic(self, _peer: Any, params: types.DocumentDiagnosticParams) -> object:
        document = await self._document(params.text_document.uri)
        return report([] if document is None else diagnostics(document, self._names), params.previous_result_id)

    async def _hover(self, _peer: Any, params: types.HoverParams) -> types.Hover | None:
        document = await self._document(params.text_document.uri)
        return None if document is None else hover(document, params.position, self._client, self._names)

    async def _code_lens(self, _peer: Any, params: types.CodeLensParams) -> list[types.CodeLens]:
        document = await self._document(params.text_document.uri)
        return [] if document is None else code_lenses(document, self._client)

    async def _code_action(self, _peer: Any, params: types.CodeActionParams) -> list[types.CodeAction | types.Command]:
        document = await self._document(params.text_document.uri)
        if document is None:
            return []
        files = len(await self._hub.reviews.targets())
        return code_actions(document, params, self._client, self._names, files)

    async def _content(self, _peer: Any, params: types.TextDocumentContentParams) -> types.TextDocumentContentResult:
        uri = original_uri(params.uri)
        if uri is None:
            raise nothing_there()
        self._follower.before_asked(uri)
        return types.TextDocumentContentResult(await before_text(self._hub, uri))
