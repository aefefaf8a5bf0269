"""Keeping and undoing what agents changed, in open documents and in files."""

from typing import Any

import pytest

from tests.support.agent import ToolUser
from tests.support.applying import AnswersLate, LikeVsCode, UserTypesDuringApply
from tests.support.editor import IGNORED
from tests.support.editors import OwnClient, VsCodeLike
from tests.support.peer import RpcError
from tests.support.world import Via, World

QUIET = IGNORED | {"dsh/drift", "dsh/decided"}
"""An undo changes what the agent has read, and agents on the editor's connection hear of it there."""

TEXT = "".join(f"line {n}\n" for n in range(30))


async def pending(agent: ToolUser, **params: Any) -> list[dict[str, Any]]:
    """What is pending."""
    hunks: list[dict[str, Any]] = (await agent.request("dsh/review/list", params))["hunks"]
    return hunks


async def decide(agent: ToolUser, how: str, **params: Any) -> list[tuple[str, str | None]]:
    """Keep or undo; status and reason of each hunk."""
    results = (await agent.request(f"dsh/review/{how}", params))["results"]
    return [(result["status"], result.get("reason")) for result in results]


async def edited(world: World, via: Via, opened: bool, *edits: tuple[str, str]) -> tuple[VsCodeLike, ToolUser]:
    """An agent that has edited a.txt, open in the editor or not."""
    editor = await world.editor(VsCodeLike, ignore=QUIET)
    world.file("a.txt", TEXT)
    if opened:
        editor.open(world.path("a.txt"))
    agent = await world.agent(via=via, sessionId="s")
    await agent.read("a.txt")
    for old, new in edits:
        assert not (await agent.edit("a.txt", old, new))["isError"]
    return editor, agent


def text(world: World, editor: VsCodeLike, opened: bool) -> str:
    """The text of a.txt where it is edited."""
    return editor.text(world.path("a.txt")) if opened else world.bytes("a.txt").decode()


@pytest.mark.parametrize("opened", [True, False], ids=["open", "closed"])
async def test_a_hunk_is_undone_and_the_rest_stays(world: World, via: Via, opened: bool) -> None:
    """One of two: its lines are as before, the other is still pending, and the agent hears of it."""
    editor, agent = await edited(world, via, opened, ("line 3\n", "LINE 3\n"), ("line 20\n", "LINE 20\nmore\n"))
    first, second = await pending(agent)

    assert [("undone", None)] == await decide(agent, "undo", hunkIds=[first["id"]])
    note = await agent.next("dsh/decided")
    assert TEXT.replace("line 20\n", "LINE 20\nmore\n") == text(world, editor, opened)
    assert [second["id"]] == [hunk["id"] for hunk in await pending(agent)]
    assert ("undone", first["id"], False, "s") == (
        note["decision"],
        note["hunkId"],
        note["userModified"],
        note["sessionId"],
    )


@pytest.mark.parametrize("opened", [True, False], ids=["open", "closed"])
async def test_a_hunk_is_kept_and_nothing_is_written(world: World, via: Via, opened: bool) -> None:
    """It is not pending any more; the text stays as it is; keeping all leaves nothing."""
    editor, agent = await edited(world, via, opened, ("line 3\n", "LINE 3\n"), ("line 20\n", "LINE 20\n"))
    first, _ = await pending(agent)
    before = text(world, editor, opened)

    assert [("kept", None)] == await decide(agent, "keep", hunkIds=[first["id"]])
    assert 1 == len(await pending(agent))
    assert [("kept", None)] == await decide(agent, "keep", all=True)
    assert [] == await pending(agent)
    assert before == text(world, editor, opened)
    agent.take("dsh/decided")


@pytest.mark.parametrize("opened", [True, False], ids=["open", "closed"])
async def test_undoing_all_gives_the_text_from_before_and_typing_stays(world: World, via: Via, opened: bool) -> None:
    """What the user typed elsewhere survives, in the buffer and on the disk."""
    editor, agent = await edited(world, via, opened, ("line 3\n", "LINE 3\n"), ("line 20\n", ""))
    if opened:
        editor.type(world.path("a.txt"), "line 10", "typed 10")
    else:
        world.file("a.txt", world.bytes("a.txt").replace(b"line 10", b"typed 10"))

    assert {("undone", None)} == set(await decide(agent, "undo", all=True))
    assert TEXT.replace("line 10", "typed 10") == text(world, editor, opened)
    assert [] == await pending(agent)
    agent.take("dsh/decided")
    agent.take("dsh/drift")


@pytest.mark.parametrize("opened", [True, False], ids=["open", "closed"])
async def test_some_lines_of_a_hunk(world: World, via: Via, opened: bool) -> None:
    """Of four added lines the second and third are undone, the first kept; the fourth is still pending."""
    editor, agent = await edited(world, via, opened, ("line 3\n", "line 3\na\nb\nc\nd\n"))
    [hunk] = await pending(agent)
    start = hunk["range"]["start"]["line"]

    def lines(first: int, last: int) -> dict[str, Any]:
        return {
            "start": {"line": start + first, "character": 0},
            "end": {"line": start + last, "character": 0},
        }

    assert [("undone", None)] == await decide(agent, "undo", uri=hunk["uri"], range=lines(1, 3))
    assert TEXT.replace("line 3\n", "line 3\na\nd\n") == text(world, editor, opened)
    assert [("kept", None)] == await decide(agent, "keep", uri=hunk["uri"], range=lines(0, 1))
    [left] = await pending(agent)
    assert (start + 1, 1) == (left["range"]["start"]["line"], left["addedLines"])
    agent.take("dsh/decided")


@pytest.mark.parametrize("opened", [True, False], ids=["open", "closed"])
async def test_what_is_pending_survives_opening_and_closing(world: World, via: Via, opened: bool) -> None:
    """Closing a tab decides nothing; the hunks are there in the file, and in the document again."""
    editor, agent = await edited(world, via, opened, ("line 3\n", "LINE 3\n"))
    path = world.path("a.txt")
    [hunk] = await pending(agent)
    if opened:
        editor.save(path)
        editor.close(path)
    else:
        editor.open(path)
    await editor.sync()
    [now] = await pending(agent)

    assert (hunk["id"], hunk["range"]) == (now["id"], now["range"])
    assert [("undone", None)] == await decide(agent, "undo", hunkIds=[hunk["id"]])
    assert TEXT == text(world, editor, not opened)
    agent.take("dsh/decided")


@pytest.mark.parametrize("opened", [True, False], ids=["open", "closed"])
async def test_what_is_pending_survives_a_restart_and_a_change_meanwhile(world: World, via: Via, opened: bool) -> None:
    """Lines that somebody put above it while no server was there move it; it can still be undone."""
    editor, agent = await edited(world, via, opened, ("line 20\n", "LINE 20\n"))
    if opened:
        editor.save(world.path("a.txt"))
        await editor.sync()
    [hunk] = await pending(agent)
    await world.kill(editor)
    world.file("a.txt", b"above\n" + world.bytes("a.txt"))
    editor = await world.editor(VsCodeLike, ignore=QUIET)
    if opened:
        editor.open(world.path("a.txt"))
    agent = await world.agent(via=via, sessionId="s")
    [now] = await pending(agent)

    assert hunk["id"] == now["id"]
    assert hunk["range"]["start"]["line"] + 1 == now["range"]["start"]["line"]
    assert [("undone", None)] == await decide(agent, "undo", all=True)
    assert "above\n" + TEXT == text(world, editor, opened)
    agent.take("dsh/decided")


@pytest.mark.parametrize("saved", [True, False], ids=["saved", "unsaved"])
@pytest.mark.parametrize("kept", [True, False], ids=["edited", "created"])
async def test_what_is_pending_goes_with_a_file_that_is_renamed(
    world: World, via: Via, *, saved: bool, kept: bool
) -> None:
    """An editor closes the one name and opens the other, with what is unsaved. A copy of a file is none of this."""
    editor = await world.editor(VsCodeLike, ignore=QUIET)
    agent = await world.agent(via=via, sessionId="s")
    old, new = world.path("a.txt"), world.path("b.txt")
    if kept:
        editor.open(world.file("a.txt", TEXT))
        await agent.read("a.txt")
        await agent.edit("a.txt", "line 3\n", "LINE 3\n")
    else:
        await agent.write("a.txt", "LINE 3\n")
        editor.open(old)
    text = editor.text(old)
    if saved:
        editor.save(old)
    await editor.sync()
    [hunk] = await pending(agent)
    editor.close(old)
    if saved:
        editor.open(world.file("copy.txt", text))
        await editor.sync()
        assert [world.uri("a.txt")] == [each["uri"] for each in await pending(agent)]
    old.rename(new)
    editor.open(new, text)
    await editor.sync()

    [moved] = await pending(agent)
    assert (world.uri("b.txt"), hunk["id"], hunk["range"]) == (moved["uri"], moved["id"], moved["range"])
    assert [("undone", None)] == await decide(agent, "undo", hunkIds=[hunk["id"]])
    assert (TEXT if kept else "") == editor.text(new)
    assert kept == new.exists()
    agent.take("dsh/decided")


async def test_a_created_file_is_removed_only_while_it_is_the_agents(world: World, via: Via) -> None:
    """Undone as the agent wrote it, it is gone; with the user's own words in it, it is a conflict that shows them."""
    await world.editor(VsCodeLike, ignore=QUIET)
    agent = await world.agent(via=via)
    await agent.write("mine.txt", "agent\n")
    await agent.write("ours.txt", "agent\n")
    world.file("ours.txt", "agent\nuser\n")

    assert [("undone", None)] == await decide(agent, "undo", uri=world.uri("mine.txt"))
    [(status, reason)] = await decide(agent, "undo", uri=world.uri("ours.txt"))

    assert not world.path("mine.txt").exists()
    assert ("conflict", b"agent\nuser\n") == (status, world.bytes("ours.txt"))
    assert "agent\nuser\n" in str(reason)
    agent.take("dsh/decided")


async def test_two_agents_on_one_file_are_told_apart(world: World, via: Via) -> None:
    """Each session's hunks are its own; undoing those of one leaves the other's, and tells only the one."""
    _, one = await edited(world, via, True, ("line 3\n", "ONE\n"))
    other = await world.agent(sessionId="t")
    await other.read("a.txt")
    await other.edit("a.txt", "line 20\n", "OTHER\n")

    assert [1, 1, 2] == [
        len(await pending(one, sessionId="s")),
        len(await pending(one, sessionId="t")),
        len(await pending(one)),
    ]
    assert [("undone", None)] == await decide(one, "undo", sessionId="t")
    assert [1, 0] == [len(await pending(one, sessionId="s")), len(await pending(one, sessionId="t"))]
    await other.next("dsh/decided")
    assert [] == one.take("dsh/decided") if via == "socket" else True
    one.take("dsh/drift")
    other.take("dsh/drift")


async def test_the_agent_is_told_once_in_its_next_result(world: World, via: Via) -> None:
    """Also after a restart: what was decided while it was away is in the first answer, and not in the second."""
    _, agent = await edited(world, via, False, ("line 3\n", "LINE 3\n"))
    await decide(agent, "undo", all=True)
    agent.take("dsh/decided")
    await world.kill(world.editors[-1])
    await world.editor(VsCodeLike, ignore=QUIET)
    agent = await world.agent(via=via, sessionId="s")
    first = await agent.run("read", call_id="again", file_path="a.txt")
    second = await agent.read("a.txt")
    repeated = await agent.run("read", call_id="again", file_path="a.txt")

    assert 2 == len(first["content"])
    assert "The user undid a change of a.txt (line 4)." in first["content"][1]["text"]
    assert 1 == len(second["content"])
    assert first["content"] == repeated["content"]


async def test_H15_decisions_are_in_the_replay_and_not_in_the_workspace(world: World, via: Via) -> None:
    """After a restart the replay has what was decided; nothing of it is in a file of the workspace."""
    _, agent = await edited(world, via, False, ("line 3\n", "LINE 3\n"))
    before = sorted(path.name for path in world.workspace.rglob("*"))
    await decide(agent, "keep", all=True)
    agent.take("dsh/decided")
    await world.kill(world.editors[-1])
    await world.editor(VsCodeLike, ignore=QUIET)
    agent = await world.agent(via="socket", sessionId="other")
    await agent.request("dsh/session/replay", {"sessionId": "s", "notify": True})

    [note] = agent.take("dsh/decided")
    assert ("kept", "s") == (note["decision"], note["sessionId"])
    assert before == sorted(path.name for path in world.workspace.rglob("*"))
    agent.take("dsh/toolCall")
    agent.take("dsh/toolResult")


async def test_decorations_follow_decisions(world: World) -> None:
    """The editor is told at once what is left."""
    editor = await world.editor(OwnClient, ignore=QUIET)
    uri = editor.open(world.file("a.txt", TEXT))
    agent = await world.agent()
    await agent.read("a.txt")
    await agent.edit("a.txt", "line 3\n", "LINE 3\n")
    await agent.edit("a.txt", "line 20\n", "LINE 20\n")
    hunks = await editor.decorated(uri, lambda hunks: len(hunks) == 2)
    await decide(agent, "keep", hunkIds=[hunks[0]["id"]])
    await editor.decorated(uri, lambda hunks: len(hunks) == 1)
    await decide(agent, "undo", hunkIds=[hunks[1]["id"]])
    await editor.decorated(uri, lambda hunks: not hunks)

    assert TEXT.replace("line 3\n", "LINE 3\n") == editor.text(uri)
    agent.take("dsh/decided")


@pytest.mark.parametrize(
    ("params", "path"),
    [
        ({}, "params"),
        (
            {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}}, "all": True},
            "params.range",
        ),
        ({"callId": "c"}, "params.callId"),
        ({"everything": True}, "params.everything"),
    ],
)
async def test_a_decision_on_nothing_in_particular_is_refused(world: World, params: Any, path: str) -> None:
    """Nothing is decided by accident; the field is named."""
    await world.editor(VsCodeLike, ignore=QUIET)
    agent = await world.agent()

    with pytest.raises(RpcError) as refusal:
        await agent.request("dsh/review/undo", params)

    assert (-32602, path) == (refusal.value.code, refusal.value.data["errors"][0]["path"])


async def test_H14_the_summary_counts_what_was_applied_and_lists_the_rest_with_its_code(world: World, via: Via) -> None:
    """One file changed, one call refused, one denied; what people decided is counted by hunk."""
    world.file("a.txt", TEXT)
    world.file("b.txt", TEXT)
    await world.editor(
        VsCodeLike, ignore=QUIET, initialization_options={"permissions": {"write": "deny", "bash": "deny"}}
    )
    agent = await world.agent(via=via, sessionId="s")
    await agent.read("a.txt")
    await agent.read("b.txt")
    await agent.edit("a.txt", "line 3\n", "LINE 3\nmore\n")
    await agent.edit("a.txt", "line 20\n", "")
    world.file("b.txt", "changed\n")
    await agent.edit("b.txt", "line 3\n", "x")
    await agent.write("c.txt", "x")
    await agent.read("nothing.txt")
    first, _ = await pending(agent)
    await decide(agent, "undo", hunkIds=[first["id"]])
    agent.take("dsh/decided")
    summary = await agent.request("dsh/review/summary", {"sessionId": "s"})

    assert (1, 1, 1, 1) == tuple(summary[name] for name in ("changed", "refused", "failed", "denied"))
    [file] = summary["files"]
    assert ("a.txt", False, 2, 2) == tuple(file[name] for name in ("path", "created", "added", "removed"))
    assert (0, 1, 1) == tuple(file[name] for name in ("kept", "undone", "pending"))
    assert [
        ("applied", None),
        ("applied", None),
        ("refused", "FS_STALE_VERSION"),
        ("denied", "DENIED"),
        ("failed", "FS_NOT_FOUND"),
    ] == [(call["outcome"], call.get("code")) for call in summary["calls"]]


@pytest.mark.parametrize("lines", [None, (1, 3)], ids=["all of it", "some lines"])
async def test_an_undo_finds_its_hunk_while_the_user_types_above_it(
    world: World, via: Via, lines: tuple[int, int] | None
) -> None:
    """The edit is refused for the new text, made again, and takes back the same lines further down."""
    typing = UserTypesDuringApply(lambda editor, uri: editor.insert(uri, 0, "top\n"), LikeVsCode(), times=0)
    editor = await world.editor(VsCodeLike, ignore=QUIET, applying=typing)
    path = world.file("a.txt", TEXT)
    editor.open(path)
    agent = await world.agent(via=via)
    await agent.read("a.txt")
    await agent.edit("a.txt", "line 3\n", "line 3\na\nb\nc\nd\n")
    [hunk] = await pending(agent)
    start = hunk["range"]["start"]["line"]
    typing._times = 1
    if lines is None:
        decided = await decide(agent, "undo", all=True)
    else:
        first, last = ({"line": start + line, "character": 0} for line in lines)
        decided = await decide(agent, "undo", uri=hunk["uri"], range={"start": first, "end": last})

    left = "" if lines is None else "a\nd\n"
    assert [("undone", None)] == decided
    assert "top\n" + TEXT.replace("line 3\n", f"line 3\n{left}") == editor.text(path)
    agent.take("dsh/decided")


async def test_keeping_during_another_edit_keeps(world: World) -> None:
    """An edit that is on its way when a hunk is kept doesn't bring the hunk back."""
    editor = await world.editor(VsCodeLike, ignore=QUIET)
    path = world.file("a.txt", TEXT)
    editor.open(path)
    agent = await world.agent(sessionId="s")
    await agent.read("a.txt")
    await agent.edit("a.txt", "line 3\n", "LINE 3\n")
    [hunk] = await pending(agent)
    waiting = AnswersLate(LikeVsCode())
    editor.applying = waiting
    edit = agent.start("edit", file_path="a.txt", old_string="line 20\n", new_string="LINE 20\n")
    await editor.until(lambda: bool(waiting.waiting))
    keep = agent.start_request("dsh/review/keep", {"hunkIds": [hunk["id"]]})
    await agent.request("dsh/tool/list", {})
    waiting.release()
    await edit.result()
    await keep.result()

    assert [19] == [each["range"]["start"]["line"] - 1 for each in await pending(agent)]
    agent.take("dsh/decided")
