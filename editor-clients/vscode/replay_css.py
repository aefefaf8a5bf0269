"""Writes ``media/replay.css``: the looks of a replayed session's page, for the cards of the extension.

The rules are those of ``dsh_lsp.replaying.style``; the colours hang on the class that VS Code gives to the body of a
webview.
Run it from anywhere after that module has changed::

    python editor-clients/vscode/replay_css.py
"""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
CSS = HERE / "media" / "replay.css"


def replay_css() -> str:
    """The text of the file."""
    from dsh_lsp.replaying.style import DARK, LIGHT, STYLE

    rules = STYLE[STYLE.index("\n*{box-sizing") :]
    head = "/* Made by replay_css.py from dsh_lsp.replaying.style; do not edit. */"
    light = _variables(".vscode-light,.vscode-high-contrast-light", LIGHT)
    # A body in high contrast on white has the class of both.
    dark = _variables(".vscode-dark,.vscode-high-contrast:not(.vscode-high-contrast-light)", DARK)
    return f"{head}\n{light}\n{dark}{rules}"


def _variables(selector: str, colours: dict[str, str]) -> str:
    # Without weight, so that cards.css has the last word in high contrast.
    return f":where({selector}){{{';'.join(f'--{name}:{value}' for name, value in colours.items())}}}"


if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parents[1]))
    CSS.write_text(replay_css(), encoding="utf-8")
