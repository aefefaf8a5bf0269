"""A small agent to start from: a model behind any OpenAI-compatible endpoint, with the tools of dsh-lsp.

The loop is all there is: say what there is to do, run the tools that the model calls, say what came of them, until the
model answers with words alone. A refusal is told to the model like any other outcome; its text names the next action.

    OPENAI_BASE_URL=http://localhost:11434/v1 python agent_loop.py --model NAME "rename total to sum in shop.py"
"""

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx

from dsh_lsp.client import Agent, ClientError, Refused, connect
from dsh_lsp.wire import ToolInfo

SYSTEM = """\
You work on files in the user's workspace with the tools you are given; paths are relative to the workspace.
Read a file before you edit it. The user may be typing in the same files: when an edit is refused, do what the refusal
says. Answer with words alone when the work is done."""


class ModelFailed(Exception):
    """The endpoint did not answer as expected; the message says how."""


@dataclass(frozen=True, slots=True)
class Model:
    """A model behind an endpoint.

    Attributes:
        url: Up to and with ``/v1``.
        key: Sent as a bearer token, if there is one.
        name: Which model.
    """

    url: str
    key: str | None
    name: str

    async def reply(self, http: httpx.AsyncClient, messages: list[Any], tools: list[Any]) -> dict[str, Any]:
        """The model's next message."""
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        body = {"model": self.name, "messages": messages, "tools": tools}
        try:
            answer = await http.post(f"{self.url.rstrip('/')}/chat/completions", json=body, headers=headers)
            answer.raise_for_status()
            message: dict[str, Any] = answer.json()["choices"][0]["message"]
        except httpx.HTTPStatusError as error:
            raise ModelFailed(f"the endpoint answered {error.response.status_code}") from None
        except httpx.HTTPError as error:
            raise ModelFailed(f"the endpoint can't be reached: {type(error).__name__}") from None
        except (ValueError, LookupError, TypeError):
            raise ModelFailed("the endpoint's answer is no chat completion") from None
        return message


async def work(task: str, agent: Agent, model: Model, *, limit: int, say: Callable[[str], None] = print) -> str | None:
    """Have the model do the task.

    Args:
        task: What to do, in words.
        agent: Whose tools it has.
        model: The model.
        limit: How often the model may speak.
        say: Told what happens.

    Returns:
        What the model said at the end; None if it came to no end within the limit.

    Raises:
        ModelFailed: The endpoint did not answer as expected.
        ClientError: There is no server any more.
    """
    tools = [offered(tool) for tool in agent.tools]
    messages: list[Any] = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": task}]
    async with httpx.AsyncClient(timeout=300.0) as http:
        for _ in range(limit):
            message = await model.reply(http, messages, tools)
            messages.append(message)
            calls = message.get("tool_calls") or []
            if not calls:
                return message.get("content") or ""
            for call in calls:
                outcome = await run(agent, call["function"]["name"], call["function"]["arguments"], say)
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": outcome})
    return None


def offered(tool: ToolInfo) -> dict[str, Any]:
    """A tool as the endpoint wants to be told of it."""
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": function}


async def run(agent: Agent, name: str, arguments: str, say: Callable[[str], None]) -> str:
    """Run a tool; what the model is told of it, also of a refusal."""
    try:
        given = json.loads(arguments or "{}")
    except ValueError as error:
        return f"INVALID_ARGS: the arguments are no JSON: {error}. Correct them, then call again."
    if not isinstance(given, dict):
        return "INVALID_ARGS: the arguments are no JSON object. Correct them, then call again."
    try:
        # No call id of the model's: some models use the same ids again, and an id runs once.
        reply = await agent.run(name, given)
    except Refused as refusal:
        say(f"{name}: {refusal.code}")
        return str(refusal)
    say(f"{name}: done")
    return reply.text


async def main() -> int:
    """Do one task; the exit code."""
    parser = argparse.ArgumentParser(description="A small agent with the tools of dsh-lsp.")
    parser.add_argument("task", help="what to do, in words")
    parser.add_argument("--model", required=True, help="the model's name at the endpoint")
    parser.add_argument("--workspace", default=".", help="a folder of the workspace")
    parser.add_argument("--limit", type=int, default=40, help="how often the model may speak")
    options = parser.parse_args()
    url = os.environ.get("OPENAI_BASE_URL")
    if not url:
        sys.stderr.write("agent_loop: OPENAI_BASE_URL is not set: set it to the endpoint, up to and with /v1\n")
        return 2
    model = Model(url, os.environ.get("OPENAI_API_KEY"), options.model)
    try:
        async with connect(options.workspace, name="agent_loop", patience=5.0) as agent:
            said = await work(options.task, agent, model, limit=options.limit, say=_say)
            pending = await agent.pending()
    except (ModelFailed, ClientError) as error:
        sys.stderr.write(f"agent_loop: {error}\n")
        return 2
    _say(f"It came to no end within {options.limit} replies." if said is None else said)
    _say(f"Changes that wait for your review: {len(pending)}.")
    return 1 if said is None else 0


def _say(line: str) -> None:
    print(line)  # noqa: T201 - what it is for


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
