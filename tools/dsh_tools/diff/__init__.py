"""The diff engine: what differs between two texts, as hunks, blocks, edits and bounded text."""

from dsh_tools.diff.building import Comparison, LocatedBlocks, compare, diff, hunks, line_blocks, minimal_change
from dsh_tools.diff.file_diffs import FileDiff, file_diffs
from dsh_tools.diff.rendering import drift, unified
from dsh_tools.diff.scripts import preload

__all__ = [
    "Comparison",
    "FileDiff",
    "LocatedBlocks",
    "compare",
    "diff",
    "drift",
    "file_diffs",
    "hunks",
    "line_blocks",
    "minimal_change",
    "preload",
    "unified",
]
