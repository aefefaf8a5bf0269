"""The shapes on the wire: names, what may be left out, and what is refused."""

import pytest
from pydantic import ValidationError

from dsh_lsp import wire
from dsh_tools import cards, hunk_models
from dsh_tools.models import WireModel

SHAPES = [
    shape
    for module in (wire, cards, hunk_models)
    for shape in vars(module).values()
    if isinstance(shape, type) and issubclass(shape, WireModel) and shape is not WireModel
]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_every_member_has_a_camel_case_name(shape: type[WireModel]) -> None:
    """No underscore is ever sent."""
    names = [field.serialization_alias or name for name, field in shape.model_fields.items()]

    assert [name for name in names if "_" in name or name[:1].isupper()] == []


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_an_unknown_member_is_refused(shape: type[WireModel]) -> None:
    """But for what an editor declares of itself, where a newer client must not be a stranger."""
    given = {"noSuchMember": 1}

    if shape is wire.DshCapabilities:
        assert shape.model_validate(given) == wire.DshCapabilities()
        return
    with pytest.raises(ValidationError, match="noSuchMember"):
        shape.model_validate(given)


def test_an_optional_member_is_left_out_and_a_nullable_one_is_null() -> None:
    """`name?` is absent when there is nothing to say; `X | null` is always there."""
    result = wire.ToolRunResult(call_id="c", is_error=False, content=())
    diff = hunk_models.FileDiff(path="p", old_text=None, new_text="n")

    assert result.to_wire() == {"callId": "c", "isError": False, "content": []}
    assert diff.to_wire() == {"path": "p", "oldText": None, "newText": "n", "hunks": []}


def test_drift_says_from_and_to() -> None:
    """`from` is a word of the language's, and a member of the note's."""
    note = wire.DriftNote.model_validate({"sessionId": "s", "uri": "u", "from": "1", "ranges": []})

    assert note.to_wire() == {"sessionId": "s", "uri": "u", "from": "1", "ranges": []}


def test_the_cards_are_told_apart_by_their_kind() -> None:
    """Three kinds of call, six kinds of result."""

    def kinds(*shapes: type[WireModel]) -> set[str]:
        return {shape.model_fields["card"].default for shape in shapes}

    assert kinds(cards.GenericCall, cards.TerminalCall, cards.DiffCall) == {"generic", "terminal", "diff"}
    assert kinds(
        cards.GenericResult,
        cards.TerminalResult,
        cards.DiffResult,
        cards.ReadResult,
        cards.SearchResult,
        cards.WebResult,
    ) == {"generic", "terminal", "diff", "read", "search", "web"}
