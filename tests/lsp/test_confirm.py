"""Telling "applied, and somebody typed" from "not applied": the judgement that an edit is in a text."""

import random

from dsh_lsp.buffers.confirm import holds_edit, lacks_edit

BEFORE = "".join(f"line {n}\n" for n in range(20))
AFTER = BEFORE.replace("line 5\n", "line five\n")


def test_an_edit_with_typing_elsewhere_is_found() -> None:
    """What was changed since touches none of the edit's lines."""
    assert holds_edit(BEFORE, AFTER, AFTER.replace("line 15", "line 15!"))


def test_an_edit_that_was_skipped_is_not_found() -> None:
    """The text is the old one with typing in it."""
    assert not holds_edit(BEFORE, AFTER, BEFORE)
    assert not holds_edit(BEFORE, AFTER, BEFORE.replace("line 15", "line 15!"))


def test_typing_in_the_edit_itself_is_left_open() -> None:
    """Where typing and edit meet, nothing is certain, and the answer is no."""
    assert not holds_edit(BEFORE, AFTER, AFTER.replace("line five", "line five!"))


def test_typing_in_the_next_line_does_not_hide_the_edit() -> None:
    """The edit's lines are as it left them; that their neighbour was typed in is another matter."""
    inserted = BEFORE.replace("line 5\n", "line 5\nnew\n")

    assert holds_edit(BEFORE, AFTER, AFTER.replace("line 6\n", "line 6!\n"))
    assert holds_edit(BEFORE, inserted, inserted.replace("line 6\n", "line 6!\n"))
    assert not lacks_edit(BEFORE, inserted, inserted.replace("line 6\n", "line 6!\n"))


def test_an_edit_is_lacking_only_where_its_place_is_as_it_was() -> None:
    """Typing elsewhere leaves no doubt; typing at the place does, whether the edit is there or not."""
    assert lacks_edit(BEFORE, AFTER, BEFORE.replace("line 15", "line 15!"))
    assert not lacks_edit(BEFORE, AFTER, BEFORE.replace("line 5\n", "line 5!\n"))
    assert not lacks_edit(BEFORE, AFTER, AFTER.replace("line five", "line five!"))


def test_one_of_two_places_is_not_the_edit() -> None:
    """An edit is there as a whole or not at all."""
    both = AFTER.replace("line 12\n", "line twelve\n")

    assert not holds_edit(BEFORE, both, AFTER)
    assert holds_edit(BEFORE, both, "new\n" + both)


def test_a_deletion_is_found_and_told_from_its_absence() -> None:
    """Lines that are gone are gone, whatever was typed elsewhere."""
    gone = BEFORE.replace("line 5\n", "")

    assert holds_edit(BEFORE, gone, gone + "typed\n")
    assert not holds_edit(BEFORE, gone, BEFORE + "typed\n")


def test_a_text_without_the_edit_is_never_taken_for_one_with_it() -> None:
    """Over random texts with few distinct lines, typing alone never looks like the edit."""
    chance = random.Random(7)
    for _ in range(2_000):
        lines = [chance.choice(["a\n", "b\n", "\n"]) for _ in range(chance.randrange(1, 12))]
        before = "".join(lines)
        at = chance.randrange(len(lines))
        after = "".join([*lines[:at], "AGENT\n", *lines[at + chance.randrange(2) :]])
        typed = list(lines)
        typed.insert(chance.randrange(len(typed) + 1), chance.choice(["a\n", "b\n", "\n", "c\n"]))

        assert not holds_edit(before, after, "".join(typed))


def test_a_text_with_the_edit_is_never_taken_for_one_without_it() -> None:
    """Over random texts with few distinct lines and typing anywhere, an edit that is there is never called lacking."""
    chance = random.Random(11)
    for _ in range(2_000):
        lines = [chance.choice(["a\n", "b\n", "\n"]) for _ in range(chance.randrange(1, 12))]
        at = chance.randrange(len(lines))
        edited = [*lines[:at], "AGENT\n", *lines[at + chance.randrange(2) :]]
        typed = list(edited)
        typed.insert(chance.randrange(len(typed) + 1), chance.choice(["a\n", "b\n", "\n", "c\n"]))

        assert not lacks_edit("".join(lines), "".join(edited), "".join(typed))
