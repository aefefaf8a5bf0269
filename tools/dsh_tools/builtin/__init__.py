"""The built-in tools, one module each."""

from dsh_tools.builtin.edit import EDIT
from dsh_tools.builtin.multi_edit import MULTI_EDIT
from dsh_tools.builtin.read import READ
from dsh_tools.builtin.str_replace_editor import STR_REPLACE_EDITOR
from dsh_tools.builtin.write import WRITE
from dsh_tools.contract import AnyTool

BUILTIN: tuple[AnyTool, ...] = (READ, WRITE, EDIT, MULTI_EDIT, STR_REPLACE_EDITOR)
"""All of them, in the order in which they are listed."""

__all__ = ["BUILTIN", "EDIT", "MULTI_EDIT", "READ", "STR_REPLACE_EDITOR", "WRITE"]
