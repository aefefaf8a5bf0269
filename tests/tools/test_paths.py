"""From what is written to the one name of a file: spellings, links, containment, and what is refused."""

import os
from pathlib import Path

import pytest

from dsh_ledger.errors import FsNotDirectory, FsSandboxDenied, InvalidArgs, LedgerBug, LedgerError
from dsh_ledger.targets import Target
from dsh_tools.fs.paths import Workspace, canonical_uri, target_path
from dsh_tools.fs.uris import escaped_name, file_uri, uri_path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace folder ``w`` with a file ``a.txt`` and a folder ``d``."""
    root = tmp_path / "w"
    (root / "d").mkdir(parents=True)
    (root / "a.txt").write_bytes(b"a\n")
    return root


@pytest.fixture
def workspace(root: Path) -> Workspace:
    """The workspace."""
    return Workspace([root])


def refusal(workspace: Workspace, path: str) -> LedgerError:
    """What `resolve` raises for a path."""
    with pytest.raises(LedgerError) as caught:
        workspace.resolve(path)
    return caught.value


# ---- spellings


def test_all_spellings_of_a_file_are_one_target(root: Path, workspace: Workspace) -> None:
    """Relative, absolute, with ``..``, as a URI in several forms: one URI, one path to show."""
    (root / "ln").symlink_to(root / "d")
    spellings = [
        "a.txt",
        "./a.txt",
        "d/../a.txt",
        "ln/../a.txt",
        f"{root}/a.txt",
        f"{root}//d/./../a.txt",
        f"file://{root}/a.txt",
        f"file://localhost{root}/a.txt",
        f"FILE://{root}/%61.txt",
        f"file:{root}/a.txt",
    ]

    found = [workspace.resolve(spelling) for spelling in spellings]

    assert {(root / "a.txt").as_uri()} == {target.uri for target in found}
    assert {"a.txt"} == {target.path for target in found}


def test_a_missing_file_is_a_target_through_its_nearest_ancestor(root: Path, workspace: Workspace) -> None:
    """What does not exist yet is named by the real path that it would have."""
    (root / "ln").symlink_to("d")

    assert Target((root / "d/x/new.py").as_uri(), "") == workspace.resolve("ln/x/new.py")


def test_f10_names_that_differ_in_case_are_two_targets(root: Path, workspace: Workspace) -> None:
    """On Linux ``a.txt`` and ``A.txt`` are two files (F10)."""
    (root / "A.txt").touch()

    assert workspace.resolve("a.txt") != workspace.resolve("A.txt")


@pytest.mark.parametrize(
    "name", [b"plain", b"two words", b"a%b", b"a#b?c", "ü\u672c".encode(), b"\xff\xfe.txt", b"~x", b"$H", b"git:x"]
)
def test_f12_what_is_shown_leads_back(root: Path, workspace: Workspace, name: bytes) -> None:
    """The URI and the shown path of any name, UTF-8 or not, resolve to the same target, before and after it exists."""
    real = os.fsencode(root) + b"/" + name
    target = workspace.target(real)

    def again() -> list[Target]:
        return [workspace.resolve(target.path), workspace.resolve(target.uri)]

    assert [target, target] == again()
    Path(os.fsdecode(real)).touch()
    assert [target, target] == again()
    assert real == target_path(target)
    assert target.path.encode("utf-8", "strict")


def test_another_root_shows_absolute(tmp_path: Path, root: Path) -> None:
    """Paths under a second root are shown as that root was given, and lead back."""
    (tmp_path / "real").mkdir()
    (tmp_path / "second").symlink_to("real")
    workspace = Workspace([root, tmp_path / "second"])

    target = workspace.resolve(str(tmp_path / "second/x"))

    assert (f"{tmp_path}/second/x", (tmp_path / "real/x").as_uri()) == (target.path, target.uri)
    assert target == workspace.resolve(target.path)


@pytest.mark.parametrize(("path", "shown"), [(".", "."), ("d/..", "."), ("d/", "d")])
def test_directories_have_targets(workspace: Workspace, path: str, shown: str) -> None:
    """A directory is a target too; the root shows as a dot."""
    assert shown == workspace.resolve(path).path


# ---- containment


@pytest.mark.parametrize(
    "path", ["{parent}/w-evil/s", "{root}/../w-evil/s", "../w-evil/s", "d/../../w-evil", "/", ".."]
)
def test_f18_outside_is_denied(root: Path, workspace: Workspace, path: str) -> None:
    """A prefix twin, ``..`` segments and plain absolute paths are outside; the error repeats what was given (F18)."""
    (root.parent / "w-evil").mkdir()
    (root.parent / "w-evil/s").touch()
    given = path.format(parent=root.parent, root=root)

    error = refusal(workspace, given)

    assert (FsSandboxDenied, f"{given} is outside the workspace.") == (type(error), error.message)


@pytest.mark.parametrize("path", ["leak", "leakdir/secret", "leakdir/new", "leakdir/../secret"])
def test_i01_i10_links_to_the_outside_are_denied_silently(root: Path, workspace: Workspace, path: str) -> None:
    """Containment is that of the real path, and the error does not say what the link leads to (I01, I10)."""
    outside = root.parent / "outside"
    outside.mkdir()
    (outside / "secret").touch()
    (root / "leak").symlink_to(outside / "secret")
    (root / "leakdir").symlink_to(outside)

    error = refusal(workspace, path)

    assert (FsSandboxDenied, f"{path} is outside the workspace.") == (type(error), error.message)
    assert "outside/" not in error.model_text() + str(error.details)


def test_f03_a_dangling_link_is_its_target(root: Path, workspace: Workspace) -> None:
    """A link to nothing names what would be there, inside or outside (F03)."""
    (root / "d.txt").symlink_to("missing.txt")
    (root / "out.txt").symlink_to(root.parent / "missing.txt")

    assert (root / "missing.txt").as_uri() == workspace.resolve("d.txt").uri
    assert isinstance(refusal(workspace, "out.txt"), FsSandboxDenied)


def test_a_loop_of_links_resolves_to_nothing_that_opens(root: Path, workspace: Workspace) -> None:
    """Links in a circle below the workspace are refused when a file is asked for beyond them."""
    (root / "one").symlink_to("two")
    (root / "two").symlink_to("one")

    assert isinstance(refusal(workspace, "one/x"), FsSandboxDenied)


def test_f15_a_file_has_no_children(workspace: Workspace) -> None:
    """A path through a file is FS_NOT_DIRECTORY (F15)."""
    assert isinstance(refusal(workspace, "a.txt/child"), FsNotDirectory)


def test_a_target_of_another_workspace_is_denied(tmp_path: Path, workspace: Workspace) -> None:
    """Targets are looked at again when they are located."""
    with pytest.raises(FsSandboxDenied):
        workspace.locate(Target(file_uri(os.fsencode(tmp_path / "x")), "x"))


def test_the_whole_disk_can_be_a_workspace(root: Path) -> None:
    """The root directory as a root contains everything, without doubled slashes."""
    workspace = Workspace([Path("/")])
    target = workspace.resolve(str(root / "a.txt"))

    assert (str(root / "a.txt").lstrip("/"), b"/") == (target.path, workspace.locate(target).root)


# ---- what is no path


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("", "is empty"),
        ("a\0b", "has a NUL character"),
        ("a\ud800", "has a character that no file name can hold"),
        ("x" * 5000, "has 5000 bytes"),
        ("http://h/a.txt", "only file: URIs and paths name files"),
        ("git:/r/a.txt", "looks like a URI"),
        ("untitled:Untitled-1", "looks like a URI"),
        ("file://elsewhere/a.txt", "not the URI of a file on this machine"),
        ("file:a.txt", "not the URI of a file on this machine"),
        ("file:///a.txt#L3", "%23 for #"),
        ("file:///a%00b", "has a NUL character"),
    ],
)
def test_what_is_no_path_is_invalid(workspace: Workspace, path: str, says: str) -> None:
    """Empty, NUL, characters beyond names, over-long, other schemes and other hosts are INVALID_ARGS for ``path``."""
    error = refusal(workspace, path)

    assert InvalidArgs is type(error)
    assert error.message.startswith("path: ")
    assert says in error.message


@pytest.mark.parametrize("path", ["~/t.txt", "~", "~user/x", "$HOME/x", "${HOME}/x", "$X"])
def test_f13_nothing_is_expanded(root: Path, workspace: Workspace, path: str) -> None:
    """A leading ``~`` or variable is refused and makes nothing, unless an entry of that name is there (F13)."""
    assert isinstance(refusal(workspace, path), InvalidArgs)

    first = path.split("/")[0]
    (root / first).mkdir()

    assert (root / path).as_uri() == workspace.resolve(path).uri


@pytest.mark.parametrize("path", ["./~/t.txt", "a~b", "$", "$-x", "x$HOME", "./git:x", "d/http:", "c:"])
def test_what_only_looks_like_an_expansion_is_a_name(root: Path, workspace: Workspace, path: str) -> None:
    """A tilde, a dollar or a colon elsewhere is part of a name, as everywhere on POSIX."""
    assert (root / path).as_uri() == workspace.resolve(path).uri


@pytest.mark.parametrize("path", [r"src\new.py", r"src\deep\new.py", r"\\server\share\x", r"%USERPROFILE%\x"])
def test_F19_a_path_as_windows_writes_it_makes_no_file_of_that_name(
    root: Path, workspace: Workspace, path: str
) -> None:
    """Unless there is one, or ``./`` says that it is meant; what is shown of it leads back (F19)."""
    (root / "src").mkdir()
    error = refusal(workspace, path)

    assert (InvalidArgs, True) == (type(error), "a path of Windows" in error.message)

    target = workspace.resolve(f"./{path}")

    assert (root / path).as_uri() == target.uri == workspace.resolve(target.path).uri
    (root / path).touch()
    assert target == workspace.resolve(path)


@pytest.mark.parametrize("path", [r"dev-disk-by\x2duuid.swap", r"d/a\b", "a\\"])
def test_a_backslash_elsewhere_is_part_of_a_name(root: Path, workspace: Workspace, path: str) -> None:
    """No directory of the workspace is before it."""
    assert (root / path).as_uri() == workspace.resolve(path).uri


def test_a_slash_at_the_end_means_a_directory(root: Path, workspace: Workspace) -> None:
    """A directory may be written so; a file may not, and no file is made by such a name."""
    (root / "d").mkdir(exist_ok=True)
    (root / "f").touch()

    assert workspace.resolve("d") == workspace.resolve("d/") == workspace.resolve((root / "d").as_uri() + "/")
    assert FsNotDirectory is type(refusal(workspace, "f/")) is type(refusal(workspace, "f/."))
    for path in ("new/", "d/new/", (root / "new").as_uri() + "/"):
        error = refusal(workspace, path)
        assert (InvalidArgs, True) == (type(error), "ends with a slash" in error.message)


def test_a_workspace_needs_a_root() -> None:
    """To make one without is a bug of the caller."""
    with pytest.raises(LedgerBug):
        Workspace([])


# ---- the URIs of clients


def test_clients_spellings_meet(root: Path) -> None:
    """Lower-case escapes, ``%3A``, bare unicode and links give the one canonical URI."""
    (root / "ü:b").mkdir()
    (root / "ln").symlink_to("ü:b")
    canonical = f"file://{root}/%C3%BC%3Ab/f.py"

    spellings = ["%c3%bc%3ab/f.py", "%C3%BC:b/f.py", "ü:b/f.py", "ln/f.py", "d/../ln/f.py", "%C3%BC%3Ab//f.py"]

    assert {canonical} == {canonical_uri(f"file://{root}/{spelling}") for spelling in spellings}
    assert canonical == canonical_uri(canonical)


@pytest.mark.parametrize("uri", ["untitled:Untitled-1", "git:/r/a.txt", "file://host/share/a", "file:a", "file:///%00"])
def test_other_uris_stay_verbatim(uri: str) -> None:
    """What names no file of this machine is left as it is."""
    assert uri == canonical_uri(uri)


def test_every_byte_of_a_name_survives_a_uri() -> None:
    """All bytes that a path can hold go through a URI and back, as plain ASCII."""
    path = b"/" + bytes(set(range(1, 256)))

    assert path == uri_path(file_uri(path))
    assert file_uri(path).isascii()


def test_names_for_json() -> None:
    """A name is itself where it is UTF-8, else percent-escaped whole."""
    assert ("ü b", "%FF%20b") == (escaped_name("ü b".encode()), escaped_name(b"\xff b"))


def test_a_target_that_is_no_file_is_a_bug_here() -> None:
    """Whoever routes an untitled buffer to the disk has made a mistake."""
    with pytest.raises(LedgerBug):
        target_path(Target("untitled:U", "U"))
