"""Every built-in tool keeps the contract of tools: each goes through the kit for authors with cases of its own."""

import base64
from collections.abc import Sequence
from pathlib import Path

import pytest

from dsh_tools.builtin import BUILTIN, EDIT, READ, WEB_SEARCH, WRITE
from dsh_tools.builtin.web_fetch import web_fetch
from dsh_tools.builtin.web_search import web_search
from dsh_tools.contract import AnyTool, SessionTraits
from dsh_tools.decisions import Allow, Deny
from dsh_tools.policies import Policy
from dsh_tools.testing import Call, ToolCase, assert_tool
from dsh_tools.web.search_provider import FoundPage, SearchResults
from tests.support.web_site import web_site

TEXT = {"a.txt": "one\ntwo\nthree\n"}
READ_A = Call(READ, {"file_path": "a.txt"})
MANY = {f"many/{number:03}.txt": f"line {number}\nsecond\n" for number in range(120)}
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
IMAGES = SessionTraits(attachments=True)
ALLOW = (Policy("the user", before=lambda _call: Allow()),)
DENY = (Policy("the user", before=lambda _call: Deny("not that one")),)


def changed(folder: Path) -> None:
    """Another program changes the file."""
    (folder / "a.txt").write_text("ONE\ntwo\nthree\n", encoding="utf-8")


def edit(old: str, new: str, **more: object) -> dict[str, object]:
    """Arguments of an edit of a.txt."""
    return {"file_path": "a.txt", "old_string": old, "new_string": new, **more}


def view(command: str, **more: object) -> dict[str, object]:
    """Arguments of str_replace_editor on a.txt."""
    return {"command": command, "path": "a.txt", **more}


CASES: dict[str, Sequence[ToolCase]] = {
    "read": [
        ToolCase("a whole file", {"file_path": "a.txt"}, TEXT),
        ToolCase("a window", {"file_path": "a.txt", "offset": 2, "limit": 1}, TEXT),
        ToolCase("an empty file", {"file_path": "a.txt"}, {"a.txt": ""}),
        ToolCase("a long line, cut", {"file_path": "a.txt"}, {"a.txt": "é" * 5_000}),
        ToolCase("not there", {"file_path": "b.txt"}, TEXT, expect_error="FS_NOT_FOUND"),
        ToolCase("not text", {"file_path": "a.bin"}, {"a.bin": b"\0\xff\0"}, expect_error="FS_NOT_TEXT"),
        ToolCase("outside", {"file_path": "../../etc/passwd"}, expect_error="FS_SANDBOX_DENIED"),
        ToolCase("a number as text", {"file_path": "a.txt", "offset": "2"}, TEXT, expect_error="INVALID_ARGS"),
    ],
    "write": [
        ToolCase("a new file in a new folder", {"file_path": "b/c.txt", "content": "one\n"}),
        ToolCase("over a file that was read", {"file_path": "a.txt", "content": "one\n"}, TEXT, [READ_A]),
        ToolCase("what is there already", {"file_path": "a.txt", "content": TEXT["a.txt"]}, TEXT, [READ_A]),
        ToolCase("over a file that was not read", {"file_path": "a.txt", "content": ""}, TEXT, (), "FS_NOT_OBSERVED"),
        ToolCase("stale", {"file_path": "a.txt", "content": ""}, TEXT, [READ_A, changed], "FS_STALE_VERSION"),
        ToolCase("no content", {"file_path": "a.txt"}, expect_error="INVALID_ARGS"),
    ],
    "edit": [
        ToolCase("one place", edit("two", "2"), TEXT, [READ_A]),
        ToolCase("every place", edit("e", "E", replace_all=True), TEXT, [READ_A]),
        ToolCase("after a write", edit("b", "c"), prepare=[Call(WRITE, {"file_path": "a.txt", "content": "a\nb\n"})]),
        ToolCase("not read", edit("two", "2"), TEXT, expect_error="FS_NOT_OBSERVED"),
        ToolCase("not there any more", edit("two", "2"), TEXT, [READ_A, changed], "FS_STALE_VERSION"),
        ToolCase("no match", edit("tow", "2"), TEXT, [READ_A], "FS_EDIT_NOT_FOUND"),
        ToolCase("two matches", edit("e", "E"), TEXT, [READ_A], "FS_AMBIGUOUS_EDIT"),
        ToolCase("nothing to change", edit("two", "two"), TEXT, [READ_A], "INVALID_ARGS"),
    ],
    "multi_edit": [
        ToolCase("two edits", {"file_path": "a.txt", "edits": [
            {"old_string": "one", "new_string": "1"}, {"old_string": "1\ntwo", "new_string": "12"},
        ]}, TEXT, [READ_A]),
        ToolCase("the second does not match", {"file_path": "a.txt", "edits": [
            {"old_string": "one", "new_string": "1"}, {"old_string": "one", "new_string": "2"},
        ]}, TEXT, [READ_A], "FS_EDIT_NOT_FOUND"),
        ToolCase("no edits", {"file_path": "a.txt", "edits": []}, TEXT, [READ_A], "INVALID_ARGS"),
    ],
    "str_replace_editor": [
        ToolCase("view", view("view"), TEXT),
        ToolCase("view a range", view("view", view_range=[2, 3]), TEXT),
        ToolCase("create", view("create", file_text="one\n")),
        ToolCase("replace", view("str_replace", old_str="two", new_str="2"), TEXT, [READ_A]),
        ToolCase("insert", view("insert", insert_line=1, new_str="one and a half\n"), TEXT, [READ_A]),
        ToolCase("replace unread", view("str_replace", old_str="two", new_str="2"), TEXT, (), "FS_NOT_OBSERVED"),
        ToolCase("view what is not there", view("view"), {}, (), "FS_NOT_FOUND"),
        ToolCase("no such command", view("undo_edit"), TEXT, (), "INVALID_ARGS"),
    ],
    "glob": [
        ToolCase("one folder", {"pattern": "*.txt"}, TEXT),
        ToolCase("more than are listed", {"pattern": "**/*.txt"}, MANY),
        ToolCase("nothing", {"pattern": "*.py"}, TEXT),
        ToolCase("outside", {"pattern": "*", "path": ".."}, TEXT, (), "FS_SANDBOX_DENIED"),
        ToolCase("no pattern", {}, TEXT, (), "INVALID_ARGS"),
    ],
    "grep": [
        ToolCase("lines with context", {"pattern": "two", "context": 1}, TEXT),
        ToolCase("more than are shown", {"pattern": "second", "limit": 5}, MANY),
        ToolCase("files", {"pattern": "second", "output_mode": "files", "limit": 5}, MANY),
        ToolCase("counts", {"pattern": "o", "output_mode": "count"}, TEXT),
        ToolCase("nothing", {"pattern": "four"}, TEXT),
        ToolCase("no such place", {"pattern": "o", "path": "b"}, TEXT, (), "FS_NOT_FOUND"),
        ToolCase("no expression", {"pattern": "("}, TEXT, (), "INVALID_ARGS"),
    ],
    "bash": [
        ToolCase("a command", {"command": "cat a.txt"}, TEXT, policies=ALLOW),
        ToolCase("a failing command", {"command": "exit 3"}, policies=ALLOW),
        ToolCase("much output", {"command": "seq 100000"}, policies=ALLOW),
        ToolCase("a change", {"command": "echo more >> a.txt"}, TEXT, [READ_A], policies=ALLOW),
        ToolCase("out of time", {"command": "exec sleep 60", "timeout": 0.1}, policies=ALLOW),
        ToolCase("nobody allows it", {"command": "true"}, expect_error="DENIED"),
        ToolCase("somebody denies it", {"command": "true"}, expect_error="DENIED", policies=DENY),
        ToolCase("no folder", {"command": "true", "cwd": "b"}, expect_error="FS_NOT_FOUND", policies=ALLOW),
        ToolCase("a blank command", {"command": " "}, expect_error="INVALID_ARGS", policies=ALLOW),
    ],
    "read_image": [
        ToolCase("an image", {"file_path": "a.png"}, {"a.png": PIXEL}, session=IMAGES),
        ToolCase("a text", {"file_path": "a.txt"}, TEXT, (), "INVALID_ARGS", IMAGES),
        ToolCase("not there", {"file_path": "b.png"}, {}, (), "FS_NOT_FOUND", IMAGES),
    ],
    "web_search": [
        ToolCase("some results", {"query": "ledger"}),
        ToolCase("fewer than there are", {"query": "ledger", "limit": 1}),
        ToolCase("nothing", {"query": "nothing"}),
        ToolCase("no query", {"query": " "}, expect_error="INVALID_ARGS"),
    ],
    "web_fetch": [
        ToolCase("another scheme", {"url": "file:///etc/passwd"}, expect_error="DENIED"),
        ToolCase("no address", {"url": ""}, expect_error="INVALID_ARGS"),
    ],
}  # fmt: skip
"""Cases by tool; those of web_fetch that need a server are made beside it."""


class Engine:
    """A search engine that knows two pages."""

    name = "an engine"

    async def search(self, query: str, limit: int) -> SearchResults:
        """Both pages, or none."""
        pages = [FoundPage("One", "https://example.org/1", "first"), FoundPage("Two", "https://example.org/2")]
        return SearchResults(pages[:limit] if query == "ledger" else [], len(pages) if query == "ledger" else 0)


def test_every_tool_has_cases() -> None:
    """A tool that is added without cases fails here, and so do cases of a tool that is gone."""
    assert sorted(tool.name for tool in BUILTIN) == sorted(CASES)


@pytest.mark.parametrize("tool", [tool for tool in BUILTIN if tool.name != "web_fetch"], ids=lambda tool: tool.name)
async def test_the_tool_keeps_its_contract(tool: AnyTool, tmp_path: Path) -> None:
    """Schemas, outcomes, purity of every projection, and cards that a replay makes again."""
    await assert_tool(web_search(Engine()) if tool is WEB_SEARCH else tool, CASES[tool.name], tmp_path)


async def test_web_fetch_keeps_its_contract(tmp_path: Path) -> None:
    """The same, with a server on this machine."""
    page = b"<title>A page</title><h1>Words</h1><p>" + b"and more words " * 2_000
    async with web_site() as site:
        cases = [
            *CASES["web_fetch"],
            ToolCase("a page", {"url": site.put("/", page, content_type="text/html")}),
            ToolCase(
                "a piece of it", {"url": site.put("/b", page, content_type="text/html"), "offset": 5, "limit": 10}
            ),
            ToolCase("no text", {"url": site.put("/c", b"\0\1", content_type="application/octet-stream")}),
            ToolCase("not there", {"url": site.url("/d")}),
        ]
        await assert_tool(web_fetch(allow_private=True), cases, tmp_path)


async def test_edit_is_a_built_in_tool_that_a_wrong_case_does_not_pass(tmp_path: Path) -> None:
    """The kit is not one that passes everything."""
    with pytest.raises(AssertionError, match="FS_NOT_OBSERVED, success was expected"):
        await assert_tool(EDIT, [ToolCase("not read", edit("two", "2"), TEXT)], tmp_path)
