"""The transcripts of `editor-clients/conformance` are what the real server says.

Each test tells a story, and compares what was written down with the file. ``DSH_UPDATE_TRANSCRIPTS=1`` writes the files
instead.
"""

import json
import os
from collections.abc import Awaitable, Callable
from typing import Any, Final

import pytest

from dsh_lsp.wire import ApplyEditParams, DecorationsNote, SaveDocumentParams, ToolCallNote, ToolResultNote
from dsh_tools.models import WireModel
from tests.support.agent import ToolUser
from tests.support.editor import IGNORED
from tests.support.naive_text import Encoding, content_version
from tests.support.repository import ROOT
from tests.support.sending import DelayedChange
from tests.support.transcript import FOLDER, RecordedClient, Scene, Transcript, paint_of, shifted
from tests.support.world import World

PLACE: Final = ROOT / "editor-clients" / "conformance"
TEXT: Final = "".join(f"line {n}\n" for n in range(12))
BOTH: Final[tuple[Encoding, ...]] = ("utf-8", "utf-16")

Story = Callable[["Told"], Awaitable[None]]
STORIES: dict[str, tuple[Story, tuple[Encoding, ...]]] = {}
SHAPES: Final[dict[str, type[WireModel]]] = {
    "dsh/applyEdit": ApplyEditParams,
    "dsh/saveDocument": SaveDocumentParams,
    "dsh/decorations": DecorationsNote,
    "dsh/toolCall": ToolCallNote,
    "dsh/toolResult": ToolResultNote,
}


class Told:
    """What a story is told with: the scene, and an agent whose calls are counted."""

    def __init__(self, world: World, scene: Scene, agent: ToolUser) -> None:
        self.world = world
        self.scene = scene
        self.agent = agent
        self.calls = 0

    async def run(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """A call."""
        self.calls += 1
        return await self.agent.run(tool, call_id=f"call-{self.calls}", **arguments)

    async def edit(self, name: str, *edits: tuple[str, str]) -> None:
        """Edits that are applied."""
        for old, new in edits:
            result = await self.run("edit", file_path=name, old_string=old, new_string=new)
            assert not result["isError"], result

    async def begin(self, name: str, text: str) -> None:
        """A file that is open, and read by the agent."""
        self.scene.file(name, text)
        self.scene.open(name)
        await self.run("read", file_path=name)


def story(told: Story) -> Story:
    """A story for any encoding; its docstring says what a client must do."""
    STORIES[told.__name__.replace("_", "-")] = (told, BOTH)
    return told


@story
async def kinds_of_hunks(told: Told) -> None:
    """Added and modified lines, changed words, removed lines and the author are painted; the edits are applied."""
    await told.begin("a.txt", TEXT)
    await told.edit("a.txt", ("line 3\n", "line three\n"), ("line 6\n", "line 6\nnew 1\nnew 2\n"), ("line 9\n", ""))
    await told.scene.painted("a.txt", lambda hunks: len(hunks) == 3)


@story
async def edges_of_a_file(told: Told) -> None:
    """Removed lines above the first line and below the last one are shown; so is a file that was emptied."""
    await told.begin("a.txt", TEXT)
    await told.edit("a.txt", ("line 0\nline 1\n", ""), ("line 10\nline 11\n", ""))
    await told.scene.painted("a.txt", lambda hunks: len(hunks) == 2)
    await told.edit("a.txt", ("line 9\n", "line 9\nlast\n"))
    await told.scene.painted("a.txt", lambda hunks: any(hunk["addedLines"] for hunk in hunks))
    await told.run("write", file_path="a.txt", content="")
    await told.scene.painted("a.txt", lambda hunks: len(hunks) == 1)


@story
async def final_line_end(told: Told) -> None:
    """A final line end that an agent adds or takes away is told of, and is on the disk as it is in the document."""
    await told.begin("a.txt", "one\ntwo")
    await told.edit("a.txt", ("two", "two\nthree"))
    await told.scene.painted("a.txt", lambda hunks: len(hunks) == 1)
    assert not (await told.run("write", file_path="a.txt", content="one\ntwo\nthree\n"))["isError"]
    await told.scene.painted("a.txt", lambda hunks: bool(hunks))
    await told.begin("b.txt", "one\ntwo\n")
    assert not (await told.run("write", file_path="b.txt", content="one\ntwo"))["isError"]
    await told.scene.painted("b.txt", lambda hunks: bool(hunks))
    await told.scene.decide("undo", uri=told.world.uri("b.txt"))
    await told.scene.painted("b.txt", lambda hunks: not hunks)


async def unicode_text(told: Told) -> None:
    """Columns are in the position encoding that was negotiated."""
    await told.begin("ü.txt", 'grün = "äö"  # 😀 ok\nplain\n\t日本語 = 1\n')
    await told.edit("ü.txt", ("😀 ok", "😀 fine"), ("日本語 = 1", "日本語 = 𝟚"))
    await told.scene.painted("ü.txt", lambda hunks: len(hunks) == 2)


for each in BOTH:
    STORIES[f"unicode-{each}"] = (unicode_text, (each,))


@story
async def typing_moves_hunks(told: Told) -> None:
    """Hunks move with typing above them and take in typing inside them."""
    scene = told.scene
    await told.begin("a.txt", TEXT)
    await told.edit("a.txt", ("line 3\n", "line three\nand more\n"), ("line 9\n", ""))
    await scene.painted("a.txt", lambda hunks: len(hunks) == 2)
    scene.type("a.txt", 0, "typed\n")
    await scene.painted("a.txt", lambda hunks: hunks[0]["range"]["start"]["line"] == 4)
    scene.type("a.txt", 5, "and yet more", "and more")
    await scene.painted("a.txt", lambda hunks: len(hunks) == 2)


@story
async def keep_and_undo(told: Told) -> None:
    """Keeping clears the paint and nothing else; undoing comes back as an edit; by its id, and all of a file."""
    scene = told.scene
    await told.begin("a.txt", TEXT)
    await told.edit("a.txt", ("line 2\n", "LINE 2\n"), ("line 5\n", ""), ("line 8\n", "line 8\nnew\n"))
    first, second, _ = await scene.painted("a.txt", lambda hunks: len(hunks) == 3)
    await scene.decide("keep", hunkIds=[first["id"]])
    await scene.painted("a.txt", lambda hunks: len(hunks) == 2)
    await scene.decide("undo", hunkIds=[second["id"]])
    await scene.painted("a.txt", lambda hunks: len(hunks) == 1)
    await scene.decide("undo", uri=told.world.uri("a.txt"))
    await scene.painted("a.txt", lambda hunks: not hunks)


@story
async def some_lines_of_a_hunk(told: Told) -> None:
    """Some lines of a hunk are kept, others are undone, by their range."""
    scene = told.scene
    await told.begin("a.txt", TEXT)
    await told.edit("a.txt", ("line 2\n", "line 2\na\nb\nc\n"))
    await scene.painted("a.txt", lambda hunks: len(hunks) == 1)
    for how, line, left in (("keep", 3, 2), ("undo", 5, 1)):
        place = {"start": {"line": line, "character": 0}, "end": {"line": line + 1, "character": 0}}
        await scene.decide(how, uri=told.world.uri("a.txt"), range=place)
        await scene.painted("a.txt", lambda hunks, left=left: hunks[0]["addedLines"] == left)  # type: ignore[misc]


@story
async def an_edit_that_comes_too_late(told: Told) -> None:
    """An edit for an older version is refused, and nothing is changed; a late note is not painted where it is wrong."""
    scene = told.scene
    assert isinstance(scene.client.sending, DelayedChange)
    await told.begin("a.txt", TEXT)
    edit = told.agent.start("edit", call_id="call-2", file_path="a.txt", old_string="line 3", new_string="LINE 3")
    await scene.client.until(lambda: scene.client.version(told.world.path("a.txt")) == 2)
    scene.client.sending.release()
    assert not (await edit.result())["isError"]
    hunks = await scene.painted("a.txt", lambda hunks: len(hunks) == 1)
    scene.type("a.txt", 0, "typed\n")
    scene.shows("a.txt", shifted(hunks, 1))
    late = told.agent.start("edit", call_id="call-3", file_path="a.txt", old_string="line 9", new_string="LINE 9")
    await scene.client.next("dsh/applyEdit", where=lambda params: params["version"] == 2)
    scene.shows("a.txt", shifted(hunks, 1))
    scene.client.sending.release()
    assert (await late.result())["error"]["code"] == "FS_STALE_VERSION"
    await scene.painted("a.txt", lambda hunks: len(hunks) == 1)


@story
async def crlf(told: Told) -> None:
    """In a file with CRLF line ends, inserted lines have them too."""
    await told.begin("a.txt", TEXT.replace("\n", "\r\n"))
    await told.edit("a.txt", ("line 3\n", "line three\nand more\n"), ("line 11\n", "line 11\nlast\n"))
    await told.scene.painted("a.txt", lambda hunks: len(hunks) == 2)


@story
async def saving(told: Told) -> None:
    """A document that was clean is saved when the server asks; one with typing is not asked for."""
    scene = told.scene
    await told.begin("a.txt", TEXT)
    await told.edit("a.txt", ("line 3\n", "LINE 3\n"))
    await scene.painted("a.txt", lambda hunks: len(hunks) == 1)
    scene.type("a.txt", 0, "typed\n")
    await scene.painted("a.txt", lambda hunks: len(hunks) == 1)
    await told.run("read", file_path="a.txt")
    await told.edit("a.txt", ("line 9\n", "LINE 9\n"))
    await scene.painted("a.txt", lambda hunks: len(hunks) == 2)


@story
async def reloading(told: Told) -> None:
    """A clean document whose file has changed is read from the disk again when the server asks."""
    scene = told.scene
    await told.begin("a.txt", TEXT)
    scene.file("a.txt", TEXT.replace("line 5", "disk"))
    read = await told.run("read", file_path="a.txt")
    assert "disk" in read["value"]["text"]
    await told.edit("a.txt", ("disk", "edited"))
    await scene.painted("a.txt", lambda hunks: len(hunks) == 1)


@story
async def opened_again(told: Told) -> None:
    """A document that is opened again is painted again; one that was closed is not."""
    scene = told.scene
    await told.begin("a.txt", TEXT)
    await told.edit("a.txt", ("line 3\n", "line 3\nnew\n"))
    await scene.painted("a.txt", lambda hunks: len(hunks) == 1)
    scene.close("a.txt")
    await scene.client.sync()
    scene.open("a.txt")
    await scene.painted("a.txt", lambda hunks: len(hunks) == 1)


@story
async def cards(told: Told) -> None:
    """Each call has a card as it runs and when it has ended; what was cut is said."""
    scene = told.scene
    scene.file("a.py", "".join(f"value_{n} = {n}\n" for n in range(30)))
    scene.file("open.txt", "open\n")
    scene.open("open.txt")
    scene.client.cards = True
    old, new = "value_4 = 4", "five = 5"
    for tool, arguments, state, contains in (
        ("read", {"file_path": "a.py", "offset": 3, "limit": 2}, "done", ("a.py", "value_2 = 2", "value_3 = 3", "30")),
        ("edit", {"file_path": "a.py", "old_string": old, "new_string": new}, "done", ("a.py", old, new)),
        ("edit", {"file_path": "a.py", "old_string": "gone", "new_string": ""}, "failed", ("FS_EDIT_NOT_FOUND",)),
        ("grep", {"pattern": "value_", "limit": 2}, "done", ("a.py", "value_0 = 0", "29")),
        ("bash", {"command": "printf 'from the shell\\n'; exit 3"}, "done", ("from the shell", "3")),
        ("write", {"file_path": "new.txt", "content": "made\n"}, "done", ("new.txt", "made")),
    ):
        result = await told.run(tool, **arguments)
        assert result["isError"] is (state == "failed")
        scene.card(f"call-{told.calls}", state, *contains)


@story
async def a_file_that_is_not_open(told: Told) -> None:
    """What an agent tells of as done in a file that is not open is shown as a card, and nothing is painted."""
    scene = told.scene
    scene.file("a.txt", TEXT)
    scene.file("b.txt", TEXT)
    scene.open("a.txt")
    await told.run("read", file_path="b.txt")
    await told.edit("b.txt", ("line 3\n", ""))
    scene.written("b.txt")
    scene.shows("a.txt")
    scene.open("b.txt")
    await scene.painted("b.txt", lambda hunks: len(hunks) == 1)


def refusals() -> Transcript:
    """Written by hand: what the server sends in races that can't be had on order."""
    says = "An edit of another content, of no open document, or outside of the text is refused, and nothing is changed."
    made = Transcript("edits-that-are-refused", says)
    uri = f"{FOLDER}/a.txt"
    made.add("file", uri=uri, text=TEXT)
    made.add("open", uri=uri)
    place = {"start": {"line": 3, "character": 0}, "end": {"line": 3, "character": 4}}
    outside = {"start": {"line": 30, "character": 0}, "end": {"line": 30, "character": 0}}
    right = content_version(TEXT)
    for number, (where, version, content, at) in enumerate(
        (
            (uri, 1, content_version("another text\n"), place),
            (uri, 7, right, place),
            (uri, 0, right, place),
            (f"{FOLDER}/never-opened.txt", 1, right, place),
            (uri, 1, right, outside),
        )
    ):
        edits = [{"range": at, "newText": "X"}]
        params = {"uri": where, "version": version, "contentVersion": content, "edits": edits}
        made.add("server", id=number, method="dsh/applyEdit", params=params)
        made.add("client", id=number, result={"applied": False})
    made.add("server", id=10, method="dsh/saveDocument", params={"uri": uri, "version": 9})
    made.add("client", id=10, result={"saved": False})
    made.add("user", uri=uri, range={"start": place["start"], "end": place["start"]}, text="typed ")
    made.add("server", id=11, method="dsh/reloadDocument", params={"uri": uri})
    made.add("client", id=11, result={"reloaded": False})
    text = TEXT.replace("line 3", "typed line 3")
    nothing = paint_of(())
    made.add("shows", uri=uri, version=2, text=text, saved=False, paint=nothing)
    edits = [{"range": place, "newText": "T"}]
    params = {"uri": uri, "version": 2, "contentVersion": content_version(text), "edits": edits}
    made.add("server", id=12, method="dsh/applyEdit", params=params)
    made.add("client", id=12, result={"applied": True})
    made.add("shows", uri=uri, version=3, text=TEXT.replace("line 3", "Td line 3"), saved=False, paint=nothing)
    return made


def late_note() -> Transcript:
    """Written by hand: a note that was on its way when the user typed."""
    says = "A note about an older text is not painted at places of the newer one; the next note is."
    made = Transcript("a-note-that-comes-too-late", says)
    uri = f"{FOLDER}/a.txt"
    made.add("file", uri=uri, text=TEXT)
    made.add("open", uri=uri)
    hunk = {
        "id": "hunk-a",
        "sessionId": "s",
        "callId": "c",
        "kind": "modified",
        "range": {"start": {"line": 3, "character": 0}, "end": {"line": 4, "character": 0}},
        "removedText": "before",
        "addedLines": 1,
        "removedLines": 1,
        "author": "agent",
    }
    other = {**shifted([hunk], 4)[0], "id": "hunk-b"}

    def told(version: int, *hunks: dict[str, Any]) -> None:
        made.add("server", method="dsh/decorations", params={"uri": uri, "version": version, "hunks": list(hunks)})

    told(1, hunk)
    made.add("shows", uri=uri, version=1, text=TEXT, saved=True, paint=paint_of([hunk]))
    top = {"line": 0, "character": 0}
    made.add("user", uri=uri, range={"start": top, "end": top}, text="typed\n")
    told(1, hunk, other)
    moved = shifted([hunk, other], 1)
    text = "typed\n" + TEXT
    made.add("shows", uri=uri, version=2, text=text, saved=False, paint=paint_of(moved[:1]))
    told(2, *moved)
    made.add("shows", uri=uri, version=2, text=text, saved=False, paint=paint_of(moved))
    told(1)
    made.add("shows", uri=uri, version=2, text=text, saved=False, paint=paint_of(moved))
    return made


BY_HAND: Final = {made.name: made for made in (refusals(), late_note())}


def checked(text: str, name: str) -> None:
    """Compare a transcript with its file, or write it."""
    path = PLACE / f"{name}.jsonl"
    if os.environ.get("DSH_UPDATE_TRANSCRIPTS"):
        path.write_text(text, encoding="utf-8")
    said = path.read_text(encoding="utf-8") if path.is_file() else ""

    assert said.splitlines() == text.splitlines(), f"{path.name}: write it anew with DSH_UPDATE_TRANSCRIPTS=1"


@pytest.mark.parametrize("name", STORIES)
async def test_the_server_still_says_what_is_written_down(world: World, name: str) -> None:
    """The story, told to the server, gives the transcript to the last byte."""
    tell, encodings = STORIES[name]
    client = await world.editor(
        RecordedClient,
        position_encodings=encodings if len(encodings) == 1 else None,
        initialization_options={"permissions": {"bash": "allow"}, "watch": False},
        ignore=IGNORED | {"dsh/drift", "dsh/decided"},
        sending=DelayedChange() if tell is an_edit_that_comes_too_late else None,
    )
    scene = Scene(client, Transcript(name, (tell.__doc__ or "").strip(), encodings), world.workspace)
    await tell(Told(world, scene, await world.agent()))

    checked(scene.transcript.text(), name)


@pytest.mark.parametrize("name", BY_HAND)
def test_what_was_written_by_hand_is_as_it_was(name: str) -> None:
    """So are those that were written by hand."""
    checked(BY_HAND[name].text(), name)


def test_no_transcript_is_left_over() -> None:
    """Each file is made by a story."""
    names = {path.stem for path in PLACE.glob("*.jsonl")}

    assert {*STORIES, *BY_HAND} == names


def test_what_the_server_says_has_the_shapes_of_the_protocol() -> None:
    """Whoever plays a transcript may rely on `wire`."""
    for path in PLACE.glob("*.jsonl"):
        for line in path.read_text(encoding="utf-8").splitlines():
            said = json.loads(line).get("server", {})
            if said.get("method") in SHAPES:
                SHAPES[said["method"]].model_validate_json(json.dumps(said["params"]))
