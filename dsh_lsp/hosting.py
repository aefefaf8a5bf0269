"""A hub with its door, its lock, and the folders of those who are here: what a process is while it is the hub.

The hub's folders are the union of its editors' folders, as far as no other process is the hub of them; the first ones
stay first. Deliberately absent: what a hub does, and what is answered to whom.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from dsh_lsp.agents import AgentDoor, ServeEditor
from dsh_lsp.hub import Hub
from dsh_lsp.joining.folder_locks import FolderLocks, without
from dsh_lsp.rpc.protocol import MethodTable
from dsh_tools.diff import preload
from dsh_tools.uninterrupted import uninterrupted

_PATIENCE: Final = 3.0
"""Seconds that the editors of an earlier hub have to come back before agents are served without them."""

_LOOK: Final = 0.1
"""Seconds after which it is looked again which of them still run."""


@dataclass(eq=False, slots=True)
class Place:
    """Somebody's folders in a hub.

    Attributes:
        wanted: All of them.
        refused: Those that another process is the hub of.
    """

    wanted: list[Path]
    refused: list[Path] = field(default_factory=list)

    @property
    def folders(self) -> list[Path]:
        """Those that are the hub's."""
        return without(self.wanted, self.refused)


class HubHost:
    """Keeps a hub going.

    Args:
        hub: The hub; its folders are locked already.
        locks: The locks of its folders.
        methods: What agents may call.
        serve_editor: Serves the connection of another editor.
        tcp: Whether agents may also come through a loopback port.

    Attributes:
        hub: As above.
        place: The folders of the process's own editor, or those that it was started with.
        secret: What another editor's process must show to attach.
    """

    def __init__(
        self, hub: Hub, locks: FolderLocks, methods: MethodTable, serve_editor: ServeEditor, *, tcp: bool = False
    ) -> None:
        self.hub = hub
        self.place = Place(list(hub.folders))
        self.secret = locks.secret
        self._locks = locks
        self._door = AgentDoor(hub, methods, serve_editor, locks.touch, tcp=tcp)
        self._places = [self.place]
        self._announced = list(hub.folders)
        self._moving = asyncio.Lock()
        self._starting: asyncio.Task[None] | None = None
        self._back: set[int] = set()
        self._came_back = asyncio.Event()

    @property
    def is_open(self) -> bool:
        """Agents can attach."""
        return self._door.is_open

    async def start(self) -> None:
        """Take up what there was before, and let agents in. Repeated calls wait for the same."""
        if self._starting is None:
            self._starting = asyncio.ensure_future(self._start())
        await asyncio.shield(self._starting)

    async def _start(self) -> None:
        await self.hub.start(self._let_in)
        await asyncio.to_thread(preload)

    async def _let_in(self) -> None:
        """Open the door, and wait for the editors of an earlier hub: nobody knows before what is unsaved in them."""
        await self._door.open()
        loop = asyncio.get_running_loop()
        deadline = loop.time() + _PATIENCE
        while await asyncio.to_thread(self._locks.registered) - self._back and loop.time() < deadline:
            self._came_back.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(_LOOK):
                    await self._came_back.wait()

    def back(self, pid: int) -> None:
        """The editor of a process has told all that it had told an earlier hub."""
        self._back.add(pid)
        self._came_back.set()

    async def enter(self, folders: Sequence[Path]) -> Place:
        """Somebody comes, with these folders."""
        place = Place([])
        self._places.append(place)
        await self.move(place, folders)
        return place

    async def move(self, place: Place, folders: Sequence[Path]) -> None:
        """Somebody has other folders from now on; those that another process has go again as soon as that is known."""
        await uninterrupted(self._move(place, folders))

    async def _move(self, place: Place, folders: Sequence[Path]) -> None:
        before = [each for each in place.wanted if each not in place.refused]
        place.wanted, place.refused = list(folders), []
        self._set_folders()
        async with self._moving:
            new = without(place.wanted, before)
            claim = self._locks.claim
            place.refused = [each for each in new if await asyncio.to_thread(claim, [each]) is not None]
            await self._update()

    async def leave(self, place: Place) -> None:
        """Somebody goes."""
        await uninterrupted(self._leave(place))

    async def _leave(self, place: Place) -> None:
        async with self._moving:
            if place in self._places:
                self._places.remove(place)
                await self._update()

    async def close(self) -> None:
        """End the hub: calls end, agents and other editors are sent away, what is known is written down.

        Whoever takes over finds nothing half done: the locks are let go at the end.
        """
        if len(self._places) > 1:
            # Their edits are still answered by editors that are here.
            await self._door.withdraw()
            await self.hub.calls.end_all()
        if self._starting is not None:
            self._starting.cancel()
            await asyncio.wait((self._starting,))
        await self._door.close()
        await self.hub.close()
        await asyncio.to_thread(self._locks.release_all)

    async def _update(self) -> None:
        """Let go what nobody has any more, and tell agents of what there is."""
        self._set_folders()
        folders = self.hub.folders
        if folders != self._announced:
            gone, self._announced = without(self._announced, [*folders, self.hub.home]), folders
            await asyncio.to_thread(self._locks.release, gone)
            await self._door.announce()

    def _set_folders(self) -> None:
        """Have the hub's folders be those of all who are here; without any, the last ones stay."""
        now: list[Path] = []
        for place in self._places:
            now += without(place.folders, now)
        if now and now != self.hub.folders:
            self.hub.set_folders(now)
