"""Offset edits: an example of what each operation does. The laws are in test_edit_laws.py."""

import pytest

from dsh_ledger.edits import Change, Edit, Overlap

# ---- Edit and the canonical form


@pytest.mark.parametrize(("start", "end"), [(-1, 0), (2, 1)])
def test_an_edit_needs_a_span(start: int, end: int) -> None:
    """A negative or reversed span is a ValueError."""
    with pytest.raises(ValueError, match=f"no span runs from {start} to {end}"):
        Edit(start, end, "x")


@pytest.mark.parametrize(
    ("one", "two", "expected"),
    [
        (Edit(0, 3, "x"), Edit(2, 5, "y"), True),
        (Edit(0, 9, "x"), Edit(2, 5, "y"), True),
        (Edit(2, 5, "x"), Edit(2, 5, "x"), True),
        (Edit(0, 2, "x"), Edit(2, 5, "y"), False),
        (Edit(3, 3, "x"), Edit(2, 5, "y"), True),
        (Edit(2, 2, "x"), Edit(2, 5, "y"), False),
        (Edit(5, 5, "x"), Edit(2, 5, "y"), False),
        (Edit(2, 2, "x"), Edit(2, 2, "y"), True),
        (Edit(2, 2, "x"), Edit(3, 3, "y"), False),
    ],
)
def test_what_overlaps(one: Edit, two: Edit, expected: bool) -> None:
    """Shared code points, an insertion strictly inside, and two insertions at one offset overlap; touching does not."""
    assert expected == one.overlaps(two) == two.overlaps(one)


def test_of_sorts_drops_and_joins() -> None:
    """`of` sorts, drops edits that do nothing and joins those that touch."""
    change = Change.of(Edit(7, 9, "z"), Edit(2, 4, "y"), Edit(5, 5, ""), Edit(0, 2, "x"))

    assert (Edit(0, 4, "xy"), Edit(7, 9, "z")) == change.edits


def test_of_keeps_the_order_of_insertions_at_one_offset() -> None:
    """Insertions at one offset go in as listed, and before a span that begins there."""
    change = Change.of(Edit(1, 2, "-"), Edit(1, 1, "x"), Edit(1, 1, "y"))

    assert "axy-c" == change.apply("abc")


def test_of_refuses_an_overlap() -> None:
    """Two edits of one place are no change."""
    with pytest.raises(ValueError, match="edits overlap at offset 2"):
        Change.of(Edit(0, 3, "x"), Edit(2, 5, "y"))


@pytest.mark.parametrize(
    "edits",
    [
        (Edit(1, 1, ""),),
        (Edit(0, 2, "x"), Edit(2, 4, "y")),
        (Edit(1, 1, "x"), Edit(1, 1, "y")),
        (Edit(4, 5, "x"), Edit(0, 1, "y")),
        (Edit(0, 3, "x"), Edit(2, 4, "y")),
    ],
)
def test_the_constructor_takes_the_canonical_form_only(edits: tuple[Edit, ...]) -> None:
    """Empty, touching, unordered and overlapping edits are a ValueError."""
    with pytest.raises(ValueError, match=r"an edit replaces nothing by nothing|edits touch, overlap"):
        Change(edits)


def test_edits_past_the_end_are_refused() -> None:
    """A change that doesn't fit the text is a ValueError, whatever is asked of it."""
    change = Change.of(Edit(2, 4, "x"))

    for operation in (change.apply, change.inverse, change.narrowed):
        with pytest.raises(ValueError, match="an edit ends at 4, the text at 3"):
            operation("abc")


# ---- what each operation does


def test_delta_counts_code_points() -> None:
    """A change's delta is the sum of its edits'."""
    assert 1 == Change.of(Edit(0, 2, "x"), Edit(4, 4, "\U0001f60bz")).delta


def test_spans_after_say_where_the_new_text_lies() -> None:
    """One span for each edit, in the text after the change; a deletion leaves an empty one."""
    change = Change.of(Edit(0, 1, "xyz"), Edit(3, 5, ""), Edit(6, 6, "!"))

    assert ((0, 3), (5, 5), (6, 7)) == change.spans_after()


@pytest.mark.parametrize(
    ("offset", "before", "after"),
    [(0, 0, 0), (1, 1, 1), (2, 1, 4), (3, 4, 4), (4, 5, 5), (5, 6, 8), (6, 9, 9)],
)
def test_map_offset(offset: int, before: int, after: int) -> None:
    """Edges of a replaced span keep their side; inside it, and where text is inserted, the caller chooses."""
    change = Change.of(Edit(1, 3, "xyz"), Edit(5, 5, "!?"))

    assert (before, after) == (change.map_offset(offset, False), change.map_offset(offset, True))


def test_rebase_keeps_an_insertion_at_an_edge_outside() -> None:
    """An insertion before a replaced span stays before its replacement, one after it stays after."""
    over = Change.of(Edit(1, 3, "XYZ"))

    assert Change.of(Edit(1, 1, "<")) == Change.of(Edit(1, 1, "<")).rebased(over)
    assert Change.of(Edit(4, 4, ">")) == Change.of(Edit(3, 3, ">")).rebased(over)


def test_rebase_joins_what_comes_together() -> None:
    """Insertions at both edges of a span that is gone are one insertion, in their order."""
    over = Change.of(Edit(1, 3, ""))

    assert Change.of(Edit(1, 1, "<>")) == Change.of(Edit(1, 1, "<"), Edit(3, 3, ">")).rebased(over)


def test_rebase_says_what_overlaps() -> None:
    """A refused rebase is a value that holds the two edits in each other's way."""
    mine = Change.of(Edit(0, 1, "x"), Edit(5, 7, "y"))
    theirs = Change.of(Edit(3, 4, ""), Edit(6, 6, "!"))

    assert Overlap(Edit(5, 7, "y"), Edit(6, 6, "!")) == mine.rebased(theirs)


@pytest.mark.parametrize(
    ("text", "edit", "expected"),
    [
        pytest.param("a\nb\nc", Edit(0, 5, "a\nB\nc"), Edit(2, 3, "B"), id="the middle line"),
        pytest.param("xa y", Edit(1, 2, "ab"), Edit(1, 2, "ab"), id="within one line: the span stays"),
        pytest.param("same", Edit(0, 4, "sane"), Edit(0, 4, "sane"), id="never inside a line"),
        pytest.param("a\nb\n", Edit(0, 4, "a\nb\nc\n"), Edit(4, 4, "c\n"), id="a line appended"),
        pytest.param("a\nb\nc\n", Edit(0, 6, "a\nc\n"), Edit(2, 4, ""), id="a line deleted"),
        pytest.param("b\nc", Edit(0, 3, "c"), Edit(0, 2, ""), id="kept suffix right after a line end"),
        pytest.param("b", Edit(0, 1, "a\nb"), Edit(0, 0, "a\n"), id="a line inserted before a last one without end"),
        pytest.param("x b", Edit(2, 3, "a\nb"), Edit(2, 3, "a\nb"), id="what follows is not a whole line"),
        pytest.param("A\nB\n", Edit(0, 1, "A\nA2\nA3"), Edit(0, 1, "A\nA2\nA3"), id="the old text is within a line"),
        pytest.param("ab\nx\n", Edit(0, 5, "b\nx\n"), Edit(0, 2, "b"), id="cut forward to the line end"),
        pytest.param("one\ntwo", Edit(0, 7, "one\ntwo"), None, id="nothing changes"),
    ],
)
def test_narrowed(text: str, edit: Edit, expected: Edit | None) -> None:
    """Whole lines that stay are cut off the edit, at both ends, and no part of a line is."""
    assert Change.of(*([expected] if expected else [])) == Change.of(edit).narrowed(text)
