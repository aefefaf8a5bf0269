"""The built-in tools, one module each."""

from dsh_tools.builtin.edit import EDIT
from dsh_tools.builtin.read import READ
from dsh_tools.builtin.write import WRITE
from dsh_tools.contract import AnyTool

BUILTIN: tuple[AnyTool, ...] = (READ, WRITE, EDIT)
"""All of them, in the order in which they are listed."""

__all__ = ["BUILTIN", "EDIT", "READ", "WRITE"]
