"""Targets: one for each thing that can be observed."""

from dsh_ledger.targets import Target


def test_a_target_is_its_uri() -> None:
    """How it is shown takes no part in equality, nor in the hash."""
    one, two = Target("file:///w/a.txt", "a.txt"), Target("file:///w/a.txt", "./a.txt")

    assert one == two
    assert {one} == {two}


def test_D12_another_scheme_is_another_target() -> None:
    """A document of version control is not the file of the same path."""
    assert Target("git:/w/a.txt", "a.txt") != Target("file:///w/a.txt", "a.txt")


def test_a_target_is_no_text() -> None:
    """A target is compared with targets only, and shows itself as its path."""
    assert Target("file:///w/a.txt", "a.txt") != "file:///w/a.txt"
    assert "a.txt" == str(Target("file:///w/a.txt", "a.txt"))
