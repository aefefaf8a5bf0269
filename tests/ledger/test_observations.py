"""Observations: what is known after one look, and after another."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsh_ledger.observations import LineSpan, Present, merge_spans
from dsh_ledger.versions import Version

V1, V2 = Version("1"), Version("2")
SPANS = st.lists(st.builds(LineSpan, st.integers(0, 12), st.integers(0, 12)), max_size=6)


def lines(spans: tuple[LineSpan, ...] | list[LineSpan]) -> set[int]:
    """The numbers of the lines in the spans."""
    return {line for span in spans for line in range(span.start, span.end)}


@settings(deadline=None)
@given(SPANS)
def test_merged_spans_are_the_same_lines(spans: list[LineSpan]) -> None:
    """In order, disjoint, with a gap between any two, and none empty."""
    merged = merge_spans(spans)

    assert lines(spans) == lines(merged)
    assert all(one.end < two.start for one, two in pairwise(merged))
    assert all(span.start < span.end for span in merged)


def test_touching_spans_become_one() -> None:
    """Two windows read one after the other are one window."""
    assert (LineSpan(0, 20),) == merge_spans([LineSpan(10, 20), LineSpan(0, 10), LineSpan(5, 5)])


@pytest.mark.parametrize(
    ("before", "after", "known"),
    [
        pytest.param(
            Present(V1, (LineSpan(0, 2),)),
            Present(V1, (LineSpan(5, 7),)),
            Present(V1, (LineSpan(0, 2), LineSpan(5, 7))),
            id="windows of one version add up",
        ),
        pytest.param(Present(V1), Present(V1, (LineSpan(5, 7),)), Present(V1), id="all was seen already"),
        pytest.param(Present(V1, (LineSpan(5, 7),)), Present(V1), Present(V1), id="now all is seen"),
        pytest.param(
            Present(V1),
            Present(V2, (LineSpan(5, 7),)),
            Present(V2, (LineSpan(5, 7),)),
            id="another version starts anew",
        ),
        pytest.param(Present(V1, ()), Present(V1, ()), Present(V1, ()), id="a window past the end shows no line"),
    ],
)
def test_another_look(before: Present, after: Present, known: Present) -> None:
    """Lines add up as long as the content is the same."""
    assert known == before.joined_by(after)


@settings(deadline=None)
@given(SPANS, SPANS)
def test_looks_add_up_in_any_order(one: list[LineSpan], two: list[LineSpan]) -> None:
    """Which window was read first makes no difference."""
    first, second = Present(V1, merge_spans(one)), Present(V1, merge_spans(two))

    assert first.joined_by(second) == second.joined_by(first)
    assert lines(one) | lines(two) == lines(first.joined_by(second).lines or ())
