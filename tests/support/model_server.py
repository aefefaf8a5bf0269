"""A model as agents meet it: a local HTTP server that answers from a script.

It speaks as much of three APIs as agents need, whole or streamed: ``POST /v1/chat/completions``, ``POST /v1/responses``
and ``POST /v1/messages``, and ``GET /v1/models``. A script is a function from what the agent sent to what the model
says; `in_turn` makes one of a list. Deliberately absent: a model, keys, and anything outside of this machine.

    async with ModelServer(in_turn(Call("read", {"file_path": "a.txt"}), "Done.")) as server:
        ...  # server.url, server.requests

From the command line, ``python -m tests.support.model_server SCRIPT.json`` serves a JSON array of texts and
``{"name", "arguments"}`` objects, prints its URL, and ends with its standard input.
"""

import asyncio
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Self, TypeAlias

MODEL = "scripted"

Api: TypeAlias = Literal["chat", "responses", "messages"]
Json: TypeAlias = dict[str, Any]

_PATHS: dict[str, Api] = {"/chat/completions": "chat", "/responses": "responses", "/messages": "messages"}
_LARGEST_BODY = 16 * 2**20


@dataclass(frozen=True, slots=True)
class Call:
    """The model calls a tool. The name may be the end of a longer one that the agent offers (``mcp__dsh__read``).

    Some agents offer tools in namespaces (``mcp__dsh`` with ``read``); that is found out from what they offer.
    """

    name: str
    arguments: Json = field(default_factory=dict)
    namespace: str | None = None


Reply: TypeAlias = str | Call | tuple[Call, ...]
"""What the model says: a text, which ends its turn, or calls."""


@dataclass(frozen=True, slots=True)
class Request:
    """What an agent sent.

    Attributes:
        api: By which API.
        body: As it came.
        tools: Names of the tools that it offers; those in a namespace as ``namespace__name``.
        namespaces: The namespace of each of the latter.
        results: The outcomes of calls in the conversation so far, as text, in order.
        said: The texts of the user, in order.
    """

    api: Api
    body: Json
    tools: tuple[str, ...]
    results: tuple[str, ...]
    said: tuple[str, ...]
    namespaces: dict[str, str] = field(default_factory=dict)

    def offered(self, name: str) -> str | None:
        """The offered tool of that name, or the one that ends with it; None if there is none."""
        if name in self.tools:
            return name
        return next((tool for tool in self.tools if tool.endswith((f"__{name}", f"_{name}", f".{name}"))), None)


Script: TypeAlias = Callable[[Request], Reply]


def in_turn(*replies: Reply) -> Script:
    """A script that says one reply after another: as many calls as there are outcomes in the conversation are over.

    So a request that is sent again gets the same answer. A request without the first tool, such as one for a title, is
    answered with a word.
    """

    def answer(request: Request) -> Reply:
        over, first = 0, next((calls[0] for reply in replies if (calls := _calls(reply))), None)
        if first is not None and request.offered(first.name) is None:
            return "OK"
        for reply in replies:
            count = len(_calls(reply))
            if not count or over + count > len(request.results):
                return reply
            over += count
        return "Done."

    return answer


def _calls(reply: Reply) -> tuple[Call, ...]:
    return () if isinstance(reply, str) else (reply,) if isinstance(reply, Call) else reply


class ModelServer:
    """The server; use it as an asynchronous context manager.

    Args:
        script: What the model says.

    Attributes:
        requests: What agents sent, in order.
        refused: Requests that were not for a model, as method and path.
    """

    def __init__(self, script: Script) -> None:
        self.requests: list[Request] = []
        self.refused: list[str] = []
        self._script = script
        self._server: asyncio.Server | None = None
        self._port = 0

    @property
    def url(self) -> str:
        """The base URL, without ``/v1``."""
        return f"http://127.0.0.1:{self._port}"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self._port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError, ValueError):
            method, path, body = await _read(reader)
            status, kind, payload = self._answer(method, path.partition("?")[0], body)
            head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(payload)}\r\n"
            writer.write(f"{head}Connection: close\r\n\r\n".encode() + payload)
            await writer.drain()
        writer.close()

    def _answer(self, method: str, path: str, body: bytes) -> tuple[str, str, bytes]:
        api: Api | None = next((api for end, api in _PATHS.items() if path.endswith(end)), None)
        if method == "GET" and path.endswith("/models"):
            return _json({"object": "list", "data": [{"id": MODEL, "object": "model", "owned_by": "tests"}]})
        if method == "POST" and path.endswith("/count_tokens"):
            return _json({"input_tokens": 1})
        if method != "POST" or api is None:
            self.refused.append(f"{method} {path}")
            return _json({"error": {"message": "there is nothing here", "type": "not_found"}}, "404 Not Found")
        request = _request(api, json.loads(body))
        self.requests.append(request)
        reply = self._script(request)
        whole, events = _WRITERS[api](_named(reply, request), f"r{len(self.requests)}")
        if not request.body.get("stream"):
            return _json(whole)
        return "200 OK", "text/event-stream", "".join(events).encode()


def _named(reply: Reply, request: Request) -> str | tuple[Call, ...]:
    """The reply, with tools under the names by which they were offered."""
    if isinstance(reply, str):
        return reply
    return tuple(_call_as_offered(call, request) for call in _calls(reply))


def _call_as_offered(call: Call, request: Request) -> Call:
    name = request.offered(call.name) or call.name
    space = request.namespaces.get(name)
    return Call(name if space is None else name.removeprefix(f"{space}__"), call.arguments, space)


def _json(value: Json, status: str = "200 OK") -> tuple[str, str, bytes]:
    return status, "application/json", json.dumps(value).encode()


async def _read(reader: asyncio.StreamReader) -> tuple[str, str, bytes]:
    """Method, path and body of a request."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, path, _ = head[0].split(" ", 2)
    headers = {name.strip().lower(): value.strip() for line in head[1:] for name, _, value in [line.partition(":")]}
    if headers.get("transfer-encoding", "").lower() != "chunked":
        length = int(headers.get("content-length", "0"))
        return method, path, await reader.readexactly(min(length, _LARGEST_BODY))
    body = b""
    while size := int((await reader.readuntil(b"\r\n")).split(b";")[0], 16):
        body += (await reader.readexactly(size + 2))[:-2]
    return method, path, body


# What agents send


def _request(api: Api, body: Json) -> Request:
    items: list[Json] = _items(body.get("input" if api == "responses" else "messages"))
    named = list(_tool_names(body.get("tools") or []))
    return Request(
        api=api,
        body=body,
        tools=tuple(name for name, _ in named),
        results=tuple(_results(api, items)),
        said=tuple(_text(item.get("content")) for item in items if item.get("role") == "user"),
        namespaces={name: space for name, space in named if space is not None},
    )


def _items(value: Any) -> list[Json]:
    if isinstance(value, str):
        return [{"role": "user", "content": value}]
    return [item for item in value or [] if isinstance(item, dict)]


def _tool_names(tools: list[Json]) -> Iterator[tuple[str, str | None]]:
    """Names, and their namespaces."""
    for tool in tools:
        name = tool.get("name") or tool.get("function", {}).get("name")
        if tool.get("type") == "namespace":
            yield from ((f"{name}__{inner}", name) for inner, _ in _tool_names(tool.get("tools") or []))
        elif isinstance(name, str):
            yield name, None


def _results(api: Api, items: list[Json]) -> Iterator[str]:
    for item in items:
        match api, item:
            case "chat", {"role": "tool", "content": content}:
                yield _text(content)
            case "responses", {"type": "function_call_output", "output": output}:
                yield _text(output)
            case "messages", {"role": "user", "content": list(blocks)}:
                yield from (_text(block.get("content")) for block in blocks if block.get("type") == "tool_result")


def _text(content: Any) -> str:
    """The text of a message's content, in any of the forms that it has."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else [content]
    return "\n".join(str(part.get("text", "")) for part in parts if isinstance(part, dict))


# What models say


def _event(data: Json, name: str | None = None) -> str:
    return (f"event: {name}\n" if name else "") + f"data: {json.dumps(data)}\n\n"


def _halves(text: str) -> tuple[str, str]:
    middle = len(text) // 2
    return text[:middle], text[middle:]


def _chat(reply: str | tuple[Call, ...], number: str) -> tuple[Json, Iterator[str]]:
    about = {"id": number, "created": 1, "model": MODEL}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    calls = [
        {"id": f"call_{number}_{n}", "type": "function", "function": {"name": x.name, "arguments": _dumped(x)}}
        for n, x in enumerate(() if isinstance(reply, str) else reply)
    ]
    text = reply if isinstance(reply, str) else None
    message = {"role": "assistant", "content": text, **({"tool_calls": calls} if calls else {})}
    end = "tool_calls" if calls else "stop"
    choice = {"index": 0, "message": message, "finish_reason": end}
    whole = {**about, "object": "chat.completion", "choices": [choice], "usage": usage}

    def chunk(delta: Json, finish: str | None = None, **more: Any) -> str:
        choices = [{"index": 0, "delta": delta, "finish_reason": finish}]
        return _event({**about, "object": "chat.completion.chunk", "choices": choices, **more})

    def events() -> Iterator[str]:
        yield chunk({"role": "assistant", "content": ""})
        for part in _halves(text or ""):
            yield chunk({"content": part})
        for n, call in enumerate(calls):
            one, other = _halves(call["function"]["arguments"])  # type: ignore[index]
            first = {**call, "index": n, "function": {**call["function"], "arguments": one}}  # type: ignore[dict-item]
            yield chunk({"tool_calls": [first]})
            yield chunk({"tool_calls": [{"index": n, "function": {"arguments": other}}]})
        yield chunk({}, end, usage=usage)
        yield "data: [DONE]\n\n"

    return whole, events()


def _responses(reply: str | tuple[Call, ...], number: str) -> tuple[Json, Iterator[str]]:
    usage = {
        "input_tokens": 1,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 1,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 2,
    }
    if isinstance(reply, str):
        content = [{"type": "output_text", "text": reply, "annotations": []}]
        output: list[Json] = [
            {"type": "message", "id": f"m_{number}", "role": "assistant", "status": "completed", "content": content}
        ]
    else:
        output = [
            {
                "type": "function_call",
                "id": f"f_{number}_{n}",
                "call_id": f"call_{number}_{n}",
                "name": call.name,
                **({} if call.namespace is None else {"namespace": call.namespace}),
                "arguments": _dumped(call),
                "status": "completed",
            }
            for n, call in enumerate(reply)
        ]
    about = {"id": number, "object": "response", "created_at": 1, "model": MODEL}
    whole = {**about, "status": "completed", "output": output, "usage": usage}

    def events() -> Iterator[str]:
        yield typed({"type": "response.created", "response": {**about, "status": "in_progress", "output": []}})
        for n, item in enumerate(output):
            place = {"item_id": item["id"], "output_index": n}
            yield typed({"type": "response.output_item.added", "output_index": n, "item": item})
            if item["type"] == "message":
                for part in _halves(str(reply)):
                    yield typed({"type": "response.output_text.delta", **place, "content_index": 0, "delta": part})
            yield typed({"type": "response.output_item.done", "output_index": n, "item": item})
        yield typed({"type": "response.completed", "response": whole})

    def typed(data: Json) -> str:
        return _event(data, data["type"])

    return whole, events()


def _messages(reply: str | tuple[Call, ...], number: str) -> tuple[Json, Iterator[str]]:
    blocks: list[Json] = (
        [{"type": "text", "text": reply}]
        if isinstance(reply, str)
        else [
            {"type": "tool_use", "id": f"toolu_{number}_{n}", "name": call.name, "input": call.arguments}
            for n, call in enumerate(reply)
        ]
    )
    usage = {"input_tokens": 1, "output_tokens": 1}
    about = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": MODEL}
    stop = {"stop_reason": "end_turn" if isinstance(reply, str) else "tool_use", "stop_sequence": None}
    whole = {**about, "content": blocks, **stop, "usage": usage}

    def events() -> Iterator[str]:
        empty: Json = {**about, "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
        yield typed({"type": "message_start", "message": empty})
        for n, block in enumerate(blocks):
            is_text = block["type"] == "text"
            bare: Json = {**block, "text": ""} if is_text else {**block, "input": {}}
            yield typed({"type": "content_block_start", "index": n, "content_block": bare})
            for part in _halves(block["text"] if is_text else json.dumps(block["input"])):
                delta = {"type": "text_delta", "text": part}
                if not is_text:
                    delta = {"type": "input_json_delta", "partial_json": part}
                yield typed({"type": "content_block_delta", "index": n, "delta": delta})
            yield typed({"type": "content_block_stop", "index": n})
        yield typed({"type": "message_delta", "delta": stop, "usage": usage})
        yield typed({"type": "message_stop"})

    def typed(data: Json) -> str:
        return _event(data, data["type"])

    return whole, events()


_WRITERS: dict[Api, Callable[[str | tuple[Call, ...], str], tuple[Json, Iterator[str]]]] = {
    "chat": _chat,
    "responses": _responses,
    "messages": _messages,
}


def _dumped(call: Call) -> str:
    return json.dumps(call.arguments)


async def _main(path: Path) -> None:
    script = json.loads(path.read_text("utf-8"))
    replies: list[Reply] = [each if isinstance(each, str) else Call(each["name"], each["arguments"]) for each in script]
    async with ModelServer(in_turn(*replies)) as server:
        sys.stdout.write(f"{server.url}\n")
        sys.stdout.flush()
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(_main(Path(sys.argv[1])))
