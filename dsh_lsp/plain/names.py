"""Who made a hunk, as far as it is known (sessions that are not here any more have no names), and where it is."""

from dataclasses import dataclass

from dsh_ledger.targets import Target
from dsh_lsp.sessions import Sessions
from dsh_tools.fs.paths import Workspace
from dsh_tools.visible import one_line


@dataclass(frozen=True, slots=True)
class Names:
    """Names of agents and tools.

    Attributes:
        sessions: The sessions that are here.
    """

    sessions: Sessions

    def agent(self, session_id: str) -> str | None:
        """Who the agent of a session says it is."""
        session = self.sessions.get(session_id)
        return None if session is None else session.agent

    def tool(self, session_id: str, call_id: str) -> str | None:
        """The tool of a call."""
        session = self.sessions.get(session_id)
        call = None if session is None else session.calls.get(call_id)
        return None if call is None else call.name


def shown_path(workspace: Workspace, target: Target) -> str:
    """A file's path for people, in one line; the target of an open document has the editor's URI for a path."""
    return one_line((workspace.inside(target) or target).path)
