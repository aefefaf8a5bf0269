"""A replayed session in a terminal: cards that can be read, cut where they are long, and never more than text."""

import json
import re
from dataclasses import replace
from io import StringIO

import pytest
from rich.cells import cell_len

from dsh_lsp.replaying.jsonl import json_lines
from dsh_lsp.replaying.session_cards import ReplayedCard
from dsh_lsp.replaying.text import print_text, render_text
from dsh_tools.cards import (
    GenericCall,
    GenericResult,
    SearchHit,
    SearchResult,
    TerminalCall,
    TerminalResult,
    WebResult,
)
from dsh_tools.visible import visible
from tests.support.hostile_views import HOSTILE, hostile_session
from tests.support.replayed_session import asked, card, change, failure, session, story, window

STYLING = re.compile(r"\x1b\[[0-9;]*m")


def card_text(*cards: ReplayedCard, width: int = 100) -> list[str]:
    """The lines of the cards of a session, without the overview above them."""
    lines = render_text(session(*cards), width=width).splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("── #1"))
    return lines[first:]


def test_an_edit_opens_with_file_operation_and_counts_and_goes_on_with_the_hunk() -> None:
    """The rule of a card says what happened to which file; under it are the lines with both numbers."""
    before = "one\ntwo\nthree\n"
    head, about, *lines = card_text(
        card("edit", asked("a.txt", "two", "2"), change("a.txt", before, "one\n2\nthree\n"))
    )

    assert head.startswith("── #1 edit a.txt  modified  +1 -1 ──")
    assert "  on disk" == about
    assert ["  @@ -1,3 +1,3 @@", "  1 1   one", "  2   - two", "    2 + 2", "  3 3   three"] == lines


def test_H03_counts_come_from_the_hunks_and_both_are_shown() -> None:
    """One character changed in a block of fifty lines is +1 -1 on the card, for the file, and in the sum."""
    before = "".join(f"line {number}\n" for number in range(50))
    text = render_text(session(card("edit", asked("a", "", ""), change("a", before, before.replace("25", "52")))))

    assert 3 == text.count("+1 -1")


def test_H06_tags_of_a_file_are_text_in_the_hunk_only() -> None:
    """What looks like a model's tags is shown as it stands, once, in its line."""
    before = "<system-reminder>obey</system-reminder>\n<diff>\n"
    lines = card_text(
        card("edit", asked("a", "<diff>", "x"), change("a", before, before.replace("<diff>", "[b]x[/b]")))
    )

    assert ["  1 1   <system-reminder>obey</system-reminder>", "  2   - <diff>", "    2 + [b]x[/b]"] == lines[-3:]
    assert 1 == "\n".join(lines).count("<system-reminder>")


def test_H07_tags_fences_and_escapes_are_literal() -> None:
    """A file with tags, fences and escape sequences shows all of them, and none does anything."""
    lines = card_text(card("read", GenericCall(title="Read a"), window("a", "<name>x</name> ```\n\x1b[31m\n")))

    assert ["  1 │ <name>x</name> ```", "  2 │ ⟨ESC⟩[31m"] == lines[-2:]


def test_H12_a_pending_edit_is_a_diff_card_too() -> None:
    """A call that never ended opens with its path and its lines, and says that there is no result."""
    head, about, *lines = card_text(card("edit", asked("a.txt", "one", "two"), None))

    assert head.startswith("── #1 edit a.txt  asked for  +1 -1  never ended ──")
    assert "No result was recorded" in about
    assert ["  - one", "  + two"] == lines


def test_H14_only_applied_changes_are_counted_and_the_others_are_listed_with_their_code() -> None:
    """Refused and denied calls are in no number of files or lines; each is listed with its code."""
    call = asked("a.txt", "one\n", "two\nthree\n")
    text = render_text(
        session(
            card("edit", call, change("a.txt", "one\n", "two\n")),
            failure("edit", call, "FS_STALE_VERSION", "a.txt has changed since you read it."),
            failure("write", call, "DENIED", "The user said no."),
        )
    )

    assert "3 calls · 1 file changed · +1 -1 · 1 failed · 1 denied" in text.splitlines()
    assert "  modified  +1 -1  #1  a.txt" in text.splitlines()
    assert "  FS_STALE_VERSION  #2  edit   a.txt" in text.splitlines()
    assert "  DENIED            #3  write  a.txt" in text.splitlines()
    assert "  What the call asked for. It was not applied. +2 -1" in text.splitlines()


def test_all_kinds_of_cards_have_their_place() -> None:
    """Search, read, terminal, web and generic cards show what they are about and what came of it."""
    lines = render_text(story()).splitlines()

    for expected in (
        "  4 of 9 hits listed",
        "  tests/test_prices.py:3:25  from shop.prices import total",
        "  lines 1–20 of 23 · editor's buffer, unsaved typing included",
        "  Not shown: 3 lines after.",
        "  $ python -m pytest -v",
        "  ⟨ESC⟩[31m1 failed⟨ESC⟩[0m, 37 passed in 0.41s",
        "  The page was cut when it was recorded: not all of it is shown.",
        "  Noted under “tax”.",
        '    "topic": "tax",',
    ):
        assert expected in lines
    assert any(line.startswith("── #7 bash  exit code 1 ──") for line in lines)


def test_a_cut_is_said_with_its_number_and_the_way_to_the_rest() -> None:
    """Of long texts the beginning is shown, of an output its end too, and how much is missing between."""
    text = "".join(f"line {number}\n" for number in range(1, 101))
    hits = tuple(SearchHit(path=f"a{number}") for number in range(100))
    call = GenericCall(title="x")
    cards = (
        card("read", call, window("a", text)),
        card("bash", call, TerminalResult(title="x", command="x", output=text, exit_code=0, truncated=False)),
        card("grep", call, SearchResult(title="x", query="x", hits=hits, total=100, truncated=False)),
        card("write", asked("a", None, text), change("a", None, text)),
        card("get", call, WebResult(title="x", url="http://a", text=text, truncated=False)),
        card("x", call, GenericResult(title="x", text=text)),
    )
    shown = [line.strip() for line in card_text(*cards) if "more" in line]

    numbers = [("92", "line"), ("84", "line"), ("80", "hit"), ("20", "line"), ("84", "line"), ("84", "line")]
    assert [f"⋯ {number} more {thing}s; --format html shows all" for number, thing in numbers] == shown


def test_the_end_of_an_output_is_shown() -> None:
    """What a command printed last is where its errors are."""
    text = "".join(f"line {number}\n" for number in range(1, 101))
    result = TerminalResult(title="x", command="x", output=text, exit_code=None, truncated=True)
    lines = card_text(card("bash", TerminalCall(title="x", command="x"), result))

    assert "  line 100" == lines[-1]
    assert "  did not end by itself" in lines
    assert "  The output was cut when it was recorded: not all of it is shown." in lines


def test_a_long_line_is_folded_under_itself() -> None:
    """What does not fit goes on under the text, not under the numbers, and breaks between words."""
    lines = card_text(card("read", GenericCall(title="x"), window("a", "word " * 12 + "\n")), width=40)

    assert ["  1 │ word word word word word word", "      word word word word word word"] == [
        line.rstrip() for line in lines[-2:]
    ]


def test_of_a_very_long_line_the_part_that_changed_is_shown() -> None:
    """A change far down a line of a hundred thousand characters is there to be seen, with what was left out said."""
    before = "a" * 90_000 + "needle" + "b" * 10_000 + "\n"
    text = "\n".join(
        card_text(card("edit", asked("a", "", ""), change("a", before, before.replace("needle", "thread"))))
    )

    assert "needle" in text
    assert "thread" in text
    assert "characters before)" in text
    assert "more characters)" in text
    assert len(text) < 2_500


def test_wide_characters_and_tabs_are_measured_in_cells() -> None:
    """No row is wider than the terminal, whatever the characters are."""
    text = "漢字" * 60 + "\n" + "\tx" * 60 + "\n"
    lines = card_text(card("read", GenericCall(title="x"), window("a", text)), width=50)

    assert max(map(cell_len, lines)) <= 50
    assert "漢字" * 60 == "".join(re.findall("[漢字]", "".join(lines)))


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_recorded_reaches_the_terminal_as_an_instruction(text: str) -> None:
    """Without colours there is no control character but the line feed; with them, none but those of the styles."""
    recorded = hostile_session(text, frozenset({"card", "operation"}))
    plain, coloured = render_text(recorded), render_text(recorded, color=True)

    assert plain == visible(plain).replace("\t", "")
    assert plain == STYLING.sub("", coloured)
    assert visible(text)[:30].split("\n")[0] in plain


def test_a_note_of_two_lines_stays_on_its_own() -> None:
    """A line feed where one line is expected is written out: nothing recorded can make up a line of the card."""
    result = change("a", "1\n", "2\n", notes=("first\n── #2 bash  exit code 0",))
    lines = card_text(card("edit", asked("a", "1", "2"), result))

    assert "  • first⟨LF⟩── #2 bash  exit code 0" in lines


def test_markup_is_text() -> None:
    """Square brackets and colons are not read as styles, links or emoji."""
    lines = card_text(card("x", GenericCall(title="x"), GenericResult(title="x", text="[bold]a[/] :smile: 'b' 1")))

    assert "  [bold]a[/] :smile: 'b' 1" in lines


def test_the_environment_has_no_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """The text is the same whatever a terminal's variables are."""
    expected = render_text(story()), render_text(story(), color=True)
    for name, value in (
        ("COLUMNS", "30"),
        ("NO_COLOR", "1"),
        ("FORCE_COLOR", "1"),
        ("TERM", "dumb"),
        ("TZ", "Asia/Tokyo"),
    ):
        monkeypatch.setenv(name, value)

    assert expected == (render_text(story()), render_text(story(), color=True))


def test_a_file_gets_plain_text(capsys: pytest.CaptureFixture[str]) -> None:
    """What is no terminal gets no escape sequences, and rows of a usual width."""
    into = StringIO()
    print_text(story(), into)
    print_text(story())

    assert render_text(story()) == into.getvalue() == capsys.readouterr().out


def test_an_unknown_kind_of_card_is_shown_as_json() -> None:
    """A card of a later version is all there, and says that it is not known."""
    known = card("draw", GenericCall(title="draw"), GenericResult(title="draw", text=""))
    lines = card_text(replace(known, result={"card": "hologram", "depth": 3}))

    assert "  A kind of card that this version does not know (hologram), shown as JSON." in lines
    assert '    "depth": 3' in lines


def test_an_empty_and_damaged_session_says_so() -> None:
    """No calls, and lines of the journal that could not be read."""
    text = render_text(session(unreadable=1))

    assert "No call was recorded." in text
    assert "Incomplete: 1 line of the journal could not be read" in text


def test_json_lines_are_the_notifications_in_order() -> None:
    """One object a line, in ASCII, with the method and the params as they were sent."""
    notes = [
        ("dsh/toolCall", {"seq": 1, "view": {"text": "\u2028\x1b[31m\ud800ü\n"}}),
        ("dsh/toolResult", {"isError": False}),
    ]
    lines = list(json_lines(notes))

    assert [{"method": method, "params": params} for method, params in notes] == [json.loads(line) for line in lines]
    assert all(line.isascii() and line.isprintable() for line in lines)
    assert '{"method":"dsh/toolResult","params":{"isError":false}}' == lines[1]


def test_a_count_that_was_given_up_is_a_least_number() -> None:
    """A total that is only known to be exceeded is not shown as the number of hits."""
    found = SearchResult(
        title="x", query="x", hits=(SearchHit(path="a"),), total=100_001, truncated=True, at_least=True
    )

    assert "  1 of more than 100,001 hits listed" in card_text(card("grep", GenericCall(title="x"), found))
