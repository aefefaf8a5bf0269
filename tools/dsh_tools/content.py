"""Content blocks: what a model reads of a result."""

from collections.abc import Sequence
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from dsh_tools.models import Items, WireModel


class TextBlock(WireModel):
    """Text for a model."""

    type: Literal["text"] = "text"
    text: str


class ImageBlock(WireModel):
    """An image for a model; ``data`` is base64."""

    type: Literal["image"] = "image"
    data: str
    mime_type: str


ContentBlock: TypeAlias = Annotated[TextBlock | ImageBlock, Field(discriminator="type")]

CONTENT: TypeAdapter[tuple[ContentBlock, ...]] = TypeAdapter(Items[ContentBlock], config={"defer_build": True})
"""Checks that something is a sequence of blocks."""


def text_content(text: str) -> tuple[ContentBlock, ...]:
    """One text block."""
    return (TextBlock(text=text),)


def content_text(content: Sequence[ContentBlock]) -> str:
    """The text of all text blocks, one below the other."""
    return "\n".join(block.text for block in content if block.type == "text")
