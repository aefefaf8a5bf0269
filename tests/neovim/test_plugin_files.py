"""The plug-in's files themselves: they can be read by Neovim, are annotated, and the help is what they say."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.neovim import PLUGIN, neovim_binary

LUA = sorted(PLUGIN.rglob("*.lua"))


def nvim(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a Neovim to its end, in a home of its own."""
    places = {name: str(home) for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")}
    command = [str(neovim_binary()), "--clean", *arguments]
    env = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", **places}
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)


@pytest.mark.slow
def test_the_help_is_what_the_tables_say(tmp_path: Path) -> None:
    """`doc/dsh.txt` is generated; whoever changes an option, a command or a map runs `scripts/help.lua`."""
    done = nvim(tmp_path, "-l", str(PLUGIN / "scripts" / "help.lua"), "--check")

    assert (0, "") == (done.returncode, done.stderr)


@pytest.mark.slow
def test_the_help_has_tags_and_its_links_lead_somewhere(tmp_path: Path) -> None:
    """`:helptags` finds no fault, and each |link| is a tag, of ours or of Neovim."""
    copy = tmp_path / "plugin"
    shutil.copytree(PLUGIN / "doc", copy / "doc", ignore=shutil.ignore_patterns("*.png"))
    text = (copy / "doc" / "dsh.txt").read_text(encoding="utf-8")
    links = sorted(set(re.findall(r"\|([^|\s]+)\|", text)))
    script = tmp_path / "links.lua"
    script.write_text(
        f"vim.opt.rtp:prepend('{copy}')\nvim.cmd.helptags('{copy}/doc')\n"
        "for link in io.lines(arg[1]) do\n"
        "  if #vim.fn.taglist('^' .. vim.fn.escape(link, '\\\\.*[]~$^') .. '$') == 0\n"
        "    and not vim.tbl_contains(vim.fn.getcompletion(link, 'help'), link) then print(link) end\nend\n",
        encoding="utf-8",
    )
    (tmp_path / "links").write_text("\n".join(links), encoding="utf-8")
    done = nvim(tmp_path, "-l", str(script), str(tmp_path / "links"))

    assert len(links) > 20
    assert "" == done.stdout + done.stderr
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.slow
def test_every_file_can_be_read(tmp_path: Path) -> None:
    """Neovim compiles each, and each module can be loaded by itself."""
    script = tmp_path / "load.lua"
    script.write_text(
        f"vim.opt.rtp:prepend('{PLUGIN}')\n"
        "for index, path in ipairs(arg) do\n"
        "  local chunk, fault = loadfile(path)\n"
        "  if not chunk then print(fault) end\n"
        "  local module = path:match('lua/(dsh/.*)%.lua$')\n"
        "  if module then require((module:gsub('/init$', ''):gsub('/', '.'))) end\n"
        "end\n",
        encoding="utf-8",
    )
    done = nvim(tmp_path, "-l", str(script), *map(str, LUA))

    assert (0, "") == (done.returncode, done.stdout + done.stderr)


@pytest.mark.parametrize("path", LUA, ids=lambda path: path.stem)
def test_functions_of_modules_are_annotated(path: Path) -> None:
    """Each function of a module, and each local one with parameters, names their types; modules say what they are."""
    lines = path.read_text(encoding="utf-8").splitlines()
    faults = []
    for number, line in enumerate(lines):
        found = re.match(r"(local )?function ([\w.:]+)\((.*)\)", line)
        if not found or (path.parent.name == "scripts"):
            continue
        above = []
        while number > 0 and lines[number - 1].startswith("---"):
            number -= 1
            above.append(lines[number])
        comment = "\n".join(above)
        named = set(re.findall(r"@param (\w+)", comment))
        wanted = {name for name in re.findall(r"\w+", found[3]) if not name.startswith("_")}
        # Handlers have the one type that Neovim gives them.
        if "ctx" not in wanted and path.stem != "handlers" and not wanted <= named:
            faults.append(f"{path.name}:{number + 1}: {found[2]} does not say what {sorted(wanted - named)} are")

    assert [] == faults
    assert lines[0].startswith("--")


@pytest.mark.skipif(shutil.which("luacheck") is None, reason="luacheck is not installed")
def test_luacheck_finds_nothing() -> None:
    """No unused or undefined variable, no line over 120 characters."""
    done = subprocess.run(["luacheck", "--no-color", "-q", "."], cwd=PLUGIN, capture_output=True, text=True, timeout=60)

    assert 0 == done.returncode, done.stdout
