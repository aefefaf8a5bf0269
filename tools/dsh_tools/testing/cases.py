"""What an author says of a tool's calls, and what the kit says of the tool."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from dsh_tools.contract import AnyTool, SessionTraits
from dsh_tools.policies import Policy

Check: TypeAlias = Literal[
    "schema",
    "case",
    "arguments",
    "outcome",
    "value",
    "render",
    "presentation_meta",
    "present_call",
    "present_result",
    "replay",
]
"""What was looked at. ``case`` is the case itself, where it is the case that is wrong and not the tool."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call of another tool, to have the session see or do something first."""

    tool: AnyTool
    arguments: Mapping[str, Any]


Prepare: TypeAlias = Call | Callable[[Path], object]
"""A call, or a function that is given the workspace's folder and may do there what it likes; it runs in a thread."""


@dataclass(frozen=True, slots=True)
class ToolCase:
    """One call of the tool under test, in a session and a workspace of its own.

    Attributes:
        name: What the case shows, for the findings.
        arguments: The arguments as an agent sends them: JSON.
        files: The workspace's files by path; text is written as UTF-8 with its line ends as they are.
        prepare: What happens before the call, in order, in the same session.
        expect_error: The code that the call must be refused with, or None if it must succeed.
        session: What the session is like.
        policies: What calls may do. A tool that asks the user (``asks``) is refused with DENIED unless one of these
            allows it: there is no user here.
    """

    name: str
    arguments: Mapping[str, Any]
    files: Mapping[str, str | bytes] = field(default_factory=dict)
    prepare: Sequence[Prepare] = ()
    expect_error: str | None = None
    session: SessionTraits = field(default_factory=SessionTraits)
    policies: Sequence[Policy] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is wrong.

    Attributes:
        tool: The tool's name.
        case: The case's name; None for what is wrong in any case.
        check: What was looked at.
        message: What is wrong, as a sentence that begins small and goes on from the name of the check.
    """

    tool: str
    case: str | None
    check: Check
    message: str

    def __str__(self) -> str:
        where = self.tool if self.case is None else f"{self.tool}, case {self.case!r}"
        return f"{where}: {self.check}: {self.message}"
