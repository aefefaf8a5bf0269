"""``dsh/tool/list``."""

from collections.abc import Iterable
from typing import Any

from dsh_lsp.handlers.context import hub_of, session_of
from dsh_lsp.wire import ToolInfo, ToolListParams, ToolListResult
from dsh_tools.contract import AnyTool, SessionTraits


def tool_list(peer: Any, params: ToolListParams) -> ToolListResult:
    """The tools, as a model is told of them."""
    hub = hub_of(peer)
    traits = SessionTraits() if params.session_id is None else session_of(hub, params.session_id).traits
    return ToolListResult(tools=tool_infos(hub.registry.offered(traits)))


def tool_infos(tools: Iterable[AnyTool]) -> tuple[ToolInfo, ...]:
    """What the wire says of tools."""
    return tuple(ToolInfo.model_validate(tool.schema()) for tool in tools)
