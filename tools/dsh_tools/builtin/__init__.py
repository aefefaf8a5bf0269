"""The built-in tools, one module each."""

from dsh_tools.builtin.bash import BASH
from dsh_tools.builtin.edit import EDIT
from dsh_tools.builtin.glob import GLOB
from dsh_tools.builtin.grep import GREP
from dsh_tools.builtin.multi_edit import MULTI_EDIT
from dsh_tools.builtin.read import READ
from dsh_tools.builtin.read_image import READ_IMAGE
from dsh_tools.builtin.str_replace_editor import STR_REPLACE_EDITOR
from dsh_tools.builtin.web_fetch import WEB_FETCH
from dsh_tools.builtin.web_search import WEB_SEARCH
from dsh_tools.builtin.write import WRITE
from dsh_tools.contract import AnyTool

BUILTIN: tuple[AnyTool, ...] = (
    READ,
    WRITE,
    EDIT,
    MULTI_EDIT,
    STR_REPLACE_EDITOR,
    GLOB,
    GREP,
    BASH,
    WEB_FETCH,
    WEB_SEARCH,
    READ_IMAGE,
)
"""All of them, in the order in which they are listed."""

__all__ = [
    "BASH",
    "BUILTIN",
    "EDIT",
    "GLOB",
    "GREP",
    "MULTI_EDIT",
    "READ",
    "READ_IMAGE",
    "STR_REPLACE_EDITOR",
    "WEB_FETCH",
    "WEB_SEARCH",
    "WRITE",
]
