"""Arguments that several tools have."""

from pydantic import Field

from dsh_tools.models import ToolArguments


class FilePath(ToolArguments):
    """Which file."""

    file_path: str = Field(description="Path of the file: absolute, or relative to the workspace.")
