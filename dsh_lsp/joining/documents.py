"""An editor's open documents as an editor's process that is not the hub follows them: to open them at the next hub.

Messages that make no sense are passed over, as the hub does. Deliberately absent: files, hunks, and any judgement.
"""

import logging
from collections.abc import Iterator
from typing import Any

from dsh_lsp.text.document import Document
from dsh_lsp.text.positions import PositionEncoding

_log = logging.getLogger(__name__)


class FollowedDocuments:
    """The open documents, the one that was used last being the last.

    Attributes:
        encoding: The position encoding that was agreed on.
    """

    def __init__(self) -> None:
        self.encoding: PositionEncoding = "utf-16"
        self._open: dict[str, Document] = {}
        self._notebooks: dict[str, dict[str, Any]] = {}

    def __len__(self) -> int:
        return len(self._open)

    def follow(self, method: str, params: Any) -> bool:
        """Follow ``didOpen``, ``didChange`` and ``didClose``, of notebooks too; whether it was one of these."""
        try:
            match method:
                case "textDocument/didOpen":
                    self._opened(params["textDocument"])
                case "textDocument/didChange":
                    self._changed(params["textDocument"], params["contentChanges"])
                case "textDocument/didClose":
                    self._open.pop(params["textDocument"]["uri"], None)
                case "notebookDocument/didOpen":
                    self._notebooks[params["notebookDocument"]["uri"]] = params["notebookDocument"]
                case "notebookDocument/didClose":
                    self._notebooks.pop(params["notebookDocument"]["uri"], None)
                case _:
                    return False
        except (KeyError, TypeError, ValueError, AttributeError):
            _log.warning("passed over a malformed %s", method)
        return True

    def opened(self) -> Iterator[dict[str, Any]]:
        """A ``didOpen`` for each document, with its text and version now, and for each notebook, without its cells."""
        for document in self._open.values():
            item = {
                "uri": document.uri,
                "languageId": document.language_id,
                "version": document.version,
                "text": document.text,
            }
            yield {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": item}}
        for notebook in self._notebooks.values():
            params = {"notebookDocument": {**notebook, "cells": []}, "cellTextDocuments": []}
            yield {"jsonrpc": "2.0", "method": "notebookDocument/didOpen", "params": params}

    def _opened(self, item: dict[str, Any]) -> None:
        document = Document(
            item["uri"],
            item["text"],
            language_id=item["languageId"],
            version=item["version"],
            epoch=0,
            encoding=self.encoding,
        )
        self._open.pop(document.uri, None)
        self._open[document.uri] = document

    def _changed(self, named: dict[str, Any], changes: list[dict[str, Any]]) -> None:
        document = self._open.pop(named["uri"], None)
        if document is None:
            return
        self._open[document.uri] = document
        for change in changes:
            place = change.get("range")
            if place is None:
                document.replace_all(change["text"])
            else:
                start, end = place["start"], place["end"]
                at = (start["line"], start["character"], end["line"], end["character"])
                document.apply(*at, change["text"])
        document.version = named["version"]
