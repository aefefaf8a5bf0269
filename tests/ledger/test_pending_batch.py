"""Many edits at once: the same as one after the other."""

from itertools import count

from hypothesis import given, settings
from hypothesis import strategies as st

from dsh_ledger import pending_batch
from dsh_ledger.line_edits import LineEdit
from dsh_ledger.pending import PendingHunks
from dsh_ledger.pending_batch import edited

LINES = st.lists(st.sampled_from(["a", "b", "c"]), max_size=3)
ROUNDS = st.lists(
    st.tuples(
        st.booleans(), st.booleans(), st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), LINES), max_size=8)
    ),
    max_size=5,
)


def edits_of(text: list[str], drawn: list[tuple[int, int, list[str]]], ends: tuple[bool, bool]) -> list[LineEdit]:
    """Disjoint edits of a text, the last one first; the one that reaches the end changes the final newline."""
    edits: list[LineEdit] = []
    at = 0
    for skip, length, new in drawn:
        start = min(at + skip, len(text))
        end = min(start + length, len(text))
        flags = ends if end == len(text) else (False, False)
        edits.append(LineEdit(start, tuple(text[start:end]), tuple(new), *flags))
        at = end
        if at == len(text):
            break
    return edits[::-1]


def done(text: list[str], edits: list[LineEdit]) -> list[str]:
    """The text after them."""
    after = list(text)
    for edit in edits:
        after[edit.start : edit.end] = edit.new
    return after


@settings(max_examples=400)
@given(st.lists(st.sampled_from(["a", "b", "c"]), max_size=16), ROUNDS)
def test_they_do_what_they_do_one_after_the_other(
    text: list[str], rounds: list[tuple[bool, bool, list[tuple[int, int, list[str]]]]]
) -> None:
    """Whoever edits, whatever was pending: hunks, places, contributors and ids."""
    hunks = slowly = PendingHunks()
    ids, same_ids = count(), count()
    no_newline = False
    for number, (by_agent, flips, drawn) in enumerate(rounds):
        author = ("s", f"c{number}") if by_agent else None
        edits = edits_of(text, drawn, (no_newline, no_newline ^ flips))
        if edits and edits[0].end == len(text):
            no_newline ^= flips
        # Ten empty edits at the top make them many.
        many = edits + [LineEdit(0, (), ())] * 10
        hunks = edited(hunks, many, author, lambda: f"h{next(ids)}")
        for edit in edits:
            slowly = edited(slowly, [edit], author, lambda: f"h{next(same_ids)}")
        text = done(text, edits)

        assert slowly == hunks
    assert len(rounds) == 0 or pending_batch._FEW < 10  # or nothing was shown


def test_an_end_without_a_newline_is_known_in_many_edits_too() -> None:
    """The last hunk of ten knows that the final newline has gone."""
    edits = [LineEdit(20, ("z",), ("z",), False, True), *(LineEdit(2 * n, ("a",), ("b",)) for n in reversed(range(9)))]

    hunks = edited(PendingHunks(), edits, ("s", "c"), iter(f"h{n}" for n in range(10)).__next__)

    assert (10, True) == (len(hunks), hunks.hunks[-1].new_no_newline)
