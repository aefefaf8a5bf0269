"""Tools and outcomes as the Model Context Protocol has them. Pure functions.

An error is in ``_meta``, as ``dsh-lsp/error: {code, message, details?}``, and not in ``structuredContent``: clients
check that against the tool's output schema also where ``isError`` is set, and would show the model a complaint about a
schema in the place of what went wrong. The text, which begins with the code, is what the model reads.
"""

from collections.abc import Iterable
from typing import Any, Final

from mcp import types

from dsh_lsp.wire import ToolFacts, ToolInfo, ToolRunResult
from dsh_tools.content import ImageBlock

ERROR: Final = "dsh-lsp/error"
CALL: Final = "dsh-lsp/call"
"""Names of ours in ``_meta``."""

TOLD: Final = "userDecisions"
"""A member that a structured content has besides those of the canonical value, when there is something to tell: several
agents show a model the structured content alone, and what the user has decided must reach it."""

_LOST_VALUE: Final = (
    "The call has ended well, and this is what it said. Its structured value is gone with the server that ran it; it "
    "was not run again:"
)


def tool_of(info: ToolInfo) -> types.Tool:
    """A tool, with all that there is to know of it."""
    return types.Tool(
        name=info.name,
        description=info.description,
        input_schema=dict(info.parameters),
        output_schema=None if info.output_schema is None else _object(info.output_schema),
        annotations=None if info.facts is None else _annotations(info.facts),
    )


def result_of(result: ToolRunResult, session_id: str, *, has_schema: bool) -> types.CallToolResult:
    """The outcome of a call.

    Args:
        result: As the hub says it.
        session_id: The session.
        has_schema: The tool has an output schema: clients refuse an outcome without a value then, and one that was
            recorded by a server that is gone has none. It is an error to them, that says what has happened.
    """
    about: dict[str, Any] = {CALL: {"sessionId": session_id, "callId": result.call_id}}
    if result.is_error:
        if result.error is not None:
            about[ERROR] = result.error.to_wire()
        return types.CallToolResult(content=_content(result.content), is_error=True, _meta=about)
    if result.value is None and has_schema:
        content = [types.TextContent(text=_LOST_VALUE), *_content(result.content)]
        return types.CallToolResult(content=content, is_error=True, _meta=about)
    value = result.value
    if result.told is not None and isinstance(value, dict):
        value = {**value, TOLD: result.told}
    return types.CallToolResult(content=_content(result.content), structured_content=value, _meta=about)


def failure(message: str) -> types.CallToolResult:
    """The outcome of a call that could not be made."""
    return types.CallToolResult(content=[types.TextContent(text=message)], is_error=True)


def _content(blocks: Iterable[Any]) -> list[types.ContentBlock]:
    return [
        types.ImageContent(data=block.data, mime_type=block.mime_type)
        if isinstance(block, ImageBlock)
        else types.TextContent(text=block.text)
        for block in blocks
    ]


def _annotations(facts: ToolFacts) -> types.ToolAnnotations:
    """Hints, from what is known. A tool that changes something may replace what was there."""
    return types.ToolAnnotations(
        read_only_hint=facts.reads_only,
        destructive_hint=not facts.reads_only,
        idempotent_hint=facts.idempotent,
        open_world_hint=facts.open_world,
    )


def _object(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with what the protocol wants at its root, and with our member; a canonical value is an object."""
    told = {"type": "string", "description": "What the user has decided on earlier edits, if there is news."}
    return {**schema, "type": "object", "properties": {**schema.get("properties", {}), TOLD: told}}
