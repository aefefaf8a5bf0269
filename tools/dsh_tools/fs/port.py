r"""The file-system port: what a tool may ask of storage, and what it is told.

Every text here is *logical*: decoded, without a byte order mark, ``\r\n`` as ``\n``. Offsets are code points into it.
A backend turns them into the bytes or the buffer that is really there. Every mutation takes a guard and checks it
inside its own critical section: version, then match, then publish, then verify.

Deliberately absent: hunks, cards, sessions and LSP. The port states storage facts only.
"""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Final, Literal, Protocol, TypeAlias

from dsh_ledger.edits import Change
from dsh_ledger.guards import Guard
from dsh_ledger.targets import Target
from dsh_ledger.versions import Version

Via: TypeAlias = Literal["buffer", "disk"]
"""Where a text was read, or where an edit went."""

EditPlan: TypeAlias = Callable[[str], Change]
"""Given the current logical text, what to change. Pure; called inside the critical section, after the guard.

It raises FsEditNotFound or FsAmbiguousEdit when the text does not hold what the edit is about.
"""


NOT_ON_DISK: Final = "There is no file on disk: the text is in the editor's buffer alone, and was not saved."
"""The note of an outcome in a buffer whose file was deleted, or never made."""


@dataclass(frozen=True, slots=True)
class FileStat:
    """Facts about a path that exists.

    Attributes:
        kind: ``file``, ``directory``, ``link``, or what else it is in words (``FIFO``, ``socket``, ``device``).
        size: Bytes on the disk.
        writable: Whether the owner-write bit is set and the process may write.
    """

    kind: str
    size: int
    writable: bool


@dataclass(frozen=True, slots=True)
class DirEntry:
    """One name in a directory; ``name`` is percent-escaped where it is not UTF-8."""

    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class TextRead:
    """A whole text as it is now.

    Attributes:
        text: The logical text.
        version: Its version.
        via: Read from the editor's buffer, or from the disk.
        dirty: The buffer holds typing that the disk does not have.
        encoding: How the bytes are encoded, as a codec name (``utf-8``).
        notes: What else a reader should know, as sentences.
    """

    text: str
    version: Version
    via: Via
    dirty: bool = False
    encoding: str = "utf-8"
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Missing:
    """There is nothing at the target. A value, not an error: it is an observation."""


@dataclass(frozen=True, slots=True)
class WriteOutcome:
    """A mutation that was published and verified.

    Attributes:
        before: The logical text that was replaced, or None when the file was created.
        after: The logical text that is there now. After a save through the editor this is the text after the save,
            formatter included.
        before_version: Version of ``before``, or None.
        version: Version of ``after``.
        via: Into the editor's buffer, or on the disk.
        saved: The disk has ``after`` too.
        notes: What else the caller should be told, as sentences (written in place, disk still has the old text, …).
        created_directories: Directories made on the way, outermost first, as shown paths.
        rebased_from: The observed text that the edit was planned for, where ``before`` is another one by now.
    """

    before: str | None
    after: str
    before_version: Version | None
    version: Version
    via: Via
    saved: bool
    notes: tuple[str, ...] = ()
    created_directories: tuple[str, ...] = ()
    rebased_from: str | None = None


@dataclass(frozen=True, slots=True)
class OpenText:
    """What an editor has open.

    Attributes:
        target: Which file; there may be none of it on the disk.
        text: The logical text of the buffer.
        version: Its version.
        dirty: The buffer holds something that the disk does not have.
        agent_edited: An agent's edit is in it that the user has not decided on.
    """

    target: Target
    text: str
    version: Version
    dirty: bool
    agent_edited: bool


class FileSystem(Protocol):
    """The port. Errors are those of `dsh_ledger.errors`; anything else that comes out is a bug."""

    async def resolve(self, path: str) -> Target:
        """The target that a path names.

        Args:
            path: Relative to the workspace, absolute, or a ``file:`` URI. Nothing is expanded.

        Raises:
            InvalidArgs: Empty, with a NUL, with a leading ``~`` or ``$NAME`` that does not exist literally, or a URI
                of another scheme that no open buffer has.
            FsSandboxDenied: It leads outside the workspace, after links are followed.
            FsNotDirectory: A parent of it is a file.
        """
        ...

    async def stat(self, target: Target) -> FileStat | Missing:
        """What is there on the disk."""
        ...

    async def read_text(self, target: Target) -> TextRead | Missing:
        """The whole text, from the buffer if the editor has it open, else from the disk.

        Raises:
            FsNotRegularFile, FsNotText, FsTooLarge, FsPermissionDenied, FsIoError: As their names say.
        """
        ...

    def stream_text(self, target: Target) -> AsyncIterator[str]:
        """The text in pieces, for what is too large for `read_text`.

        Raises:
            FsNotFound: There is nothing there; at the first step, as the other errors of `read_text` are.
            FsNotText: At the step that meets bytes that don't decode.
        """
        ...

    async def read_bytes(self, target: Target) -> bytes | Missing:
        """The bytes on the disk as they are."""
        ...

    async def list_dir(self, target: Target) -> tuple[DirEntry, ...]:
        """The names in a directory, sorted.

        Raises:
            FsNotFound, FsNotDirectory, FsPermissionDenied: As their names say.
        """
        ...

    async def open_texts(self) -> tuple[OpenText, ...]:
        """What editors have open of the workspace's files, in the order of opening; nothing on a plain disk."""
        ...

    async def write_text(self, target: Target, text: str, guard: Guard) -> WriteOutcome:
        """Make the target hold exactly this logical text; creates it, and its parents, where there is nothing.

        An existing file keeps its line ends, byte order mark, encoding and mode. A cancellation that comes before the
        critical section passes on and nothing is changed; one that comes later waits for the outcome, which is
        returned, since it has to be recorded.

        Raises:
            FsNotObserved: The guard is `MustBeAbsent` and something is there.
            FsStaleVersion: The guard asks for a version and something else, or nothing, is there.
            FsError: Others, with nothing changed unless the error says so.
        """
        ...

    async def edit_text(self, target: Target, plan: EditPlan, guard: Guard, *, dry_run: bool = False) -> WriteOutcome:
        """Change parts of the target; whatever the plan does not touch stays byte for byte.

        With ``dry_run`` nothing is published: the outcome is what it would have been, not ``saved``, and refusals are
        those that come before publishing.

        A plan whose change leaves the text as it is publishes nothing and is a success. The plan may be called in
        another thread, and again if the content turns out to have changed. Cancellation is as for `write_text`.

        Raises:
            FsNotFound: There is nothing there and the guard does not ask for a version.
            FsStaleVersion: As for `write_text`, before the plan is asked; and where what has changed and the plan's
                change overlap.
            FsEditNotFound, FsAmbiguousEdit: From the plan.
            FsError: Others, with nothing changed unless the error says so.
        """
        ...
