"""Other people's tools, policies and search engines, by entry point.

The groups are ``dsh_lsp.tools``, ``dsh_lsp.policies`` and ``dsh_lsp.search_providers`` (the first one found is what
``web_search`` asks). An entry point names a `Tool` (a `Policy`, a `SearchProvider`), several of them in a list or a
tuple, or a function without arguments that returns one of these. One that can't be loaded is reported and skipped; the
others are not held up by it. Loading runs the plug-in's code and may take its time: do it in a thread.
"""

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final, TypeVar

from dsh_tools.builtin.web_search import web_search
from dsh_tools.contract import AnyTool, Tool
from dsh_tools.policies import Policy
from dsh_tools.registry import Registry, ToolRefused, check_telling
from dsh_tools.reporting import log_failure
from dsh_tools.web.search_provider import SearchProvider

_log = logging.getLogger(__name__)

TOOLS_GROUP: Final = "dsh_lsp.tools"
POLICIES_GROUP: Final = "dsh_lsp.policies"
SEARCH_GROUP: Final = "dsh_lsp.search_providers"

_T = TypeVar("_T")


@dataclass(slots=True)
class Plugins:
    """What was found.

    Attributes:
        tools: In the order of the entry points' names.
        policies: The same.
        search_providers: The same.
        problems: What was skipped and why, as sentences for people.
    """

    tools: list[AnyTool] = field(default_factory=list)
    policies: list[Policy] = field(default_factory=list)
    search_providers: list[SearchProvider] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def load_plugins(find: Callable[[str], Iterable[EntryPoint]] = lambda group: entry_points(group=group)) -> Plugins:
    """Load all that is installed.

    Args:
        find: The entry points of a group.
    """
    found = Plugins()
    for point in sorted(find(TOOLS_GROUP), key=lambda point: point.name):
        found.tools += _loaded(point, Tool, found.problems)
    for point in sorted(find(POLICIES_GROUP), key=lambda point: point.name):
        found.policies += _loaded(point, Policy, found.problems)
    for point in sorted(find(SEARCH_GROUP), key=lambda point: point.name):
        found.search_providers += _loaded(point, SearchProvider, found.problems)  # type: ignore[type-abstract]
    return found


def register(plugins: Plugins, registry: Registry) -> None:
    """Put what was found into a registry; what it refuses is reported."""
    if plugins.search_providers:
        registry.replace(web_search(plugins.search_providers[0]))
    for tool in plugins.tools:
        try:
            check_telling(tool)
            registry.add(tool)
        except ToolRefused as refusal:
            plugins.problems.append(f"A plug-in's tool was skipped: {refusal}.")
    for problem in plugins.problems:
        _log.warning("%s", problem)


def _loaded(point: EntryPoint, kind: type[_T], problems: list[str]) -> list[_T]:
    try:
        made: Any = point.load()
        if isinstance(made, type) or (callable(made) and not isinstance(made, kind)):
            made = made()
        items: list[Any] = list(made) if isinstance(made, list | tuple) else [made]
        wrong = [type(item).__name__ for item in items if not isinstance(item, kind)]
    except BaseException as error:  # noqa: BLE001 - somebody else's code; it may even call sys.exit()
        log_failure(_log, f"plug-in {point.name} failed", error)
        problems.append(f"The plug-in {point.name} was skipped: loading it failed with {type(error).__name__}.")
        return []
    if wrong:
        problems.append(f"The plug-in {point.name} was skipped: it gave a {wrong[0]}, not a {kind.__name__}.")
        return []
    return items
