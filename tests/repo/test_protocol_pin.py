"""`editor-clients/PROTOCOL.md` is about the protocol as it is: pinned to the modules that hold the shapes by a hash."""

import hashlib
import inspect
import re
from typing import Final

import dsh_tools.cards
import dsh_tools.hunk_models
from dsh_lsp import wire
from dsh_lsp.server import METHODS
from dsh_tools.models import WireModel
from tests.support.repository import ROOT, read

MODULES: Final = (
    "dsh_lsp/wire.py",
    "tools/dsh_tools/cards.py",
    "tools/dsh_tools/content.py",
    "tools/dsh_tools/hunk_models.py",
)
"""What is hashed, one after the other."""

TEXT: Final = read("editor-clients/PROTOCOL.md")

NOT_ON_THE_WIRE: Final = {"oldNoNewline", "newNoNewline"}
"""Members of models that are kept in records and not sent to editors."""


def protocol_hash() -> str:
    """SHA-256 of the modules' bytes."""
    return hashlib.sha256(b"".join((ROOT / name).read_bytes() for name in MODULES)).hexdigest()


def test_the_hash_is_that_of_the_shapes() -> None:
    """Whoever changes a shape reads the text again, corrects it, and puts the new hash there."""
    said = re.search(r"^    hash +([0-9a-f]{64})$", TEXT, re.MULTILINE)

    assert said is not None
    assert protocol_hash() == said[1], "read what has changed, correct PROTOCOL.md, then put this hash there"


def test_the_version_is_the_one_of_the_module() -> None:
    """So does the version's number."""
    assert f"    protocol version  {wire.PROTOCOL_VERSION}\n" in TEXT


def test_every_method_is_described() -> None:
    """Those that the server answers, and those that it sends."""
    sent = set(re.findall(r"dsh/[a-zA-Z/]+", inspect.getsource(wire)))
    described = set(re.findall(r"dsh/[a-zA-Z/]+", TEXT))

    assert set() == (set(METHODS) | sent) - described


def test_every_member_is_named() -> None:
    """Each member of each shape stands in the text."""
    members = {
        field.alias or name
        for module in (wire, dsh_tools.cards, dsh_tools.hunk_models)
        for model in vars(module).values()
        if inspect.isclass(model) and issubclass(model, WireModel) and model.__module__ == module.__name__
        for name, field in model.model_fields.items()
    }
    named = set(re.findall(r"[A-Za-z]+", TEXT))

    assert set() == members - named - NOT_ON_THE_WIRE
