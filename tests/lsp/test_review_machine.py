"""A review through everything that can happen to it, against two lists of lines.

Agents and a user work on one file, open or not; it is opened, saved, closed and changed by others; the server is
restarted and killed; hunks are kept and undone, as wholes and in part. Most lines are written only once and by one
author, so that it can be told whose line is where; some come again and again, as blank lines and brackets do.
"""

import itertools
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from dsh_ledger.edits import Change, Edit
from dsh_ledger.errors import FsError
from dsh_ledger.guards import MustBeAbsent, Unconditional
from dsh_ledger.pending import PendingHunk, PendingHunks
from dsh_lsp.buffers.open_document import Author
from dsh_lsp.journals.state_dir import reviews_dir
from dsh_lsp.review.selection import Selection
from tests.support.editor_history import EditorHistory
from tests.support.naive_text import Span, replaced
from tests.support.review_model import Place, Seen, check_agent, check_decided, check_user, difference, spans
from tests.support.review_room import Room

COMMON = ["", "}", "x", "\U0001f600 e\u0301"]
"""Lines that come again."""

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
"""What Hypothesis would complain of: a step is many messages."""

_workspaces = itertools.count(1)


class ReviewMachine(RuleBasedStateMachine):
    """One file, and all who work on it."""

    steps = 0

    def __init__(self) -> None:
        super().__init__()
        self.room: Room
        self.seen = Seen(("",), ())
        self.numbers = itertools.count(1)
        self.users: set[str] = set()  # lines of the user that no hunk was at, and that nobody has taken away
        self.agents: set[str] = set()  # lines of agents that nobody has kept
        self.dead: set[str] = set()  # ids of hunks that are gone
        self.written_unsaved = False  # what was written down last is of a buffer that the disk has not got
        self.history = EditorHistory()
        self.refused = False  # the last decision was a conflict
        self.lines_of: dict[str, list[tuple[set[tuple[str, str]], set[str]]]] = {}  # calls and lines of each hunk ever

    @initialize(
        text=st.lists(st.sampled_from([*COMMON, "p", "q", "r"]), max_size=14),
        encoding=st.sampled_from(["utf-8", "utf-16", "utf-32"]),
        opened=st.booleans(),
    )
    def begin(self, text: list[str], encoding: str, opened: bool) -> None:
        """A file without hunks."""
        self.encoding = encoding
        self.workspace = Path(f"/nowhere/{next(_workspaces)}")
        self.room = Room(self.workspace, encoding)  # type: ignore[arg-type]
        written = "\n".join(f"{line}{n}" if line in "pqr" and line else line for n, line in enumerate(text))
        self.room.disk.texts[self.room.target] = written
        if opened:
            self.room.run(self.room.open(written))
        self.look()

    def teardown(self) -> None:
        """Nothing is left behind."""
        if hasattr(self, "room"):
            self.room.end()
            shutil.rmtree(reviews_dir(self.workspace))

    # What there is

    @property
    def exists(self) -> bool:
        """There is a file or a buffer."""
        return hasattr(self, "room") and (self.opened or self.room.target in self.room.disk.texts)

    @property
    def opened(self) -> bool:
        """The editor has it open."""
        return self.room.buffer is not None

    @property
    def text(self) -> str:
        """The text that people would say the file has."""
        room = self.room
        return room.disk.texts.get(room.target, "") if room.buffer is None else room.buffer

    @property
    def outdated(self) -> bool:
        """The buffer has nothing unsaved, and the disk has another text: it is to be read again before any edit."""
        document = self.room.documents.at(self.room.target)
        return document is not None and not document.dirty and self.text != self.room.disk.texts[self.room.target]

    def look(self) -> Seen:
        """What is claimed now."""
        found = self.room.run(self.room.reviews.of(self.room.target))
        assert found is None or found.text == self.text
        self.seen = Seen(tuple(self.text.split("\n")), () if found is None else found.hunks.hunks)
        for hunk in self.seen.hunks:
            self.lines_of.setdefault(hunk.id, []).append(({*hunk.calls}, {*hunk.current}))
        return self.seen

    def after(self, before: Seen) -> Seen:
        """What is claimed after a step; no hunk comes back that was gone, but with a text that it was in."""
        seen = self.look()
        alive = {hunk.id for hunk in seen.hunks}
        if seen.text in self.history.pending:
            self.dead -= alive
        assert not alive & (self.dead | self.history.gone)
        self.dead |= {hunk.id for hunk in before.hunks} - alive
        return seen

    def forget_lost(self) -> None:
        """Lines that are not in the text any more, or may have become part of a hunk, are nobody's to look for."""
        self.users &= {*self.seen.current} & {*self.seen.base}

    def write_down(self) -> None:
        """The server writes down what is pending, as it does after every call and every decision."""
        self.room.run(self.room.pending.save())
        self.written_unsaved = self.opened and self.text != self.room.disk.texts.get(self.room.target)

    # Drawing

    def draw_lines(self, data: st.DataObject, mark: str, least: int = 0) -> tuple[str, ...]:
        """Some new lines, most of them never written before."""
        kinds = data.draw(st.lists(st.sampled_from([mark, mark, mark, *COMMON]), min_size=least, max_size=3), "lines")
        return tuple(f"{mark}{next(self.numbers)}" if kind == mark else kind for kind in kinds)

    def draw_places(self, data: st.DataObject, mark: str) -> list[Place]:
        """One to three places of the text, and what is to stand there."""
        lines = self.text.split("\n")
        places: list[Place] = []
        at = 0
        for _ in range(data.draw(st.sampled_from([1, 1, 1, 2, 3]), "places")):
            if at > len(lines):
                break
            start = data.draw(st.integers(at, len(lines)), "start")
            end = data.draw(st.integers(start, min(len(lines), start + 3)), "end")
            new = self.draw_lines(data, mark, int(start == end))
            while start < end and new and lines[start] == new[0]:
                start, new = start + 1, new[1:]
            while start < end and new and lines[end - 1] == new[-1]:
                end, new = end - 1, new[:-1]
            if start < end or new:
                places.append(Place(start, end, new))
            at = end + 1
        return places

    # Agents

    @precondition(lambda self: self.exists)
    @rule(data=st.data(), session=st.sampled_from(["s1", "s2"]), typed=st.booleans())
    def agent_edits(self, data: st.DataObject, session: str, typed: bool) -> None:
        """The base stays; in an open document the user may type elsewhere while the edit is on its way."""
        before = self.look()
        places = self.draw_places(data, "a")
        text = self.text
        change = Change.of(*(Edit(s.start, s.end, s.new) for s in spans(text, places, trimmed=False)))
        if typed and self.opened and places:
            self.room.typed = self.draw_typing(data, places)
        expected = change.apply(text)
        author = Author(session, f"c{next(self.numbers)}")
        self.agents |= {line for place in places for line in place.new if line[:1] == "a"}
        racing = list(self.room.typed)
        try:
            self.room.run(self.room.files.edit_text(self.room.target, lambda _: change, Unconditional(), author))
        except FsError:
            # Nobody saw it arrive, or the editor has an old text: whatever has come is the user's.
            self.user_did(before, None, exactly=False)
            self.agents -= set(self.seen.current)
            self.room.typed = []
            return
        self.write_down()
        after = self.after(before)
        if not racing or self.text == expected:
            assert expected == self.text
            check_agent(before, after, places, (author.session, author.call))
        else:
            self.users |= {span.new.strip("\n") for span in racing if not self.room.typed}
        self.remember(before)
        self.room.typed = []
        self.forget_lost_by_agent()

    def draw_typing(self, data: st.DataObject, places: Sequence[Place]) -> list[Span]:
        """A line typed above or below all that the agent changes, well away from it and from every hunk."""
        line = data.draw(st.sampled_from([0, len(self.seen.current)]), "typed at")
        around = [(place.start, place.end) for place in places] + [(hunk.start, hunk.end) for hunk in self.seen.hunks]
        if any(start - 3 <= line <= end + 3 for start, end in around):
            return []
        return spans(self.text, [Place(line, line, (f"u{next(self.numbers)}",))], trimmed=False)

    @precondition(lambda self: hasattr(self, "room") and not self.exists)
    @rule(data=st.data())
    def agent_creates(self, data: st.DataObject) -> None:
        """A file that is not there has no base."""
        lines = self.draw_lines(data, "a", 1)
        self.agents |= {line for line in lines if line[:1] == "a"}
        self.users.clear()
        written = "\n".join(lines)
        self.room.run(self.room.files.write_text(self.room.target, written, MustBeAbsent(), Author("s1", "c0")))
        self.write_down()
        assert [""] == self.after(Seen(("",), ())).base
        self.history.clear()

    def forget_lost_by_agent(self) -> None:
        """What an agent took away is not there; what it did not touch is in both texts."""
        self.users &= set(self.seen.current)

    # The user

    def remember(self, before: Seen) -> None:
        """A step that the editor can take back."""
        if self.opened:
            self.history.did(before, self.seen)

    def user_did(self, before: Seen, places: list[Place] | None, *, exactly: bool) -> None:
        """The user has changed the text, in these places or nobody knows where."""
        after = self.after(before)
        outside = [] if places is None else check_user(before, after, places, exactly=exactly)
        new = {line for place in outside for line in place.new if line[:1] == "u"}
        self.users |= new
        if places is None or len(outside) < len(places):
            self.forget_lost()
        else:
            self.users &= set(self.seen.current)
        moved = self.agents & (set(after.base) - set(before.base))
        if exactly or (places is not None and len(places) <= 1):
            # Nothing that only an agent has written gets into the base by what the user does.
            assert not moved
        # Where a diff has to tell, between lines that are all alike, it may be that the user has moved one.
        self.agents -= moved

    @precondition(lambda self: self.exists and self.opened)
    @rule(data=st.data(), trimmed=st.booleans(), whole=st.booleans())
    def user_types(self, data: st.DataObject, trimmed: bool, whole: bool) -> None:
        """In one place or in several; told as it is or as the whole text; also exactly what was there."""
        self.user_replaces(self.draw_places(data, "u"), trimmed=trimmed, whole=whole)

    def user_replaces(self, places: list[Place], *, trimmed: bool, whole: bool) -> None:
        """A step that the editor can take back. If it leads to a text that was there, the same is pending in it."""
        before = self.seen
        self.room.replace(spans(self.text, places, trimmed=trimmed), whole=whole)
        if not self.was_there(before):
            self.user_did(before, places, exactly=not whole)
        self.remember(before)

    def was_there(self, before: Seen) -> bool:
        """Whether the text is one that was there since the document was opened; the same is pending in it then."""
        after = self.after(before)
        if not self.history.check(after):
            return False
        self.forget_lost()
        return True

    @precondition(lambda self: self.exists and self.opened and self.history.undo)
    @rule(whole=st.booleans())
    def editor_undoes(self, whole: bool) -> None:
        """Of anybody's step: what was pending before it is pending again."""
        self.history.redo.append(self.text)
        self.go_back(self.history.undo.pop(), whole=whole)

    @precondition(lambda self: self.exists and self.opened and self.history.redo)
    @rule(whole=st.booleans())
    def editor_redoes(self, whole: bool) -> None:
        """Of anybody's step: what was pending after it is pending again, an agent's lines too."""
        self.history.undo.append(self.text)
        self.go_back(self.history.redo.pop(), whole=whole)

    def go_back(self, text: str, *, whole: bool) -> None:
        """The editor's undo or redo leads to a text that was there."""
        before = self.seen
        self.history.note(before)
        self.room.replace(spans(self.text, difference(before.current, text.split("\n")), trimmed=False), whole=whole)
        assert text == self.text
        assert self.was_there(before)
        self.history.note(self.seen)

    # Opening, closing, and others

    @precondition(lambda self: self.exists and self.opened)
    @rule()
    def saves(self) -> None:
        """A save decides nothing."""
        before = self.seen
        self.room.run(self.room.save())
        assert before == self.after(before)

    @precondition(lambda self: self.exists and self.opened)
    @rule(save=st.booleans())
    def closes(self, save: bool) -> None:
        """Closing decides nothing; what was not saved is gone."""
        before = self.seen
        if save:
            self.room.run(self.room.save())
        document = self.room.documents.at(self.room.target)
        if document is not None and document.on_disk is None:
            # A server that never saw buffer and disk agree can't know what of the disk's text was an agent's.
            self.agents -= set(self.room.disk.texts.get(self.room.target, "").split("\n"))
        self.room.run(self.room.close())
        self.history.clear()
        if not self.exists:
            self.seen = Seen(("",), ())
        elif self.text == before.text:
            assert before == self.after(before)
        else:
            # A hunk that was taken away in the buffer alone is in the file, and is the same one.
            self.dead -= {hunk.id for hunk in self.look().hunks}
            self.user_did(before, None, exactly=False)

    @precondition(lambda self: self.exists and not self.opened)
    @rule()
    def opens(self) -> None:
        """What is pending in the file is pending in the document."""
        before = self.look()
        self.room.run(self.room.open(self.text))
        self.history.clear()
        assert before == self.after(before)

    @precondition(lambda self: self.exists)
    @rule(data=st.data(), times=st.integers(1, 2))
    def others_change_the_file(self, data: st.DataObject, times: int) -> None:
        """What happens to a file counts as the user's; a clean document is read again, any other stays as it is."""
        before, room = self.seen, self.room
        if not self.opened:
            places: list[Place] = []
            for _ in range(times):
                places = self.draw_places(data, "u")
                room.disk.texts[room.target] = replaced(self.text, spans(self.text, places, trimmed=False))
            self.user_did(before, places if times == 1 else None, exactly=False)
        elif room.disk.texts.get(room.target) != room.buffer:
            room.disk.texts[room.target] = "others\n"
            assert before == self.look()
        else:
            places = self.draw_places(data, "u")
            room.disk.texts[room.target] = replaced(self.text, spans(self.text, places, trimmed=False))
            self.user_replaces(places, trimmed=False, whole=True)

    @precondition(lambda self: self.exists)
    @rule(killed=st.booleans())
    def restart(self, killed: bool) -> None:
        """Another server has the same, in order; after a kill, what was typed since the last save is the user's."""
        before = self.seen
        self.room.run(self.room.restart(killed=killed))
        self.history.clear()
        if killed:
            self.dead -= {hunk.id for hunk in self.look().hunks}
            if self.written_unsaved and not self.opened:
                # The next server can't know what of the disk's text was an agent's.
                self.agents -= set(self.seen.current)
            self.user_did(before, None, exactly=False)
            assert not self.agents & set(self.seen.base)
        else:
            assert before == self.after(before)

    # Deciding

    @precondition(lambda self: self.exists and self.seen.hunks)
    @rule(data=st.data(), keep=st.booleans())
    def somebody_decides(self, data: st.DataObject, keep: bool) -> None:
        """On one hunk, on one agent's, or on all."""
        before = self.look()
        if not before.hunks:
            return
        selection = data.draw(
            st.one_of(
                st.sampled_from(before.hunks).map(lambda hunk: Selection(ids=frozenset([hunk.id]))),
                st.sampled_from([Selection(), Selection(session="s1"), Selection(session="s2")]),
            ),
            "which",
        )
        gone = [
            hunk
            for hunk in before.hunks
            if (selection.ids is None or hunk.id in selection.ids)
            and (selection.session is None or selection.session in [session for session, _ in hunk.calls])
        ]
        decided = self.decide(before, selection, keep=keep)
        assert [hunk.id for hunk in gone] == [hunk.id for hunk in decided]
        if self.exists and decided and not self.refused:
            check_decided(before, self.seen, gone, keep=keep)

    def decide(self, before: Seen, selection: Selection, *, keep: bool) -> list[PendingHunk]:
        """Decide; on which hunks. One of the texts stays as it was, whatever is decided on."""
        created = self.room.pending.is_created(self.room.target)
        deciding = self.room.deciding
        decided = self.room.run((deciding.keep if keep else deciding.undo)(self.room.target, selection))
        hunks = [each.hunk for each in decided]
        self.write_down()
        self.refused = any(each.conflict for each in decided)
        if self.refused:
            assert not keep
            assert created or self.outdated
            assert before == self.after(before)
        elif not self.exists:
            assert created
            assert len(before.hunks) == len(hunks)
            assert not any(hunk.user_modified for hunk in hunks)
            self.seen = Seen(("",), ())
            self.users.clear()
        else:
            self.history.decided(before, self.look())
            after = self.after(before)
            assert before.current == after.current if keep else before.base == after.base
            self.agents_decided(before)
            self.remember(before)
        return hunks

    def agents_decided(self, before: Seen) -> None:
        """Lines that were accepted, or taken back, or belonged to what was decided on, are no agent's any more."""
        self.agents -= {*self.seen.base} | ({*before.current} - {*self.seen.current})
        left = {hunk.id for hunk in self.seen.hunks}
        for hunk in before.hunks:
            if hunk.id not in left:
                for calls, lines in self.lines_of[hunk.id]:
                    self.agents -= lines if calls <= {*hunk.calls} else set()

    @precondition(lambda self: self.exists and self.seen.hunks)
    @rule(data=st.data(), keep=st.booleans())
    def somebody_decides_in_part(self, data: st.DataObject, keep: bool) -> None:
        """On some lines: hunks elsewhere stay as they were."""
        before = self.look()
        if not before.hunks:
            return
        start = data.draw(st.integers(0, len(before.current)), "first line")
        end = data.draw(st.integers(start + 1, len(before.current) + 1), "last line")
        chosen = {hunk.id for hunk in self.decide(before, Selection(lines=(start, end)), keep=keep)}
        if self.exists:
            kept = {hunk.id: (hunk.base, hunk.current) for hunk in self.seen.hunks}
            assert all(kept[hunk.id] == (hunk.base, hunk.current) for hunk in before.hunks if hunk.id not in chosen)

    # What always holds

    @invariant()
    def the_claims_hold(self) -> None:
        """In the text, in order, disjoint, painted as they are; keeping all or undoing all is what it should be."""
        if not self.exists:
            return
        type(self).steps += 1
        seen = self.seen
        seen.check(self.encoding)  # type: ignore[arg-type]
        known = PendingHunks.of(seen.hunks)
        assert (known.base_lines(seen.current) or [""]) == seen.base
        for each in seen.hunks:
            known = known.kept(each.id)
        assert 0 == len(known)

    @invariant()
    def the_users_lines_are_in_both_texts(self) -> None:
        """What was typed outside of hunks is nothing that a decision is about."""
        if self.exists:
            assert self.users <= set(self.seen.current)
            assert self.users <= set(self.seen.base)
            assert not self.agents & set(self.seen.base)


def run(seed_of_run: int, examples: int, steps: int) -> int:
    """Run the machine; how many steps were taken."""

    @seed(seed_of_run)
    class Seeded(ReviewMachine):
        steps = 0

    how = settings(max_examples=examples, stateful_step_count=steps, deadline=None, database=None)
    run_state_machine_as_test(Seeded, settings=settings(how, suppress_health_check=SLOW))
    return Seeded.steps


def test_a_review_holds_whatever_happens_to_it() -> None:
    """Some two thousand steps."""
    run(0, 60, 30)


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("part", range(1, 6))
def test_a_review_holds_for_ten_thousand_steps_of_fifty(part: int) -> None:
    """The same, for long; in parts, so that processes can share it."""
    assert run(part, 340, 50) >= 10_000
