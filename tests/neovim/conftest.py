"""Fixtures of the tests with a real Neovim."""

from collections.abc import AsyncIterator

import pytest

from tests.support.neovim_room import NeovimRoom
from tests.support.world import World


@pytest.fixture
async def room(world: World) -> AsyncIterator[NeovimRoom]:
    """A room without a Neovim: `NeovimRoom.start` starts one."""
    made = NeovimRoom(world)
    try:
        yield made
    finally:
        await made.end()
