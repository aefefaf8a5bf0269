"""A keystroke in a large document: our mirror against the document of stock pygls.

Only the application of the change is measured, in one process, on documents of 100,000 lines and 5 MB. Run it with
``python -m benchmarks.keystroke``.
"""

from collections.abc import Callable
from functools import partial
from statistics import median
from time import perf_counter

from lsprotocol import types
from pygls.workspace import TextDocument

from dsh_lsp.text.document import Document

LINES = 100_000
LINE = "x" * 49 + "\n"
PLACES = {"start": 0, "middle": LINES // 2, "end": LINES - 1}
OUR_KEYSTROKES = 2_000
OUR_NEWLINES = 200
STOCK_KEYSTROKES = 15


def measure() -> dict[str, float]:
    """Medians for one character typed at the start, in the middle and at the end.

    Returns:
        ``ours_<place>`` and ``pygls_<place>`` in microseconds, ``ours_newline_<place>`` for a line end typed instead,
        and ``ratio``: how many times longer pygls takes, at the place where it does best against us.
    """
    text = LINE * LINES
    ours = Document("file:///a.txt", text, language_id="text", version=1, epoch=1, encoding="utf-16")
    stock = TextDocument("file:///a.txt", text, sync_kind=types.TextDocumentSyncKind.Incremental)
    row: dict[str, float] = {}
    for place, line in PLACES.items():
        change = types.TextDocumentContentChangePartial(
            range=types.Range(types.Position(line, 7), types.Position(line, 7)), text="k"
        )
        row[f"ours_{place}"] = _median_us(partial(ours.apply, line, 7, line, 7, "k"), OUR_KEYSTROKES)
        row[f"pygls_{place}"] = _median_us(partial(stock.apply_change, change), STOCK_KEYSTROKES)
    for place, line in PLACES.items():
        row[f"ours_newline_{place}"] = _median_us(partial(ours.apply, line, 7, line, 7, "\n"), OUR_NEWLINES)
    row["ratio"] = min(row[f"pygls_{place}"] / row[f"ours_{place}"] for place in PLACES)
    return row


def _median_us(action: Callable[[], object], times: int) -> float:
    """The median time of an action in microseconds."""
    taken: list[float] = []
    for _ in range(times):
        started = perf_counter()
        action()
        taken.append(perf_counter() - started)
    return median(taken) * 1e6


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name:22} {value:12.1f}")
