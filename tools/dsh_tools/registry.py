"""The tools of a session, by name."""

from collections.abc import Iterable, Iterator

from dsh_ledger.errors import LedgerBug
from dsh_tools.contract import AnyTool


class Registry:
    """Tools by name, in the order of registration.

    Args:
        tools: The tools. Two of one name are a bug of whoever put them together.
    """

    def __init__(self, tools: Iterable[AnyTool] = ()) -> None:
        self._tools: dict[str, AnyTool] = {}
        for tool in tools:
            if tool.name in self._tools:
                raise LedgerBug(f"two tools are named {tool.name}")
            self._tools[tool.name] = tool

    def __iter__(self) -> Iterator[AnyTool]:
        return iter(self._tools.values())

    def __len__(self) -> int:
        return len(self._tools)

    def find(self, name: str) -> AnyTool | None:
        """The tool of that name, or None."""
        return self._tools.get(name)
