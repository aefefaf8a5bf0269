"""Random edits of random files in random encodings: every byte that no edit is about stays as it is.

What an edit makes of bytes is compared with a model that works on one character at a time. The pure part of the disk's
critical section is what is tested most; the whole of it, with a real file, for fewer.
"""

import os
from collections import Counter
from pathlib import Path
from random import Random
from typing import TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsh_ledger.edits import Change, Edit
from dsh_ledger.errors import FsEditNotFound, FsNotText
from dsh_ledger.guards import Unconditional
from dsh_ledger.targets import Target
from dsh_ledger.versions import version_of_text
from dsh_tools.fs.charsets import Charset
from dsh_tools.fs.disk import DiskFileSystem
from dsh_tools.fs.encoding import decode, text_content
from dsh_tools.fs.file_style import FileStyle, StyleOf
from dsh_tools.fs.mutation import Revise, editing, writing
from dsh_tools.fs.port import EditPlan, TextRead
from dsh_tools.matching import Replace
from tests.support.encoded_texts import ENCODINGS, read_as
from tests.support.line_end_model import modelled_pieces, units
from tests.support.random_files import RandomFile, RandomFiles

ANY = Unconditional()
F = Target("file:///f", "f")
QUICK, SLOW, ON_DISK = 500, 100_000, 3_000
SEED = int(os.environ.get("DSH_LSP_FUZZ_SEED", "20261"))

Seen: TypeAlias = Counter[str]


def style_of(file: RandomFile) -> StyleOf:
    """What is declared for a file: its encoding."""
    style = FileStyle(Charset(file.codec))
    return lambda: style


def revised(file: RandomFile, revise: Revise) -> bytes:
    """The bytes after a revision; the revision's own word for what they mean is checked on the way."""
    content = text_content(decode(file.data, "f", style_of(file)), file.data)
    revision = revise(content, style_of(file))
    after = revision.content()
    found = decode(revision.data, "f", style_of(file))

    assert (after.decoded.text, after.decoded.bom) == (found.text, found.bom)
    assert version_of_text(found.text) == after.version
    return revision.data


def refusal_is_right(file: RandomFile, text: str, mark: bytes) -> bool:
    """Whether a text can't be had in the file's encoding: no bytes, or bytes that say something else."""
    try:
        data = mark + text.encode(file.codec)
    except UnicodeEncodeError:
        return True
    return read_as(data, file.codec) is None or read_as(data, file.codec) != (text, file.codec)


def check_change(file: RandomFile, change: Change, plan: EditPlan, seen: Seen) -> None:
    """One edit against the model."""
    pieces = modelled_pieces(change, file.text)
    text = "".join(piece for piece, _ in pieces)
    try:
        after = revised(file, editing(F, plan, ANY))
    except FsNotText:
        assert refusal_is_right(file, text, file.mark)
        seen["refused"] += 1
        return
    before, at, expected = file.data, len(file.mark), [file.mark]
    spans = iter(change.edits)
    for piece, is_new in pieces:
        size = len(piece.encode(file.codec))
        if is_new:
            expected.append(piece.encode(file.codec))
            at += len(replaced(file, next(spans)).encode(file.codec))
        else:
            expected.append(before[at : at + size])
            at += size
    assert at == len(before)
    assert b"".join(expected) == after
    seen["edited"] += 1


def replaced(file: RandomFile, edit: Edit) -> str:
    """The physical text that an edit replaces."""
    return "".join(units(file.text)[edit.start : edit.end])


def check_replace(file: RandomFile, old: str, new: str, seen: Seen) -> None:
    """A replacement of every occurrence, and the law of lengths where all line ends are one byte in ASCII."""
    replace = Replace(old, new, "f", replace_all=True)
    change = replace(file.logical)
    check_change(file, change, replace, seen)
    if "\r" in file.text + new:
        return
    try:
        after = revised(file, editing(F, replace, ANY))
    except FsNotText:
        return
    count = file.logical.count(old)
    old_size, new_size = len(old.encode(file.codec)), len(new.encode(file.codec))
    assert len(after) == len(file.data) - count * old_size + count * new_size
    seen["measured"] += 1


def check_write(file: RandomFile, text: str, seen: Seen) -> None:
    """A whole text over a file: mark, encoding and uniform line ends stay."""
    pairs, ends = file.text.count("\r\n"), file.text.count("\n")
    logical = text.removeprefix("\ufeff").replace("\r\n", "\n")
    expected = logical.replace("\n", "\r\n") if pairs and pairs == ends else logical
    try:
        after = revised(file, writing(F, text))
    except FsNotText:
        seen["refused"] += 1
        assert refusal_is_right(file, expected, file.mark) or 0 < pairs < ends
        return
    seen["written"] += 1
    if not 0 < pairs < ends:
        assert file.mark + expected.encode(file.codec) == after


def check_one(files: RandomFiles, random: Random, seen: Seen) -> None:
    """One file and one change of it."""
    file = files.file()
    found = read_as(file.data, file.codec)
    if found is None or found != (file.text, file.codec if not file.text.isascii() or file.mark else found[1]):
        # It is no text, or by its bytes another one: refused or read alike, and never changed by mistake.
        seen["else"] += 1
        try:
            assert found == ((decoded := decode(file.data, "f", style_of(file))).text, decoded.encoding)
        except FsNotText:
            assert found is None
        return
    kind = random.random()
    if kind < 0.4:
        change = files.change(file)
        check_change(file, change, lambda _: change, seen)
    elif kind < 0.8 and (old := files.part(file.logical)):
        # A pair of return and newline in what is to be replaced means a newline.
        if "\r\n" not in old:
            check_replace(file, old, files.new_text(file.codec), seen)
    elif file.data:
        check_write(file, files.new_text(file.codec) + files.new_text(file.codec), seen)


def fuzz(seed: int, examples: int) -> Seen:
    """So many examples; what became of them."""
    random, seen = Random(seed), Counter[str]()
    files = RandomFiles(random)
    for number in range(examples):
        state = random.getstate()
        try:
            check_one(files, random, seen)
        except BaseException as error:
            random.setstate(state)
            error.add_note(f"seed {seed}, example {number}: {RandomFiles(random).file()!r}")
            raise
    return seen


def worthwhile(seen: Seen, examples: int) -> bool:
    """Whether enough of each kind was among the examples."""
    least = {"edited": 0.4, "written": 0.05, "measured": 0.05, "refused": 0.005}
    return all(seen[kind] > share * examples for kind, share in least.items()) and seen["else"] < 0.2 * examples


def test_a24_random_edits_of_random_files() -> None:
    """Bytes outside of the replaced spans stay, those inside are the model's, and lengths add up."""
    assert worthwhile(fuzz(SEED, QUICK), QUICK)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a24_many_random_edits_of_random_files() -> None:
    """The same a hundred thousand times; another seed can be given in DSH_LSP_FUZZ_SEED."""
    assert worthwhile(fuzz(SEED + 1, SLOW), SLOW)


@settings(max_examples=300, deadline=None)
@given(st.randoms(use_true_random=False))
def test_random_edits_that_shrink(random: Random) -> None:
    """The same by Hypothesis, which finds a small example of what goes wrong."""
    check_one(RandomFiles(random), random, Counter[str]())


async def on_disk(disk: DiskFileSystem, root: Path, seed: int, examples: int) -> int:
    """Edits of real files; how many were made."""
    random, made = Random(seed), 0
    files = RandomFiles(random)
    for number in range(examples):
        file = files.file()
        name = f"f{number % 7}.{file.codec}"
        (root / name).write_bytes(file.data)
        target = await disk.resolve(name)
        change = files.change(file)
        expected = "".join(piece for piece, _ in modelled_pieces(change, file.text))
        if read_as(file.data, file.codec) != (file.text, file.codec) or refusal_is_right(file, expected, file.mark):
            continue
        try:
            outcome = await disk.edit_text(target, lambda _, change=change: change, ANY)
        except FsEditNotFound:
            continue
        read = await disk.read_text(target)
        assert file.mark + expected.encode(file.codec) == (root / name).read_bytes()
        assert isinstance(read, TextRead)
        assert (outcome.after, outcome.version, file.codec) == (read.text, read.version, read.encoding)
        made += 1
    return made


async def test_random_edits_on_the_disk(tmp_path: Path, disk: DiskFileSystem) -> None:
    """What the outcome says is what a read finds and what the file holds."""
    await on_disk(declared(disk), tmp_path, SEED, 100)


@pytest.mark.slow
async def test_many_random_edits_on_the_disk(tmp_path: Path, disk: DiskFileSystem) -> None:
    """The same some thousand times."""
    assert ON_DISK // 2 < await on_disk(declared(disk), tmp_path, SEED + 1, ON_DISK)


def declared(disk: DiskFileSystem) -> DiskFileSystem:
    """The disk, with each file's encoding declared by its name."""
    disk.styles.set_encodings({f"*.{codec}": codec for codec in ENCODINGS})
    return disk
