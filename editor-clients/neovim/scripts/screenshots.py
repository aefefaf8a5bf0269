"""Pictures of the plug-in for the documents: a real Neovim in tmux, a real server, an agent, in two themes.

Run it from anywhere, with tmux and a Chromium that can be found as ``chromium`` or named in ``CHROMIUM``::

    python editor-clients/neovim/scripts/screenshots.py

It writes PNG files into ``editor-clients/neovim/doc``.
"""

import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
DOC = HERE.parent / "doc"
sys.path[:0] = [str(ROOT), str(HERE)]

from terminal_page import page  # noqa: E402

from dsh_lsp import discovery  # noqa: E402
from tests.support.agent import Agent  # noqa: E402
from tests.support.neovim import PLUGIN, Neovim, neovim_binary  # noqa: E402
from tests.support.replayed_session import PRICES  # noqa: E402

LARGEST = 400_000
"""Bytes of one picture."""

COLUMNS, LINES = 118, 34

THEMES = {"dark": ("e0e2ea", "14161b"), "light": ("14161b", "e0e2ea")}
"""The text and the background of Neovim's own colours."""

INIT = """
vim.o.termguicolors = true
vim.o.background = '{theme}'
vim.o.number = true
vim.o.laststatus = 3
vim.o.swapfile = false
vim.g.dsh = {{ cmd = vim.json.decode({command}), panel_size = 0.5 }}
vim.opt.rtp:prepend('{plugin}')
vim.cmd.runtime('plugin/dsh.lua')
vim.o.statusline = "%<%f %m%=%{{v:lua.require'dsh'.statusline()}}  %l:%c "
"""

EDITS = (
    ('"""Prices of an order."""\n\nfrom decimal', "from decimal"),
    ("from decimal import Decimal\n", 'from decimal import Decimal\n\nCENT = Decimal("0.01")\n'),
    ("return result * rate", "return (result * (1 + rate)).quantize(CENT)"),
    ('    if country == "DE":\n', '    if country in {"DE", "AT"}:\n'),
    ('    """What regular customers save."""\n', ""),
)


class Studio:
    """A Neovim in tmux, in a folder of its own.

    Args:
        folder: Where everything is.
        theme: ``dark`` or ``light``.
    """

    def __init__(self, folder: Path, theme: str) -> None:
        self._folder = folder
        self._theme = theme
        self._tmux = ["tmux", "-f", "/dev/null", "-S", str(folder / "tmux.sock")]
        self.workspace = folder / "shop"

    async def start(self) -> Neovim:
        """Start it, with a file open."""
        self.workspace.mkdir()
        (self.workspace / "prices.py").write_text(PRICES, encoding="utf-8")
        (self.workspace / "basket.py").write_text(
            "from prices import total\n\n\ndef due(basket, rate):\n    return total(basket.items, rate)\n",
            encoding="utf-8",
        )
        command = json.dumps(json.dumps([sys.executable, "-m", "dsh_lsp", "--stdio"]))
        init = INIT.format(theme=self._theme, command=command, plugin=PLUGIN)
        (self._folder / "init.lua").write_text(init, encoding="utf-8")
        home = self._folder / "home"
        home.mkdir()
        env = {
            "HOME": str(home),
            "XDG_CONFIG_HOME": str(home),
            "XDG_DATA_HOME": str(home),
            "XDG_STATE_HOME": str(home),
            "DSH_LSP_RUNTIME_DIR": str(self._folder),
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "COLORTERM": "truecolor",
        }
        socket = self._folder / "nvim.sock"
        nvim = [str(neovim_binary()), "--clean", "--listen", str(socket), "-c", f"luafile {self._folder}/init.lua"]
        assigned = [f"{name}={value}" for name, value in env.items()]
        command_line = ["env", "-i", "TERM=tmux-256color", *assigned, *nvim, "prices.py"]
        size = ["-x", str(COLUMNS), "-y", str(LINES)]
        await self._run("new-session", "-d", *size, "-c", str(self.workspace), *command_line)
        while not socket.exists():
            await self._run("has-session")
        neovim = await Neovim.connect(socket)
        await neovim.until("#vim.lsp.get_clients({ name = 'dsh', bufnr = 0 }) == 1", what="the server", within=30)
        await neovim.until("vim.lsp.get_clients({ name = 'dsh' })[1].initialized", what="the server", within=30)
        return neovim

    async def agent(self) -> Agent:
        """An agent with a session."""
        while not (found := await asyncio.to_thread(discovery.find, self.workspace, [self._folder])):
            await self._run("has-session")
        agent = await Agent.connect(found[0].socket)
        await agent.open_session(agent={"name": "example-agent"})
        return agent

    async def shoot(self, chromium: str, name: str) -> Path:
        """Take a picture."""
        captured = await self._run("capture-pane", "-e", "-p", "-N")
        screen = self._folder / f"{name}.html"
        screen.write_text(page(captured, *THEMES[self._theme]), encoding="utf-8")
        picture = DOC / f"{name}-{self._theme}.png"
        await asyncio.to_thread(take, chromium, screen, picture)
        return picture

    async def end(self) -> None:
        """End it."""
        await self._run("kill-server")

    async def _run(self, *arguments: str) -> str:
        process = await asyncio.create_subprocess_exec(*self._tmux, *arguments, stdout=asyncio.subprocess.PIPE)
        output, _ = await process.communicate()
        return output.decode()


def take(chromium: str, screen: Path, picture: Path) -> None:
    """Take a picture of a page.

    Raises:
        subprocess.CalledProcessError: Chromium failed.
    """
    picture.unlink(missing_ok=True)
    command = [
        chromium,
        "--headless",
        "--disable-gpu",
        "--hide-scrollbars",
        "--force-device-scale-factor=1",
        f"--user-data-dir={screen.parent / 'profile'}",
        f"--window-size={round(COLUMNS * 8.43) + 32},{LINES * 20 + 28}",
        f"--screenshot={picture}",
        *(["--no-sandbox"] if os.geteuid() == 0 else []),
        screen.as_uri(),
    ]
    subprocess.run(command, check=True, timeout=60, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def expect(is_so: bool, what: str) -> None:
    """Fail if the story does not go as it should.

    Raises:
        AssertionError: It doesn't.
    """
    if not is_so:
        raise AssertionError(f"{what} was expected")


async def settled(neovim: Neovim) -> None:
    """Return when everything is drawn."""
    await neovim.lua("vim.cmd.redraw() vim.wait(300, function() end)")


async def pictures(chromium: str, theme: str) -> list[Path]:
    """All pictures of a theme."""
    with tempfile.TemporaryDirectory(prefix="dsh-") as scratch:
        studio = Studio(Path(scratch), theme)
        try:
            return await tell(studio, chromium)
        finally:
            await studio.end()


async def tell(studio: Studio, chromium: str) -> list[Path]:
    """The story, and pictures of it."""
    shots = []
    neovim = await studio.start()
    agent = await studio.agent()
    await agent.run("grep", pattern=r"total\(")
    await agent.read("prices.py", offset=6, limit=6)
    for old, new in EDITS:
        expect(not (await agent.edit("prices.py", old, new))["isError"], f"the edit of {old!r}")
    expect((await agent.edit("basket.py", "rate", "tax"))["isError"], "a refusal")
    await neovim.until("#(require('dsh.paint').of(1) or { order = {} }).order == 5", what="the paint")
    await neovim.keys("9G")
    await settled(neovim)
    shots.append(await studio.shoot(chromium, "decorations"))
    await neovim.keys("\\ad")
    await neovim.until("#vim.api.nvim_tabpage_list_wins(0) == 2", what="the split")
    await settled(neovim)
    shots.append(await studio.shoot(chromium, "diff"))
    await neovim.keys("\\ad\\ap")
    asked = agent.start("bash", command="python -m pytest -q")
    await neovim.until("require('dsh').status().questions == 1", what="the question")
    await settled(neovim)
    shots.append(await studio.shoot(chromium, "panel"))
    await neovim.command("Dsh answer Deny")
    await asked.result()
    await agent.close()
    return shots


def main() -> int:
    """Make all pictures; the exit code."""
    names = ("chromium", "chromium-browser", "google-chrome")
    chromium = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if chromium is None or shutil.which("tmux") is None:
        sys.stderr.write("screenshots: tmux and a Chromium are needed; name one in CHROMIUM\n")
        return 1
    large = [
        shot.name
        for theme in THEMES
        for shot in asyncio.run(pictures(chromium, theme))
        if shot.stat().st_size > LARGEST
    ]
    if large:
        sys.stderr.write(f"screenshots: over {LARGEST:,} bytes: {', '.join(large)}\n")
    return 1 if large else 0


if __name__ == "__main__":
    sys.exit(main())
