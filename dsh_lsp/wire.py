"""The shapes of every custom method. This module is the protocol; `editor-clients/PROTOCOL.md` describes it.

Names are camelCase on the wire, ids are strings, unknown members are refused. Positions and ranges are those of LSP
3.17: lines and characters 0-based, characters in the position encoding negotiated with the editor that has the document
open (UTF-16 where there is none).
"""

from typing import Any, Literal

from pydantic import ConfigDict, Field

from dsh_tools.cards import CallCard, ResultCard
from dsh_tools.content import ContentBlock
from dsh_tools.models import Items, WireModel, optional

PROTOCOL_VERSION = 1
"""Raised when a shape changes in a way that an old peer can't read."""


class Position(WireModel):
    """A place in a document (LSP 3.17, Position)."""

    line: int
    character: int


class Range(WireModel):
    """A stretch of a document, its end excluded (LSP 3.17, Range)."""

    start: Position
    end: Position


class AgentInfo(WireModel):
    """Who the agent says it is."""

    name: str
    version: str | None = optional()


class SessionCapabilities(WireModel):
    """What the agent can take."""

    attachments: bool = False


class SessionOpenParams(WireModel):
    """``dsh/session/open``. A known ``sessionId`` resumes that session."""

    session_id: str | None = Field(default=None, min_length=1, max_length=200)
    agent: AgentInfo | None = optional()
    capabilities: SessionCapabilities | None = optional()
    on_stale: Literal["refuse", "rebase"] = "refuse"
    unicode_fallback: bool = False
    review: Literal["after", "before"] = "after"


class ToolFacts(WireModel):
    """What a host may want to know of a tool before it lets a model call it.

    Attributes:
        reads_only: It changes nothing.
        idempotent: The same call made again changes nothing more.
        asks: The user is asked before each call, unless a policy allows it.
        open_world: It may reach beyond the workspace; absent where nobody has said.
    """

    reads_only: bool
    idempotent: bool
    asks: bool
    open_world: bool | None = optional()


class ToolInfo(WireModel):
    """A tool as a model is told of it. ``dsh/tool/list`` says the rest, too: the schema of its value, and its facts."""

    name: str
    description: str
    parameters: Any
    output_schema: Any = optional()
    facts: ToolFacts | None = optional()


class SessionOpenResult(WireModel):
    """The answer to ``dsh/session/open``."""

    session_id: str
    resumed: bool
    protocol_version: int = PROTOCOL_VERSION
    workspace_folders: Items[str]
    tools: Items[ToolInfo]


class SessionParams(WireModel):
    """Parameters that name a session and nothing else."""

    session_id: str


class Empty(WireModel):
    """No members."""


class SessionListParams(WireModel):
    """``dsh/session/list``."""


class SessionInfo(WireModel):
    """A session of this workspace that is recorded.

    Attributes:
        started_at: When it was opened first, ISO 8601 in UTC.
        last_at: When something was last recorded.
        live: This server has it in memory.
        ended: It was closed.
    """

    session_id: str
    agent: AgentInfo | None = optional()
    started_at: str
    last_at: str | None = optional()
    live: bool
    ended: bool


class SessionListResult(WireModel):
    """The answer to ``dsh/session/list``, the latest first."""

    sessions: Items[SessionInfo]


class SessionReplayParams(WireModel):
    """``dsh/session/replay``. With ``notify``, every ``dsh/toolCall`` and ``dsh/toolResult`` is sent again first."""

    session_id: str
    notify: bool = False


class ReplayedCall(WireModel):
    """The cards of one call, as they were shown. They may be of a kind that only a later version knows."""

    call_id: str
    seq: int
    name: str
    call: Any
    result: Any = optional()


class SessionReplayResult(WireModel):
    """The answer to ``dsh/session/replay``; ``unreadable`` counts lines of the journal that could not be read."""

    cards: Items[ReplayedCall]
    unreadable: int


class ToolListParams(WireModel):
    """``dsh/tool/list``; without a session, the tools that every session has."""

    session_id: str | None = optional()


class ToolListResult(WireModel):
    """The answer to ``dsh/tool/list``."""

    tools: Items[ToolInfo]


class ToolRunParams(WireModel):
    """``dsh/tool/run``. A ``callId`` is used once in a session: sent again, it is answered with the first outcome."""

    session_id: str
    call_id: str | None = Field(default=None, min_length=1, max_length=200)
    name: str
    arguments: dict[str, Any]
    work_done_token: str | int | None = optional()


class ErrorInfo(WireModel):
    """Why a tool failed."""

    code: str
    message: str
    details: Any = optional()


class ToolRunResult(WireModel):
    """The answer to ``dsh/tool/run``. A failed tool is a result with ``isError``, not a JSON-RPC error.

    ``told`` is what people have decided on earlier changes since the last result; it stands at the end of ``content``,
    too.
    """

    call_id: str
    is_error: bool
    content: Items[ContentBlock]
    error: ErrorInfo | None = optional()
    meta: Any = optional()
    value: Any = optional()
    told: str | None = optional()


class ToolCallNote(WireModel):
    """``dsh/toolCall``: a call is about to run."""

    session_id: str
    call_id: str
    seq: int
    name: str
    view: CallCard


class ToolResultNote(WireModel):
    """``dsh/toolResult``: a call has ended."""

    session_id: str
    call_id: str
    seq: int
    name: str
    is_error: bool
    view: ResultCard


class NoNewlineAtEnd(WireModel):
    """Which sides of a hunk end without a line end."""

    old: bool
    new: bool


class DecoratedHunk(WireModel):
    """One hunk in place.

    Attributes:
        range: The lines as they are now, whole; empty for a deletion, at the line before which the text stood.
        removed_text: The old lines, joined with line feeds; empty for an addition.
        added_lines: How many lines are there now.
        removed_lines: How many lines were there before.
    """

    id: str
    session_id: str
    call_id: str
    kind: Literal["added", "modified", "deleted"]
    range: Range
    removed_text: str
    added_lines: int
    removed_lines: int
    author: str | None = optional()
    no_newline_at_end: NoNewlineAtEnd | None = optional()
    words: Items[Range] | None = optional()


class DecorationsNote(WireModel):
    """``dsh/decorations``: the whole truth for one document; an empty list clears it."""

    uri: str
    version: int
    hunks: Items[DecoratedHunk]


class ReviewListParams(WireModel):
    """``dsh/review/list``: what is pending, of one file, one session, one call, or in all."""

    uri: str | None = optional()
    session_id: str | None = optional()
    call_id: str | None = optional()


class ReviewedHunk(DecoratedHunk):
    """A hunk and its file; the range is in the file as it is now."""

    uri: str


class ReviewListResult(WireModel):
    """The answer to ``dsh/review/list``: file by file, in order."""

    hunks: Items[ReviewedHunk]


class ReviewParams(WireModel):
    """``dsh/review/keep`` and ``dsh/review/undo``: what is decided on. What is named must hold together.

    Attributes:
        range: With ``uri``: what lies in these lines, also a part of a hunk.
        all: Everything that is pending.
    """

    hunk_ids: Items[str] | None = optional()
    uri: str | None = optional()
    range: Range | None = optional()
    call_id: str | None = optional()
    session_id: str | None = optional()
    all: bool = False


class DecisionInfo(WireModel):
    """What became of a hunk; ``reason`` says why it is a conflict."""

    id: str
    uri: str
    status: Literal["kept", "undone", "conflict"]
    reason: str | None = optional()


class ReviewResult(WireModel):
    """The answer to ``dsh/review/keep`` and ``dsh/review/undo``."""

    results: Items[DecisionInfo]


class SummarizedCall(WireModel):
    """A call that changed a file, or that did not end well.

    Attributes:
        outcome: ``applied`` and ``unchanged`` are about a file; ``refused`` and ``failed`` have the error's code, the
            first being a refusal to change a file; ``denied`` is a no of the user or of a policy.
        added: Number of added lines, from the applied hunks.
        removed: Number of removed lines, from the applied hunks.
    """

    call_id: str
    name: str
    outcome: Literal["applied", "unchanged", "refused", "failed", "denied", "unfinished"]
    code: str | None = optional()
    uri: str | None = optional()
    path: str | None = optional()
    added: int = 0
    removed: int = 0


class SummarizedFile(WireModel):
    """A file that calls changed.

    Lines are counted from the applied hunks, added up over the calls; ``kept``, ``undone`` and ``pending`` count hunks.
    """

    uri: str
    path: str
    created: bool
    added: int
    removed: int
    kept: int
    undone: int
    pending: int


class ReviewSummaryResult(WireModel):
    """The answer to ``dsh/review/summary``, which names a session: what its calls did to files, and what people did.

    ``changed``, ``refused``, ``failed`` and ``denied`` count files that were changed and calls of the other outcomes.
    """

    session_id: str
    files: Items[SummarizedFile]
    calls: Items[SummarizedCall]
    changed: int
    refused: int
    failed: int
    denied: int


class DecidedNote(WireModel):
    """``dsh/decided``: somebody has kept or undone a hunk of a session."""

    session_id: str
    call_id: str
    hunk_id: str
    uri: str
    decision: Literal["kept", "undone"]
    user_modified: bool


class LedgerQueryParams(WireModel):
    """``dsh/ledger/query``; without a URI, all that the session has observed."""

    session_id: str
    uri: str | None = optional()


class ObservationInfo(WireModel):
    """What a session knows of a file, and whether that is out of date."""

    uri: str
    state: Literal["unseen", "absent", "present"]
    version: str | None = optional()
    stale: bool


class LedgerQueryResult(WireModel):
    """The answer to ``dsh/ledger/query``."""

    observations: Items[ObservationInfo]


class SubscribeParams(WireModel):
    """``dsh/subscribe``: cards of that session, or of all, from now on."""

    session_id: str | None = optional()


class DriftNote(WireModel):
    """``dsh/drift``: a file that the session has observed is not what it was; ``to`` is absent when it is gone."""

    session_id: str
    uri: str
    from_: str = Field(alias="from")
    to: str | None = optional()
    ranges: Items[Range]


class SaveDocumentParams(WireModel):
    """``dsh/saveDocument``: save, if the document is still at that version."""

    uri: str
    version: int


class SaveDocumentResult(WireModel):
    """What became of it."""

    saved: bool
    reason: str | None = optional()


class ReloadDocumentParams(WireModel):
    """``dsh/reloadDocument``: read a document without unsaved typing from the disk again."""

    uri: str


class ReloadDocumentResult(WireModel):
    """What became of it."""

    reloaded: bool


class TextEdit(WireModel):
    """A text edit (LSP 3.17, TextEdit)."""

    range: Range
    new_text: str


class ApplyEditParams(WireModel):
    """``dsh/applyEdit``: apply to that version with that content, or refuse. Flush ``didChange`` before answering."""

    uri: str
    version: int
    content_version: str
    edits: Items[TextEdit]


class ApplyEditResult(WireModel):
    """What became of it."""

    applied: bool
    reason: str | None = optional()


class DshCapabilities(WireModel):
    """``capabilities.experimental.dsh`` of an editor. Unknown members are ignored: an older server must not choke."""

    model_config = ConfigDict(extra="ignore")

    decorations: bool = False
    cards: bool = False
    apply_edit: bool = False
    save_document: bool = False
    reload_document: bool = False
