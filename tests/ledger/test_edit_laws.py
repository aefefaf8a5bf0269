"""The laws of offset edits, on generated texts and changes; and that size is no matter."""

import time
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from dsh_ledger.edits import Change, Edit, Overlap

TEXTS = st.text(alphabet="ab\n\U0001f60b", max_size=14)
"""Few letters, so that equal pieces are common; a line end; and a code point of two UTF-16 units."""


@st.composite
def changes(draw: st.DrawFn, text: str) -> Change:
    """A change that fits the text: canonical by way of `Change.of`."""
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    edits = [
        Edit(start, end, draw(TEXTS.map(lambda new: new[:4])))
        for start, end in zip(cuts[::2], cuts[1::2], strict=False)
    ]
    return Change.of(*edits)


@st.composite
def text_and_changes(draw: st.DrawFn, count: int) -> tuple[str, list[Change]]:
    """A text and so many changes, each made against what the one before leaves."""
    text = now = draw(TEXTS)
    made = []
    for _ in range(count):
        made.append(draw(changes(now)))
        now = made[-1].apply(now)
    return text, made


@st.composite
def text_and_rivals(draw: st.DrawFn) -> tuple[str, Change, Change]:
    """A text and two changes, both made against it."""
    text = draw(TEXTS)
    return text, draw(changes(text)), draw(changes(text))


@settings(deadline=None)
@given(text_and_changes(2))
def test_composing_is_applying_in_turn(case: tuple[str, list[Change]]) -> None:
    """`a.then(b)` does what a and then b do."""
    text, (one, two) = case

    assert two.apply(one.apply(text)) == one.then(two).apply(text)


@settings(deadline=None)
@given(text_and_changes(3))
def test_composing_is_associative(case: tuple[str, list[Change]]) -> None:
    """How a chain is bracketed makes no difference, not even to the edits."""
    _, (one, two, three) = case

    assert one.then(two).then(three) == one.then(two.then(three))


@settings(deadline=None)
@given(text_and_changes(1))
def test_the_empty_change_is_neutral(case: tuple[str, list[Change]]) -> None:
    """`Change()` before or after a change leaves it as it is."""
    _, (change,) = case

    assert change == change.then(Change()) == Change().then(change)


@settings(deadline=None)
@given(text_and_changes(1))
def test_an_inverse_takes_back(case: tuple[str, list[Change]]) -> None:
    """The inverse restores the text, composes to no difference, and its own inverse is the change again."""
    text, (change,) = case
    after = change.apply(text)
    inverse = change.inverse(text)

    assert text == inverse.apply(after) == change.then(inverse).apply(text)
    assert change == inverse.inverse(after)


@settings(deadline=None)
@given(text_and_rivals())
def test_rebased_changes_commute(case: tuple[str, Change, Change]) -> None:
    """Where two changes don't overlap, either order gives the same text; where they do, both say so."""
    text, one, two = case
    one_after, two_after = one.rebased(two), two.rebased(one)

    if isinstance(one_after, Overlap) or isinstance(two_after, Overlap):
        assert isinstance(one_after, Overlap)
        assert isinstance(two_after, Overlap)
        assert any(mine.overlaps(theirs) for mine in one.edits for theirs in two.edits)
    else:
        assert not any(mine.overlaps(theirs) for mine in one.edits for theirs in two.edits)
        assert two.then(one_after).apply(text) == one.then(two_after).apply(text)


@settings(deadline=None)
@given(text_and_changes(1))
def test_narrowing_keeps_the_result(case: tuple[str, list[Change]]) -> None:
    """A narrowed change gives the same text, stays within the old spans, and can't be narrowed further."""
    text, (change,) = case
    narrowed = change.narrowed(text)

    assert change.apply(text) == narrowed.apply(text)
    assert all(any(old.start <= new.start and new.end <= old.end for old in change.edits) for new in narrowed.edits)
    assert narrowed == narrowed.narrowed(text)


@settings(deadline=None)
@given(text_and_changes(1))
def test_narrowing_cuts_at_line_boundaries(case: tuple[str, list[Change]]) -> None:
    """Where a narrowed edit begins or ends elsewhere than the one it comes from, no line is cut in two."""
    text, (change,) = case

    for new in change.narrowed(text).edits:
        (old,) = (edit for edit in change.edits if edit.start <= new.start and new.end <= edit.end)
        assert old.start == new.start or text[new.start - 1] == "\n"
        assert old.end == new.end or text[new.end] == "\n" or new.end == 0 or text[new.end - 1] == "\n"


@settings(deadline=None)
@given(text_and_changes(1), st.data())
def test_offsets_of_kept_text_follow_it(case: tuple[str, list[Change]], data: st.DataObject) -> None:
    """The code point at an offset that no edit replaces is at the mapped offset afterwards."""
    text, (change,) = case
    kept = [at for at in range(len(text)) if not any(edit.start <= at < edit.end for edit in change.edits)]
    after = change.apply(text)

    for offset in kept:
        assert text[offset] == after[change.map_offset(offset, True)]


@settings(deadline=None)
@given(text_and_changes(1))
def test_spans_after_hold_the_new_text(case: tuple[str, list[Change]]) -> None:
    """The text at each span is the edit's, and the spans are in order with something between them."""
    text, (change,) = case
    after = change.apply(text)

    assert [edit.text for edit in change.edits] == [after[start:end] for start, end in change.spans_after()]
    assert all(one[1] < two[0] for one, two in pairwise(change.spans_after()))
    assert len(after) == len(text) + change.delta


def test_large_texts_and_many_edits_are_no_matter() -> None:
    """Thousands of edits in 5 MB are applied, composed, inverted, rebased and narrowed in time linear in them.

    The limit is loose: it is there to fail when an operation becomes quadratic, which takes minutes.
    """
    text = "0123456789012345678901234567890123456789012345678\n" * 100_000
    change = Change(tuple(Edit(at, at + 3, "four") for at in range(0, len(text), 500)))
    block = Change.of(Edit(0, 0, text))
    whole = Change.of(Edit(0, len(text), change.apply(text)))
    began = time.process_time()

    after = change.apply(text)
    assert text == change.then(change.inverse(text)).apply(text)
    assert len(after) + len(text) == len(block.then(change).apply(text))
    assert after == whole.narrowed(text).apply(text)
    assert isinstance(change.rebased(Change.of(Edit(4, 4, "x"))), Change)
    assert time.process_time() - began < 5
