"""One mutation per target at a time, across sessions and backends.

Held here: a lock for each target that somebody holds or waits for. Deliberately absent: locks between processes;
against those a mutation compares content right before and right after it publishes.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from dsh_ledger.targets import Target


@dataclass(slots=True)
class _Entry:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    users: int = 0


class TargetLocks:
    """Locks by target. For one event loop; first come, first served; not re-entrant."""

    def __init__(self) -> None:
        self._entries: dict[Target, _Entry] = {}

    def __len__(self) -> int:
        """How many targets are held or waited for."""
        return len(self._entries)

    @asynccontextmanager
    async def hold(self, target: Target) -> AsyncIterator[None]:
        """Have the target to oneself for the block."""
        entry = self._entries.setdefault(target, _Entry())
        entry.users += 1
        try:
            async with entry.lock:
                yield
        finally:
            entry.users -= 1
            if not entry.users:
                del self._entries[target]
