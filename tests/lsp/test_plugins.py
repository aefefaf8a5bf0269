"""Other people's tools and policies: what is loaded, and that nothing of theirs stops a server."""

import logging
import sys
from collections.abc import Callable, Iterable
from importlib.metadata import EntryPoint
from types import ModuleType
from typing import Any

import pytest

from dsh_ledger.json_values import JsonObject
from dsh_lsp.plugins import POLICIES_GROUP, SEARCH_GROUP, TOOLS_GROUP, Plugins, load_plugins, register
from dsh_tools.builtin import READ, WEB_SEARCH
from dsh_tools.content import text_content
from dsh_tools.contract import AnyTool, Tool, ToolRun
from dsh_tools.models import ToolArguments
from dsh_tools.policies import Policy
from dsh_tools.registry import Registry
from dsh_tools.web.search_provider import SearchResults

Find = Callable[[str], Iterable[EntryPoint]]


async def nothing(_args: ToolArguments, _run: ToolRun) -> JsonObject:
    """Do nothing."""
    return {}


def tool(name: str = "theirs", output: Any = None) -> AnyTool:
    """Somebody's tool."""
    schema = {"type": "object"} if output is None else output
    return Tool(name, "A tool.", ToolArguments, schema, nothing, lambda *_: text_content(""))


SECRET = "what nobody should read"


def raising() -> Any:
    """Fail, with words that are nobody's business."""
    raise RuntimeError(SECRET)


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A module that entry points can name: ``theirs``."""
    made = ModuleType("theirs")
    monkeypatch.setitem(sys.modules, "theirs", made)
    return made


def points(*named: tuple[str, str], group: str = TOOLS_GROUP) -> Find:
    """Entry points of a group, in the order given."""
    made = [EntryPoint(name, value, group) for name, value in named]
    return lambda asked: made if asked == group else []


def loaded(module: ModuleType, thing: Any, group: str = TOOLS_GROUP) -> Plugins:
    """What comes of an entry point that names this."""
    module.thing = thing  # type: ignore[attr-defined]
    return load_plugins(points(("plug", "theirs:thing"), group=group))


ONE, TWO = tool("one"), tool("two")
POLICY = Policy("theirs")


@pytest.mark.parametrize(
    ("thing", "tools"),
    [
        (ONE, [ONE]),
        ([ONE, TWO], [ONE, TWO]),
        ((TWO, ONE), [TWO, ONE]),
        (lambda: ONE, [ONE]),
        (lambda: [ONE, TWO], [ONE, TWO]),
        ([], []),
    ],
    ids=["a tool", "a list", "a tuple", "a function", "a function that gives a list", "none"],
)
def test_an_entry_point_gives_tools(module: ModuleType, thing: Any, tools: list[AnyTool]) -> None:
    """A tool, several of them, or a function that returns these."""
    found = loaded(module, thing)

    assert (tools, [], []) == (found.tools, found.policies, found.problems)


@pytest.mark.parametrize("thing", [POLICY, [POLICY], lambda: POLICY], ids=["a policy", "a list", "a function"])
def test_an_entry_point_gives_policies(module: ModuleType, thing: Any) -> None:
    """The same for policies, in their own group."""
    found = loaded(module, thing, POLICIES_GROUP)

    assert ([], [POLICY], []) == (found.tools, found.policies, found.problems)


class Engine:
    """Somebody's search engine."""

    def __init__(self, name: str = "theirs") -> None:
        self.name = name

    async def search(self, _query: str, _limit: int) -> SearchResults:
        """Find nothing."""
        return SearchResults([])


@pytest.mark.parametrize("thing", [Engine("first"), Engine, [Engine("first"), Engine("second")]])
def test_an_entry_point_gives_a_search_engine(module: ModuleType, thing: Any) -> None:
    """An engine, its class, or several; with one, sessions get web_search, which they don't have without."""
    found = loaded(module, thing, SEARCH_GROUP)
    registry = Registry([READ, WEB_SEARCH])
    before = [each.name for each in registry.offered()]

    register(found, registry)

    assert (True, []) == (isinstance(found.search_providers[0], Engine), found.problems)
    assert (["read"], ["read", "web_search"]) == (before, [each.name for each in registry.offered()])


@pytest.mark.parametrize(
    ("thing", "why"),
    [
        (raising, "loading it failed with RuntimeError"),
        (sys.exit, "loading it failed with SystemExit"),
        (lambda _needed: ONE, "loading it failed with TypeError"),
        ("text", "it gave a str, not a Tool"),
        (None, "it gave a NoneType, not a Tool"),
        (lambda: None, "it gave a NoneType, not a Tool"),
        (POLICY, "it gave a Policy, not a Tool"),
        ([ONE, "text"], "it gave a str, not a Tool"),
        (lambda: lambda: ONE, "it gave a function, not a Tool"),
    ],
)
def test_what_gives_no_tool_is_skipped(module: ModuleType, thing: Any, why: str) -> None:
    """All of an entry point is skipped, with one sentence that says why."""
    found = loaded(module, thing)

    assert ([], [f"The plug-in plug was skipped: {why}."]) == (found.tools, found.problems)


def test_what_fails_when_it_is_looked_at_is_skipped(module: ModuleType) -> None:
    """Whether something is a search engine is asked of its members, which are somebody else's code too."""

    class Nameless:
        @property
        def name(self) -> str:
            raise RuntimeError(SECRET)

        async def search(self, _query: str, _limit: int) -> SearchResults:
            return SearchResults([])

    found = loaded(module, Nameless, SEARCH_GROUP)

    assert ["The plug-in plug was skipped: loading it failed with RuntimeError."] == found.problems


@pytest.mark.parametrize(
    ("value", "error"),
    [
        ("not_installed_at_all:x", "ModuleNotFoundError"),
        ("theirs:missing", "AttributeError"),
        ("theirs:", "AttributeError"),
    ],
)
def test_what_is_not_there_is_skipped(module: ModuleType, value: str, error: str) -> None:
    """A module that can't be imported, and a name that it has not got."""
    found = load_plugins(points(("plug", value)))

    assert [f"The plug-in plug was skipped: loading it failed with {error}."] == found.problems


def test_a_broken_plug_in_does_not_hold_up_the_others(module: ModuleType) -> None:
    """They are loaded in the order of their names; what fails is skipped and the rest is there."""
    module.one, module.two, module.raising = ONE, TWO, raising  # type: ignore[attr-defined]

    found = load_plugins(points(("c", "theirs:two"), ("b", "theirs:raising"), ("a", "theirs:one")))

    assert [ONE, TWO] == found.tools
    assert ["The plug-in b was skipped: loading it failed with RuntimeError."] == found.problems


def test_what_a_plug_in_says_when_it_fails_is_not_logged(module: ModuleType, caplog: pytest.LogCaptureFixture) -> None:
    """The log has the place of the failure and its type, and not the words of the exception."""
    loaded(module, raising)

    assert "plug-in plug failed: RuntimeError" in caplog.text
    assert "in raising" in caplog.text
    assert SECRET not in caplog.text


@pytest.mark.parametrize(
    ("refused", "why"),
    [
        (tool("read"), "two tools are named read"),
        (tool(output={"type": "nothing"}), "theirs: its output schema is no JSON schema"),
        (tool(output={"properties": 1}), "theirs: its output schema is no JSON schema"),
    ],
    ids=["a name that is taken", "no type", "no properties"],
)
def test_a_tool_that_the_registry_refuses_is_reported(
    refused: AnyTool, why: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The others are registered, the one that was first keeps its name, and the log says what was skipped."""
    registry = Registry([READ])
    plugins = Plugins([refused, ONE])

    register(plugins, registry)

    assert [READ, ONE] == list(registry)
    assert plugins.problems[0].startswith(f"A plug-in's tool was skipped: {why}")
    assert [(logging.WARNING, plugins.problems[0])] == [(each.levelno, each.getMessage()) for each in caplog.records]


def test_two_plug_ins_with_one_name_are_one(module: ModuleType) -> None:
    """Of two tools of one name the first entry point's stays."""
    module.first, module.second = tool("same"), tool("same")  # type: ignore[attr-defined]
    found = load_plugins(points(("b", "theirs:second"), ("a", "theirs:first")))
    registry = Registry()

    register(found, registry)

    assert [module.first] == list(registry)
    assert ["A plug-in's tool was skipped: two tools are named same."] == found.problems


def test_what_is_installed_is_looked_for_in_every_group() -> None:
    """The groups are what authors write into their metadata: they don't change."""
    asked: list[str] = []

    def find(group: str) -> list[EntryPoint]:
        asked.append(group)
        return []

    load_plugins(find)

    assert ["dsh_lsp.tools", "dsh_lsp.policies", "dsh_lsp.search_providers"] == asked
