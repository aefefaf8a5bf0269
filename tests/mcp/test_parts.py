"""Parts of the bridge that need no server: which folder is meant, how outcomes are told, lines, the kit's version."""

import asyncio
from importlib import metadata
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsh_lsp.client.notes import Progress
from dsh_lsp.mcp import command
from dsh_lsp.mcp.lines import LinesIn
from dsh_lsp.mcp.progress import Reporter
from dsh_lsp.mcp.translating import result_of, tool_of
from dsh_lsp.mcp.workspaces import NoWorkspace, chosen
from dsh_lsp.wire import ErrorInfo, ToolFacts, ToolInfo, ToolRunResult
from dsh_tools.content import ImageBlock, TextBlock
from tests.support.mcp_client import error_of, text_of


@pytest.fixture
def places(tmp_path: Path) -> dict[str, Path]:
    """A home with a project in it, and two other folders."""
    found = {name: tmp_path / name for name in ("home", "home/project", "one", "two")}
    for path in found.values():
        path.mkdir()
    return found


def test_roots_come_first_then_what_was_told_then_here(places: dict[str, Path]) -> None:
    """Roots that are no folders of this machine don't count; all that do are folders of the workspace."""
    home, one, two = places["home"], places["one"], places["two"]
    nothing = [(two / "gone").as_uri(), "https://example.org/", "untitled:1", "file://elsewhere/x"]

    assert [one, two] == chosen([*nothing, one.as_uri(), two.as_uri()], None, home, home)
    assert [two] == chosen([two.as_uri()], one, one, home)
    assert [one] == chosen(nothing, one, two, home)
    assert [two] == chosen([], None, two, home)
    assert [places["home/project"]] == chosen([], None, places["home/project"], home)


def test_the_home_and_what_is_above_it_never_count(places: dict[str, Path], tmp_path: Path) -> None:
    """Whoever names them; also by another name."""
    home = places["home"]
    link = tmp_path / "link"
    link.symlink_to(home)

    for folder in (home, home.parent, Path("/"), link):
        with pytest.raises(NoWorkspace, match="--workspace DIR"):
            chosen([folder.as_uri()], folder, folder, home)
    assert [places["one"]] == chosen([home.as_uri(), places["one"].as_uri()], None, home, home)


def test_an_outcome_has_text_value_and_images() -> None:
    """As the hub says them, and which call it was."""
    content = (TextBlock(text="seen"), ImageBlock(data="AA==", mime_type="image/png"))
    result = result_of(
        ToolRunResult(call_id="c", is_error=False, content=content, value={"x": 1}), "s", has_schema=True
    )

    assert ({"x": 1}, False) == (result.structured_content, result.is_error)
    assert ["text", "image"] == [block.type for block in result.content]
    assert {"dsh-lsp/call": {"sessionId": "s", "callId": "c"}} == result.meta


def test_what_the_user_has_decided_is_in_the_structured_content_too() -> None:
    """Some agents show nothing else to the model; the schema allows it, also one that is closed."""
    closed = {"type": "object", "properties": {"x": {"type": "integer"}}, "additionalProperties": False}
    schema = tool_of(ToolInfo(name="t", description="d", parameters={}, output_schema=closed)).output_schema or {}
    content = (TextBlock(text="done"), TextBlock(text="The user undid it."))
    said = ToolRunResult(call_id="c", is_error=False, content=content, value={"x": 1}, told="The user undid it.")
    result = result_of(said, "s", has_schema=True)

    assert {"x": 1, "userDecisions": "The user undid it."} == result.structured_content
    jsonschema.validate(result.structured_content, schema)
    jsonschema.validate({"x": 1}, schema)


def test_an_error_is_data_beside_the_text_and_no_value() -> None:
    """Clients check a structured content against the schema of values, also that of an error."""
    error = ErrorInfo(code="FS_STALE_VERSION", message="It changed.", details={"path": "a"})
    content = (TextBlock(text="FS_STALE_VERSION: It changed. Read again."),)
    result = result_of(ToolRunResult(call_id="c", is_error=True, content=content, error=error), "s", has_schema=True)

    assert (True, None) == (result.is_error, result.structured_content)
    assert {"code": "FS_STALE_VERSION", "message": "It changed.", "details": {"path": "a"}} == error_of(result)


def test_a_recorded_outcome_whose_value_is_gone_says_so() -> None:
    """Clients refuse an outcome without a value where a schema promises one, and would hide that it was carried out."""
    recorded = ToolRunResult(call_id="c", is_error=False, content=(TextBlock(text="Edited a.txt."),))
    result = result_of(recorded, "s", has_schema=True)

    assert result.is_error
    assert "has ended well" in text_of(result)
    assert "Edited a.txt." in text_of(result)
    assert not result_of(recorded, "s", has_schema=False).is_error


def test_hints_are_what_is_known_of_a_tool() -> None:
    """Nothing is claimed where nobody has said anything; the root of a schema is an object, as a value is."""
    facts = ToolFacts(reads_only=False, idempotent=False, asks=True)
    tool = tool_of(ToolInfo(name="t", description="d", parameters={"type": "object"}, output_schema={}, facts=facts))
    bare = tool_of(ToolInfo(name="t", description="d", parameters={"type": "object"}))

    assert tool.annotations is not None
    assert (False, True, False, None) == (
        tool.annotations.read_only_hint,
        tool.annotations.destructive_hint,
        tool.annotations.idempotent_hint,
        tool.annotations.open_world_hint,
    )
    assert "object" == (tool.output_schema or {})["type"]
    assert (None, None) == (bare.annotations, bare.output_schema)


async def test_progress_is_what_the_hub_says_with_a_number_that_grows() -> None:
    """Each as it comes; without anything from the hub there is a word after a while."""
    told: list[tuple[float, str]] = []
    enough = asyncio.Event()

    async def report(count: float, said: str) -> None:
        told.append((count, said))
        if len(told) == 3:
            enough.set()

    async with Reporter("grep", report) as reporter:
        reporter.hear(Progress("begin", title="Searching"))
        reporter.hear(Progress("report", message="in src", percentage=40))
        reporter.hear(Progress("end"))
        async with asyncio.timeout(10):
            await enough.wait()

    assert [(1.0, "Searching"), (2.0, "Searching, in src, 40 %"), (3.0, "Searching")] == told


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=20)), st.data())
async def test_lines_are_whole_however_they_come(lines: list[str], data: st.DataObject) -> None:
    """A line ends with a line feed and nothing else: U+2028 and the like stand within."""
    sent = "".join(f"{line}\n" for line in lines).encode()
    reader = asyncio.StreamReader()
    while sent:
        size = data.draw(st.integers(1, 40))
        reader.feed_data(sent[:size])
        sent = sent[size:]
    reader.feed_data(b"without an end")
    reader.feed_eof()

    assert lines == [line async for line in LinesIn(reader)]


async def test_a_line_without_end_ends_the_connection() -> None:
    """It is not kept in memory for ever."""
    reader = asyncio.StreamReader()
    reader.feed_data(b"first\n" + b"x" * 100)

    assert ["first"] == [line async for line in LinesIn(reader, longest=50)]


@pytest.mark.parametrize(
    ("installed", "said"),
    [
        (None, "is not installed; install it beside dsh-lsp: pip install 'mcp>="),
        ("1.30.0", "and 1.30.0 is installed; install it"),
        ("0.9", "and 0.9 is installed"),
    ],
)
def test_a_kit_that_can_not_be_used_is_said_in_one_line(
    installed: str | None, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With what to do; nothing goes to standard output."""

    def version(_name: str) -> str:
        if installed is None:
            raise metadata.PackageNotFoundError
        return installed

    monkeypatch.setattr(command.metadata, "version", version)

    assert 2 == command.run_mcp(None)
    captured = capsys.readouterr()
    assert said in captured.err
    assert "" == captured.out


@pytest.mark.parametrize("installed", ["2.0.0", "2.3.0", "2.10", "3.0.0rc1", "10.1"])
def test_newer_kits_are_tried(installed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers are compared as numbers."""
    monkeypatch.setattr(command.metadata, "version", lambda _name: installed)

    assert command.why_missing() is None
