"""Cards of calls and results: made by the tools' presenters, live and on replay; generic wherever one can't be had.

Pure: the same arguments and the same recorded result give the same card.
"""

import logging
from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from dsh_tools.cards import CallCard, GenericCall, GenericResult, ResultCard
from dsh_tools.content import content_text
from dsh_tools.contract import AnyTool, ToolResult

_log = logging.getLogger(__name__)

CALL_CARD: TypeAdapter[CallCard] = TypeAdapter(CallCard, config={"defer_build": True})
RESULT_CARD: TypeAdapter[ResultCard] = TypeAdapter(ResultCard, config={"defer_build": True})

_CardT = TypeVar("_CardT")


def call_card(tool: AnyTool | None, name: str, arguments: Mapping[str, Any]) -> CallCard:
    """The card of a call that is about to run; generic where the tool has none or its presenter fails."""
    if tool is not None and tool.present_call is not None:
        try:
            return _checked(CALL_CARD, tool.present_call(tool.params.model_validate(arguments)))
        except ValidationError:
            pass
        except BaseException as error:  # noqa: BLE001 - not even one that calls sys.exit() may fail the call
            _log.warning("presenter of %s failed with %s", name, type(error).__name__)
    return GenericCall(title=name, input=dict(arguments))


def result_card(tool: AnyTool | None, name: str, arguments: Mapping[str, Any], result: ToolResult) -> ResultCard:
    """The card of a result; generic for an error, and where the tool has none or its presenter fails."""
    if result.error is not None:
        return GenericResult(title=name, text=content_text(result.content), code=result.error.code)
    if tool is not None and tool.present_result is not None:
        try:
            return _checked(RESULT_CARD, tool.present_result(tool.params.model_validate(arguments), result))
        except BaseException as error:  # noqa: BLE001 - not even one that calls sys.exit() may hide the result
            _log.warning("presenter of %s failed with %s", name, type(error).__name__)
    return GenericResult(title=name, text=content_text(result.content))


def _checked(adapter: TypeAdapter[_CardT], card: object) -> _CardT:
    """The card, once it is sure that it is one that every client knows."""
    return adapter.validate_python(card)
