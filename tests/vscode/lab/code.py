"""A VS Code server with an empty profile and the extension in it, and a Chromium that shows its windows."""

import asyncio
import json
import os
import re
import shutil
import signal
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, urlencode

from playwright.async_api import Browser, async_playwright

from tests.vscode.lab.host import HostDoor
from tests.vscode.lab.installed import VSIX, Installed, pack_driver
from tests.vscode.lab.window import Window

_STARTED: Final = re.compile(r"Extension host agent listening on (\d+)")

_SETTINGS: Final = {
    "security.workspace.trust.enabled": False,
    "workbench.startupEditor": "none",
    "files.autoSave": "off",
    "telemetry.telemetryLevel": "off",
    "extensions.autoCheckUpdates": False,
    "extensions.autoUpdate": False,
    "extensions.ignoreRecommendations": True,
    "workbench.enableExperiments": False,
    "workbench.tips.enabled": False,
    "workbench.colorTheme": "Default Dark Modern",
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "workbench.commandPalette.experimental.enableNaturalLanguageSearch": False,
    "chat.disableAIFeatures": True,
    "chat.commandCenter.enabled": False,
    "git.enabled": False,
    "editor.minimap.enabled": False,
    "editor.autoClosingBrackets": "never",
    "editor.quickSuggestions": {"other": "off", "comments": "off", "strings": "off"},
    "editor.wordBasedSuggestions": "off",
}
_RESTRICTED: Final = {
    "security.workspace.trust.startupPrompt": "never",
    "security.workspace.trust.banner": "never",
}
_BROWSER: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


class Code:
    """VS Code. Made by `start`; windows are opened in it.

    Attributes:
        root: A folder with a short path, for everything: profile, workspaces, sockets.
        runtime: Where servers announce themselves.
    """

    def __init__(self, found: Installed) -> None:
        self._found = found
        self.root = Path(tempfile.mkdtemp(prefix="dshvs-", dir="/tmp"))
        self.runtime = self.root / "r"
        self.door = HostDoor(self.root / "d.sock")
        self._browser: Browser | None = None
        self._windows: list[Window] = []
        self._common = ["--accept-server-license-terms"]
        for option, name in (("extensions-dir", "exts"), ("server-data-dir", "sd"), ("user-data-dir", "ud")):
            self._common += [f"--{option}", str(self.root / name)]

    async def start(self, **machine: Any) -> None:
        """Install the extension, and start; settings are those of the machine."""
        for name in ("t", "r", "home", "ud/User", "ud/Machine"):
            (self.root / name).mkdir(parents=True, mode=0o700)
        self._settings("User", _SETTINGS)
        # Settings of the scope "machine" are read from there in a remote window, which these are.
        self._settings("Machine", machine)
        await self.door.open()
        await self._install(VSIX, pack_driver(self.root / "driver.vsix"))
        log = (self.root / "server.log").open("wb")
        arguments = ["--host", "127.0.0.1", "--port", "0", "--without-connection-token", "--telemetry-level", "off"]
        self._process = await asyncio.create_subprocess_exec(
            *(self._found.node, str(self._found.main), *self._common, *arguments),
            env=self._environment(),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        log.close()
        self.authority = f"127.0.0.1:{await self._port()}"
        self._playwright = await async_playwright().start()
        self._browser = await self._playwright.chromium.launch(
            executable_path=self._found.chromium, headless=True, args=list(_BROWSER)
        )

    async def open(self, folder: Path, *, driven: bool = True, width: int = 1280, height: int = 800) -> Window:
        """Open a folder, or a ``.code-workspace`` file, in a window of its own."""
        assert self._browser is not None
        page = await self._browser.new_page(viewport={"width": width, "height": height})
        what = "workspace" if folder.suffix == ".code-workspace" else "folder"
        payload = json.dumps([["skipWelcome", "true"]])
        page.set_default_timeout(10_000)
        window = Window(page, folder, self.runtime)
        self._windows.append(window)
        address = f"http://{self.authority}/?{urlencode({what: str(folder), 'payload': payload}, quote_via=quote)}"
        await page.goto(address, timeout=30_000)
        if driven:
            try:
                window.host = await self.door.host_of(folder, 25)
            except TimeoutError:
                # Seen twice in some hundred windows: one that never gets its extension host. A person reloads it.
                await page.goto(address, timeout=30_000)
                window.host = await self.door.host_of(folder, 30)
        return window

    @asynccontextmanager
    async def restricted(self) -> AsyncIterator[None]:
        """Windows that are opened meanwhile don't trust their folders."""
        self._settings("User", {**_SETTINGS, "security.workspace.trust.enabled": True, **_RESTRICTED})
        try:
            yield
        finally:
            self._settings("User", _SETTINGS)

    async def stop(self) -> None:
        """End all of it."""
        for window in self._windows:
            with suppress(Exception):
                await window.page.close()
        if self._browser is not None:
            await self._browser.close()
            await self._playwright.stop()
        if hasattr(self, "_process") and self._process.returncode is None:
            self._process.terminate()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._process.wait(), 5)
            # Its children are in a session of their own with it; a watcher of files may outlive it for seconds.
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        await self.door.close()
        if os.environ.get("KEEP"):
            return
        shutil.rmtree(self.root, ignore_errors=True)

    def _settings(self, whose: str, settings: Mapping[str, Any]) -> None:
        (self.root / "ud" / whose / "settings.json").write_text(json.dumps(settings), encoding="utf-8")

    async def _install(self, *packed: Path) -> None:
        options = [option for path in packed for option in ("--install-extension", str(path))]
        process = await asyncio.create_subprocess_exec(
            *(self._found.node, str(self._found.main), *self._common, *options),
            env=self._environment(),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        said, _ = await process.communicate()
        assert said.count(b"successfully installed") == len(packed), said.decode()

    async def _port(self) -> str:
        async with asyncio.timeout(30):
            while True:
                text = (self.root / "server.log").read_text(encoding="utf-8", errors="replace")
                if (found := _STARTED.search(text)) is not None:
                    return found[1]
                assert self._process.returncode is None, text
                await asyncio.sleep(0.03)

    def _environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "LANG": "C.UTF-8",
            "HOME": str(self.root / "home"),
            "TMPDIR": str(self.root / "t"),
            "XDG_RUNTIME_DIR": str(self.root / "t"),
            "DSH_LSP_RUNTIME_DIR": str(self.runtime),
            "DSH_TEST_DRIVER": str(self.door.path),
        }
