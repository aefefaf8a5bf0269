"""Refusals: every way a call can fail that its caller is meant to act on.

    Exception
    ├── LedgerBug                   an internal contradiction; please report
    └── LedgerError                 code · message · details · remedy
        ├── FsError                 about one path
        │   ├── FsNotFound          FS_NOT_FOUND
        │   ├── FsNotDirectory      FS_NOT_DIRECTORY
        │   ├── FsNotRegularFile    FS_NOT_REGULAR_FILE
        │   ├── FsNotText           FS_NOT_TEXT
        │   ├── FsTooLarge          FS_TOO_LARGE
        │   ├── FsPermissionDenied  FS_PERMISSION_DENIED
        │   ├── FsSandboxDenied     FS_SANDBOX_DENIED
        │   ├── FsIoError           FS_IO_ERROR
        │   ├── FsStaleVersion      FS_STALE_VERSION
        │   ├── FsNotObserved       FS_NOT_OBSERVED
        │   ├── FsAmbiguousEdit     FS_AMBIGUOUS_EDIT
        │   ├── FsEditNotFound      FS_EDIT_NOT_FOUND
        │   ├── FsApplyRejected     FS_APPLY_REJECTED
        │   ├── FsApplyUnconfirmed  FS_APPLY_UNCONFIRMED
        │   └── FsAborted           FS_ABORTED
        └── CallError               about the call itself
            ├── Aborted             ABORTED
            ├── AbortedBeforeDispatch  ABORTED_BEFORE_DISPATCH
            ├── InvalidArgs         INVALID_ARGS
            ├── InvalidToolOutput   INVALID_TOOL_OUTPUT
            ├── UnknownTool         UNKNOWN_TOOL
            ├── Denied              DENIED
            └── ReviewConflict      REVIEW_CONFLICT

A message names the condition and echoes a path only as it was given. The remedy names the right next action; it is
appended in one place, `model_text`. Details are JSON values and bounded. Deliberately absent: chained causes, operating
system texts and file content.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from dsh_ledger.drift import Drift
from dsh_ledger.json_values import JsonObject, JsonValue
from dsh_ledger.versions import Version

LISTED = 10
"""How many line numbers, candidates or fields an error lists before it says how many more there are."""

QUOTED = 500
"""How many code points an error repeats of a text that somebody else made up: a reason, a name, a complaint."""


class LedgerBug(Exception):
    """An internal contradiction in dsh-lsp, or in a tool. Never the caller's fault, and never one of the codes above.

    It has the same face as a refusal, so that a caller can be told of it: no cause, no traceback, no content.
    """

    code: ClassVar[str] = "LEDGER_BUG"
    remedy: ClassVar[str] = "This is a bug; please report it."

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
        self.details: JsonObject = {}

    def model_text(self) -> str:
        """What a model reads."""
        return f"{self.code}: {self.message.removesuffix('.')}. {self.remedy}"


class LedgerError(Exception):
    """A refusal with a code from the closed set.

    Attributes:
        code: One of the codes in the table above.
        remedy: The right next action, or an empty string where there is none to name.
        message: The condition, in one or two sentences.
        details: Bounded JSON for programs.
    """

    code: ClassVar[str]
    remedy: str = ""

    def __init__(self, message: str, details: Mapping[str, JsonValue] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.details: JsonObject = dict(details or {})

    def __str__(self) -> str:
        return self.message

    def model_text(self) -> str:
        """What a model reads: code, message and next action."""
        said = f"{self.code}: {self.message}"
        if not self.remedy:
            return said
        if not said.endswith((".", "!", "?", "…", "\n")):
            said += "."  # What others give as a reason need not be a sentence.
        return said + ("" if said.endswith("\n") else " ") + self.remedy


class FsError(LedgerError):
    """A refusal about one path.

    Args:
        path: The path as the caller gave it, or as the target shows itself. Never a resolved path.
    """

    def __init__(self, path: str, message: str, details: Mapping[str, JsonValue] | None = None) -> None:
        super().__init__(message, {"path": path, **(details or {})})
        self.path = path


class FsNotFound(FsError):
    """The path, or a read offset in it, does not exist."""

    code = "FS_NOT_FOUND"
    remedy = "Check the path; to create the file, use write."

    def __init__(self, path: str, message: str | None = None, details: Mapping[str, JsonValue] | None = None) -> None:
        super().__init__(path, message or f"{path} does not exist.", details)


class FsNotDirectory(FsError):
    """A part of the path that should be a directory is something else."""

    code = "FS_NOT_DIRECTORY"
    remedy = "Check the path: a file can't hold other files."

    def __init__(self, path: str) -> None:
        super().__init__(path, f"{path} is not a directory, or a parent of it is not.")


class FsNotRegularFile(FsError):
    """A directory, FIFO, socket or device where a regular file is needed."""

    code = "FS_NOT_REGULAR_FILE"
    remedy = "Use a tool made for it, or name a file."

    def __init__(self, path: str, kind: str) -> None:
        super().__init__(path, f"{path} is a {kind}, not a regular file.", {"kind": kind})


class FsNotText(FsError):
    """The content is binary, or does not decode."""

    code = "FS_NOT_TEXT"
    remedy = "Leave it to a tool made for its format, or ask the user."

    def __init__(self, path: str, encoding: str, reason: str) -> None:
        super().__init__(path, f"{path} is not text in {encoding}: {reason}.", {"encoding": encoding, "reason": reason})


class FsTooLarge(FsError):
    """The content is over a stated limit."""

    code = "FS_TOO_LARGE"
    remedy = "Read a window of it with offset and limit."

    def __init__(self, path: str, size: int, limit: int) -> None:
        super().__init__(path, f"{path} has {size} bytes; the limit is {limit} bytes.", {"size": size, "limit": limit})
        self.size = size


class FsPermissionDenied(FsError):
    """A read-only file or directory, or one that belongs to somebody else."""

    code = "FS_PERMISSION_DENIED"
    remedy = "Ask the user before going on."

    def __init__(self, path: str, message: str | None = None, details: Mapping[str, JsonValue] | None = None) -> None:
        super().__init__(path, message or f"Permission denied for {path}.", details)


class FsSandboxDenied(FsError):
    """The path leads outside the workspace, or to a protected place."""

    code = "FS_SANDBOX_DENIED"
    remedy = "Ask the user if you need it."

    def __init__(self, path: str, message: str | None = None) -> None:
        super().__init__(path, message or f"{path} is outside the workspace.")


class FsIoError(FsError):
    """The operating system failed.

    Args:
        path: The path as given.
        reason: An errno name (``ENOSPC``), or a reason of ours (``VERIFY_FAILED``).
        message: The condition, where the reason alone does not say it.
        details: More for programs.
    """

    code = "FS_IO_ERROR"
    remedy = "The file was left as it was, unless details say otherwise; read it before you retry."

    def __init__(
        self, path: str, reason: str, message: str | None = None, details: Mapping[str, JsonValue] | None = None
    ) -> None:
        super().__init__(path, message or f"{path}: {reason}.", {"reason": reason, **(details or {})})
        self.reason = reason


class FsStaleVersion(FsError):
    """The content is no longer the version that the session observed.

    Args:
        path: The target's path as shown.
        observed: The version that the guard expected.
        current: The version that is there, or None when the file is gone.
        current_text: The logical text that is there, when it was read: kept only so that the change can be explained
            to the caller before the error is sent.
    """

    code = "FS_STALE_VERSION"
    remedy = "Read the file again, then retry."

    def __init__(self, path: str, observed: Version, current: Version | None, current_text: str | None = None) -> None:
        what = "was deleted" if current is None else "has changed"
        super().__init__(path, f"{path} {what} since you read it.", {"observed": observed, "current": current})
        self.observed = observed
        self.current = current
        self.current_text = current_text

    def explained(self, drift: Drift) -> "FsStaleVersion":
        """The same error, saying what changed."""
        error = FsStaleVersion(self.path, self.observed, self.current)
        if drift.changes:
            places = ", ".join(str(change) for change in drift.changes[:LISTED])
            more = drift.total - min(len(drift.changes), LISTED)
            error.message += f" Changed lines: {places}{f' and {more} more places' if more > 0 else ''}."
            if drift.hunks:
                error.message += f"\n{drift.hunks}" + ("\n(cut)\n" if drift.truncated else "\n")
        error.details |= {
            "changes": [change.to_json() for change in drift.changes],
            "hunks": drift.hunks,
            "total": drift.total,
            "truncated": drift.truncated,
        }
        return error


class FsNotObserved(FsError):
    """The session never read the target, or a create found a file."""

    code = "FS_NOT_OBSERVED"
    remedy = "Read the file, then retry."

    def __init__(self, path: str, message: str | None = None) -> None:
        super().__init__(path, message or f"{path} was not read in this session.")


class FsAmbiguousEdit(FsError):
    """The text to replace occurs more than once, counting every start offset.

    Args:
        path: The target's path as shown.
        count: Number of start offsets at which it matches.
        lines: The 1-based lines of the first matches.

    Attributes:
        above: What stands above some of the matches, to tell them apart by: 1-based numbers of lines, and the lines.
    """

    code = "FS_AMBIGUOUS_EDIT"
    remedy = "Add surrounding lines to old_string until it is unique, or set replace_all."

    def __init__(self, path: str, count: int, lines: Sequence[int]) -> None:
        listed = list(lines[:LISTED])
        places = ", ".join(map(str, listed)) + (", …" if count > len(listed) else "")
        super().__init__(
            path,
            f"old_string occurs {count} times in {path}, on lines {places}.",
            {"count": count, "lines": list[JsonValue](listed), "truncated": count > len(listed)},
        )
        self.above: tuple[tuple[int, str], ...] = ()

    def model_text(self) -> str:
        """What a model reads; it has the right to see the file."""
        said = super().model_text()
        if not self.above:
            return said
        return "\n".join([f"{said} Above the first of them:", *(f"{line:>6}| {text}" for line, text in self.above)])


class FsEditNotFound(FsError):
    """The text to replace does not occur."""

    code = "FS_EDIT_NOT_FOUND"
    remedy = "Copy old_string exactly from the file; matching is exact, character for character."

    def __init__(self, path: str, message: str | None = None, details: Mapping[str, JsonValue] | None = None) -> None:
        super().__init__(path, message or f"old_string does not occur in {path}.", details)


class FsApplyRejected(FsError):
    """The editor refused the edit. Nothing was written behind its back.

    Args:
        path: The target's path as shown.
        reason: What the editor said, or None when it said nothing.
    """

    code = "FS_APPLY_REJECTED"
    remedy = "Tell the user; the file is open in their editor."

    def __init__(self, path: str, reason: str | None) -> None:
        reason = None if reason is None else _cut(reason)
        said = f"it said: {reason}" if reason else "it gave no reason"
        super().__init__(path, f"The editor refused the edit of {path}; {said}.", {"reason": reason})


class FsApplyUnconfirmed(FsError):
    """The editor said yes, or nothing, and the text never arrived. It may still arrive."""

    code = "FS_APPLY_UNCONFIRMED"
    remedy = "Read the file before going on: the edit may or may not be there."

    def __init__(self, path: str, answered: bool) -> None:
        said = "said that it applied the edit" if answered else "did not answer in time"
        super().__init__(
            path, f"The editor {said}, and the new text of {path} has not been seen.", {"answered": answered}
        )


class FsAborted(FsError):
    """The call was cancelled before it changed anything."""

    code = "FS_ABORTED"
    remedy = "Call again if it is still wanted."

    def __init__(self, path: str) -> None:
        super().__init__(path, f"Cancelled; {path} is unchanged.")


class CallError(LedgerError):
    """A refusal about the call itself."""


class Aborted(CallError):
    """The call ended before it had an outcome: cancelled, out of time, or its server ended."""

    code = "ABORTED"
    remedy = "See what it did, if it could do anything, before you call again."

    def __init__(self, message: str = "The call was cancelled.") -> None:
        super().__init__(message)


class AbortedBeforeDispatch(CallError):
    """The call was cancelled before it began; nothing happened."""

    code = "ABORTED_BEFORE_DISPATCH"
    remedy = "Call again if it is still wanted."

    def __init__(self) -> None:
        super().__init__("The call was cancelled before it began; nothing happened.")


@dataclass(frozen=True, slots=True)
class FieldError:
    """One argument that is wrong: ``path`` is dotted, list items in brackets (``edits[2].old_string``)."""

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


class InvalidArgs(CallError):
    """The arguments don't fit the tool's parameters."""

    code = "INVALID_ARGS"
    remedy = "Correct the arguments, then call again."

    def __init__(self, errors: Sequence[FieldError]) -> None:
        super().__init__(f"{_sentence(errors)}.", {"errors": _listed(errors)})
        self.errors = tuple(errors)

    def about(self, argument: str) -> "InvalidArgs":
        """The same of the one argument that was wrong, by the name that the caller knows it by."""
        return InvalidArgs([FieldError(argument, error.message) for error in self.errors])


class InvalidToolOutput(CallError):
    """A tool returned a value that its own schema refuses. The tool is at fault, not the caller."""

    code = "INVALID_TOOL_OUTPUT"
    remedy = "Report it to the author of the tool; its effects, if any, stand."

    def __init__(self, tool: str, errors: Sequence[FieldError]) -> None:
        super().__init__(
            f"{tool} returned a value that does not fit its schema: {_sentence(errors)}.",
            {"tool": tool, "errors": _listed(errors)},
        )


class UnknownTool(CallError):
    """There is no tool of that name in this session.

    Args:
        name: What was asked for.
        known: What there is.
        why: Why the session does not have it, where it exists at all.
    """

    code = "UNKNOWN_TOOL"
    remedy = "Use one of the tools that there are."

    def __init__(self, name: str, known: Sequence[str], why: str | None = None) -> None:
        name = _cut(name)
        missing = f"There is no tool named {name!r}" if why is None else f"{name} is not available: {why}"
        super().__init__(f"{missing}; there are {', '.join(known)}.", {"name": name, "known": list[JsonValue](known)})


class Denied(CallError):
    """A policy or the user said no."""

    code = "DENIED"
    remedy = "Don't retry without asking the user."


class ReviewConflict(CallError):
    """A hunk can't be taken back as it stands."""

    code = "REVIEW_CONFLICT"
    remedy = "Compare both texts and edit by hand."


def _cut(text: str) -> str:
    return text if len(text) <= QUOTED else f"{text[: QUOTED - 1]}…"


def _sentence(errors: Sequence[FieldError]) -> str:
    more = len(errors) - LISTED
    return "; ".join(_cut(str(error)) for error in errors[:LISTED]) + (f" (and {more} more)" if more > 0 else "")


def _listed(errors: Sequence[FieldError]) -> list[JsonValue]:
    return [{"path": _cut(error.path), "message": _cut(error.message)} for error in errors[:LISTED]]
