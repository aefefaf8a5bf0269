"""An agent's side of the protocol: one session, its calls, its reviews, and what it is told.

Every call has an id that is chosen here, and a call id runs once: a call whose answer was lost with the connection is
sent again, to the next server if need be, and is answered with its one outcome. Deliberately absent: a model.
"""

import asyncio
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from dsh_lsp.client.attached import Attached
from dsh_lsp.client.errors import Refused, RequestRefused
from dsh_lsp.client.link import Link
from dsh_lsp.client.notes import OnProgress
from dsh_lsp.rpc.errors import PeerGone
from dsh_lsp.wire import (
    ObservationInfo,
    ReviewedHunk,
    ReviewSummaryResult,
    SessionOpenResult,
    ToolInfo,
    ToolListResult,
    ToolRunResult,
)
from dsh_tools.content import TextBlock


@dataclass(frozen=True, slots=True)
class Reply:
    """The outcome of a call that ended well.

    Attributes:
        call_id: Which call.
        text: What a model is told, as one text.
        content: The same as content blocks.
        value: The canonical value, as JSON; None where the outcome was recorded by a server that is gone since.
        meta: What belongs to it besides.
    """

    call_id: str
    text: str
    content: tuple[Any, ...]
    value: Any
    meta: Any


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """How a session is opened; see ``dsh/session/open``.

    Attributes:
        on_stale: What becomes of an edit of a file that has changed: refused, or rebased where that is safe.
        unicode_fallback: Whether an edit that is not found is looked for again with quotes, dashes and spaces alike.
        review: Whether the user reviews edits after they were made, or confirms each before.
        attachments: Whether the agent takes images.
    """

    on_stale: Literal["refuse", "rebase"] = "refuse"
    unicode_fallback: bool = False
    review: Literal["after", "before"] = "after"
    attachments: bool = False

    def to_wire(self) -> dict[str, Any]:
        """As members of the request."""
        return {
            "onStale": self.on_stale,
            "unicodeFallback": self.unicode_fallback,
            "review": self.review,
            "capabilities": {"attachments": self.attachments},
        }


class Agent(Attached):
    """An agent with a session; made by `connect`.

    Attributes:
        session_id: Its session, by which another agent may take it up again.
        tools: What it may call.
        workspace_folders: The folders that it works in, as ``file:`` URIs; relative paths start from the first.
    """

    def __init__(
        self,
        workspace: Path,
        *,
        name: str,
        session_id: str | None,
        options: SessionOptions,
        patience: float,
        absent: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        super().__init__(workspace, patience=patience, absent=absent)
        self.session_id = session_id or f"s-{secrets.token_hex(8)}"
        self.tools: tuple[ToolInfo, ...] = ()
        self.workspace_folders: tuple[str, ...] = ()
        self._name = name
        self._options = options

    async def close(self, *, end_session: bool = True) -> None:
        """Leave.

        Args:
            end_session: Close the session, too. One that is not closed can be taken up again by its id.
        """
        peer = self._link.current
        try:
            if end_session and peer is not None:
                async with asyncio.timeout(5.0):
                    await self._link.ask(peer, "dsh/session/close", {"sessionId": self.session_id})
        except (PeerGone, RequestRefused, TimeoutError):
            pass  # it is gone with its server, and its journal stays
        finally:
            await self._link.close()

    # Tools

    async def run(
        self,
        tool: str,
        arguments: dict[str, Any] | None = None,
        *,
        call_id: str | None = None,
        progress: OnProgress | None = None,
    ) -> Reply:
        """Run a tool.

        Args:
            tool: Its name.
            arguments: Its arguments, under their names on the wire.
            call_id: The call's id; one that has run before is answered with its outcome.
            progress: Told how far a call is that takes its time.

        Raises:
            Refused: It did not end well; the code says why.
            RequestRefused: The request was malformed.
            NoServer: The connection ended, and no server was found any more; the call may have been carried out.
            Disconnected: The client was closed before the answer came; the same.
        """
        result = await self.result(tool, arguments, call_id=call_id, progress=progress)
        text = "\n".join(block.text for block in result.content if isinstance(block, TextBlock))
        if result.is_error or result.error is not None:
            error = result.error
            code, message = ("ABORTED", text) if error is None else (error.code, error.message)
            raise Refused(code, message, None if error is None else error.details, text, result.call_id)
        return Reply(result.call_id, text, result.content, result.value, result.meta)

    async def result(
        self,
        tool: str,
        arguments: dict[str, Any] | None = None,
        *,
        call_id: str | None = None,
        progress: OnProgress | None = None,
    ) -> ToolRunResult:
        """Run a tool as `run` does; an outcome that is an error is returned like any other."""
        call_id = f"c-{secrets.token_hex(8)}" if call_id is None else call_id
        params = {"sessionId": self.session_id, "callId": call_id, "name": tool, "arguments": arguments or {}}
        if progress is None:
            return ToolRunResult.model_validate(await self._link.request("dsh/tool/run", params, again=True))
        token = f"p-{secrets.token_hex(8)}"
        self._notes.follow(token, progress)
        try:
            params["workDoneToken"] = token
            return ToolRunResult.model_validate(await self._link.request("dsh/tool/run", params, again=True))
        finally:
            self._notes.unfollow(token)

    async def read(self, path: str | Path, *, offset: int | None = None, limit: int | None = None) -> Reply:
        """Read a file, or ``limit`` lines from line ``offset`` (1-based) on; errors as for `run`."""
        lines = {name: value for name, value in (("offset", offset), ("limit", limit)) if value is not None}
        return await self.run("read", {"file_path": str(path), **lines})

    async def write(self, path: str | Path, content: str) -> Reply:
        """Create or replace a file; errors as for `run`."""
        return await self.run("write", {"file_path": str(path), "content": content})

    async def edit(self, path: str | Path, old: str, new: str, *, replace_all: bool = False) -> Reply:
        """Replace a text that occurs once, or everywhere with ``replace_all``; errors as for `run`."""
        arguments = {"file_path": str(path), "old_string": old, "new_string": new, "replace_all": replace_all}
        return await self.run("edit", arguments)

    # Reviews

    async def pending(self, uri: str | None = None, *, everybody: bool = False) -> tuple[ReviewedHunk, ...]:
        """What of this session's changes, or of everybody's, nobody has decided on."""
        params = {} if everybody else {"sessionId": self.session_id}
        return await self._listed(params if uri is None else {**params, "uri": uri})

    async def summary(self) -> ReviewSummaryResult:
        """What the session's calls did to files, and what people did about it."""
        answer = await self._link.request("dsh/review/summary", {"sessionId": self.session_id}, again=True)
        return ReviewSummaryResult.model_validate(answer)

    # What it knows

    async def described_tools(self) -> tuple[ToolInfo, ...]:
        """What it may call, with the schemas of the values and what else there is to know of each."""
        answer = await self._link.request("dsh/tool/list", {"sessionId": self.session_id}, again=True)
        return ToolListResult.model_validate(answer).tools

    async def observations(self) -> tuple[ObservationInfo, ...]:
        """What the session has seen, and what of it is out of date."""
        answer = await self._link.request("dsh/ledger/query", {"sessionId": self.session_id}, again=True)
        return tuple(ObservationInfo.model_validate(each) for each in answer["observations"])

    async def _begin(self, link: Link) -> None:
        peer = link.current
        if peer is None:
            return
        params = {"sessionId": self.session_id, "agent": {"name": self._name}, **self._options.to_wire()}
        opened = SessionOpenResult.model_validate(await link.ask(peer, "dsh/session/open", params))
        self.tools, self.workspace_folders = opened.tools, opened.workspace_folders


@asynccontextmanager
async def connect(
    workspace: str | Path = ".",
    *,
    name: str = "dsh_lsp.client",
    session_id: str | None = None,
    options: SessionOptions = SessionOptions(),
    patience: float = 15.0,
    end_session: bool | None = None,
) -> AsyncIterator[Agent]:
    """Attach an agent to the server of a workspace.

    Args:
        workspace: A folder of the workspace, or one in it.
        name: Who the agent is; people see it beside its changes.
        session_id: A session to take up again; without it, a new one.
        options: How the session is opened.
        patience: Seconds to look for a server, at first and each time the connection has ended.
        end_session: Whether the session ends with the block; by default if it is a new one.

    Raises:
        NoServer: No server has the workspace.
        RequestRefused: The session can't be opened.
        Unsupported: The server speaks another version of the protocol.
    """
    agent = Agent(Path(workspace), name=name, session_id=session_id, options=options, patience=patience)
    await agent.open()
    try:
        yield agent
    finally:
        await agent.close(end_session=session_id is None if end_session is None else end_session)
