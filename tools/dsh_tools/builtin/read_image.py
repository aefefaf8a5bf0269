"""read_image: an image file, for a model to look at.

The kind is what the first bytes say, whatever the file is called. A file of another kind is an argument to correct
(INVALID_ARGS): it exists, is regular and readable, and to call it "not text" would say nothing. Only sessions whose
agent takes attachments get the tool. Deliberately absent: scaling and decoding.
"""

import asyncio
from base64 import b64encode
from typing import Final

from dsh_ledger.errors import FieldError, FsNotFound, FsTooLarge, InvalidArgs
from dsh_ledger.json_values import JsonObject, JsonValue
from dsh_ledger.targets import Target
from dsh_ledger.versions import version_of_bytes
from dsh_tools.builtin.arguments import FilePath
from dsh_tools.cards import GenericCall, GenericResult
from dsh_tools.content import ContentBlock, ImageBlock, TextBlock
from dsh_tools.contract import SessionTraits, Tool, ToolResult, ToolRun
from dsh_tools.fs.port import FileStat, Missing
from dsh_tools.images import MimeType, image_size, image_type
from dsh_tools.models import WireModel

LARGEST: Final = 5 * 1024 * 1024
"""Bytes that an image may have: the most that models take."""

_DESCRIPTION = f"""\
Look at an image file: PNG, JPEG, GIF or WebP, of at most {LARGEST // 1024 // 1024} MB. The file on the disk is read."""


class ReadImageValue(WireModel):
    """The canonical value.

    Attributes:
        version: The version of the bytes, which the session has now observed.
        mime_type: What the first bytes say that it is.
        bytes: Size of the file.
        width: In pixels, as stored; null where the header does not tell.
        height: The same.
        data: The file, in base64.
    """

    path: str
    uri: str
    version: str
    mime_type: MimeType
    bytes: int
    width: int | None
    height: int | None
    data: str


class _ImageTooLarge(FsTooLarge):
    """The same refusal; a window of an image is no image, so the next action is another one."""

    remedy = "Use a smaller copy of it."


async def _execute(args: FilePath, run: ToolRun) -> JsonObject:
    target = await args.target(run)
    found = await run.fs.stat(target)
    if isinstance(found, FileStat) and found.kind == "file" and found.size > LARGEST:
        raise _ImageTooLarge(target.path, found.size, LARGEST)
    data = await run.fs.read_bytes(target)
    if isinstance(data, Missing):
        run.ledger.saw_nothing(target)
        raise FsNotFound(target.path)
    if len(data) > LARGEST:
        raise _ImageTooLarge(target.path, len(data), LARGEST)
    value = await asyncio.to_thread(_value, target, data)
    run.ledger.saw(target, version_of_bytes(data))
    return value


def _value(target: Target, data: bytes) -> JsonObject:
    kind = image_type(data)
    if kind is None:
        raise InvalidArgs([FieldError("file_path", f"{target.path} is not a PNG, JPEG, GIF or WebP image")])
    width, height = image_size(data) or (None, None)
    return ReadImageValue(
        path=target.path,
        uri=target.uri,
        version=version_of_bytes(data),
        mime_type=kind,
        bytes=len(data),
        width=width,
        height=height,
        data=b64encode(data).decode("ascii"),
    ).to_wire()


def _summary(value: JsonObject) -> str:
    pixels = f", {value['width']} × {value['height']} pixels" if value["width"] is not None else ""
    return f"{value['mimeType']}, {value['bytes']} bytes{pixels}"


def _render(_args: FilePath, value: JsonObject) -> tuple[ContentBlock, ...]:
    image = ReadImageValue.model_validate(value)
    return (
        TextBlock(text=f"{image.path}: {_summary(value)}."),
        ImageBlock(data=image.data, mime_type=image.mime_type),
    )


def _meta(_args: FilePath, value: JsonObject) -> JsonValue:
    return {key: member for key, member in value.items() if key != "data"}


def _card(_args: FilePath, result: ToolResult) -> GenericResult:
    recorded = result.meta if isinstance(result.meta, dict) else {}
    return GenericResult(title=f"Look at {recorded['path']}", text=_summary(recorded))


def _withheld(traits: SessionTraits) -> str | None:
    return None if traits.attachments else "the agent takes no images"


READ_IMAGE = Tool(
    name="read_image",
    description=_DESCRIPTION,
    params=FilePath,
    output=ReadImageValue,
    execute=_execute,
    render=_render,
    presentation_meta=_meta,
    present_call=lambda args: GenericCall(title=f"Look at {args.file_path}", input=args.model_dump(mode="json")),
    present_result=_card,
    concurrency_safe=True,
    open_world=False,
    withheld=_withheld,
)
