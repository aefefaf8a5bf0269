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
from hypothesis import HealthCheck, settings
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
from tests.support.naive_text import Span, replaced
from tests.support.review_model import Place, Seen, check_agent, check_decided, check_user, spans
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
        self.undo_steps: list[tuple[str, Seen | None, Seen]] = []  # the text, and the claims before and after

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

    def look(self) -> Seen:
        """What is claimed now."""
        found = self.room.run(self.room.reviews.of(self.room.target))
        assert found is None or found.text == self.text
        self.seen = Seen(tuple(self.text.split("\n")), () if found is None else found.hunks.hunks)
        return self.seen

    def after(self, before: Seen) -> Seen:
        """What is claimed after a step; no hunk comes back that was gone."""
        seen = self.look()
        alive = {hunk.id for hunk in seen.hunks}
        assert not alive & self.dead
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
            self.remember(text, before)
        else:
            self.users |= {span.new.strip("\n") for span in racing if not self.room.typed}
            self.remember(text, None)
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
        self.undo_steps.clear()

    def forget_lost_by_agent(self) -> None:
        """What an agent took away is not there; what it did not touch is in both texts."""
        self.users &= set(self.seen.current)

    # The user

    def remember(self, text: str, before: Seen | None) -> None:
        """A step that the editor can take back; with what was claimed before it, if it was an agent's."""
        if self.opened and text != self.text:
            self.undo_steps.append((text, before, self.seen))

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
        before, text = self.seen, self.text
        places = self.draw_places(data, "u")
        self.room.replace(spans(text, places, trimmed=trimmed), whole=whole)
        self.remember(text, None)
        self.user_did(before, places, exactly=not whole)

    @precondition(lambda self: self.exists and self.opened and self.undo_steps)
    @rule(whole=st.booleans())
    def editor_undoes(self, whole: bool) -> None:
        """Of the user's typing or of an agent's edit; the base has nothing to do with an agent's."""
        before, now = self.seen, self.text
        text, earlier, right_after = self.undo_steps.pop()
        place = _difference(before.current, text.split("\n"))
        self.room.replace(spans(now, place, trimmed=False), whole=whole)
        assert text == self.text
        # What an agent wrote, somebody undid, and the user brings back, is the user's.
        self.agents -= {*text.split("\n")} - {*before.current}
        self.user_did(before, place, exactly=False)
        if earlier is not None and before is right_after:
            assert earlier.base == self.seen.base
            known = {hunk.id: (hunk.base, hunk.current) for hunk in before.hunks}
            if all(known.get(hunk.id) == (hunk.base, hunk.current) for hunk in earlier.hunks):
                assert earlier.hunks == self.seen.hunks

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
        self.undo_steps.clear()
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
        self.undo_steps.clear()
        assert before == self.after(before)

    @precondition(lambda self: self.exists)
    @rule(data=st.data(), times=st.integers(1, 2))
    def others_change_the_file(self, data: st.DataObject, times: int) -> None:
        """What happens to a file counts as the user's; a clean document is read again, any other stays as it is."""
        before, room = self.seen, self.room
        disk = room.disk.texts.get(room.target)
        places: list[Place] = []
        if self.opened:
            if disk != room.buffer:
                room.disk.texts[room.target] = "others\n"
                assert before == self.look()
                return
            places = self.draw_places(data, "u")
            room.disk.texts[room.target] = replaced(self.text, spans(self.text, places, trimmed=False))
            room.replace(spans(self.text, places, trimmed=False), whole=True)
            self.undo_steps.clear()
        else:
            for _ in range(times):
                places = self.draw_places(data, "u")
                room.disk.texts[room.target] = replaced(self.text, spans(self.text, places, trimmed=False))
        self.user_did(before, places if times == 1 or self.opened else None, exactly=False)

    @precondition(lambda self: self.exists)
    @rule(killed=st.booleans())
    def restart(self, killed: bool) -> None:
        """Another server has the same, in order; after a kill, what was typed since the last save is the user's."""
        before = self.seen
        self.room.run(self.room.restart(killed=killed))
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
        self.decide(before, selection, gone, keep=keep)

    def decide(self, before: Seen, selection: Selection, gone: Sequence[PendingHunk], *, keep: bool) -> None:
        """Decide, and see that it was done."""
        created = self.room.pending.is_created(self.room.target)
        text = self.text
        deciding = self.room.deciding
        decided = self.room.run((deciding.keep if keep else deciding.undo)(self.room.target, selection))
        self.write_down()
        assert [hunk.id for hunk in gone] == [each.hunk.id for each in decided]
        if any(each.conflict for each in decided):
            assert created
            assert not keep
            assert before == self.after(before)
            return
        if created and not keep and not self.exists:
            assert len(gone) == len(before.hunks)
            assert not any(hunk.user_modified for hunk in gone)
            self.seen = Seen(("",), ())
            self.users.clear()
            return
        after = self.after(before)
        check_decided(before, after, gone, keep=keep)
        if keep:
            self.agents -= set(after.base)
        self.remember(text, None)

    @precondition(lambda self: self.exists and self.seen.hunks)
    @rule(data=st.data(), keep=st.booleans())
    def somebody_decides_in_part(self, data: st.DataObject, keep: bool) -> None:
        """On some lines: one of the texts stays as it was, hunks elsewhere too."""
        before = self.look()
        if not before.hunks:
            return
        start = data.draw(st.integers(0, len(before.current)), "first line")
        end = data.draw(st.integers(start + 1, len(before.current) + 1), "last line")
        text, deciding = self.text, self.room.deciding
        created = self.room.pending.is_created(self.room.target)
        decided = self.room.run(
            (deciding.keep if keep else deciding.undo)(self.room.target, Selection(lines=(start, end)))
        )
        self.write_down()
        if any(each.conflict for each in decided):
            assert created
            assert before == self.after(before)
            return
        if created and not self.exists:
            self.seen = Seen(("",), ())
            self.users.clear()
            return
        after = self.after(before)
        chosen = {each.hunk.id for each in decided}
        if keep:
            assert before.current == after.current
            self.agents -= set(after.base)
        else:
            assert before.base == after.base
        kept = {hunk.id: (hunk.base, hunk.current) for hunk in after.hunks}
        assert all(kept[hunk.id] == (hunk.base, hunk.current) for hunk in before.hunks if hunk.id not in chosen)
        self.remember(text, None)

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


def _difference(one: Sequence[str], other: Sequence[str]) -> list[Place]:
    """One place that makes the one text the other."""
    front = back = 0
    limit = min(len(one), len(other))
    while front < limit and one[front] == other[front]:
        front += 1
    while back < limit - front and one[-1 - back] == other[-1 - back]:
        back += 1
    if front == len(one) == len(other):
        return []
    return [Place(front, len(one) - back, tuple(other[front : len(other) - back]))]


def run(examples: int, steps: int) -> int:
    """Run the machine; how many steps were taken."""
    before = ReviewMachine.steps
    how = settings(max_examples=examples, stateful_step_count=steps, deadline=None)
    run_state_machine_as_test(ReviewMachine, settings=settings(how, suppress_health_check=SLOW))
    return ReviewMachine.steps - before


def test_a_review_holds_whatever_happens_to_it() -> None:
    """Some two thousand steps."""
    run(100, 30)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_review_holds_for_fifty_thousand_steps() -> None:
    """The same, for long."""
    assert run(2_000, 50) >= 50_000
