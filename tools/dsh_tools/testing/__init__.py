r"""The kit for authors of tools: checks that a tool keeps the contract of `dsh_tools.contract`.

Give it the tool and some cases, in a test of any framework::

    from dsh_tools.builtin import READ
    from dsh_tools.testing import Call, ToolCase, assert_tool

    async def test_the_tool_keeps_its_contract(tmp_path):
        await assert_tool(
            MY_TOOL,
            [
                ToolCase("finds it", {"path": "a.txt"}, files={"a.txt": "one\n"}),
                ToolCase("after a read", {"path": "a.txt"}, files={"a.txt": "one\n"}, prepare=[
                    Call(READ, {"file_path": "a.txt"}),
                ]),
                ToolCase("no such file", {"path": "b.txt"}, expect_error="FS_NOT_FOUND"),
                ToolCase("no path", {}, expect_error="INVALID_ARGS"),
            ],
            tmp_path,
        )

Checked are the schemas (`schemas`), each case's outcome by the pipeline that servers use (`checking`), the purity of
every projection (`projections`, by `sealing`, whose docstring says what can and what can't be seen), and that the cards
made live are those of a replay (`replays`). `check_tool` returns what is wrong as data; `assert_tool` raises it.

Deliberately absent: any test framework, and any judgement of what a tool is for.
"""

from dsh_tools.testing.cases import Call, Check, Finding, Prepare, ToolCase
from dsh_tools.testing.checking import assert_tool, check_tool, run_case
from dsh_tools.testing.sealing import Sealed, sealed
from dsh_tools.testing.workspaces import TemporaryWorkspace, workspace_run

__all__ = [
    "Call",
    "Check",
    "Finding",
    "Prepare",
    "Sealed",
    "TemporaryWorkspace",
    "ToolCase",
    "assert_tool",
    "check_tool",
    "run_case",
    "sealed",
    "workspace_run",
]
