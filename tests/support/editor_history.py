"""What an editor can take back and do again, and what should be pending in the texts that it leads to."""

from dataclasses import dataclass, field

from dsh_ledger.pending import PendingHunk
from tests.support.review_model import Seen


@dataclass(slots=True)
class EditorHistory:
    """The steps of one document since it was opened.

    Attributes:
        undo: The texts to which an undo leads, the next one last.
        redo: The texts to which a redo leads, the next one last.
        pending: What was pending in each text when it was last there.
        involved: Hunks of which somebody has decided on something since.
        gone: Those of them that were gone then.
    """

    undo: list[str] = field(default_factory=list)
    redo: list[str] = field(default_factory=list)
    pending: dict[str, tuple[PendingHunk, ...]] = field(default_factory=dict)
    involved: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)

    def clear(self) -> None:
        """The document was opened, closed, or read again."""
        self.undo.clear()
        self.redo.clear()
        self.pending.clear()
        self.involved.clear()
        self.gone.clear()

    def did(self, before: Seen, after: Seen) -> None:
        """A step that the editor can take back, if it changed the text."""
        if before.text != after.text:
            self.undo.append(before.text)
            self.redo.clear()
        self.note(before)
        self.note(after)

    def note(self, seen: Seen) -> None:
        """What is pending in a text; hunks that were decided on are none of it."""
        self.pending[seen.text] = seen.hunks

    def decided(self, before: Seen, after: Seen) -> None:
        """Somebody has decided on something."""
        left = {hunk.id: (hunk.base, hunk.current) for hunk in after.hunks}
        changed = {hunk.id for hunk in before.hunks if left.get(hunk.id) != (hunk.base, hunk.current)}
        self.involved |= changed
        self.gone |= changed - left.keys()

    def check(self, seen: Seen) -> bool:
        """Whether the text was there before; the same must be pending in it, but for what was decided on since."""
        expected = self.pending.get(seen.text)
        if expected is None:
            return False
        assert not self.gone & {hunk.id for hunk in seen.hunks}
        doubtful = [hunk for hunk in expected if hunk.id in self.involved]
        certain = [hunk for hunk in expected if hunk.id not in self.involved]
        there = {hunk.id: hunk for hunk in seen.hunks}
        assert certain == [there.pop(hunk.id, None) for hunk in certain]
        for hunk in there.values():  # what is left of those that were decided on
            assert any(one.start <= hunk.start and hunk.end <= one.end for one in doubtful)
        return True
