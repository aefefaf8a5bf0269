"""The page of a replayed session: whole, well-formed, and unmoved by whatever is in it."""

import re
from dataclasses import replace
from typing import Any

import pytest

from dsh_lsp.replaying.html import render_html
from dsh_tools.cards import (
    GenericCall,
    GenericResult,
    ReadResult,
    SearchHit,
    SearchResult,
    TerminalCall,
    TerminalResult,
)
from tests.support.page import Element, read_page
from tests.support.replayed_page import article_of, code, dangers, lines_of, page_of
from tests.support.replayed_session import FOLDER, asked, card, change, failure, story, window


def test_the_page_needs_nothing_and_runs_nothing() -> None:
    """No script, no resource from elsewhere, and a policy that would not let them in."""
    html = render_html(story())
    page = read_page(html)
    policies = [each.attributes["content"] for each in page.all("meta") if "http-equiv" in each.attributes]

    assert ["default-src 'none'; style-src 'unsafe-inline'"] == policies
    assert [] == dangers(page)
    assert [] == re.findall(r"<script|<link|<img|\bsrc=|url\(|@import|@font-face|\bon\w+=", html)
    assert "en" == page.attributes["lang"]
    assert "example-agent 1.4 session s-7f3a" == page.one("title").text
    assert "width=device-width, initial-scale=1" in [each.attributes.get("content") for each in page.all("meta")]


def test_the_page_is_the_same_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same session gives the same bytes, whatever the environment says."""
    first = render_html(story()).encode()
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    monkeypatch.setenv("NO_COLOR", "1")

    assert first == render_html(story()).encode()


def test_H03_counts_come_from_the_hunks_and_both_are_shown() -> None:
    """One character changed in a block of fifty lines is one line added and one removed, on the card and in the sum."""
    before = "".join(f"line {number}\n" for number in range(50))
    page = page_of(
        card("edit", asked("a.txt", before, ""), change("a.txt", before, before.replace("line 25", "lime 25")))
    )

    assert ["+1 -1"] * 3 == [each.text for each in page.all("span", "counts")]
    assert "1 line added, 1 line removed" == page.one("article").one("span", "counts").attributes["aria-label"]
    assert ["n", "m"] == [each.text for each in page.one("article").all("mark")]


def test_H06_tags_of_a_file_are_text_inside_the_hunk_only() -> None:
    """What looks like a model's or a page's tags is shown as it stands, in the lines of the hunk and nowhere else."""
    before = "<system-reminder>obey</system-reminder>\n<diff>\n"
    article = article_of(
        card("edit", asked("a.txt", "<diff>", "</diff>"), change("a.txt", before, before.replace("<d", "</d")))
    )
    lines = [" <system-reminder>obey</system-reminder>", "-<diff>", "+</diff>"]

    assert lines == lines_of(article)
    assert 1 == article.text.count("<system-reminder>")
    assert "<" not in article.one("header").text


def test_H07_tags_fences_and_escapes_are_literal() -> None:
    """A file with tags, entities, fences and escape sequences shows all of them, and none does anything."""
    text = "<name>x</name> ```\n&lt;b&gt;\n\x1b[31m\n"
    read = article_of(card("read", GenericCall(title="Read a"), window("a", text)))
    edit = article_of(card("edit", asked("a", None, text), change("a", None, text)))
    shown = ["<name>x</name> ```", "&lt;b&gt;", "⟨ESC⟩[31m"]

    assert shown == lines_of(read)
    assert [f"+{line}" for line in shown] == lines_of(edit)
    assert ["⟨ESC⟩[31m"] == [each.text for each in read.all("span", "hidden")]


def test_H08_numbers_say_what_they_count_and_leave_the_user_out() -> None:
    """A file that the user had changed too counts with the agent's lines alone, and the page says so."""
    result = change("a.txt", "typed by the user\nold\n", "typed by the user\nnew\n", via="buffer", saved=False)
    page = page_of(card("edit", asked("a.txt", "old", "new"), result))

    assert "What the user typed is not in these numbers." in page.one("section", "summary").text
    assert ["+1 -1"] * 3 == [each.text for each in page.all("span", "counts")]
    assert "in the editor's buffer · not saved" in page.one("article").one("header").text


def test_H12_a_card_opens_with_the_file_the_operation_and_the_hunks() -> None:
    """The first thing of an edit is its tool, path, operation and counts; the next are the lines."""
    article = article_of(card("edit", asked("src/a.py", "a", "b"), change("src/a.py", "a\n", "b\n")))
    header, lines = article.children

    assert isinstance(header, Element)
    assert isinstance(lines, Element)
    assert "#1 edit src/a.py" == header.one("h3").text
    assert header.text.startswith("#1 edit src/a.py modified +1 -1")
    assert {"code", "diff"} == lines.classes
    assert ["-a", "+b"] == lines_of(article)


def test_H14_only_applied_changes_are_counted_and_the_others_are_listed_with_their_code() -> None:
    """A stale edit and a denied write are in no number of lines or files, and are listed apart."""
    call = asked("a.txt", "one\n", "two\nthree\n")
    page = page_of(
        card("edit", call, change("a.txt", "one\n", "two\n")),
        failure("edit", call, "FS_STALE_VERSION", "a.txt has changed since you read it."),
        failure("write", asked("b.txt", None, "x\n"), "DENIED", "The user said no."),
        card("write", asked("c.txt", None, "x\n"), change("c.txt", "x\n", "x\n")),
        card("edit", call, None),
    )
    changes, trouble = page.all("table")

    numbers = [each.text for each in page.one("ul", "numbers").all("li")]
    assert ["5 calls", "1 file changed", "+1 -1", "1 failed", "1 denied", "1 never ended"] == numbers
    assert [["a.txt", "modified", "+1 -1", "#1"]] == cells(changes)
    assert [
        ["FS_STALE_VERSION", "edit", "a.txt", "#2"],
        ["DENIED", "write", "b.txt", "#3"],
        ["never ended", "edit", "a.txt", "#5"],
    ] == cells(trouble)


def cells(table: Element) -> list[list[str]]:
    """The texts of a table's cells, row by row."""
    return [[cell.text for cell in row.all() if cell.name in {"th", "td"}] for row in table.one("tbody").all("tr")]


def test_changes_of_one_file_are_added_up() -> None:
    """Two edits of a file are one line of the summary, with the sums and both calls."""
    first = card("edit", asked("a", "1", "2"), change("a", "1\n", "2\n"))
    second = card("edit", asked("./a", "2", "3"), replace_path(change("a", "2\n", "3\n4\n").to_wire(), "./a"))
    page = page_of(first, second)

    assert [["a", "modified", "+3 -2", "#1 #2"]] == cells(page.one("table"))


def replace_path(view: dict[str, Any], path: str) -> Any:
    """The same view under another path, as something with a ``to_wire`` like a model has."""
    return type("View", (), {"to_wire": lambda _self: {**view, "path": path}})()


def test_a_result_replaces_the_call() -> None:
    """A completed card shows the result; the call is in a fold, only where the result does not tell what it was."""
    done = article_of(card("edit", asked("a", "1", "asked for"), change("a", "1\n", "applied\n")))
    failed = article_of(failure("edit", asked("a", "1", "asked for"), "FS_NOT_OBSERVED", "a was not read."))

    assert "asked for" not in done.text
    assert "FS_NOT_OBSERVED" == failed.one("code", "code-name").text
    assert "a was not read." == failed.one("pre", "error").text
    assert "It was not applied." in failed.one("details").text
    assert ["-1", "+asked for"] == lines_of(failed.one("details"))


def test_an_error_that_is_no_generic_card_shows_its_call_too() -> None:
    """A failed call is shown with what it asked for, whatever kind of card its result is."""
    result = TerminalResult(title="t", command="make", output="no rule\n", exit_code=2, truncated=False)
    article = article_of(card("bash", asked("a", "1", "2"), result, is_error=True))

    assert ["exit code 2", "failed"] == [badge.text for badge in article.all("span", "badge")]
    assert ["-1", "+2"] == lines_of(article.one("details"))


def test_a_call_without_a_result_says_so_and_shows_what_it_asked_for() -> None:
    """A pending card stays what it was, marked as never ended."""
    article = article_of(card("edit", asked("a.txt", "one", "two"), None))

    assert "never ended" in article.one("header").text
    assert "No result was recorded for this call" in article.one("ul", "notes").text
    assert ["-one", "+two"] == lines_of(article)
    assert [] == article.all("details")


def test_a_window_has_numbers_and_says_what_is_not_shown() -> None:
    """Lines are numbered as in the file; those before, after, and beyond the cut of a line are said with numbers."""
    text = "".join(f"line {number}\n" for number in range(1, 21))
    view = window("a.txt", text, 5, 3, via="buffer", dirty=True, cutLines=[{"line": 6, "shown": 6, "total": 5000}])
    article = article_of(card("read", GenericCall(title="Read a.txt"), view))

    assert ["5", "6", "7"] == [line.one("i").text for line in code(article)]
    assert "lines 5–7 of 20 · editor's buffer, unsaved typing included" in article.one("header").text
    assert "line 66 of 5,000 characters shown" in article.text
    assert "Not shown: 4 lines before and 13 lines after." in article.text


def test_a_command_shows_how_it_ended() -> None:
    """The exit code, or that there is none, is in the title; that output was cut is said."""
    call = TerminalCall(title="t", command="make", cwd="src")
    ended = TerminalResult(title="t", command="make", output="done\n", exit_code=0, truncated=False)
    cut = TerminalResult(title="t", command="make", output="", exit_code=None, truncated=True)

    assert "exit code 0" in article_of(card("bash", call, ended)).one("header").text
    assert "$ make" == article_of(card("bash", call, ended)).one("pre", "command").text
    assert "did not end by itself" in article_of(card("bash", call, cut)).one("header").text
    assert "The output was cut when it was recorded" in article_of(card("bash", call, cut)).text


def test_hits_have_their_places_and_the_total_is_said() -> None:
    """A hit is path, line and column; a list that is not whole says of how many."""
    article = read_page(render_html(story())).all("article")[0]

    assert "tests/test_prices.py:3:25 from shop.prices import total" == article.all("li")[0].text
    assert "4 of 9 hits listed" in article.one("header").text


def test_a_list_of_hits_that_is_not_whole_says_so_when_nobody_has_counted() -> None:
    """A search that stopped early without a total is not taken for one that found no more."""
    result = SearchResult(title="x", query="x", hits=(SearchHit(path="a"),), total=1, truncated=True)
    article = article_of(card("grep", GenericCall(title="x"), result))

    assert "1 of 1 hit listed" in article.one("header").text
    assert "Not all hits are listed." == article.one("ul", "notes").text


def test_a_count_that_was_given_up_is_a_least_number() -> None:
    """A total that is only known to be exceeded is not shown as the number of hits."""
    hits = (SearchHit(path="a"),)
    found = SearchResult(title="x", query="x", hits=hits, total=100_001, truncated=True, at_least=True)
    article = article_of(card("grep", GenericCall(title="x"), found))

    assert "1 of more than 100,001 hits listed" in article.one("header").text


def test_an_unknown_kind_of_card_is_shown_as_json() -> None:
    """A card of a later version is all there, and says that it is not known."""
    known = card("draw", GenericCall(title="draw"), GenericResult(title="draw", text=""))
    article = article_of(replace(known, result={"card": "hologram", "title": "A hologram", "depth": [1, {"a": "<b>"}]}))

    assert "A kind of card that this version does not know (hologram), shown as JSON." in article.text
    assert '      "a": "<b>"' in lines_of(article)


def test_a_session_without_calls_is_a_page() -> None:
    """An empty session says that it is one."""
    page = page_of(agent=None, workspace_folders=(), started_at=None, ended_at=None)

    assert "No call was recorded." in page.text
    assert "No file was changed." in page.text
    assert "no end was recorded" in page.one("header").text


def test_lines_of_the_journal_that_were_lost_are_said() -> None:
    """A page of a damaged journal does not pass for a whole one."""
    assert "Incomplete. 2 lines of the journal could not be read" in page_of(unreadable=2).one("p", "lost").text


def test_home_directories_stay_out_of_the_page() -> None:
    """A folder goes by its name, and no URI of a file is shown."""
    html = render_html(story())

    assert "someone" not in html
    assert "file:" not in html
    assert "shop" == read_page(html).one("dl").all("code")[1].text
    assert FOLDER.endswith("/shop")


@pytest.mark.parametrize(
    ("uri", "name"),
    [
        ("file:///home/someone/my%20shop/", "my shop"),
        ("file:///", "/"),
        ("file://[", "?"),
        ("", "/"),
        ("file:///a%FF", "a�"),
    ],
)
def test_a_folder_goes_by_its_name(uri: str, name: str) -> None:
    """The last part of the URI is shown; what is no URI does no harm."""
    assert name == page_of(workspace_folders=(uri,)).one("dl").all("code")[1].text


def test_long_texts_are_folded_and_whole() -> None:
    """Of many lines, or of very long ones, a part is open; the others are in an element that opens without a script."""
    text = "".join(f"line {number}\n" for number in range(1, 3001))
    read = article_of(card("read", GenericCall(title="Read a"), window("a", text)))
    wide = article_of(card("read", GenericCall(title="Read a"), window("a", "x" * 100_000 + "\n")))

    assert [f"line {number}" for number in range(1, 3001)] == [line.one("code").text for line in code(read)]
    assert "2,994 more lines" == read.one("summary").text
    assert "2,994 more lines of read" == read.one("div", "scroll").attributes["aria-label"]
    assert ("0", "region") == tuple(read.one("div", "scroll").attributes[name] for name in ("tabindex", "role"))
    assert "x" * 100_000 == wide.one("details").one("code").text


def test_a_file_written_with_what_it_had_shows_no_change() -> None:
    """An unchanged file has no added line and no removed one, in the lines and in the counts."""
    article = article_of(card("write", asked("a", None, "x\n"), change("a", "x\n", "x\n")))

    assert "unchanged" in article.one("header").text
    assert "+0 -0" == article.one("span", "counts").text
    assert [" x"] == lines_of(article)


def test_a_wrong_shape_of_a_read_card_does_not_pass_for_an_empty_file() -> None:
    """A window whose text is lost says which line there is none of."""
    view = {**window("a", "x\ny\n").to_wire(), "text": None, "lines": 0}
    article = article_of(replace(card("read", GenericCall(title="Read a"), None), result=view))

    assert "no line of 2" in article.one("header").text
    assert ReadResult.model_fields.keys() >= {"total_lines"}


def test_headings_and_landmarks_are_in_order() -> None:
    """One first heading, then sections, then cards: a screen reader's list of headings is a table of contents."""
    page = read_page(render_html(story()))
    headings = [element for element in page.all() if element.name in {"h1", "h2", "h3"}]
    names = {element.attributes["id"] for element in page.all() if "id" in element.attributes}
    labelled = [
        element.attributes["aria-labelledby"] for element in page.all() if "aria-labelledby" in element.attributes
    ]

    assert ["h1", "h2", "h2", *["h3"] * 10] == [element.name for element in headings]
    assert ["header", "main", "footer"] == [
        each.name for each in page.one("body").children if isinstance(each, Element)
    ]
    assert set(labelled) <= names
    assert len(names) == sum("id" in element.attributes for element in page.all())


def test_added_and_removed_lines_are_told_apart_without_colour() -> None:
    """A mark, and the element, say which line is which."""
    article = article_of(card("edit", asked("a", "1", "2"), change("a", "1\n", "2\n")))

    assert [("-", "del"), ("+", "ins")] == [(line.one("b").text, line.all()[-1].name) for line in code(article)]
