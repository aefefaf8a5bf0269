"""Content blocks: what a model reads of a result."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from dsh_tools.models import WireModel


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


def text_content(text: str) -> tuple[ContentBlock, ...]:
    """One text block."""
    return (TextBlock(text=text),)
