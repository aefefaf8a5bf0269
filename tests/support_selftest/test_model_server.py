"""The scripted model: the same words by each API, whole and streamed."""

import json
from typing import Any

import httpx
import pytest

from tests.support.model_server import Call, ModelServer, in_turn

TOOL = {"name": "mcp__dsh__read", "parameters": {}}
ASKED: dict[str, dict[str, Any]] = {
    "/v1/chat/completions": {
        "messages": [{"role": "user", "content": "hello"}],
        "tools": [{"type": "function", "function": TOOL}],
    },
    "/v1/responses": {
        "input": [{"role": "user", "content": [{"type": "input_text", "text": "hello"}]}],
        "tools": [{"type": "namespace", "name": "mcp__dsh", "tools": [{"type": "function", "name": "read"}]}],
    },
    "/v1/messages": {"messages": [{"role": "user", "content": "hello"}], "tools": [TOOL]},
}
OUTCOMES: dict[str, dict[str, Any]] = {
    "/v1/chat/completions": {"messages": [{"role": "tool", "tool_call_id": "x", "content": "seen"}]},
    "/v1/responses": {"input": [{"type": "function_call_output", "call_id": "x", "output": "seen"}]},
    "/v1/messages": {
        "messages": [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "x", "content": "seen"}]}]
    },
}


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("path", sorted(ASKED))
async def test_it_calls_a_tool_and_then_says_something(path: str, stream: bool) -> None:
    """The tool under the name by which it was offered; once its outcome is there, the next reply."""
    async with ModelServer(in_turn(Call("read", {"file_path": "a.txt"}), "All done.")) as server:
        asked = {**ASKED[path], "stream": stream}
        first = await _posted(server, path, asked)
        second = await _posted(server, path, {**asked, **OUTCOMES[path]})

    assert "file_path" in first.replace("\\", "")
    assert "mcp__dsh" in first
    assert "All done." not in first
    assert "All done." in second
    assert [("hello",), ()] == [request.said[:1] if not request.results else () for request in server.requests]
    assert [(), ("seen",)] == [request.results for request in server.requests]
    assert all(request.offered("read") == "mcp__dsh__read" for request in server.requests)


async def test_a_request_that_is_not_for_a_model_is_refused_and_noted() -> None:
    """So that a test sees whom an agent tried to reach."""
    async with ModelServer(in_turn("x")) as server, httpx.AsyncClient(trust_env=False) as client:
        answer = await client.post(f"{server.url}/telemetry", json={})
        models = await client.get(f"{server.url}/v1/models")

    assert (404, ["POST /telemetry"]) == (answer.status_code, server.refused)
    assert ["scripted"] == [each["id"] for each in models.json()["data"]]


async def _posted(server: ModelServer, path: str, body: dict[str, Any]) -> str:
    """All that was said, the parts of streamed texts joined."""
    async with httpx.AsyncClient(trust_env=False) as client:
        answer = await client.post(f"{server.url}{path}", json=body)
    assert answer.status_code == 200
    if not body["stream"]:
        return answer.text
    events = [line.removeprefix("data: ") for line in answer.text.splitlines() if line.startswith("data: {")]
    return "".join(_parts(json.loads(event)) for event in events) + answer.text


def _parts(event: Any) -> str:
    """The texts of an event that come in parts."""
    if isinstance(event, dict):
        return "".join(
            value
            if name in {"content", "delta", "text", "arguments", "partial_json"} and isinstance(value, str)
            else _parts(value)
            for name, value in event.items()
        )
    return "".join(map(_parts, event)) if isinstance(event, list) else ""
