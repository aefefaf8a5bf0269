"""Arguments that several tools have."""

from typing import Any

from pydantic import Field

from dsh_tools.models import ToolArguments

DRY_RUN: Any = Field(default=False, description="Show what would be changed, and change nothing.")
"""``dry_run: bool = DRY_RUN``."""


class FilePath(ToolArguments):
    """Which file."""

    file_path: str = Field(description="Path of the file: absolute, or relative to the workspace.")
