"""What a tool is.

``execute`` is the only impure part: it returns the canonical value, a JSON value that fits the tool's output schema.
All the rest are pure projections of arguments, value and recorded result. They run live and on replay and give the
same bytes: no clock, no disk, no network, no environment, no randomness.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from dsh_ledger.errors import LedgerBug, LedgerError
from dsh_ledger.json_values import JsonObject, JsonValue
from dsh_tools.cards import CallCard, ResultCard
from dsh_tools.content import ContentBlock
from dsh_tools.fs.port import FileSystem
from dsh_tools.models import ToolArguments
from dsh_tools.observing import SessionLedger
from dsh_tools.output_schema import OutputSchema
from dsh_tools.snapshots import Snapshots

ArgsT = TypeVar("ArgsT", bound=ToolArguments)


@dataclass(frozen=True, slots=True)
class SessionTraits:
    """What decides which tools a session gets.

    Attributes:
        attachments: The agent can take images.
    """

    attachments: bool = False


@dataclass(frozen=True, slots=True)
class ToolRun:
    """What a tool may use while it executes.

    Attributes:
        session: The session's id.
        call: The call's id, used once in the session.
        fs: Files, as this call sees them.
        ledger: What the session has seen.
        snapshots: Where seen texts are kept, to explain changes later.
        second_try: What does not match exactly is looked for again, with typography taken as equal.
    """

    session: str
    call: str
    fs: FileSystem
    ledger: SessionLedger
    snapshots: Snapshots
    second_try: bool = False


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The outcome of a call.

    Attributes:
        content: What the model reads.
        error: Why it failed, or None.
        meta: What cards are made from; recorded with the result.
        value: The canonical value; sent, never recorded.
    """

    content: Sequence[ContentBlock]
    error: LedgerError | LedgerBug | None = None
    meta: JsonValue = None
    value: JsonValue = None

    @property
    def is_error(self) -> bool:
        """The call failed."""
        return self.error is not None


@dataclass(frozen=True, slots=True)
class Tool(Generic[ArgsT]):
    """A tool.

    Attributes:
        name: What a model calls it by.
        description: What a model is told about it.
        params: The model of its arguments. Its JSON schema is what a model is given.
        output: The schema of its canonical value: a pydantic model, or a JSON schema.
        execute: Does the work and returns the canonical value. Refusals are raised as `LedgerError`.
        render: What the model reads, from arguments and value.
        presentation_meta: What is recorded for the result's card, from arguments and value.
        present_call: The card of the call, from arguments alone.
        present_result: The card of a successful result, from arguments and what was recorded.
        concurrency_safe: It only reads: calls of it may overlap with others of the session.
        timeout: Seconds after which it is cancelled, or None. Time that the user takes to answer does not count.
        asks: The user is asked before each call, unless a policy allows it.
        withheld: Why a session does not get the tool, as a clause without a full stop, or None if it does.
        idempotent: The same call made again changes nothing more.
        open_world: It may reach beyond the workspace, to the web or to other programs; None where nobody has said.
    """

    name: str
    description: str
    params: type[ArgsT]
    output: OutputSchema
    execute: Callable[[ArgsT, ToolRun], Awaitable[JsonObject]]
    render: Callable[[ArgsT, JsonObject], Sequence[ContentBlock]]
    presentation_meta: Callable[[ArgsT, JsonObject], JsonValue] | None = None
    present_call: Callable[[ArgsT], CallCard] | None = None
    present_result: Callable[[ArgsT, ToolResult], ResultCard] | None = None
    concurrency_safe: bool = False
    timeout: float | None = None
    asks: bool = False
    withheld: Callable[[SessionTraits], str | None] | None = None
    idempotent: bool = False
    open_world: bool | None = None

    def why_withheld(self, traits: SessionTraits) -> str | None:
        """Why a session does not get the tool, or None if it does. One that can't say so is withheld."""
        try:
            return None if self.withheld is None else self.withheld(traits)
        except BaseException as error:  # noqa: BLE001 - somebody else's code; the other tools don't depend on it
            return f"whether it is could not be found out ({type(error).__name__})"

    def schema(self) -> JsonObject:
        """What a model is told: an allow-list of name, description and parameters."""
        return {
            "name": self.name,
            "description": self.description,
            "parameters": _without_titles(self.params.model_json_schema()),
        }


AnyTool = Tool[Any]


def _without_titles(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema without the titles that pydantic derives from names: they tell a model nothing."""
    return {
        key: _without_titles(value) if isinstance(value, Mapping) else value
        for key, value in schema.items()
        if key != "title" or isinstance(value, Mapping)
    }
