"""Refusals: the closed set of codes, and what each error says to a model and to a program."""

import inspect
import json
import re

import pytest

from dsh_ledger import errors
from dsh_ledger.drift import ChangedLines, Drift
from dsh_ledger.errors import LISTED, QUOTED, FieldError, FsStaleVersion, LedgerBug, LedgerError
from dsh_ledger.json_values import JsonObject
from dsh_ledger.versions import Version

CODES = {
    *("FS_NOT_FOUND", "FS_NOT_DIRECTORY", "FS_NOT_REGULAR_FILE", "FS_NOT_TEXT", "FS_TOO_LARGE"),
    *("FS_PERMISSION_DENIED", "FS_SANDBOX_DENIED", "FS_IO_ERROR", "FS_STALE_VERSION", "FS_NOT_OBSERVED"),
    *("FS_AMBIGUOUS_EDIT", "FS_EDIT_NOT_FOUND", "FS_APPLY_REJECTED", "FS_APPLY_UNCONFIRMED"),
    *("FS_ABORTED", "ABORTED", "ABORTED_BEFORE_DISPATCH"),
    *("INVALID_ARGS", "INVALID_TOOL_OUTPUT", "UNKNOWN_TOOL", "DENIED", "REVIEW_CONFLICT"),
}
"""The closed set. Clients and agents know these names: taking one away, or adding one, is a change of the protocol."""

V1, V2 = Version("1"), Version("2")

EXAMPLES: list[tuple[LedgerError, str, JsonObject]] = [
    (
        errors.FsNotFound("a"),
        "FS_NOT_FOUND: a does not exist. Check the path; to create the file, use write.",
        {"path": "a"},
    ),
    (
        errors.FsNotFound("a", "a has 3 lines.", {"totalLines": 3}),
        "FS_NOT_FOUND: a has 3 lines. Check the path; to create the file, use write.",
        {"path": "a", "totalLines": 3},
    ),
    (
        errors.FsNotDirectory("f/a"),
        "FS_NOT_DIRECTORY: f/a is not a directory, or a parent of it is not. "
        "Check the path: a file can't hold other files.",
        {"path": "f/a"},
    ),
    (
        errors.FsNotRegularFile("p", "FIFO"),
        "FS_NOT_REGULAR_FILE: p is a FIFO, not a regular file. Use a tool made for it, or name a file.",
        {"path": "p", "kind": "FIFO"},
    ),
    (
        errors.FsNotText("b", "utf-8", "byte 0xff at offset 3"),
        "FS_NOT_TEXT: b is not text in utf-8: byte 0xff at offset 3. "
        "Leave it to a tool made for its format, or ask the user.",
        {"path": "b", "encoding": "utf-8", "reason": "byte 0xff at offset 3"},
    ),
    (
        errors.FsTooLarge("b", 200, 100),
        "FS_TOO_LARGE: b has 200 bytes; the limit is 100 bytes. Read a window of it with offset and limit.",
        {"path": "b", "size": 200, "limit": 100},
    ),
    (
        errors.FsPermissionDenied("a"),
        "FS_PERMISSION_DENIED: Permission denied for a. Ask the user before going on.",
        {"path": "a"},
    ),
    (
        errors.FsSandboxDenied("../a"),
        "FS_SANDBOX_DENIED: ../a is outside the workspace. Ask the user if you need it.",
        {"path": "../a"},
    ),
    (
        errors.FsIoError("a", "ENOSPC"),
        "FS_IO_ERROR: a: ENOSPC. The file was left as it was, unless details say otherwise; read it before you retry.",
        {"path": "a", "reason": "ENOSPC"},
    ),
    (
        FsStaleVersion("a", V1, V2, "secret"),
        "FS_STALE_VERSION: a has changed since you read it. Read the file again, then retry.",
        {"path": "a", "observed": "1", "current": "2"},
    ),
    (
        FsStaleVersion("a", V1, None),
        "FS_STALE_VERSION: a was deleted since you read it. Read the file again, then retry.",
        {"path": "a", "observed": "1", "current": None},
    ),
    (
        errors.FsNotObserved("a"),
        "FS_NOT_OBSERVED: a was not read in this session. Read the file, then retry.",
        {"path": "a"},
    ),
    (
        errors.FsAmbiguousEdit("a", 2, [1, 3]),
        "FS_AMBIGUOUS_EDIT: old_string occurs 2 times in a, on lines 1, 3. "
        "Add surrounding lines to old_string until it is unique, or set replace_all.",
        {"path": "a", "count": 2, "lines": [1, 3], "truncated": False},
    ),
    (
        errors.FsEditNotFound("a"),
        "FS_EDIT_NOT_FOUND: old_string does not occur in a. "
        "Copy old_string exactly from the file; matching is exact, character for character.",
        {"path": "a"},
    ),
    (
        errors.FsApplyRejected("a", "read-only buffer"),
        "FS_APPLY_REJECTED: The editor refused the edit of a; it said: read-only buffer. "
        "Tell the user; the file is open in their editor.",
        {"path": "a", "reason": "read-only buffer"},
    ),
    (
        errors.FsApplyRejected("a", None),
        "FS_APPLY_REJECTED: The editor refused the edit of a; it gave no reason. "
        "Tell the user; the file is open in their editor.",
        {"path": "a", "reason": None},
    ),
    (
        errors.FsApplyUnconfirmed("a", answered=True),
        "FS_APPLY_UNCONFIRMED: The editor said that it applied the edit, and the new text of a has not been seen. "
        "Read the file before going on: the edit may or may not be there.",
        {"path": "a", "answered": True},
    ),
    (
        errors.FsApplyUnconfirmed("a", answered=False),
        "FS_APPLY_UNCONFIRMED: The editor did not answer in time, and the new text of a has not been seen. "
        "Read the file before going on: the edit may or may not be there.",
        {"path": "a", "answered": False},
    ),
    (errors.FsAborted("a"), "FS_ABORTED: Cancelled; a is unchanged. Call again if it is still wanted.", {"path": "a"}),
    (
        errors.Aborted(),
        "ABORTED: The call was cancelled. See what it did, if it could do anything, before you call again.",
        {},
    ),
    (
        errors.AbortedBeforeDispatch(),
        "ABORTED_BEFORE_DISPATCH: The call was cancelled before it began; nothing happened. "
        "Call again if it is still wanted.",
        {},
    ),
    (
        errors.InvalidArgs([FieldError("edits[2].old_string", "is required"), FieldError("", "is not an object")]),
        "INVALID_ARGS: edits[2].old_string: is required; is not an object. Correct the arguments, then call again.",
        {
            "errors": [
                {"path": "edits[2].old_string", "message": "is required"},
                {"path": "", "message": "is not an object"},
            ]
        },
    ),
    (
        errors.InvalidToolOutput("grep", [FieldError("total", "is required")]),
        "INVALID_TOOL_OUTPUT: grep returned a value that does not fit its schema: total: is required. "
        "Report it to the author of the tool; its effects, if any, stand.",
        {"tool": "grep", "errors": [{"path": "total", "message": "is required"}]},
    ),
    (
        errors.UnknownTool("Edit", ["edit", "read"]),
        "UNKNOWN_TOOL: There is no tool named 'Edit'; there are edit, read. Use one of the tools that there are.",
        {"name": "Edit", "known": ["edit", "read"]},
    ),
    (errors.Denied("The user said no."), "DENIED: The user said no. Don't retry without asking the user.", {}),
    (
        errors.ReviewConflict("The file has changed.", {"hunkId": "h1"}),
        "REVIEW_CONFLICT: The file has changed. Compare both texts and edit by hand.",
        {"hunkId": "h1"},
    ),
]


def tree(base: type[Exception], depth: int = 0) -> list[tuple[int, type[Exception]]]:
    """The classes of the module that derive from a class, depth first, as they are defined."""
    found = [(depth, base)]
    for derived in base.__subclasses__():
        if derived.__module__ == errors.__name__:
            found += tree(derived, depth + 1)
    return found


REFUSALS = [derived for _, derived in tree(LedgerError) if issubclass(derived, LedgerError) and "code" in vars(derived)]


def test_the_drawn_tree_is_the_real_one() -> None:
    """The tree at the top of the module has every class, in its place, with its code."""
    drawn = [
        ((match.end("lines") - 4) // 4, match["name"], match["said"])
        for line in inspect.getsource(errors).split('"""')[1].splitlines()
        if (match := re.fullmatch(r"(?P<lines> {4}[ │├└─]*)(?P<name>\w+)(?P<said>.*)", line))
    ]
    real = tree(Exception)

    assert [(depth, derived.__name__) for depth, derived in real] == [(depth, name) for depth, name, _ in drawn]
    codes = {name: said.strip() for _, name, said in drawn}
    assert {derived.__name__: derived.code for derived in REFUSALS} == {
        derived.__name__: codes[derived.__name__] for derived in REFUSALS
    }


def test_the_codes_are_the_closed_set() -> None:
    """Each class that can be raised has a code of its own, and together they are the set."""
    assert sorted(CODES) == sorted(derived.code for derived in REFUSALS)


def test_a_class_without_a_code_is_only_a_group() -> None:
    """What has no code has classes below it that do."""
    groups = [derived for _, derived in tree(LedgerError) if derived not in REFUSALS]

    assert ["LedgerError", "FsError", "CallError"] == [derived.__name__ for derived in groups]


def test_every_class_has_an_example() -> None:
    """None is missing below."""
    assert set(REFUSALS) == {type(error) for error, _, _ in EXAMPLES}


@pytest.mark.parametrize(("error", "text", "details"), EXAMPLES, ids=lambda value: getattr(value, "code", ""))
def test_what_an_error_says(error: LedgerError, text: str, details: JsonObject) -> None:
    """To a model: code, condition and next action. To a program: the details, which are JSON."""
    assert text == error.model_text()
    assert text == f"{error.code}: {error.message} {error.remedy}".strip()
    assert error.message == str(error)
    assert details == error.details == json.loads(json.dumps(error.details, allow_nan=False))


@pytest.mark.parametrize("error", [error for error, _, _ in EXAMPLES], ids=lambda error: error.code)
def test_an_error_holds_no_content_and_no_cause(error: LedgerError) -> None:
    """Neither what a model reads nor the details repeat what stands in a file; nothing is chained."""
    assert "secret" not in error.model_text() + json.dumps(error.details)
    assert error.__cause__ is None


MANY = [FieldError("p" * 9_999, "m" * 9_999)] * 999


@pytest.mark.parametrize(
    "error",
    [
        errors.FsAmbiguousEdit("a", 999, range(1, 1000)),
        errors.FsApplyRejected("a", "r" * 99_999),
        errors.InvalidArgs(MANY),
        errors.InvalidToolOutput("t", MANY),
        errors.UnknownTool("n" * 99_999, ["edit"]),
    ],
    ids=lambda error: error.code,
)
def test_an_error_is_bounded(error: LedgerError) -> None:
    """However much is wrong, and however long what somebody else said."""
    limit = 2 * (LISTED + 1) * QUOTED + 1000

    assert len(error.model_text()) < limit
    assert len(json.dumps(error.details)) < limit


def test_what_is_left_out_is_counted() -> None:
    """An error that lists the first ten says that there are more."""
    lines = errors.FsAmbiguousEdit("a", 12, range(1, 13))
    fields = [FieldError(f"f{number}", "no") for number in range(12)]

    assert "old_string occurs 12 times in a, on lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …." == lines.message
    assert (True, [*range(1, 11)]) == (lines.details["truncated"], lines.details["lines"])
    assert errors.InvalidArgs(fields).message.endswith("; f9: no (and 2 more).")
    assert errors.InvalidToolOutput("t", fields).message.endswith("; f9: no (and 2 more).")


def test_details_are_the_errors_own() -> None:
    """What the caller does with its mapping afterwards changes nothing."""
    details: JsonObject = {"a": 1}
    error = errors.Denied("No.", details)
    details["a"] = 2

    assert {"a": 1} == error.details


# ---- what changed


def changes(count: int) -> tuple[ChangedLines, ...]:
    """So many changed lines, every third line."""
    return tuple(ChangedLines(at * 3 + 1, 1, at * 3 + 1, 1) for at in range(count))


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        (ChangedLines(3, 1, 4, 1), "4"),
        (ChangedLines(3, 0, 4, 2), "4-5"),
        (ChangedLines(3, 2, 2, 0), "2 removed after line 2"),
    ],
)
def test_changed_lines_say_where(changed: ChangedLines, expected: str) -> None:
    """By the lines that are there now, which is what a reader can look at."""
    assert expected == str(changed)


def test_a_stale_version_can_be_explained() -> None:
    """The same error, saying what changed in words, in hunks and in numbers; the text itself is let go."""
    error = FsStaleVersion("a", V1, V2, "now").explained(Drift(changes(2), "@@ -1 +1 @@\n-x\n+y", 2, truncated=False))

    assert (
        "FS_STALE_VERSION: a has changed since you read it. Changed lines: 1, 4.\n@@ -1 +1 @@\n-x\n+y\n"
        "Read the file again, then retry."
    ) == error.model_text()
    assert {
        "path": "a",
        "observed": "1",
        "current": "2",
        "changes": [
            {"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1},
            {"oldStart": 4, "oldLines": 1, "newStart": 4, "newLines": 1},
        ],
        "hunks": "@@ -1 +1 @@\n-x\n+y",
        "total": 2,
        "truncated": False,
    } == json.loads(json.dumps(error.details))
    assert (V1, V2, None, error.message) == (error.observed, error.current, error.current_text, str(error))


def test_an_explanation_says_what_it_leaves_out() -> None:
    """It lists ten places, counts the others, and says that the hunks are cut."""
    error = FsStaleVersion("a", V1, V2).explained(Drift(changes(12), "@@", 40, truncated=True))

    assert "22, 25, 28 and 30 more places.\n@@\n(cut)\n" in error.message
    assert (40, True) == (error.details["total"], error.details["truncated"])


def test_an_explanation_of_nothing_adds_nothing() -> None:
    """Of a file that is gone there is nothing to list."""
    plain = FsStaleVersion("a", V1, None)

    assert plain.message == plain.explained(Drift((), "", 0, truncated=False)).message


# ---- bugs


def test_a_bug_is_no_refusal() -> None:
    """It has a class of its own, a code that is in no set, and asks to be reported."""
    bug = LedgerBug("two tools are named x")

    assert not isinstance(bug, LedgerError)
    assert bug.code not in CODES
    assert "LEDGER_BUG: two tools are named x. This is a bug; please report it." == bug.model_text()
    assert {} == bug.details
