"""What is answered to a client of the Model Context Protocol: which tools there are, and what calling one comes to.

Both eras of the protocol are served, as the kit does it: with the handshake (up to 2025-11-25), and without it
(2026-07-28). The second has no way to ask a client for its roots within a request, so there the folder is the one that
the command was given or started in. The workspace is settled by the first request, once and for all.
"""

import asyncio
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from mcp import types
from mcp.server import NotificationOptions, Server
from mcp.server.context import ServerRequestContext
from mcp.server.models import InitializationOptions
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from mcp.shared.exceptions import MCPError

from dsh_lsp.client.errors import ClientError
from dsh_lsp.mcp.bridge import Bridge
from dsh_lsp.mcp.progress import Reporter
from dsh_lsp.mcp.translating import failure, result_of, tool_of
from dsh_lsp.mcp.workspaces import NoWorkspace, chosen
from dsh_lsp.wire import ToolInfo

_PATIENCE: Final = 5.0
"""Seconds that a client has to name its roots."""

_WITHOUT_HANDSHAKE: Final = frozenset({"2026-07-28"})

INSTRUCTIONS: Final = """\
These tools read and change the files of a workspace through the user's editor where a file is open there: you see what
the user has typed and not saved, and your edits appear in the editor, where the user keeps or undoes them. Use them for
all files of the workspace, and no shell commands or other tools in their place.
- Read a file before you edit or overwrite it. FS_NOT_OBSERVED means that you have not: read it, then retry.
- FS_STALE_VERSION means that it has changed since you read it. What changed is attached. Read it again, and make your
  edit for the text as it is now; the user's changes are to stay.
- Every refusal begins with a code and ends with what to do next. FS_APPLY_UNCONFIRMED means that the edit may be there:
  read before you go on.
- Relative paths start from the workspace folder; absolute paths are always right.
- What the user undid is told with your next result. Don't make that change again unasked.
"""


class McpServer:
    """The server of one client.

    Args:
        workspace: The folder for clients that don't name one.
    """

    def __init__(self, workspace: Path | None) -> None:
        self._workspace = workspace
        self._bridge: asyncio.Task[Bridge] | None = None
        self._listed: tuple[ToolInfo, ...] | None = None
        self._schemas: dict[str, bool] = {}
        self._changes = InMemorySubscriptionBus()
        self.kit: Server[Any] = Server(
            "dsh-lsp",
            version=version("dsh-lsp"),
            instructions=INSTRUCTIONS,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_subscriptions_listen=ListenHandler(self._changes),
        )

    @property
    def options(self) -> InitializationOptions:
        """What the handshake says."""
        return self.kit.create_initialization_options(NotificationOptions(tools_changed=True))

    async def close(self) -> None:
        """End the session, and the hub if it is ours; a bridge that is being made is given up."""
        if self._bridge is not None:
            self._bridge.cancel()
            [bridge] = await asyncio.gather(self._bridge, return_exceptions=True)
            if isinstance(bridge, Bridge):
                await bridge.close()

    async def _list_tools(
        self, context: ServerRequestContext[Any, Any], _params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        try:
            bridge = await self._bridged(context.session)
            return types.ListToolsResult(tools=[tool_of(info) for info in await self._described(bridge)])
        except (ClientError, NoWorkspace) as error:
            raise MCPError(types.INTERNAL_ERROR, str(error)) from None

    async def _call_tool(
        self, context: ServerRequestContext[Any, Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        session = context.session
        try:
            bridge = await self._bridged(session)
            if self._listed is None:
                await self._described(bridge)
            async with Reporter(
                params.name, lambda count, said: session.report_progress(count, None, said)
            ) as reporter:
                result = await bridge.call(params.name, params.arguments or {}, reporter.hear)
        except (ClientError, NoWorkspace) as error:
            return failure(str(error))
        await self._tell_of_changes(bridge, session)
        return result_of(result, bridge.agent.session_id, has_schema=self._schemas.get(params.name, False))

    async def _described(self, bridge: Bridge) -> tuple[ToolInfo, ...]:
        tools = await bridge.tools()
        self._listed = bridge.agent.tools
        self._schemas = {tool.name: tool.output_schema is not None for tool in tools}
        return tools

    async def _tell_of_changes(self, bridge: Bridge, session: ServerSession) -> None:
        """Say that the tools are others, as they may be with another hub."""
        if self._listed in (None, bridge.agent.tools):
            return
        self._listed = None
        if session.protocol_version in _WITHOUT_HANDSHAKE:
            await self._changes.publish(ToolsListChanged())
        else:
            await session.send_tool_list_changed()

    async def _bridged(self, session: ServerSession) -> Bridge:
        """The bridge; the first request makes it. One that could not be made is tried again by the next."""
        if self._bridge is None or _has_failed(self._bridge):
            self._bridge = asyncio.create_task(self._start(session), name="dsh-lsp mcp bridge")
        return await asyncio.shield(self._bridge)

    async def _start(self, session: ServerSession) -> Bridge:
        roots = await _roots(session)
        folders = await asyncio.to_thread(chosen, roots, self._workspace, Path.cwd(), Path.home())
        client = session.client_params
        return await Bridge.start(folders, client.client_info.name if client is not None else "MCP client")


def _has_failed(task: "asyncio.Task[Bridge]") -> bool:
    return task.done() and (task.cancelled() or task.exception() is not None)


async def _roots(session: ServerSession) -> list[str]:
    """The client's roots, as URIs; none where it has none or does not name them in time."""
    capabilities = session.client_capabilities
    if capabilities is None or capabilities.roots is None or session.protocol_version in _WITHOUT_HANDSHAKE:
        return []
    try:
        async with asyncio.timeout(_PATIENCE):
            answer = await session.send_request(types.ListRootsRequest(), types.ListRootsResult)
    except (MCPError, TimeoutError, ValueError):
        return []
    return [str(root.uri) for root in answer.roots]
