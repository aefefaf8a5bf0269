"""The extension's pure parts, in Node: the same characters are hidden as elsewhere, versions, diffs, texts from before.

They are bundled by esbuild from the sources, so nothing but ``npm ci`` is needed.
"""

import json
import random
import subprocess
from pathlib import Path
from shutil import which
from typing import Any

import pytest

from dsh_ledger.versions import version_of_text
from dsh_tools.visible import one_line, visible
from tests.vscode.lab.installed import EXTENSION

_MODULES = ("visible", "contentVersion", "review/baseText", "review/moving", "webview/diffLines")
_RUN = """const [path, calls] = [process.argv[1], JSON.parse(require('fs').readFileSync(0, 'utf8'))];
const code = require(path);
console.log(JSON.stringify(calls.map(([name, ...args]) => code[name](...args))));"""


@pytest.fixture(scope="module")
def pure(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One module with all of them."""
    esbuild, node = EXTENSION / "node_modules" / ".bin" / "esbuild", which("node")
    if not esbuild.exists() or node is None:
        pytest.skip("esbuild is not there; run editor-clients/vscode/tests/setup.sh")
    bundle = tmp_path_factory.mktemp("pure") / "pure.js"
    exports = "".join(f"export * from './{name}';" for name in _MODULES)
    options = ["--bundle", "--platform=node", "--format=cjs", f"--outfile={bundle}", "--log-level=warning"]
    # `vscode` is there in the extension host alone; the pure parts take only types from it.
    command = [str(esbuild), *options, "--external:vscode", "--alias:vscode=./empty", "--loader=ts"]
    (bundle.parent / "empty.js").write_text("", encoding="utf-8")
    command[-2] = f"--alias:vscode={bundle.parent / 'empty.js'}"
    subprocess.run(command, input=exports, cwd=EXTENSION / "src", text=True, check=True, timeout=30)
    return bundle


def called(bundle: Path, calls: list[list[Any]]) -> list[Any]:
    """What functions of the module return, as JSON."""
    done = subprocess.run(
        [which("node") or "node", "-e", _RUN, str(bundle)],
        input=json.dumps(calls),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
        timeout=60,
    )
    returned: list[Any] = json.loads(done.stdout)
    return returned


def test_the_same_characters_are_hidden(pure: Path) -> None:
    """Every character, alone and in odd company, is shown as `dsh_tools.visible` shows it."""
    ranges = (
        range(0x3200),
        range(0xF000, 0x10000),
        range(0xD7F0, 0xD810),
        range(0x1F000, 0x1F020),
        range(0xE0000, 0xE0200),
    )
    others = (0x1BCA0, 0x1D173, 0x1FFFE, 0x2FFFF, 0x10FFFE, 0x10FFFF, 0x1D17A, 0xDFFF)
    texts = [f"a{chr(code)}b" for codes in (*ranges, others) for code in codes if not 0xD800 <= code < 0xE000]
    texts += [
        "\u2764\ufe0f",
        "a\ufe0f",
        "\x1b[31mred\x1b[0m",
        "\x1b[" + "1;" * 40 + "m",
        "a\r\nb\tc\x7f",
        "\u202eabc\u2066",
        "",
    ]

    assert called(pure, [["visible", text] for text in texts]) == [visible(text) for text in texts]
    assert called(pure, [["oneLine", text] for text in texts]) == [one_line(text) for text in texts]


def test_the_same_content_versions(pure: Path) -> None:
    """Line ends, a byte order mark, and half a pair of surrogates, which the wire can carry."""
    texts = [
        "",
        "a\r\nb\n",
        "\ufeffa",
        "\ufeff\ufeffa",
        "a\rb",
        "a\r\r\nb",
        "\u00e4\U0001f60b",
        "half \ud83d",
        "\ude00\ud83d\ude00",
    ]
    versions = called(pure, [["contentVersion", text] for text in texts])

    assert versions == [version_of_text(joined(text)) for text in texts]


def joined(text: str) -> str:
    """A text whose pairs of surrogates are characters, as they are once they have been sent."""
    decoded: str = json.loads(json.dumps(text))
    return decoded


def test_diff_lines_are_a_diff(pure: Path) -> None:
    """For random texts: the lines without the added ones are the old text, without the removed ones the new one."""
    chance = random.Random(7)
    pairs = []
    for _ in range(300):
        old = [chance.choice("abcdef") for _ in range(chance.randrange(12))]
        new = [line for line in old if chance.random() < 0.7]
        for _ in range(chance.randrange(4)):
            new.insert(chance.randrange(len(new) + 1), chance.choice("abcdefxyz"))
        pairs.append((old, new))
    for (old, new), lines in zip(pairs, called(pure, [["diffLines", *pair, 1, 1] for pair in pairs]), strict=True):
        assert [line["text"] for line in lines if line["kind"] != "added"] == old
        assert [line["text"] for line in lines if line["kind"] != "removed"] == new
        assert [line["old"] for line in lines if "old" in line] == list(range(1, len(old) + 1))
        assert [line["new"] for line in lines if "new" in line] == list(range(1, len(new) + 1))


def hunk(line: int, added: int, removed: str | None, character: int = 0, **more: Any) -> dict[str, Any]:
    """A hunk as the server tells of it, as far as these functions look."""
    place = {"start": {"line": line, "character": character}, "end": {"line": line + added, "character": character}}
    lines = 0 if removed is None else removed.count("\n") + 1
    return {"range": place, "addedLines": added, "removedLines": lines, "removedText": removed or "", **more}


@pytest.mark.parametrize(
    ("now", "hunks", "before"),
    [
        ("a\nB\nc\n", [hunk(1, 1, "b")], "a\nb\nc\n"),
        ("a\r\nB\r\nc\r\n", [hunk(1, 1, "b")], "a\nb\nc\n"),
        ("a\nc\n", [hunk(1, 0, "b")], "a\nb\nc\n"),
        ("a\n", [hunk(1, 0, "b\nc")], "a\nb\nc\n"),
        ("a", [hunk(0, 0, "b", 1, noNewlineAtEnd={"old": False, "new": True})], "a\nb\n"),
        ("a\nb", [hunk(1, 1, None, noNewlineAtEnd={"old": False, "new": True})], "a\n"),
        ("one\n", [hunk(0, 1, None)], ""),
        ("a", [hunk(0, 0, None, 1, noNewlineAtEnd={"old": False, "new": True})], "a\n"),
        ("a\n", [hunk(1, 0, "")], "a\n\n"),
        ("X\nb\nY\nZ\n", [hunk(0, 1, "a"), hunk(2, 2, "c")], "a\nb\nc\n"),
    ],
)
def test_the_text_from_before(pure: Path, now: str, hunks: list[dict[str, Any]], before: str) -> None:
    """The hunks put back into a text give the text from before, its last line end included."""
    assert called(pure, [["baseText", now, hunks]]) == [before]


def change(line: int, character: int, end_line: int, end_character: int, text: str) -> dict[str, Any]:
    """A change of a document, as VS Code tells of it."""
    start, end = {"line": line, "character": character}, {"line": end_line, "character": end_character}
    return {"range": {"start": start, "end": end}, "text": text}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ([change(0, 0, 0, 0, "x\ny\n")], [(12, 2), (22, 0)]),
        ([change(0, 0, 2, 0, "")], [(8, 2), (18, 0)]),
        ([change(10, 0, 10, 0, "\n")], [(11, 2), (21, 0)]),
        ([change(10, 3, 10, 3, "\n")], [(10, 3), (21, 0)]),
        ([change(10, 3, 11, 0, "")], [(10, 1), (19, 0)]),
        ([change(15, 0, 15, 0, "a\nb\nc\n")], [(10, 2), (23, 0)]),
        ([change(30, 0, 31, 0, "")], [(10, 2), (20, 0)]),
        ([change(5, 1, 5, 1, "x")], [(10, 2), (20, 0)]),
        ([change(0, 0, 0, 0, "x\n"), change(15, 0, 15, 0, "y\n")], [(11, 2), (22, 0)]),
    ],
)
def test_hunks_move_with_the_typing(pure: Path, changes: list[dict[str, Any]], expected: list[tuple[int, int]]) -> None:
    """Changes above move a hunk, changes in it make it longer or shorter, changes below leave it alone."""
    (moved,) = called(pure, [["moved", [hunk(10, 2, "old"), hunk(20, 0, "gone")], changes]])

    assert expected == [(each["range"]["start"]["line"], each["addedLines"]) for each in moved]
