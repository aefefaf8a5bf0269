"""The packed extension: small, with what it needs and nothing else; its manifest and its looks hold together."""

import importlib.util
import json
import re
import zipfile
from typing import Any

import pytest

from tests.support.repository import ROOT
from tests.vscode.lab.installed import EXTENSION, VSIX

_SOURCES = {path: path.read_text(encoding="utf-8") for path in sorted((EXTENSION / "src").rglob("*.ts"))}


def manifest() -> dict[str, Any]:
    """The extension's ``package.json``."""
    loaded: dict[str, Any] = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
    return loaded


def test_the_package_is_small_and_has_no_development_files() -> None:
    """Under 500 KB; code, media, licence, icon and README; no sources, no tests, no maps, nothing else."""
    if not VSIX.is_file():
        pytest.skip("it is not packed; run editor-clients/vscode/tests/setup.sh")
    with zipfile.ZipFile(VSIX) as packed:
        names = {name.removeprefix("extension/") for name in packed.namelist() if name.startswith("extension/")}
    known = {"package.json", "readme.md", "LICENSE.txt", "dist/extension.js", "dist/webview.js"}
    others = {name for name in names - known if not re.fullmatch(r"media/[\w/-]+\.(svg|png|css|md)", name)}

    assert VSIX.stat().st_size < 500_000
    assert known <= names
    assert "media/icon.png" in names
    assert set() == others


def test_the_licence_is_the_project_s() -> None:
    """The extension has the text of the project's licence."""
    assert (ROOT / "LICENSE").read_text(encoding="utf-8") == (EXTENSION / "LICENSE").read_text(encoding="utf-8")


def test_the_cards_look_like_a_replayed_page() -> None:
    """``media/replay.css`` is what ``replay_css.py`` makes of the page's style."""
    spec = importlib.util.spec_from_file_location("replay_css", EXTENSION / "replay_css.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    assert module.replay_css() == module.CSS.read_text(encoding="utf-8")


def test_every_command_is_registered_and_every_registered_one_is_declared() -> None:
    """The manifest's commands are those that the sources register."""
    text = "\n".join(_SOURCES.values())
    literal = set(re.findall(r"register\('(dsh\.\w+)'", text))
    made = {
        f"dsh.{verb}{what}"
        for verb in ("keep", "undo")
        for what in re.findall(r"register\(`dsh\.\$\{verb\}(\w+)`", text)
    }
    declared = {each["command"] for each in manifest()["contributes"]["commands"]}

    assert declared == literal | made


def test_menus_and_keys_name_declared_commands() -> None:
    """No menu entry and no key leads nowhere."""
    contributes = manifest()["contributes"]
    declared = {each["command"] for each in contributes["commands"]}
    menus = {each["command"] for menu in contributes["menus"].values() for each in menu if "command" in each}
    keys = {each["command"] for each in contributes["keybindings"]}

    assert set() == (menus | keys) - declared


def test_every_setting_is_read_and_every_one_that_is_read_is_declared() -> None:
    """The schema says what the code looks at."""
    declared = set(manifest()["contributes"]["configuration"]["properties"])
    text = "\n".join(_SOURCES.values())

    unread = {name for name in declared if name.rpartition(".")[2] not in text}
    assert set() == unread
    assert all(each.get("description") or each.get("markdownDescription") for each in properties())


def properties() -> list[dict[str, Any]]:
    """The settings' schemas."""
    return list(manifest()["contributes"]["configuration"]["properties"].values())


def test_settings_that_loosen_anything_are_the_user_s_own() -> None:
    """A workspace can't give tools permissions, open private networks, or (while restricted) name the program."""
    found = manifest()
    settings = found["contributes"]["configuration"]["properties"]

    assert settings["dsh.server.permissions"]["scope"] == "machine"
    assert settings["dsh.server.webAllowPrivate"]["scope"] == "machine"
    assert found["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"] == ["dsh.server.path"]


def test_every_colour_is_declared_for_all_kinds_of_themes() -> None:
    """Each ``dsh.*`` colour of the sources is in the manifest, for dark, light and both high contrasts."""
    declared = {each["id"]: set(each["defaults"]) for each in manifest()["contributes"]["colors"]}
    used = set(re.findall(r"'(dsh\.\w+(?:Background|Border|Foreground))'", "\n".join(_SOURCES.values())))

    assert set() == used - set(declared)
    assert all({"dark", "light", "highContrast", "highContrastLight"} == kinds for kinds in declared.values())
