"""``dsh/tool/list``."""

from collections.abc import Iterable
from typing import Any

from dsh_lsp.handlers.context import hub_of, session_of
from dsh_lsp.wire import ToolFacts, ToolInfo, ToolListParams, ToolListResult
from dsh_tools.contract import AnyTool, SessionTraits
from dsh_tools.output_schema import json_schema


def tool_list(peer: Any, params: ToolListParams) -> ToolListResult:
    """The tools, as a model is told of them, and what a host may want to know besides."""
    hub = hub_of(peer)
    traits = SessionTraits() if params.session_id is None else session_of(hub, params.session_id).traits
    offered = hub.registry.offered(traits)
    described = zip(offered, tool_infos(offered), strict=True)
    return ToolListResult(
        tools=tuple(
            info.model_copy(update={"output_schema": json_schema(tool.output), "facts": _facts(tool)})
            for tool, info in described
        )
    )


def tool_infos(tools: Iterable[AnyTool]) -> tuple[ToolInfo, ...]:
    """What the wire says of tools to a model."""
    return tuple(ToolInfo.model_validate(tool.schema()) for tool in tools)


def _facts(tool: AnyTool) -> ToolFacts:
    return ToolFacts(
        reads_only=tool.concurrency_safe,
        idempotent=tool.idempotent or tool.concurrency_safe,
        asks=tool.asks,
        open_world=tool.open_world,
    )
