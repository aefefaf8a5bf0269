"""Words of a command line become a tool's arguments by its schema, for any schema."""

import string
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_lsp.commands.arguments import parse, usage
from dsh_lsp.commands.ending import Usage
from dsh_lsp.wire import ToolInfo
from dsh_tools.builtin import BUILTIN

TOOLS = {tool.name: ToolInfo.model_validate(tool.schema()) for tool in BUILTIN}

ODD = ToolInfo(
    name="odd",
    description="Every kind.",
    parameters={
        "type": "object",
        "$defs": {"Part": {"type": "object", "properties": {"n": {"type": "integer"}}}},
        "properties": {
            "names": {"type": "array", "items": {"type": "string"}},
            "numbers": {"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "null"}]},
            "parts": {"type": "array", "items": {"$ref": "#/$defs/Part"}},
            "rate": {"type": "number"},
            "flag": {"type": "boolean", "default": True},
            "part": {"$ref": "#/$defs/Part"},
            "anything": {},
            "camelCase": {"type": "string"},
            "size": {"enum": ["small", "large"]},
            "json": {"type": "string"},
        },
        "required": ["names"],
    },
)


def arguments(tool: ToolInfo, *words: str) -> dict[str, Any]:
    """What the words mean."""
    return parse(words, tool, ("json",)).arguments


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--name", "x"], None),
        (["--names", "a", "--names=b"], {"names": ["a", "b"]}),
        (["a", "b"], {"names": ["a", "b"]}),
        (["--numbers", "1", "--numbers", "[2, 3]"], {"numbers": [1, 2, 3]}),
        (["--parts", '{"n": 1}', "--parts", '{"n": 2}'], {"parts": [{"n": 1}, {"n": 2}]}),
        (["--parts", '[{"n": 1}]'], {"parts": [{"n": 1}]}),
        (["--rate", "1.5"], {"rate": 1.5}),
        (["--rate", "fast"], None),
        (["--numbers", "x"], None),
        (["--parts", "[1"], None),
        (["--flag"], {"flag": True}),
        (["--no-flag"], {"flag": False}),
        (["--flag=false"], {"flag": False}),
        (["--flag=perhaps"], None),
        (["--part", '{"n": 1}'], {"part": {"n": 1}}),
        (["--part", "{"], None),
        (["--anything", "[1]"], {"anything": [1]}),
        (["--anything", "text"], {"anything": "text"}),
        (["--camelCase", "x"], {"camelCase": "x"}),
        (["--size", "small"], {"size": "small"}),
        (["--json", "x"], {"json": "x"}),
        (["--names"], None),
        (["--", "--names"], {"names": ["--names"]}),
    ],
)
def test_words_mean(words: list[str], expected: dict[str, Any] | None) -> None:
    """Each kind of value; None where it is refused, with the option's name in the sentence."""
    if expected is not None:
        assert expected == arguments(ODD, *words)
    else:
        with pytest.raises(Usage, match=words[0].partition("=")[0]):
            arguments(ODD, *words)


def test_the_tools_that_there_are() -> None:
    """Required arguments by position, the rest by name, values that look like options behind an equals sign."""
    edit = TOOLS["edit"]

    assert {"file_path": "a", "old_string": "b", "new_string": "c"} == arguments(edit, "a", "b", "c")
    assert {"file_path": "a", "old_string": "b", "new_string": "-c"} == arguments(edit, "--file", "a", "b", "-c")
    assert {"new_string": "--json", "replace_all": True} == arguments(edit, "--new-string=--json", "--replace-all")
    assert {"old_string": "--json"} == arguments(edit, "--old-string", "--json")
    assert {"expected_replacements": 2} == arguments(edit, "--expected-replacements", "2")
    assert {"edits": [{"old_string": "a"}]} == arguments(TOOLS["multi_edit"], "--edits", '{"old_string": "a"}')
    assert {"pattern": "*.py", "path": "src"} == arguments(TOOLS["glob"], "*.py", "--path", "src")
    with pytest.raises(Usage, match="no argument for 'd'"):
        arguments(edit, "a", "b", "c", "d")


def test_options_that_are_not_the_tools_are_kept_apart() -> None:
    """Those that were named; others are refused, and the tool's own are listed."""
    typed = parse(["a.txt", "--json", "-", "--session=s"], TOOLS["read"], ("json", "session"))

    assert ({"file_path": "a.txt"}, {"json": "-", "session": "s"}) == (typed.arguments, typed.own)
    with pytest.raises(Usage, match="read has no argument --output; it has --file-path, --offset, --limit"):
        parse(["--output", "x"], TOOLS["read"], ("json",))


@pytest.mark.parametrize("tool", [*TOOLS.values(), ODD], ids=lambda tool: tool.name)
def test_usage_names_every_argument(tool: ToolInfo) -> None:
    """With its option, in one screen's width per argument."""
    shown = usage(tool)

    assert [] == [name for name in tool.parameters["properties"] if f"--{name.replace('_', '-')}" not in shown]


@pytest.mark.parametrize(
    "schema", [None, [], {}, {"properties": {"a": True, "b": {"$ref": "#/$defs/b"}}}, {"$ref": "x"}]
)
def test_a_schema_that_says_little_is_no_trouble(schema: Any) -> None:
    """Other people's tools have all kinds; what is not known is passed on as text or JSON."""
    tool = ToolInfo(name="other", description="", parameters=schema)
    names = schema.get("properties", {}) if isinstance(schema, dict) else {}

    assert dict.fromkeys(names, 1) == arguments(tool, *(word for name in names for word in (f"--{name}", "1")))
    assert usage(tool).startswith("other")


@given(st.text(), st.text(), st.booleans(), st.one_of(st.none(), st.integers(1, 10**9)))
def test_any_text_gets_through(old: str, new: str, replace: bool, expected: int | None) -> None:
    """Values are taken as they are, whatever they look like."""
    words = ["a", f"--old-string={old}", "--new-string", new, *(["--replace-all"] if replace else [])]
    words += [] if expected is None else ["--expected-replacements", str(expected)]
    made: dict[str, Any] = {"file_path": "a", "old_string": old, "new_string": new}
    made |= {"replace_all": True} if replace else {}

    assert made | ({} if expected is None else {"expected_replacements": expected}) == arguments(TOOLS["edit"], *words)


@given(st.lists(st.text(string.printable, max_size=8), max_size=6))
def test_any_words_are_arguments_or_a_usage_error(words: list[str]) -> None:
    """Nothing else comes out."""
    for tool in (ODD, TOOLS["edit"]):
        with suppress(Usage):
            parse(words, tool, ("json",))
