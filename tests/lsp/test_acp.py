"""Cards as session updates of the Agent Client Protocol, against the models of its official kit."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from acp.schema import SessionNotification
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from dsh_lsp.acp import session_update, session_updates
from dsh_tools.cards import (
    DiffCall,
    DiffResult,
    GenericCall,
    GenericResult,
    ReadResult,
    SearchHit,
    SearchResult,
    TerminalCall,
    TerminalResult,
    WebResult,
)
from dsh_tools.hunk_models import FileDiff, HunkPosition
from dsh_tools.models import WireModel
from tests.support.hostile_views import HOSTILE, spoilt
from tests.support.replayed_session import FOLDER, PRICES, change, story

ROOT = "/home/someone/shop"


def called(view: WireModel | dict[str, Any], name: str = "tool", **more: Any) -> dict[str, Any]:
    """The update of a call, checked."""
    return _projected("dsh/toolCall", view, name, **more)


def ended(view: WireModel | dict[str, Any], name: str = "tool", **more: Any) -> dict[str, Any]:
    """The update of a result, checked."""
    return _projected("dsh/toolResult", view, name, **{"isError": False, **more})


def _projected(method: str, view: WireModel | dict[str, Any], name: str, **more: Any) -> dict[str, Any]:
    params = {
        "sessionId": "s",
        "callId": "c",
        "seq": 3,
        "name": name,
        "view": view.to_wire() if isinstance(view, WireModel) else view,
        **more,
    }
    before = copy.deepcopy(params)
    update = session_update(method, params, FOLDER)

    assert update is not None
    assert before == params  # nothing is written into what was given
    assert update == session_update(method, params, ROOT)  # the folder may be a path as well
    checked(update)
    return dict(update["update"])


def checked(params: dict[str, Any]) -> None:
    """Fail unless these are params of ``session/update`` in which the kit finds nothing to leave out or to repair."""
    model = SessionNotification.model_validate(params)

    assert params == model.model_dump(mode="json", by_alias=True, exclude_none=True)


def texts(update: dict[str, Any]) -> str:
    """The text content of an update."""
    return "\n".join(each["content"]["text"] for each in update.get("content", []) if each["type"] == "content")


def test_a_call_has_the_change_that_it_asks_for() -> None:
    """A pending tool call with one diff block; positions are not known yet, so the location has no line."""
    update = called(
        DiffCall(title="Edit a.py", path="src/a.py", diffs=(FileDiff(path="src/a.py", old_text="x", new_text="y"),))
    )

    assert ("tool_call", "c", "edit", "pending") == tuple(
        update[name] for name in ("sessionUpdate", "toolCallId", "kind", "status")
    )
    assert [{"type": "diff", "path": f"{ROOT}/src/a.py", "oldText": "x", "newText": "y"}] == update["content"]
    assert [{"path": f"{ROOT}/src/a.py"}] == update["locations"]


def test_a_result_has_one_block_and_one_line_for_each_hunk() -> None:
    """The applied hunks, each with its first changed line, 1-based and in the text as it is now."""
    after = PRICES.replace('"""Prices', '"""The prices').replace('Decimal("0.05")', 'Decimal("0.04")')
    update = ended(change("shop/prices.py", PRICES, after))

    assert ("tool_call_update", "edit", "completed") == tuple(update[x] for x in ("sessionUpdate", "kind", "status"))
    assert ["diff", "diff"] == [each["type"] for each in update["content"]]
    assert [1, after.split("\n").index('    return Decimal(0) if len(items) < 10 else Decimal("0.04")') + 1] == [
        each["line"] for each in update["locations"]
    ]
    assert {f"{ROOT}/shop/prices.py"} == {each["path"] for each in update["locations"] + update["content"]}
    assert all(each["_meta"]["dsh"]["hunks"] for each in update["content"])


@pytest.mark.parametrize(
    ("before", "after", "line"),
    [
        ("a\nb\nc\n", "a\nb\nc\nd\n", 4),
        ("a\nb\nc\n", "b\nc\n", 1),
        ("a\nb\nc\n", "a\nb\n", 2),
        ("a\n", "", 1),
        ("a\nb", "a\nb\n", 2),
    ],
)
def test_the_line_of_a_hunk_is_one_of_the_file(before: str, after: str, line: int) -> None:
    """Additions are where they begin; a deletion at the end is at the last line that is left."""
    update = ended(change("a.txt", before, after))

    assert [line] == [each["line"] for each in update["locations"]]


def test_a_created_file_has_no_old_text_and_an_unchanged_one_no_block() -> None:
    """To ACP, a block without an old text is a new file."""
    created = ended(change("a.txt", None, "new\n"))
    unchanged = ended(change("a.txt", "same\n", "same\n"))

    assert [{"type": "diff", "path": f"{ROOT}/a.txt", "newText": "new\n"}] == created["content"]
    assert ["content"] == [each["type"] for each in unchanged["content"]]
    assert "Nothing was changed" in texts(unchanged)
    assert [{"path": f"{ROOT}/a.txt"}] == unchanged["locations"]


def test_a_command_shows_its_output_and_how_it_ended() -> None:
    """As text: a terminal of ACP's is one that the client has started."""
    call = called(TerminalCall(title="make", command="make all", cwd="sub"))
    result = ended(TerminalResult(title="make", command="make all", output="ok\n", exit_code=2, truncated=False))
    killed = ended(TerminalResult(title="make", command="make all", output="", exit_code=None, truncated=False))

    assert ("execute", {"command": "make all", "cwd": "sub"}) == (call["kind"], call["rawInput"])
    assert "```console\n$ make all\nok\n```" in texts(result)
    assert "Exit code 2." in texts(result)
    assert "did not end by itself" in texts(killed)


def test_a_search_has_a_location_for_each_hit() -> None:
    """Files and lines; one without hits says so."""
    found = ended(
        SearchResult(
            title="Search",
            query="x",
            hits=(SearchHit(path="a.py", line=3, column=1, text="x"), SearchHit(path="b.py")),
            total=2,
            truncated=False,
        )
    )
    nothing = ended(SearchResult(title="Search", query="x", hits=(), total=0, truncated=False))

    assert "search" == found["kind"]
    assert [{"path": f"{ROOT}/a.py", "line": 3}, {"path": f"{ROOT}/b.py"}] == found["locations"]
    assert "a.py:3: x\nb.py" in texts(found)
    assert "Nothing was found." == texts(nothing)


def test_a_failure_keeps_the_title_of_its_call_and_says_its_code() -> None:
    """The card of an error has the tool's name as its title, which says less."""
    update = ended(GenericResult(title="edit", text="FS_STALE_VERSION: no", code="FS_STALE_VERSION"), isError=True)

    assert "failed" == update["status"]
    assert "title" not in update
    assert "kind" not in update
    assert "FS_STALE_VERSION" == update["_meta"]["dsh"]["code"]
    assert "FS_STALE_VERSION: no" in texts(update)


def test_calls_with_generic_cards_have_their_arguments() -> None:
    """And the kind of a built-in tool, until the result's card says what it is."""
    assert [("read", {"file_path": "a"}), ("fetch", {"url": "u"}), ("other", {"x": 1})] == [
        (update["kind"], update["rawInput"])
        for update in (
            called(GenericCall(title="Read a", input={"file_path": "a"}), "read"),
            called(GenericCall(title="Fetch u", input={"url": "u"}), "web_fetch"),
            called(GenericCall(title="mine", input={"x": 1}), "mine"),
        )
    ]


def test_what_was_decided_is_told_beside_the_content() -> None:
    """ACP has no word for it: it is under _meta, and the content stays as it was."""
    params = {"sessionId": "s", "callId": "c", "hunkId": "h", "uri": "file:///a", "decision": "undone"}
    update = session_update("dsh/decided", params, None)

    assert update is not None
    checked(update)
    assert {"hunkId": "h", "uri": "file:///a", "decision": "undone"} == update["update"]["_meta"]["dsh"]["decided"]
    assert "content" not in update["update"]
    assert session_update("dsh/drift", params, None) is None


def test_a_sentence_is_drawn_as_it_is() -> None:
    """It may name files, whose names can be Markdown, or HTML."""
    note = "Searched as unsaved text: __init__.py, *a*.py, [x](y).md, <b>.txt, `q`, ~~z~~, a&lt;b, c\\_d."
    found = SearchResult(title="x", query="x", hits=(SearchHit(path="a"),), total=1, truncated=False, notes=(note,))

    said = ended(found)["content"][-1]["content"]["text"]
    [inline] = [token for token in MarkdownIt().parse(said) if token.type == "inline"]

    assert {"text", "text_special"} >= {token.type for token in inline.children or ()}
    assert note == "".join(token.content for token in inline.children or ())


def test_text_can_not_leave_its_fence() -> None:
    """ACP's text is drawn as Markdown; ours is literal."""
    text = "```\n# not a title\n`````"
    update = ended(GenericResult(title="t", text=text))

    assert f"``````\n{text}\n``````" == texts(update)


def made(model: type[WireModel], **members: st.SearchStrategy[Any]) -> st.SearchStrategy[WireModel]:
    """Cards of one kind."""
    return st.fixed_dictionaries(members).map(model.model_validate)


TEXT = st.text(max_size=30) | st.sampled_from([each for each in HOSTILE if each.isascii() and len(each) < 100])
LINE = st.integers(0, 200)
DIFFS = st.lists(
    made(
        FileDiff,
        path=TEXT,
        old_text=st.none() | TEXT,
        new_text=TEXT,
        hunks=st.lists(made(HunkPosition, old_start=LINE, old_lines=LINE, new_start=LINE, new_lines=LINE)).map(tuple),
    ),
    max_size=3,
).map(tuple)
URI = st.sampled_from([f"{FOLDER}/a.py", f"{FOLDER}/%C3%A4%20b.py", "untitled:1"])
VIA = st.sampled_from(["buffer", "disk"])
NOTES = st.lists(TEXT, max_size=2).map(tuple)
CALLS = st.one_of(
    made(GenericCall, title=TEXT, input=st.none() | st.dictionaries(TEXT, TEXT, max_size=2)),
    made(TerminalCall, title=TEXT, command=TEXT, cwd=st.none() | TEXT),
    made(DiffCall, title=TEXT, path=TEXT, diffs=DIFFS),
)
RESULTS = st.one_of(
    made(GenericResult, title=TEXT, text=TEXT, code=st.none() | TEXT),
    made(
        TerminalResult,
        title=TEXT,
        command=TEXT,
        output=TEXT,
        exit_code=st.none() | st.integers(-15, 255),
        truncated=st.booleans(),
    ),
    made(
        DiffResult,
        title=TEXT,
        path=TEXT,
        uri=URI,
        operation=st.sampled_from(["created", "modified", "unchanged"]),
        via=VIA,
        saved=st.booleans(),
        added=LINE,
        removed=LINE,
        diffs=DIFFS,
        notes=NOTES,
        truncated=st.booleans(),
    ),
    made(
        ReadResult,
        title=TEXT,
        path=TEXT,
        uri=URI,
        offset=LINE,
        lines=LINE,
        total_lines=LINE,
        text=TEXT,
        truncated=st.booleans(),
        via=VIA,
        dirty=st.booleans(),
        notes=NOTES,
    ),
    made(
        SearchResult,
        title=TEXT,
        query=TEXT,
        hits=st.lists(
            made(SearchHit, path=TEXT, line=st.none() | LINE, column=st.none() | LINE, text=st.none() | TEXT),
            max_size=3,
        ).map(tuple),
        total=LINE,
        truncated=st.booleans(),
        at_least=st.none() | st.just(True),
        notes=NOTES,
    ),
    made(WebResult, title=TEXT, url=TEXT, status=st.none() | LINE, text=TEXT, truncated=st.booleans()),
)


@settings(max_examples=100, deadline=None)
@given(CALLS)
def test_any_call_is_a_valid_tool_call(card: WireModel) -> None:
    """All three kinds of cards; the same card gives the same update."""
    update = called(card)

    assert update == called(card)
    assert "pending" == update["status"]


@settings(max_examples=200, deadline=None)
@given(RESULTS, st.booleans())
def test_any_result_is_a_valid_update_and_says_when_it_is_not_all(card: WireModel, is_error: bool) -> None:
    """All six kinds of cards; what is truncated says so as data and in words, whatever its text is."""
    update = ended(card, isError=is_error)
    truncated = bool(getattr(card, "truncated", False))

    assert update == ended(card, isError=is_error)
    assert ("failed" if is_error else "completed") == update["status"]
    assert truncated == update["_meta"]["dsh"].get("truncated", False)
    if truncated:
        said = [text for text in texts(update).split("\n") if not text.startswith("`")]
        assert any(word in " ".join(said) for word in ("Not all", "not all", "are listed", "too large"))


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("kept", [frozenset({"card"}), frozenset[str]()])
def test_a_damaged_card_is_projected_all_the_same(text: str, kept: frozenset[str]) -> None:
    """Nothing fails, also for kinds of cards that only a later version knows; and the JSON can be written."""
    for each in story().cards:
        for method, view in (("dsh/toolCall", each.call), ("dsh/toolResult", each.result or {})):
            params = {"sessionId": text, "callId": text, "name": text, "view": spoilt(view, text, kept)}
            update = session_update(method, params, text)
            assert update is not None
            assert update == json.loads(json.dumps(update))


def test_a_session_is_whole_json_rpc_messages() -> None:
    """In the order of the notifications; what ACP has nothing for is left out."""
    notes = [("dsh/toolCall", {"view": {"card": "generic", "title": "t"}}), ("dsh/drift", {}), ("dsh/toolResult", {})]

    assert [("2.0", "session/update", "tool_call"), ("2.0", "session/update", "tool_call_update")] == [
        (each["jsonrpc"], each["method"], each["params"]["update"]["sessionUpdate"])
        for each in session_updates(notes, None)
    ]


def test_the_kit_is_for_tests_alone() -> None:
    """Nothing of the product imports it."""
    package = Path(__file__).parents[2] / "dsh_lsp"

    assert [] == [path.name for path in package.rglob("*.py") if "import acp" in path.read_text("utf-8")]
