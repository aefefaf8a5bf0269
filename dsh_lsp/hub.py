"""The hub: what all peers share.

Held here: the ledger, the sessions, the open documents and the files under them, the tools, and who is told of what.
Deliberately absent: the wire (`dsh_lsp.rpc`), the methods (`dsh_lsp.handlers`), and any decision that one of the parts
can make alone.
"""

import asyncio
import itertools
import secrets
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from lsprotocol import types
from pydantic import ValidationError

from dsh_ledger.guards import GuardPolicy, ObservedContentPolicy
from dsh_ledger.journal import FS_OBSERVED, SESSION_END, SESSION_START, TOOL_RESULT, observed_data
from dsh_ledger.journal_folds import Standing
from dsh_ledger.json_values import JsonObject, JsonValue
from dsh_ledger.ledger import Ledger, Observed
from dsh_ledger.targets import Target
from dsh_ledger.versions import Version, logical_text
from dsh_lsp.asking import EditorAsker
from dsh_lsp.buffers.confirm import Timing
from dsh_lsp.buffers.open_document import Author, OpenDocument
from dsh_lsp.buffers.open_documents import OpenDocuments
from dsh_lsp.buffers.workspace_files import WorkspaceFiles
from dsh_lsp.calls import Calls, interrupted
from dsh_lsp.disk_view import WorkspaceDisk
from dsh_lsp.drift import DriftWatch
from dsh_lsp.editor import Editor, Peer
from dsh_lsp.journals.journals import Journals
from dsh_lsp.messages import message
from dsh_lsp.own_places import own_places
from dsh_lsp.painting import Painter
from dsh_lsp.permissions import Permission, permissions_policy
from dsh_lsp.plugins import load_plugins, register
from dsh_lsp.progress import Progress
from dsh_lsp.publishing import logged_publisher, recovered
from dsh_lsp.review.deciding import Deciding
from dsh_lsp.review.pending_files import PendingFiles
from dsh_lsp.review.proposing import ProposedFiles
from dsh_lsp.review.reviews import Reviews
from dsh_lsp.review.telling import Telling
from dsh_lsp.sessions import Session, Sessions, rejoined
from dsh_lsp.subscribers import Subscribers
from dsh_lsp.watching import FileWatch
from dsh_lsp.wire import SessionOpenParams
from dsh_tools.builtin import BUILTIN
from dsh_tools.cards import GenericCall
from dsh_tools.contract import AnyTool, ToolRun
from dsh_tools.fs.disk import DiskFileSystem
from dsh_tools.fs.paths import Workspace
from dsh_tools.fs.port import FileSystem
from dsh_tools.observing import SessionLedger
from dsh_tools.policies import Policies, Policy, Question
from dsh_tools.registry import Registry
from dsh_tools.snapshots import SnapshotStore
from dsh_tools.uninterrupted import completed, uninterrupted


class Hub:
    """One workspace, its editor and its agents.

    Args:
        folders: The workspace's folders; the first is the one that relative paths start from.
        home: The folder under which sessions and reviews are kept, if not the first.
        tools: The tools that sessions have.
        policy: Decides what an observation permits; None lets everything through.
        timing: How long to wait for editors and people.
        permissions: What the user has decided about tools, by name.
        watch: Whether to notice that files change which no editor has open.

    Attributes:
        folders: The workspace's folders, as they were given.
        home: The real path of the folder under which sessions and reviews are kept.
        ledger: Who has seen what.
        sessions: The sessions.
        documents: What editors have open.
        files: Files as agents see them.
        subscribers: Who is told of cards.
        registry: The tools.
        calls: The calls.
        progress: Shows those that take their time.
        journals: The records of this workspace's sessions.
        pending: What is pending in files that are not open.
        reviews: What is pending in all files.
        deciding: Keeps and undoes it.
        telling: Tells sessions of it.
        document_watchers: Called with a document after it was opened, changed, saved or closed.
    """

    def __init__(
        self,
        folders: Iterable[Path],
        *,
        home: Path | None = None,
        tools: Iterable[AnyTool] = BUILTIN,
        policy: GuardPolicy | None = ObservedContentPolicy(),  # noqa: B008 - it has no state
        timing: Timing = Timing(),  # noqa: B008 - frozen
        permissions: Mapping[str, Permission] = MappingProxyType({}),
        watch: bool = True,
    ) -> None:
        self.folders = list(folders)
        self.workspace = Workspace(self.folders, own_places())
        self.home = self.workspace.roots[0] if home is None else home
        self.journals = Journals(self.home)
        self.ledger = Ledger(policy)
        self.sessions = Sessions()
        self.snapshots = SnapshotStore()
        self.registry = Registry(tools)
        self.subscribers = Subscribers()
        publisher, self._crash_log = logged_publisher()
        disk = DiskFileSystem(self.workspace, publisher=publisher)
        self._painter = Painter(self.agent_of)
        self._drift = DriftWatch(self.ledger, self.sessions, self.snapshots, lambda: self.files)
        self._disk_view = WorkspaceDisk(disk)
        hunk_ids = _hunk_ids()
        self.pending = PendingFiles(self.home, hunk_ids)
        self.documents = OpenDocuments(self._disk_view, self._document_changed, self._loaded, self.pending, hunk_ids)
        self.files = WorkspaceFiles(disk, self.documents, timing, self.pending)
        self._watch = FileWatch(self.ledger, self.documents, self._drift.file_changed, enabled=watch)
        self.reviews = Reviews(self.documents, self.pending, lambda: self.files.disk, self.files.undisturbed)
        self.deciding = Deciding(self.reviews, self.files, hunk_ids)
        self.telling = Telling(
            self.sessions, self.journals, lambda target: (self.workspace.inside(target) or target).path
        )
        self.document_watchers: list[Callable[[OpenDocument], None]] = []
        self._editors: list[Editor] = []
        self._permissions: dict[Editor | None, Policy] = {None: permissions_policy(permissions)}
        self._plugin_policies: Sequence[Policy] = ()
        self._ask = EditorAsker(self._editors_by_use, self.agent_of, timing.ask)
        self.progress = Progress(lambda: self._editors)
        self.calls = Calls(
            self.registry, self.subscribers, self._tool_run, self._policies(), self.pending.save, self.progress
        )
        self._opening = asyncio.Lock()
        self._ready = asyncio.Event()
        self._ready.set()

    async def start(self, let_in: Callable[[], Awaitable[None]]) -> None:
        """Set right what killed servers left, and have back what they knew; load other people's tools.

        Sessions and reviews that are asked for meanwhile wait for it.

        Args:
            let_in: Opens the door, and returns when all that an earlier hub knew of editors is known here.
        """
        self._ready.clear()
        try:
            await self._recover()
            await asyncio.gather(self._load_plugins(), self.pending.load())
            await let_in()
        finally:
            self._ready.set()

    async def ready(self) -> None:
        """Return when it is known what there was before this server."""
        await self._ready.wait()

    async def _recover(self) -> None:
        sentences = await asyncio.to_thread(recovered, self.workspace)
        for editor in self._editors:
            for sentence in sentences:
                editor.peer.notify(types.WINDOW_SHOW_MESSAGE, message(types.MessageType.Warning, sentence))

    async def _load_plugins(self) -> None:
        plugins = await asyncio.to_thread(load_plugins)
        register(plugins, self.registry)
        self._plugin_policies = plugins.policies
        self.calls.policies = self._policies()

    def _policies(self) -> Policies:
        return Policies([*self._permissions.values(), *self._plugin_policies], self._ask)

    def agent_of(self, session_id: str) -> str | None:
        """The name of a session's agent, if it has given one."""
        session = self.sessions.get(session_id)
        return session.agent if session else None

    def set_folders(self, folders: Iterable[Path]) -> None:
        """The workspace has other folders from now on. What is under way ends in the old ones."""
        self.folders = list(folders)
        self.workspace = Workspace(self.folders, own_places())
        self.files.disk = self._disk_view.disk = self.files.disk.for_workspace(self.workspace)

    # Sessions

    async def open_session(self, params: SessionOpenParams, peer: Peer) -> tuple[Session, bool]:
        """Open or resume a session for a connection; whether it was resumed.

        Nothing is left half opened if the connection ends meanwhile: the session is then one without a connection.

        Raises:
            JournalBusy: Another server has the session.
            JournalRefused: What is at its journal's place is none of ours.
            JournalFailed: Its beginning could not be recorded.
            OSError: The journal can't be opened.
        """
        await self.ready()
        (session, resumed), was_cancelled = await completed(self._open_session(params))
        if was_cancelled:
            raise asyncio.CancelledError
        session.peer = peer
        return session, resumed

    async def _open_session(self, params: SessionOpenParams) -> tuple[Session, bool]:
        session_id = params.session_id or f"s-{secrets.token_hex(8)}"
        async with self._opening:
            known = self.sessions.get(session_id)
            if known is not None and known.is_closed:
                await known.gone.wait()
                known = None
            if known is not None:
                self.sessions.rejoin(known, params)
                return known, True
            session, resumed = await self._opened(session_id, params)
            for dropped in self.sessions.add(session):
                self._forget(dropped.id)
                await dropped.journal.close()
            return session, resumed

    async def _opened(self, session_id: str, params: SessionOpenParams) -> tuple[Session, bool]:
        journal, standing = await self.journals.open(session_id)
        resumed = standing is not None and not standing.is_ended
        session = Session(session_id, _options(standing, params) if resumed else params, journal)
        try:
            if standing is not None:
                for call_id, name in standing.unfinished.items():
                    journal.append(TOOL_RESULT, interrupted(call_id, name))
            journal.append(SESSION_START, self._start_data(session, resumed=resumed))
            await journal.flush()
        except BaseException:
            await journal.close()
            raise
        if standing is not None:
            for fact in standing.observed:
                self.ledger.apply(fact)
            session.untold += standing.untold
            self._watch.update()
        return session, resumed

    def _start_data(self, session: Session, *, resumed: bool) -> JsonObject:
        folders: list[JsonValue] = [root.as_uri() for root in self.workspace.roots]
        options = session.options.to_wire()
        return {**options, "sessionId": session.id, "resumed": resumed, "workspaceFolders": folders}

    async def close_session(self, session_id: str) -> bool:
        """End a session: its running calls are cancelled, what it has seen is forgotten."""
        session = self.sessions.get(session_id)
        if session is None or session.is_closed:
            return False
        session.is_closed = True
        await uninterrupted(self._end_session(session))
        return True

    async def _end_session(self, session: Session) -> None:
        running = [call.task for call in session.calls.values() if not call.task.done()]
        for task in running:
            task.cancel()
        if running:
            await asyncio.wait(running)
        session.journal.append(SESSION_END, {})
        await session.journal.close()
        self.sessions.close(session.id)
        self._forget(session.id)
        session.gone.set()

    def _forget(self, session_id: str) -> None:
        self.ledger.forget(session_id)
        self.snapshots.forget(session_id)
        self._drift.forget(session_id)
        self._watch.update()

    # Calls

    def _tool_run(self, session: Session, call_id: str) -> ToolRun:
        snapshots = self.snapshots.of(session.id)
        seen = snapshots.get if session.options.on_stale == "rebase" else None
        return ToolRun(
            session=session.id,
            call=call_id,
            fs=self._files_of(session, call_id),
            ledger=SessionLedger(self.ledger, session.id, self._observed, seen),
            snapshots=snapshots,
            second_try=session.options.unicode_fallback,
        )

    def _files_of(self, session: Session, call_id: str) -> FileSystem:
        files = self.files.of_call(Author(session.id, call_id))
        if session.options.review == "after":
            return files

        async def ask(path: str, diff: str) -> str | None:
            call = session.calls.get(call_id)
            card = GenericCall(title=f"change {path}:\n{diff}")
            return await self._ask(Question(session.id, call_id, call.name if call else "a tool", card))

        return ProposedFiles(files, ask)

    def _observed(self, fact: Observed) -> None:
        # A call of a session that was closed under it still ends; there is nobody left to have seen anything.
        if self.sessions.get(fact.session) is not None:
            self.ledger.apply(fact)
            self._record(fact)
            self._watch.observed(fact.target)

    def _record(self, fact: Observed) -> None:
        session = self.sessions.get(fact.session)
        if session is not None:
            session.journal.append(FS_OBSERVED, observed_data(fact))

    def _loaded(self, target: Target, before: Version, after: Version) -> None:
        document = self.documents.at(target)
        for fact in self.ledger.carry_over(target, before, after):
            self._record(fact)
            if document is not None and document.mirror.content_version == after:
                self.snapshots.of(fact.session).keep(after, logical_text(document.mirror.text))

    # Peers

    def peer_gone(self, peer: Peer) -> None:
        """A connection has ended."""
        self.sessions.peer_gone(peer)
        self.subscribers.remove(peer)

    def editor_here(self, editor: Editor, permissions: Mapping[str, Permission] = MappingProxyType({})) -> None:
        """An editor has come. What its user denies is denied as long as it is here, whoever's agent it is."""
        self._editors.append(editor)
        if permissions:
            self._permissions[editor] = permissions_policy(permissions)
            self.calls.policies = self._policies()

    def editor_gone(self, editor: Editor) -> None:
        """An editor has ended: the disk is the truth again."""
        self._editors.remove(editor)
        if self._permissions.pop(editor, None) is not None:
            self.calls.policies = self._policies()
        self.documents.close_all(editor)
        self.files.notebooks.close_all(editor)
        self.peer_gone(editor.peer)

    @property
    def editors(self) -> tuple[Editor, ...]:
        """The editors that are here, the one that was used last first."""
        return tuple(self._editors_by_use())

    @property
    def watched_directories(self) -> int | None:
        """How many directories are watched; None where watching is switched off."""
        return len(self._watch.watched) if self._watch.is_enabled else None

    def _editors_by_use(self) -> list[Editor]:
        """The editors, the one that was used last first."""
        return sorted(self._editors, key=lambda editor: -editor.last_used)

    async def close(self) -> None:
        """Let running calls end, those that may still be cancelled at once; release journals and threads."""
        await self.calls.end_all()
        await self._watch.close()
        await self._drift.close()
        for session in self.sessions:
            await session.journal.close()
        self.journals.close()
        await self.pending.close()
        self.files.disk.close()
        self._crash_log.close()

    def _document_changed(self, document: OpenDocument) -> None:
        self._painter.changed(document)
        # Of several editors that have the file open, one has what agents see.
        if document.target is None or self.documents.at(document.target) in (document, None):
            self._drift.changed(document)
            self._watch.document_changed(document)
        for watcher in self.document_watchers:
            watcher(document)


def _hunk_ids() -> Callable[[], str]:
    """Ids of hunks: never the same again, also after a restart."""
    run, numbers = secrets.token_hex(4), itertools.count(1)
    return lambda: f"h{run}-{next(numbers)}"


def _options(standing: Standing | None, params: SessionOpenParams) -> SessionOpenParams:
    """The options of a session that is taken up again from its journal."""
    if standing is None:
        return params
    names = SessionOpenParams.model_fields
    known = {name: standing.start[alias] for name, f in names.items() if (alias := f.alias or name) in standing.start}
    try:
        before = SessionOpenParams.model_validate(known)
    except ValidationError:
        return params
    return rejoined(before, params)
