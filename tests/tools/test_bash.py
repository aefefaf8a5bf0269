"""The tool bash: arguments, directory, exit, cards, and what is not told to anybody."""

import asyncio
import json
import logging
from pathlib import Path
from typing import Any

import pytest

from dsh_ledger.ledger import Ledger
from dsh_ledger.targets import Target
from dsh_tools.builtin import bash
from dsh_tools.builtin.bash import BASH
from dsh_tools.cards import TerminalCall, TerminalResult
from dsh_tools.content import content_text
from dsh_tools.contract import SessionTraits, ToolResult, ToolRun
from dsh_tools.decisions import Allow
from dsh_tools.fs.disk import DiskFileSystem
from dsh_tools.fs.paths import Workspace
from dsh_tools.observing import SessionLedger
from dsh_tools.pipeline import run_tool
from dsh_tools.policies import Policies, Policy, Question
from dsh_tools.presenting import call_card, result_card
from dsh_tools.snapshots import Snapshots

ALLOWED = Policies([Policy("allow", before=lambda _call: Allow())])


@pytest.fixture
def tool_run(disk: DiskFileSystem) -> ToolRun:
    """A run on the disk."""
    ledger = Ledger()
    return ToolRun("s", "c", disk, SessionLedger(ledger, "s", ledger.apply), Snapshots())


async def call(run: ToolRun, command: str, **more: Any) -> ToolResult:
    """Call bash, with leave."""
    return await run_tool(BASH, {"command": command, **more}, run, ALLOWED)


async def value(run: ToolRun, command: str, **more: Any) -> dict[str, Any]:
    """The value of a call that succeeds."""
    result = await call(run, command, **more)
    assert result.error is None
    assert isinstance(result.value, dict)
    return result.value


async def test_without_leave_nothing_runs(tmp_path: Path, tool_run: ToolRun) -> None:
    """The user is asked by default, and told the whole command; no answer is a no."""
    asked: list[Question] = []

    async def ask(question: Question) -> str | None:
        asked.append(question)
        return "the user said no"

    result = await run_tool(BASH, {"command": "touch f\ntouch g"}, tool_run, Policies([], ask))

    assert result.error is not None
    assert "DENIED" == result.error.code
    assert [TerminalCall(title="Run: touch f⏎touch g", command="touch f\ntouch g")] == [each.card for each in asked]
    assert [] == list(tmp_path.iterdir())


async def test_the_value_of_a_command(tmp_path: Path, tool_run: ToolRun) -> None:
    """Everything a program wants to know of a command that ended."""
    assert {
        "command": "echo out; echo err >&2; exit 3",
        "cwd": ".",
        "exitCode": 3,
        "signal": None,
        "timedOut": False,
        "output": {"head": "out\nerr\n", "tail": "", "leftOut": 0, "leftOutLines": 0},
        "totalBytes": 8,
        "truncated": False,
        "changed": [],
        "unsaved": [],
        "notes": [],
    } == await value(tool_run, "echo out; echo err >&2; exit 3")


@pytest.mark.parametrize(
    ("command", "more", "text"),
    [
        ("echo a", {}, "Exit code 0.\nOutput:\na\n"),
        ("exit 3", {}, "Exit code 3.\nIt printed nothing."),
        ("kill -9 $$", {}, "Ended by SIGKILL.\nIt printed nothing."),
        ("echo a; sleep 9", {"timeout": 0.3}, "Timed out after 0.3 seconds and was ended.\nOutput:\na\n"),
        ("sleep 9", {"timeout": 1}, "Timed out after 1 second and was ended.\nIt printed nothing."),
        (
            "sleep 9 & echo a",
            {},
            "Exit code 0.\nIt left processes running in the background; they were ended.\nOutput:\na\n",
        ),
        (
            "setsid sleep 3 & echo a",
            {},
            "Exit code 0.\nA process that left the command's session still holds its output; it may still be running."
            "\nOutput:\na\n",
        ),
        ("printf '\\e[31mred\\e[0m\\r\\n'", {}, "Exit code 0.\nOutput:\nred\n"),
    ],
)
async def test_what_a_model_reads(tool_run: ToolRun, command: str, more: dict[str, Any], text: str) -> None:
    """First how it ended, which is no error whatever it is, then what to know, and last the output."""
    result = await call(tool_run, command, **more)

    assert text == content_text(result.content)
    assert not result.is_error


async def test_an_output_over_the_limit_is_cut_with_exact_numbers(tool_run: ToolRun) -> None:
    """A model is told how much is missing, where, and how to see it; the value has both ends."""
    result = await call(tool_run, "seq 10000 19999")

    text = content_text(result.content)
    assert isinstance(result.value, dict)
    assert 60_000 == result.value["totalBytes"]
    assert result.value["truncated"] is True
    assert {
        "head": "".join(f"{n}\n" for n in range(10_000, 12_500)),
        "tail": "".join(f"{n}\n" for n in range(17_500, 20_000)),
        "leftOut": 30_000,
        "leftOutLines": 5_000,
    } == result.value["output"]
    assert "\n12499\n[… 30,000 characters (5,000 lines) left out …]\n17500\n" in text
    assert "to see more, run it with the output going to a file or through grep, head or tail." in text


async def test_binary_output_is_a_result(tool_run: ToolRun) -> None:
    """Bytes that are no UTF-8 are replaced, control characters shown, and the JSON holds."""
    result = await call(tool_run, r"printf '\xff\xfea\x00\xe2\x82'")

    assert isinstance(result.value, dict)
    assert "\ufffd\ufffda\0\ufffd" == result.value["output"]["head"]  # type: ignore[index,call-overload]
    assert content_text(result.content).endswith("Output:\n\ufffd\ufffda␀\ufffd")
    json.dumps(result.value)


# ---- arguments


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({}, "command"),
        ({"command": ""}, "command"),
        ({"command": " \n"}, "command"),
        ({"command": "a\0b"}, "command"),
        ({"command": "a\ud800"}, "command"),
        ({"command": "é" * 65_536}, "command"),
        ({"command": "a", "timeout": 0}, "timeout"),
        ({"command": "a", "timeout": 601}, "timeout"),
        ({"command": "a", "timeout": float("nan")}, "timeout"),
        ({"command": "a", "timeout": "5"}, "timeout"),
        ({"command": "a", "background": True}, "background"),
    ],
)
async def test_arguments_that_can_not_be_are_refused(tool_run: ToolRun, arguments: dict[str, Any], field: str) -> None:
    """INVALID_ARGS names the field."""
    result = await run_tool(BASH, arguments, tool_run, ALLOWED)

    assert result.error is not None
    assert "INVALID_ARGS" == result.error.code
    assert field == result.error.details["errors"][0]["path"]  # type: ignore[index,call-overload]
    assert "codec" not in result.error.message


async def test_the_longest_command_that_is_accepted_can_be_run(tool_run: ToolRun) -> None:
    """The limit is the system's own, in bytes."""
    done = await value(tool_run, "true " + "é" * 65_533)

    assert 0 == done["exitCode"]


async def test_a_description_is_accepted_and_is_not_part_of_the_question() -> None:
    """Whoever is asked decides by the command, not by what is said about it."""
    card = call_card(BASH, "bash", {"command": "rm -rf x", "description": "List files"})

    assert TerminalCall(title="Run: rm -rf x", command="rm -rf x") == card


# ---- the directory


async def test_it_runs_where_it_is_told_to(tmp_path: Path, tool_run: ToolRun) -> None:
    """The workspace's root by default; a directory in it by any path that leads there."""
    (tmp_path / "sub" / "deep").mkdir(parents=True)
    (tmp_path / "link").symlink_to("sub")

    for cwd, where, shown in (
        (".", tmp_path, "."),
        ("sub", tmp_path / "sub", "sub"),
        ("link/deep", tmp_path / "sub" / "deep", "sub/deep"),
        (str(tmp_path / "sub"), tmp_path / "sub", "sub"),
    ):
        done = await value(tool_run, "pwd", cwd=cwd)
        assert (f"{where}\n", shown) == (done["output"]["head"], done["cwd"])


@pytest.mark.parametrize(
    ("cwd", "code"),
    [
        ("..", "FS_SANDBOX_DENIED"),
        ("/", "FS_SANDBOX_DENIED"),
        ("out", "FS_SANDBOX_DENIED"),
        ("out/tmp", "FS_SANDBOX_DENIED"),
        ("file", "FS_NOT_DIRECTORY"),
        ("file/x", "FS_NOT_DIRECTORY"),
        ("missing", "FS_NOT_FOUND"),
        ("", "INVALID_ARGS"),
    ],
)
async def test_a_directory_that_is_none_of_the_workspace_is_refused(
    tmp_path: Path, tool_run: ToolRun, cwd: str, code: str
) -> None:
    """By the same rule as the paths of all tools, links followed; nothing runs."""
    (tmp_path / "file").touch()
    (tmp_path / "out").symlink_to("/")

    result = await call(tool_run, f"touch {tmp_path}/ran", cwd=cwd)

    assert result.error is not None
    assert code == result.error.code
    assert not (tmp_path / "ran").exists()


async def test_a_document_of_another_scheme_is_no_directory(
    tool_run: ToolRun, disk: DiskFileSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its URI names a target where an editor has it open, and no place on the disk."""

    async def resolve(path: str) -> Target:
        return Target(path, path)

    monkeypatch.setattr(disk, "resolve", resolve)

    result = await call(tool_run, "true", cwd="untitled:1")

    assert result.error is not None
    assert "FS_NOT_DIRECTORY" == result.error.code


async def test_a_directory_that_may_not_be_entered_is_refused_without_the_systems_words(
    tmp_path: Path, tool_run: ToolRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the system says when a command is started becomes the code for it."""

    def refuse(*_args: object) -> None:
        raise PermissionError(13, "no", f"{tmp_path}/sub")

    (tmp_path / "sub").mkdir()
    monkeypatch.setattr(bash, "run_command", refuse)

    result = await call(tool_run, "true", cwd="sub")

    assert result.error is not None
    assert "FS_PERMISSION_DENIED: Permission denied for sub. Ask the user before going on." == result.error.model_text()


# ---- cards


async def test_the_cards_are_terminals(tool_run: ToolRun) -> None:
    """The call's shows the whole command; the result's is made from what was recorded alone."""
    arguments = {"command": "echo a\nexit 3", "cwd": "."}
    result = await run_tool(BASH, arguments, tool_run, ALLOWED)
    recorded = ToolResult(result.content, meta=json.loads(json.dumps(result.meta)))

    assert TerminalCall(title="Run: echo a⏎exit 3", command="echo a\nexit 3") == call_card(BASH, "bash", arguments)
    assert TerminalResult(
        title="Run: echo a⏎exit 3", command="echo a\nexit 3", output="a\n", exit_code=3, truncated=False
    ) == result_card(BASH, "bash", arguments, recorded)


async def test_the_card_of_what_did_not_end_by_itself_says_why(tool_run: ToolRun) -> None:
    """There is no exit code then; the title tells a signal from time that ran out."""
    cards = []
    for arguments in ({"command": "kill -9 $$"}, {"command": "sleep 9", "timeout": 0.2}):
        result = await run_tool(BASH, arguments, tool_run, ALLOWED)
        cards.append(result_card(BASH, "bash", arguments, result))

    assert [
        TerminalResult(
            title="Ended by SIGKILL: Run: kill -9 $$", command="kill -9 $$", output="", exit_code=None, truncated=False
        ),
        TerminalResult(
            title="Timed out after 0.2 seconds and was ended: Run: sleep 9",
            command="sleep 9",
            output="",
            exit_code=None,
            truncated=False,
        ),
    ] == cards


async def test_a_cards_output_is_literal_and_marked_where_it_is_cut(tool_run: ToolRun) -> None:
    """Escape sequences stay for whoever draws them, or escapes them."""
    arguments = {"command": "printf '\\e[31mred'; seq 10000 19999"}
    card = result_card(BASH, "bash", arguments, await run_tool(BASH, arguments, tool_run, ALLOWED))

    assert isinstance(card, TerminalResult)
    assert card.truncated
    assert card.output.startswith("\x1b[31mred10000\n")
    assert " left out …]\n" in card.output


def test_the_directory_is_part_of_what_is_asked() -> None:
    """Where it runs is said before the command, unless it is the usual place."""
    card = call_card(BASH, "bash", {"command": "rm x", "cwd": "sub\u202edir"})

    assert TerminalCall(title="Run in sub⟨U+202E⟩dir: rm x", command="rm x", cwd="sub\u202edir") == card


def test_a_long_command_is_cut_in_the_title_and_whole_in_the_card() -> None:
    """The end of a command is as dangerous as its beginning: both are shown."""
    command = "echo " + "x" * 5_000 + "; rm -rf ~"
    card = call_card(BASH, "bash", {"command": command})

    assert isinstance(card, TerminalCall)
    assert command == card.command
    assert card.title.startswith("Run: echo xxx")
    assert card.title.endswith("xxx; rm -rf ~")
    assert " … (4015 characters not shown) … " in card.title


# ---- what is not told


def test_where_there_is_no_bash_there_is_no_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tool is withheld, with the reason."""
    assert BASH.withheld is not None
    assert BASH.withheld(SessionTraits()) is None
    monkeypatch.setattr(bash, "bash_path", lambda: None)

    assert "bash is not installed" == BASH.withheld(SessionTraits())


async def test_I06_nothing_of_a_command_is_logged(
    tool_run: ToolRun, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither command nor environment nor output, at any level, whether it succeeds, fails, or is cancelled."""
    caplog.set_level(logging.DEBUG)
    asyncio.get_running_loop().set_debug(True)
    monkeypatch.setenv("PLAIN", "s3cr3t-env")
    await call(tool_run, "echo s3cr3t-out $PLAIN; sleep 0.01")
    await call(tool_run, "echo s3cr3t-late; sleep 9", timeout=0.2)
    cancelled = asyncio.ensure_future(call(tool_run, "echo s3cr3t-gone; sleep 9"))
    await asyncio.wait((cancelled,), timeout=0.2)
    cancelled.cancel()
    result = await cancelled

    assert result.error is not None
    assert "ABORTED" == result.error.code
    assert "s3cr3t" not in caplog.text


async def test_I06_a_command_does_not_see_the_servers_secrets(
    tool_run: ToolRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The environment is filtered by name and by value; the rest is there."""
    monkeypatch.setenv("SOME_API_TOKEN", "s3cr3t-1")
    monkeypatch.setenv("SOME_URL", "https://me:s3cr3t-2@host/")
    monkeypatch.setenv("SOME_PATH", "/some/path")

    printed = (await value(tool_run, "env"))["output"]["head"]

    assert "s3cr3t" not in printed
    assert "SOME_PATH=/some/path\n" in printed
    assert "TERM=dumb\n" in printed


async def test_the_first_workspace_folder_is_the_usual_place(tmp_path: Path) -> None:
    """Another folder of the workspace can be named."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    disk = DiskFileSystem(Workspace([tmp_path / "a", tmp_path / "b"]))
    ledger = Ledger()
    run = ToolRun("s", "c", disk, SessionLedger(ledger, "s", ledger.apply), Snapshots())

    first, second = await value(run, "pwd"), await value(run, "pwd", cwd=str(tmp_path / "b"))
    disk.close()

    assert [f"{tmp_path}/a\n", f"{tmp_path}/b\n"] == [first["output"]["head"], second["output"]["head"]]
    assert str(tmp_path / "b") == second["cwd"]
