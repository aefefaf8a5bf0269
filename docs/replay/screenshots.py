"""Pictures of a replayed session for the documents: the page in light, dark and narrow, and the terminal.

Run it from anywhere, with a Chromium that can be found as ``chromium`` or named in ``CHROMIUM``::

    python docs/replay/screenshots.py

It writes PNG files beside itself. The session is the one that the tests use; nothing of this machine is in it.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from io import StringIO
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]

LARGEST = 400_000
"""Bytes of one picture."""

NAMES = ("chromium", "chromium-browser", "google-chrome")

TERMINAL = """\
<!DOCTYPE html><meta charset="utf-8"><style>{stylesheet}
body{{margin:0;padding:20px 24px;background:{background};color:{foreground}}}
pre{{margin:0;font:13px/1.4 "DejaVu Sans Mono",Menlo,Consolas,monospace}}</style><pre>{code}</pre>"""

FRAME = """\
<!DOCTYPE html><style>body{{margin:0;overflow:hidden;text-align:center;background:#c9cfd8}}
iframe{{border:0;width:{width}px;height:{height}px}}</style>
<iframe src="page.html"></iframe>"""


def main() -> int:
    """Make all pictures; the exit code."""
    chromium = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if chromium is None:
        sys.stderr.write("screenshots: no Chromium was found; name one in CHROMIUM\n")
        return 1
    sys.path.insert(0, str(ROOT))
    from dsh_lsp.replaying.html import render_html
    from tests.support.replayed_session import story

    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "page.html").write_text(render_html(story()), encoding="utf-8")
        (folder / "terminal.html").write_text(terminal(), encoding="utf-8")
        # Chromium has a least width, which a frame has not.
        (folder / "narrow.html").write_text(FRAME.format(width=360, height=1500), encoding="utf-8")
        shots = (
            shoot(chromium, folder / "page.html", "page-light.png", 1000, 2960),
            shoot(chromium, folder / "page.html", "page-dark.png", 1000, 2960, dark=True),
            shoot(chromium, folder / "narrow.html", "page-narrow.png", 500, 1500),
            shoot(chromium, folder / "terminal.html", "terminal.png", 850, 1330, dark=True),
        )
    large = [shot.name for shot in shots if shot.stat().st_size > LARGEST]
    if large:
        sys.stderr.write(f"screenshots: over {LARGEST:,} bytes: {', '.join(large)}\n")
    return 1 if large else 0


def terminal() -> str:
    """The terminal's output as a page."""
    from rich.console import Console
    from rich.terminal_theme import DIMMED_MONOKAI

    from dsh_lsp.replaying.text import print_session
    from tests.support.replayed_session import story

    console = Console(file=StringIO(), record=True, width=100, force_terminal=True, color_system="standard")
    print_session(story(), console)
    return console.export_html(theme=DIMMED_MONOKAI, code_format=TERMINAL)


def shoot(chromium: str, page: Path, name: str, width: int, height: int, *, dark: bool = False) -> Path:
    """Take a picture of a page and return its file.

    Raises:
        subprocess.CalledProcessError: Chromium failed.
    """
    picture = HERE / name
    picture.unlink(missing_ok=True)
    command = [
        chromium,
        "--headless",
        "--disable-gpu",
        "--hide-scrollbars",
        "--force-device-scale-factor=1",
        f"--user-data-dir={page.parent / 'profile'}",
        f"--blink-settings=preferredColorScheme={0 if dark else 1}",
        f"--window-size={width},{height}",
        f"--screenshot={picture}",
        *(["--no-sandbox"] if os.geteuid() == 0 else []),
        page.as_uri(),
    ]
    subprocess.run(command, check=True, timeout=60, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return picture


if __name__ == "__main__":
    sys.exit(main())
