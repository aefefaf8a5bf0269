"""The client for agents in Python: ``async with connect(workspace) as agent: await agent.edit(...)``.

Typed, asynchronous, and made again by itself when the connection ends. A refusal is an exception with the code:

    async with connect(".", name="my agent") as agent:
        await agent.read("a.txt")
        try:
            await agent.edit("a.txt", "old", "new")
        except Refused as refusal:
            if refusal.code == "FS_STALE_VERSION":
                await agent.read("a.txt")
"""

from dsh_lsp.client.agent import Agent, Reply, SessionOptions, connect
from dsh_lsp.client.errors import ClientError, Disconnected, NoServer, Refused, RequestRefused, Unsupported
from dsh_lsp.client.notes import Note, Progress, Reconnected
from dsh_lsp.client.observer import Observer, observe

__all__ = [
    "Agent",
    "ClientError",
    "Disconnected",
    "NoServer",
    "Note",
    "Observer",
    "Progress",
    "Reconnected",
    "Refused",
    "Reply",
    "RequestRefused",
    "SessionOptions",
    "Unsupported",
    "connect",
    "observe",
]
