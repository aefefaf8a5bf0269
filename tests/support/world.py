"""The world of one test: a workspace, a home that is not the user's, servers with their editors, and agents.

Held: pytest's fixtures, and the clean end: everything that was started is ended by its own process id, and each editor
is left strictly, unless the test has failed already. Deliberately absent: sleeping, and anything shared by two tests.
"""

import asyncio
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Generator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar

import pytest

from dsh_lsp import discovery
from tests.support.agent import Agent, EditorAgent, ToolUser
from tests.support.editor import COMMAND, StrictEditor
from tests.support.inbox import Unmet
from tests.support.leaving import NotStrict, leave
from tests.support.process import ServerProcess

Via: TypeAlias = Literal["socket", "editor"]
EditorT = TypeVar("EditorT", bound=StrictEditor)

_FAILED = pytest.StashKey[bool]()


class World:
    """A test's own files, environment, servers and agents.

    Args:
        root: An empty directory.
        runtime: An empty directory with a short path: a socket's may have 107 bytes.

    Attributes:
        workspace: The workspace folder.
        env: The environment of servers that are started from now on.
        editors: Those that were started.
        services: Servers without an editor that were started.
    """

    def __init__(self, root: Path, runtime: Path) -> None:
        self.workspace = root / "workspace"
        self.workspace.mkdir()
        self.runtime = runtime
        self.env = _environment(root / "home", runtime)
        self.editors: list[StrictEditor] = []
        self.services: list[ServerProcess] = []
        self._agents: list[Agent] = []

    def path(self, name: str) -> Path:
        """A path in the workspace."""
        return self.workspace / name

    def uri(self, name: str) -> str:
        """The URI of a path in the workspace."""
        return self.path(name).as_uri()

    def file(self, name: str, content: str | bytes = "") -> Path:
        """Write a file of the workspace, text as UTF-8 with its line ends as they are, and return its path."""
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        return path

    def bytes(self, name: str) -> bytes:
        """The bytes of a file of the workspace, as they are on the disk."""
        return self.path(name).read_bytes()

    async def editor(
        self,
        kind: Callable[..., EditorT],
        *,
        initialize: bool = True,
        folders: Sequence[Path] | None = None,
        capabilities: Mapping[str, Any] | None = None,
        dsh: Mapping[str, bool] | None = None,
        position_encodings: Sequence[str] | None = None,
        client_info: Mapping[str, str] | None = None,
        initialization_options: Any = None,
        command: Sequence[str] = COMMAND,
        **how: Any,
    ) -> EditorT:
        """Start a server with an editor.

        Args:
            kind: One of `editors`.
            initialize: Whether to send ``initialize``; the rest of the named arguments go there.
            folders: The workspace folders, if not the one.
            capabilities: See `StrictEditor.initialize`.
            dsh: See there.
            position_encodings: See there.
            client_info: See there.
            initialization_options: See there.
            command: The server's command.
            how: ``applying``, ``sending``, ``formatter``, ``ignore``: see `StrictEditor`.
        """
        editor = kind(partial(ServerProcess.start, command, dict(self.env), self.workspace), **how)
        self.editors.append(editor)
        await editor.start()
        if initialize:
            await editor.initialize(
                folders=[self.workspace] if folders is None else folders,
                capabilities=capabilities,
                dsh=dsh,
                position_encodings=position_encodings,
                client_info=client_info,
                initialization_options=initialization_options,
            )
        return editor

    async def agent(
        self, editor: StrictEditor | None = None, via: Via = "socket", *, session: bool = True, **params: Any
    ) -> ToolUser:
        """Attach an agent to a server, by default the last one.

        Args:
            editor: The server's editor.
            via: Over the server's socket, or over the editor's connection.
            session: Whether to open a session, with the rest of the arguments.
            params: Of ``dsh/session/open``, under their names on the wire.
        """
        editor = editor or self.editors[-1]
        # What the editor has said before is to be known: between two connections there is no order by itself.
        await editor.sync()
        agent: ToolUser
        if via == "editor":
            agent = EditorAgent(editor)
        else:
            agent = await Agent.connect(await self.socket(editor))
            self._agents.append(agent)
        if session:
            await agent.open_session(**params)
        return agent

    async def kill(self, editor: StrictEditor) -> None:
        """Kill a server (SIGKILL) with all that it held in memory; its editor is not looked at any more."""
        editor.process.kill()
        await editor.abandon()
        self.editors.remove(editor)

    async def socket(self, editor: StrictEditor | None = None, within: float = 10.0) -> Path:
        """The path of a server's socket, by default the last one's, found as an agent finds it.

        Raises:
            Unmet: The server has not announced itself in time (seconds).
            NeverMet: It is gone.
        """
        editor = editor or self.editors[-1]
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(within):
                while True:
                    found = await loop.run_in_executor(None, discovery.find, self.workspace, [self.runtime])
                    own = next((each for each in found if each.pid == editor.process.pid), None)
                    # An editor of a workspace that has a server already has joined that one.
                    joined = next((each for each in found if each.pid in self._others(editor)), None)
                    if (reached := own or joined) is not None:
                        return reached.socket
                    await editor.sync()
        except TimeoutError:
            raise Unmet(f"the server was not to be found in {within} s; {editor.process.epitaph()}") from None

    def _others(self, editor: StrictEditor) -> set[int]:
        """The processes of the other servers that run."""
        others = {each.process for each in self.editors if each is not editor} | {*self.services}
        return {each.pid for each in others if each.exit_code is None}

    async def serve(self, *folders: Path) -> ServerProcess:
        """Start ``dsh-lsp serve`` on these folders, or on the workspace; returns when it is ready."""
        options = [option for folder in folders or (self.workspace,) for option in ("--workspace", str(folder))]
        service = await ServerProcess.start([*COMMAND[:3], "serve", *options], dict(self.env), self.workspace)
        self.services.append(service)
        await service.said("ready for agents")
        return service

    async def end(self, *, checked: bool) -> None:
        """End everything that was started.

        Args:
            checked: Leave the editors strictly.

        Raises:
            NotStrict: Something was not right at the end.
        """
        faults: list[str] = []
        for agent in self._agents:
            await agent.close()
            if checked:
                faults += agent.problems
                faults += [f"an answer came to nothing that an agent asked: {message}" for message in agent.peer.stray]
        for editor in self.editors:
            try:
                if checked:
                    await leave(editor)
            except NotStrict as error:
                faults.append(str(error))
            finally:
                await editor.abandon()
        for service in self.services:
            await service.end()
        if faults:
            raise NotStrict("\n\n".join(faults))

    def epitaphs(self) -> str:
        """How the servers are, for the report of a failed test."""
        return "\n".join(editor.process.epitaph() for editor in self.editors)


@pytest.fixture
async def world(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[World]:
    """A world of the test's own."""
    with tempfile.TemporaryDirectory(prefix="dsh-", dir="/tmp") as runtime:
        made = World(tmp_path, Path(runtime))
        yield made
        await made.end(checked=not request.node.stash.get(_FAILED, False))


@pytest.fixture(params=["socket", "editor"])
def via(request: pytest.FixtureRequest) -> Via:
    """Both ways by which an agent may be connected."""
    way: Via = request.param
    return way


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Remember that a test has failed, and show what its servers said."""
    report = yield
    made = getattr(item, "funcargs", {}).get("world")
    if report.failed and isinstance(made, World):
        item.stash[_FAILED] = True
        if report.when == "call" and made.editors:
            report.sections.append(("servers", made.epitaphs()))
    return report


def _environment(home: Path, runtime: Path) -> dict[str, str]:
    """An environment in which nothing of the user's is found."""
    home.mkdir()
    places = {
        "HOME": home,
        "XDG_CACHE_HOME": home / "cache",
        "XDG_CONFIG_HOME": home / "config",
        "XDG_DATA_HOME": home / "data",
        "XDG_STATE_HOME": home / "state",
        "DSH_LSP_RUNTIME_DIR": runtime,
    }
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    return {"PATH": path, "LANG": "C.UTF-8", **{name: str(place) for name, place in places.items()}}
