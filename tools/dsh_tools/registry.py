"""The tools of a server, by name, and which of them a session gets."""

from collections.abc import Iterable, Iterator

from dsh_ledger.errors import LedgerBug, UnknownTool
from dsh_tools.contract import AnyTool, SessionTraits, Tool
from dsh_tools.json_values import json_fault
from dsh_tools.output_schema import SchemaRefused, check_schema, json_schema

_NO_TRAITS = SessionTraits()


class ToolRefused(Exception):
    """Something can't be registered as a tool. The message says why."""


class Registry:
    """Tools by name, in the order of registration.

    Args:
        tools: Tools to begin with. Two of one name are a bug of whoever put them together.
    """

    def __init__(self, tools: Iterable[AnyTool] = ()) -> None:
        self._tools: dict[str, AnyTool] = {}
        for tool in tools:
            try:
                self.add(tool)
            except ToolRefused as refusal:
                raise LedgerBug(str(refusal)) from None

    def __iter__(self) -> Iterator[AnyTool]:
        return iter(self._tools.values())

    def __len__(self) -> int:
        return len(self._tools)

    def add(self, tool: AnyTool) -> None:
        """Register a tool.

        Raises:
            ToolRefused: It is none, its name is taken, or its schemas are not valid.
        """
        if not isinstance(tool, Tool):
            raise ToolRefused(f"a {type(tool).__name__} is not a Tool")
        if tool.name in self._tools:
            raise ToolRefused(f"two tools are named {tool.name}")
        try:
            check_schema(tool.output)
        except SchemaRefused as refusal:
            raise ToolRefused(f"{tool.name}: {refusal}") from None
        self._tools[tool.name] = tool

    def replace(self, tool: AnyTool) -> None:
        """Put a tool in the place of the one that has its name."""
        self._tools[tool.name] = tool

    def offered(self, traits: SessionTraits = _NO_TRAITS) -> tuple[AnyTool, ...]:
        """The tools that a session gets."""
        return tuple(tool for tool in self if tool.why_withheld(traits) is None)

    def find(self, name: str) -> AnyTool | None:
        """The tool of that name, or None."""
        return self._tools.get(name)

    def unknown(self, name: str, traits: SessionTraits) -> UnknownTool:
        """The refusal of a call of a tool that the session does not get."""
        tool = self.find(name)
        why = None if tool is None else tool.why_withheld(traits)
        return UnknownTool(name, [each.name for each in self.offered(traits)], why)


def check_telling(tool: AnyTool) -> None:
    """See whether a model and a host can be told of a tool: if not, they could be told of no other either.

    For tools of others: making the schemas of all of our own would take a tenth of a second.

    Raises:
        ToolRefused: They can't.
    """
    try:
        told = json_fault([tool.schema(), json_schema(tool.output)])
    except BaseException as error:  # noqa: BLE001 - somebody else's models; pydantic has many names for it
        told = f"its parameters or its output have no JSON schema ({type(error).__name__})"
    words: list[object] = [tool.name, tool.description]
    if not all(isinstance(word, str) for word in words):
        told = "its name or its description is no text"
    if told is not None:
        raise ToolRefused(f"{tool.name}: {told}")
