"""What is said on a connection before it is an editor's: ``dsh/editor/attach``, between two processes of ours.

It must be the first message on the agents' endpoint, a request. After its answer the connection is an editor's, with
all of LSP's life from ``initialize`` on. Deliberately absent: the connection.
"""

import hmac
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, TypeGuard

from pydantic import Field, ValidationError
from pygls.exceptions import JsonRpcException, JsonRpcInvalidRequest

from dsh_lsp.rpc.errors import MsgId, error_answer, is_message_id
from dsh_lsp.rpc.validation import InvalidParams, pydantic_errors
from dsh_lsp.wire import PROTOCOL_VERSION
from dsh_tools.fs.uris import file_uri, local_paths
from dsh_tools.models import Items, WireModel

ATTACH: Final = "dsh/editor/attach"
REPLAYED: Final = "dsh/editor/replayed"
"""A notification: the editor has told all that it had told an earlier hub. A new hub lets agents in then."""


class AttachParams(WireModel):
    """Who wants to be an editor here.

    Attributes:
        protocol_version: The version of the protocol that it speaks; another one than the hub's is refused.
        folders: Its workspace folders, as ``file:`` URIs.
        secret: What the lock of the hub's folders holds. It is not in the representation.
        pid: Its process.
    """

    protocol_version: int
    folders: Items[str]
    secret: str = Field(repr=False)
    pid: int

    @property
    def paths(self) -> list[Path]:
        """The folders."""
        return local_paths(self.folders)


class AttachResult(WireModel):
    """It may.

    Attributes:
        home: The folder under which the hub keeps sessions and reviews, as a URI: its successor keeps them there too.
        refused: Those of the folders that other hubs have, as URIs.
    """

    home: str
    refused: Items[str]

    @classmethod
    def of(cls, home: Path, refused: Iterable[Path]) -> "AttachResult":
        """What is said of a hub with this home."""
        return cls(home=file_uri(os.fsencode(home)), refused=_uris(refused))

    @property
    def refused_paths(self) -> list[Path]:
        """The folders that are refused."""
        return local_paths(self.refused)

    @property
    def home_path(self) -> Path | None:
        """The home."""
        return next(iter(local_paths([self.home])), None)


def is_attach(frame: object) -> TypeGuard[dict[str, Any]]:
    """Whether a message asks to be an editor."""
    return isinstance(frame, dict) and frame.get("method") == ATTACH and is_message_id(frame.get("id"))


def attach_request(request_id: MsgId, folders: Iterable[Path], secret: str) -> dict[str, Any]:
    """The message that asks to be an editor with these folders."""
    params = AttachParams(protocol_version=PROTOCOL_VERSION, folders=_uris(folders), secret=secret, pid=os.getpid())
    return {"jsonrpc": "2.0", "id": request_id, "method": ATTACH, "params": params.to_wire()}


def attach_params(frame: dict[str, Any], secret: str) -> AttachParams:
    """What such a message says to a hub whose locks have this secret.

    Raises:
        JsonRpcException: It can't be granted; this is the answer.
    """
    try:
        params = AttachParams.model_validate(frame.get("params"))
    except ValidationError as error:
        raise InvalidParams(pydantic_errors(error)) from error
    if params.protocol_version != PROTOCOL_VERSION:
        raise JsonRpcInvalidRequest(f"this server speaks version {PROTOCOL_VERSION} of the protocol; use one version")
    if not hmac.compare_digest(params.secret.encode("utf-8", "surrogatepass"), secret.encode()):
        raise JsonRpcInvalidRequest("only a server of the same user can attach an editor")
    return params


def refused_attach(frame: dict[str, Any], error: JsonRpcException) -> dict[str, Any]:
    """The answer that it may not."""
    return error_answer(frame["id"], error)


def granted_attach(frame: dict[str, Any], home: Path, refused: Iterable[Path]) -> dict[str, Any]:
    """The answer that it may."""
    return {"jsonrpc": "2.0", "id": frame["id"], "result": AttachResult.of(home, refused).to_wire()}


def attach_result(answer: object) -> AttachResult | None:
    """What such an answer grants; None if it grants nothing."""
    try:
        return AttachResult.model_validate(answer["result"] if isinstance(answer, dict) else None)
    except (KeyError, ValidationError):
        return None


def _uris(folders: Iterable[Path]) -> tuple[str, ...]:
    return tuple(file_uri(os.fsencode(folder.absolute())) for folder in folders)
