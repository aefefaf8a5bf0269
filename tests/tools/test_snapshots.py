"""The texts that sessions have seen: bounded for each and in all, shared, and gone with their session."""

from sys import getsizeof

from hypothesis import given
from hypothesis import strategies as st

from dsh_ledger.versions import Version, version_of_text
from dsh_tools.snapshots import Snapshots, SnapshotStore

ONE = getsizeof("aaa")
"""What a text of three letters takes."""


def kept(snapshots: Snapshots, *texts: str) -> list[str | None]:
    """What is still there of some texts; does not count as a use of one that is not."""
    return [snapshots.get(version_of_text(text)) for text in texts]


def keep(snapshots: Snapshots, *texts: str) -> None:
    """Keep texts in turn."""
    for text in texts:
        snapshots.keep(version_of_text(text), text)


def test_the_least_recently_used_text_goes_first() -> None:
    """What is asked for stays; the bound holds."""
    snapshots = Snapshots(limit=2 * ONE)
    keep(snapshots, "aaa", "bbb")
    assert ["aaa"] == kept(snapshots, "aaa")

    keep(snapshots, "ccc")

    assert ["aaa", None, "ccc"] == kept(snapshots, "aaa", "bbb", "ccc")
    assert 2 * ONE == snapshots.size


def test_a_text_over_the_bound_is_not_kept_and_pushes_nothing_out() -> None:
    """One large text does not cost all the others."""
    snapshots = Snapshots(limit=ONE)
    keep(snapshots, "abc", "abcd")

    assert ["abc", None] == kept(snapshots, "abc", "abcd")


def test_the_session_that_has_most_gives_way() -> None:
    """When all have too much, one that reads a lot loses its own oldest texts, and another none."""
    store = SnapshotStore(limit=4 * ONE, session_limit=4 * ONE)
    keep(store.of("modest"), "old")
    keep(store.of("greedy"), "aaa", "bbb", "ccc", "ddd", "eee")

    assert ["old"] == kept(store.of("modest"), "old")
    assert [None, None, "ccc", "ddd", "eee"] == kept(store.of("greedy"), "aaa", "bbb", "ccc", "ddd", "eee")
    assert 4 * ONE == store.size


def test_a_session_is_bounded_also_where_there_is_room() -> None:
    """Nobody has more than a session may."""
    store = SnapshotStore(limit=10 * ONE, session_limit=ONE)
    keep(store.of("s"), "aaa", "bbb")

    assert [None, "bbb"] == kept(store.of("s"), "aaa", "bbb")


def test_a_text_that_two_have_seen_is_there_once_and_for_each() -> None:
    """It takes its memory once, and the end of one session leaves it to the other."""
    store = SnapshotStore()
    keep(store.of("one"), "aaa")
    keep(store.of("two"), "aaa")
    assert ONE == store.size

    store.forget("one")

    assert ["aaa"] == kept(store.of("two"), "aaa")
    assert [None] == kept(store.of("one"), "aaa")


def test_what_one_session_has_seen_is_not_anothers() -> None:
    """A version is looked up among the session's own."""
    store = SnapshotStore()
    keep(store.of("one"), "aaa")

    assert [None] == kept(store.of("two"), "aaa")


def test_a_session_that_has_ended_keeps_nothing() -> None:
    """A call that still runs for it can't bring its texts back."""
    store = SnapshotStore()
    late = store.of("s")
    keep(late, "aaa")
    store.forget("s")
    store.forget("s")

    keep(late, "bbb")

    assert ([None, None], 0) == (kept(late, "aaa", "bbb"), store.size)


TEXTS = st.text("ab", min_size=1, max_size=3)


@given(st.lists(st.tuples(st.sampled_from("xyz"), TEXTS), max_size=60))
def test_who_stays_within_a_fair_share_loses_nothing(steps: list[tuple[str, str]]) -> None:
    """Whatever three sessions read: all bounds hold, and whoever has seen no more than a third has it all."""
    limit = 6 * getsizeof("aaa")
    store = SnapshotStore(limit, session_limit=limit)
    seen: dict[str, dict[Version, str]] = {name: {} for name in "xyz"}
    for session, text in steps:
        keep(store.of(session), text)
        seen[session][version_of_text(text)] = text

        assert store.size <= limit
        for name, texts in seen.items():
            assert store.of(name).size <= limit
            if 3 * sum(map(getsizeof, texts.values())) <= limit:
                assert list(texts.values()) == kept(store.of(name), *texts.values())
