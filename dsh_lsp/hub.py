"""The hub: what all peers share, and the life of a call.

Held here: the ledger, the sessions, the open documents and the files under them, the tools, and who is told of what.
Deliberately absent: the wire (`dsh_lsp.rpc`), the methods (`dsh_lsp.handlers`), and any decision that one of the parts
can make alone.
"""

import asyncio
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from dsh_ledger.errors import UnknownTool
from dsh_ledger.guards import GuardPolicy, ObservedContentPolicy
from dsh_ledger.ledger import Ledger, Observed
from dsh_lsp.buffers.confirm import Timing
from dsh_lsp.buffers.open_document import Author, OpenDocument
from dsh_lsp.buffers.open_documents import OpenDocuments
from dsh_lsp.buffers.workspace_files import WorkspaceFiles
from dsh_lsp.disk_view import WorkspaceDisk
from dsh_lsp.drift import DriftWatch
from dsh_lsp.editor import Editor, Peer
from dsh_lsp.painting import Painter
from dsh_lsp.sessions import Call, Session, Sessions
from dsh_lsp.subscribers import Subscribers
from dsh_lsp.wire import SessionOpenParams, ToolCallNote, ToolResultNote
from dsh_tools.builtin import BUILTIN
from dsh_tools.contract import AnyTool, ToolResult, ToolRun
from dsh_tools.fs.disk import DiskFileSystem
from dsh_tools.fs.paths import Workspace
from dsh_tools.observing import SessionLedger
from dsh_tools.pipeline import failed, run_tool
from dsh_tools.presenting import call_card, result_card
from dsh_tools.registry import Registry
from dsh_tools.snapshots import Snapshots


class Hub:
    """One workspace, its editor and its agents.

    Args:
        folders: The workspace's folders; the first is the one that relative paths start from.
        tools: The tools that sessions have.
        policy: Decides what an observation permits; None lets everything through.
        timing: How long to wait for editors.

    Attributes:
        ledger: Who has seen what.
        sessions: The sessions.
        documents: What editors have open.
        files: Files as agents see them.
        subscribers: Who is told of cards.
        registry: The tools.
    """

    def __init__(
        self,
        folders: Iterable[Path],
        *,
        tools: Iterable[AnyTool] = BUILTIN,
        policy: GuardPolicy | None = ObservedContentPolicy(),  # noqa: B008 - it has no state
        timing: Timing = Timing(),  # noqa: B008 - frozen
    ) -> None:
        self.workspace = Workspace(list(folders))
        self.ledger = Ledger(policy)
        self.sessions = Sessions()
        self.snapshots = Snapshots()
        self.registry = Registry(tools)
        self.subscribers = Subscribers()
        disk = DiskFileSystem(self.workspace)
        self._painter = Painter()
        self._drift = DriftWatch(self.ledger, self.sessions, self.snapshots)
        self._disk_view = WorkspaceDisk(disk)
        self.documents = OpenDocuments(self._disk_view, self._document_changed, self.ledger.carry_over)
        self.files = WorkspaceFiles(disk, self.documents, timing)
        self._running: set[asyncio.Task[ToolResult]] = set()

    def set_folders(self, folders: Iterable[Path]) -> None:
        """The workspace has other folders from now on. What is under way ends in the old ones."""
        self.workspace = Workspace(list(folders))
        self.files.disk = self._disk_view.disk = self.files.disk.for_workspace(self.workspace)

    # Sessions

    def open_session(self, params: SessionOpenParams, peer: Peer) -> tuple[Session, bool]:
        """Open or resume a session for a connection; whether it was resumed."""
        session, resumed, dropped = self.sessions.open(params, peer)
        for session_id in dropped:
            self._forget(session_id)
        return session, resumed

    def close_session(self, session_id: str) -> bool:
        """End a session: its running calls are cancelled, what it has seen is forgotten."""
        session = self.sessions.close(session_id)
        if session is None:
            return False
        for call in session.calls.values():
            call.task.cancel()
        self._forget(session_id)
        return True

    def _forget(self, session_id: str) -> None:
        self.ledger.forget(session_id)
        self._drift.forget(session_id)

    # Calls

    def start_call(self, session: Session, call_id: str | None, name: str, arguments: Mapping[str, Any]) -> Call:
        """Start a call, or find the one that has this id already: a call id never runs twice.

        The call does not depend on the connection that asked for it: it runs to its end, and its outcome is kept.
        """
        if call_id is not None and (known := session.calls.get(call_id)) is not None:
            return known
        call_id = call_id or session.new_call_id()
        task = asyncio.ensure_future(self._run(session, call_id, name, dict(arguments)))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        call = Call(call_id, name, task)
        session.remember(call)
        return call

    async def _run(self, session: Session, call_id: str, name: str, arguments: dict[str, Any]) -> ToolResult:
        tool = self.registry.find(name)
        self._tell_call(session, call_id, name, tool, arguments)
        if tool is None:
            result = failed(UnknownTool(name, [each.name for each in self.registry]))
        else:
            result = await run_tool(tool, arguments, self._tool_run(session, call_id))
        self._tell_result(session, call_id, name, tool, arguments, result)
        return result

    def _tool_run(self, session: Session, call_id: str) -> ToolRun:
        return ToolRun(
            session=session.id,
            call=call_id,
            fs=self.files.of_call(Author(session.id, call_id)),
            ledger=SessionLedger(self.ledger, session.id, self._observed),
            snapshots=self.snapshots,
        )

    def _observed(self, fact: Observed) -> None:
        # A call of a session that was closed under it still ends; there is nobody left to have seen anything.
        if self.sessions.get(fact.session) is not None:
            self.ledger.apply(fact)

    def _tell_call(
        self, session: Session, call_id: str, name: str, tool: AnyTool | None, arguments: dict[str, Any]
    ) -> None:
        seq = session.next_seq()
        if self.subscribers.want(session.id):
            view = call_card(tool, name, arguments)
            note = ToolCallNote(session_id=session.id, call_id=call_id, seq=seq, name=name, view=view)
            self.subscribers.tell(session.id, "dsh/toolCall", note)

    def _tell_result(
        self,
        session: Session,
        call_id: str,
        name: str,
        tool: AnyTool | None,
        arguments: dict[str, Any],
        result: ToolResult,
    ) -> None:
        seq = session.next_seq()
        if self.subscribers.want(session.id):
            note = ToolResultNote(
                session_id=session.id,
                call_id=call_id,
                seq=seq,
                name=name,
                is_error=result.is_error,
                view=result_card(tool, name, arguments, result),
            )
            self.subscribers.tell(session.id, "dsh/toolResult", note)

    # Peers

    def peer_gone(self, peer: Peer) -> None:
        """A connection has ended."""
        self.sessions.peer_gone(peer)
        self.subscribers.remove(peer)

    def editor_gone(self, editor: Editor) -> None:
        """An editor has ended: the disk is the truth again."""
        self.documents.close_all(editor)
        self.peer_gone(editor.peer)

    async def close(self) -> None:
        """Let running calls end, those that may still be cancelled at once; release the disk's threads."""
        for task in self._running:
            task.cancel()
        if self._running:
            await asyncio.wait(self._running)
        self.files.disk.close()

    def _document_changed(self, document: OpenDocument) -> None:
        self._painter.changed(document)
        self._drift.changed(document)
