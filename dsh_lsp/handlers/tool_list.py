"""``dsh/tool/list``."""

from typing import Any

from dsh_lsp.handlers.context import hub_of, session_of
from dsh_lsp.wire import ToolInfo, ToolListParams, ToolListResult
from dsh_tools.registry import Registry


def tool_list(peer: Any, params: ToolListParams) -> ToolListResult:
    """The tools, as a model is told of them."""
    hub = hub_of(peer)
    if params.session_id is not None:
        session_of(hub, params.session_id)
    return ToolListResult(tools=tool_infos(hub.registry))


def tool_infos(registry: Registry) -> tuple[ToolInfo, ...]:
    """What the wire says of the tools."""
    return tuple(ToolInfo.model_validate(tool.schema()) for tool in registry)
