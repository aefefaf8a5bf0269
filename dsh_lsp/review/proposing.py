"""Files for a session that shows its edits to the user before they are made (``review: "before"``).

An edit of a document goes to the editor as a proposal where the editor can show one (LSP 3.16, ``ChangeAnnotation``
with ``needsConfirmation``). Any other is asked about with its diff. What was shown is what is made: the version that it
was computed for is pinned, and if the text changes while the user thinks, the edit is stale.
"""

from collections.abc import AsyncIterator, Awaitable, Callable

from dsh_ledger.errors import Denied
from dsh_ledger.guards import Guard, MustBeVersion
from dsh_ledger.targets import Target
from dsh_lsp.buffers.workspace_files import CallFiles
from dsh_tools.diff import compare, unified
from dsh_tools.fs.port import DirEntry, EditPlan, FileStat, Missing, OpenText, TextRead, WriteOutcome

_SHOWN_LINES = 60
_SHOWN_CHARACTERS = 4_000

Ask = Callable[[str, str], Awaitable[str | None]]
"""Asks the user about a change: its file as shown, and its diff. None is a yes, else why it counts as a no."""


class ProposedFiles:
    """The port, with the user between a tool and its edits.

    Args:
        files: The files of the call.
        ask: Asks the user.
    """

    def __init__(self, files: CallFiles, ask: Ask) -> None:
        self._files = files
        self._ask = ask

    async def resolve(self, path: str) -> Target:
        """See the port."""
        return await self._files.resolve(path)

    async def stat(self, target: Target) -> FileStat | Missing:
        """See the port."""
        return await self._files.stat(target)

    async def read_text(self, target: Target) -> TextRead | Missing:
        """See the port."""
        return await self._files.read_text(target)

    def stream_text(self, target: Target) -> AsyncIterator[str]:
        """See the port."""
        return self._files.stream_text(target)

    async def read_bytes(self, target: Target) -> bytes | Missing:
        """See the port."""
        return await self._files.read_bytes(target)

    async def list_dir(self, target: Target) -> tuple[DirEntry, ...]:
        """See the port."""
        return await self._files.list_dir(target)

    async def open_texts(self) -> tuple[OpenText, ...]:
        """See the port."""
        return await self._files.open_texts()

    async def write_text(self, target: Target, text: str, guard: Guard) -> WriteOutcome:
        """See the port. The user is shown what the whole text changes.

        Raises:
            Denied: The user said no, or did not answer.
        """
        proposal = await self._files.as_proposal(target)
        if proposal is not None:
            return await proposal.write_text(target, text, guard)
        found = await self._files.read_text(target)
        if isinstance(found, Missing):
            await self._confirm(target, "", text)
            return await self._files.write_text(target, text, guard)
        if isinstance(guard, MustBeVersion) and guard.version == found.version:
            await self._confirm(target, found.text, text)
        return await self._files.write_text(target, text, guard)

    async def edit_text(self, target: Target, plan: EditPlan, guard: Guard, *, dry_run: bool = False) -> WriteOutcome:
        """See the port.

        Raises:
            Denied: The user said no, or did not answer.
        """
        if dry_run:
            return await self._files.edit_text(target, plan, guard, dry_run=True)
        proposal = await self._files.as_proposal(target)
        if proposal is not None:
            return await proposal.edit_text(target, plan, guard)
        would = await self._files.edit_text(target, plan, guard, dry_run=True)
        if would.before == would.after or would.before is None or would.before_version is None:
            return await self._files.edit_text(target, plan, guard)
        await self._confirm(target, would.before, would.after)
        return await self._files.edit_text(target, plan, MustBeVersion(would.before_version))

    async def _confirm(self, target: Target, before: str, after: str) -> None:
        shown, cut = unified(compare(before, after).hunks, _SHOWN_LINES, _SHOWN_CHARACTERS)
        refusal = await self._ask(target.path, shown + ("(The rest of the change is not shown.)" if cut else ""))
        if refusal is not None:
            raise Denied(f"The change of {target.path} was not made: {refusal}.")
