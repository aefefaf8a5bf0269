"""What commands take when nothing else is said. Imports nothing: the command line is read before anything is loaded."""

from typing import Final

SESSION: Final = "terminal"
"""The session of commands that name none, and the name of its agent: one for each workspace and user, so that what one
command has read the next one may edit. It is never ended; its journal is where all journals are."""

WAIT: Final = 2.0
"""Seconds that a command looks for a server."""
