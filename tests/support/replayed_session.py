"""A recorded session with every kind of card: a small story that the tests and the pictures of the documents share.

The results of edits are made as the tools make them, from the text before and the text after. Nothing of it was ever
on a disk.
"""

from dataclasses import replace
from typing import Any

from dsh_lsp.replaying.session_cards import ReplayedCard, ReplayedSession
from dsh_tools.cards import (
    DiffCall,
    DiffResult,
    GenericCall,
    GenericResult,
    Operation,
    ReadResult,
    SearchHit,
    SearchResult,
    TerminalCall,
    TerminalResult,
    WebResult,
)
from dsh_tools.diff import compare
from dsh_tools.hunk_models import FileDiff, HunkModel, file_diffs
from dsh_tools.models import WireModel

FOLDER = "file:///home/someone/shop"

PRICES = '''\
"""Prices of an order."""

from decimal import Decimal


def total(items, rate):
    """The sum of all items, tax included."""
    result = Decimal(0)
    for item in items:
        result += item.price * item.count
    return result * rate


def shipping(country):
    """What it costs to send a parcel."""
    if country == "DE":
        return Decimal("4.90")
    return Decimal("12.90")


def discount(items):
    """What regular customers save."""
    return Decimal(0) if len(items) < 10 else Decimal("0.05")
'''

CHANGED = (
    PRICES.replace("return result * rate", "return (result * (1 + rate)).quantize(CENT)")
    .replace("from decimal import Decimal\n", 'from decimal import Decimal\n\nCENT = Decimal("0.01")\n')
    .replace('    if country == "DE":\n', '    if country in {"DE", "AT"}:\n')
)

CHECKS = """\
from decimal import Decimal

from shop.prices import total


def test_total_adds_the_tax(item):
    assert Decimal("23.80") == total([item("10.00", 2)], Decimal("0.19"))
"""


def card(name: str, call: WireModel, result: WireModel | None, seq: int = 1, **more: Any) -> ReplayedCard:
    """A card from the views that a tool makes."""
    return ReplayedCard(
        call_id=more.pop("call_id", f"call-{seq}"),
        seq=seq,
        name=name,
        call=call.to_wire(),
        result=None if result is None else result.to_wire(),
        is_error=more.pop("is_error", False),
        started_at=more.pop("started_at", None),
        ended_at=more.pop("ended_at", None),
    )


def failure(name: str, call: WireModel, code: str, text: str, **more: Any) -> ReplayedCard:
    """A card of a call that was refused."""
    return card(name, call, GenericResult(title=name, text=f"{code}: {text}", code=code), is_error=True, **more)


def change(path: str, before: str | None, after: str, **more: Any) -> DiffResult:
    """The result card of an applied change."""
    hunks = tuple(map(HunkModel.of, compare(before or "", after).hunks))
    operation: Operation = "created" if before is None else "unchanged" if before == after else "modified"
    whole = (FileDiff(path=path, old_text=None, new_text=after),)
    return DiffResult.model_validate(
        {
            "title": f"{ {'created': 'Created', 'modified': 'Edited', 'unchanged': 'Unchanged'}[operation] } {path}",
            "path": path,
            "uri": f"{FOLDER}/{path}",
            "operation": operation,
            "via": "disk",
            "saved": True,
            "added": sum(hunk.to_hunk().added for hunk in hunks),
            "removed": sum(hunk.to_hunk().removed for hunk in hunks),
            "diffs": file_diffs(path, hunks) if operation == "modified" else whole,
            **more,
        }
    )


def window(path: str, text: str, offset: int = 1, limit: int | None = None, **more: Any) -> ReadResult:
    """The result card of a read."""
    lines = text.splitlines(keepends=True)
    shown = lines[offset - 1 : None if limit is None else offset - 1 + limit]
    return ReadResult.model_validate(
        {
            "title": f"Read {path}",
            "path": path,
            "uri": f"{FOLDER}/{path}",
            "offset": offset,
            "lines": len(shown),
            "totalLines": len(lines),
            "text": "".join(shown),
            "truncated": len(shown) < len(lines),
            "via": "disk",
            "dirty": False,
            **more,
        }
    )


def asked(path: str, old: str | None, new: str) -> DiffCall:
    """The call card of an edit, or of a write."""
    title = f"{'Write' if old is None else 'Edit'} {path}"
    return DiffCall(title=title, path=path, diffs=(FileDiff(path=path, old_text=old, new_text=new),))


def session(*cards: ReplayedCard, **more: Any) -> ReplayedSession:
    """A session of these cards, one after another, some seconds apart."""
    timed = [
        replace(
            each,
            seq=2 * number,
            started_at=f"2026-03-02T09:{14 + number // 4:02}:{number % 4 * 15 + 2:02}.120000+00:00",
            ended_at=f"2026-03-02T09:{14 + number // 4:02}:{number % 4 * 15 + 2:02}.{128 + number * 37 % 90}000+00:00",
        )
        for number, each in enumerate(cards, start=1)
    ]
    known: dict[str, Any] = {
        "session_id": "s-7f3a",
        "agent": "example-agent 1.4",
        "workspace_folders": (FOLDER,),
        "started_at": "2026-03-02T09:14:02+00:00",
        "ended_at": "2026-03-02T09:18:31+00:00",
        "unreadable": 0,
    }
    return ReplayedSession(**{**known, **more}, cards=tuple(timed))


def story() -> ReplayedSession:
    """An agent corrects how a shop adds the tax: every kind of card, and every kind of outcome."""
    prices, checks = "shop/prices.py", "tests/test_prices.py"
    stale = (
        f"{prices} has changed since you read it. Changed lines: 16.\n"
        '@@ -16 +16 @@\n-    if country == "DE":\n+    if country in {"DE", "AT"}:\n'
        "Read the file again, then retry."
    )
    hits = [
        SearchHit(path=checks, line=3, column=25, text="from shop.prices import total"),
        SearchHit(path="shop/basket.py", line=41, column=16, text="        return total(self.items, self.rate)"),
        SearchHit(path="shop/invoice.py", line=88, column=13, text="    gross = total(order.items, order.rate)"),
        SearchHit(path="shop/prices.py", line=6, column=5, text="def total(items, rate):"),
    ]
    log = "".join(f"tests/test_basket.py::test_case_{number:02} PASSED\n" for number in range(1, 37))
    log += (
        "tests/test_prices.py::test_total_adds_the_tax PASSED\n"
        "tests/test_invoice.py::test_gross FAILED\n\n"
        "    def test_gross(invoice):\n"
        '>       assert Decimal("3.80") == invoice.gross\n'
        "E       AssertionError: assert Decimal('3.80') == Decimal('23.80')\n\n"
        "\x1b[31m1 failed\x1b[0m, 37 passed in 0.41s\n"
    )
    page = (
        "Decimal.quantize(exp, rounding=None, context=None)\n\n"
        "Return a value equal to the first operand after rounding and having the exponent of the second operand.\n\n"
        '>>> Decimal("1.41421356").quantize(Decimal("1.000"))\nDecimal("1.414")\n'
    )
    buffer = {"via": "buffer", "saved": False, "notes": ("The buffer had unsaved typing, which is untouched.",)}
    return session(
        card(
            "grep",
            GenericCall(title="Search for total(", input={"pattern": "total("}),
            SearchResult(title="Search for total(", query="total(", hits=tuple(hits), total=9, truncated=True),
        ),
        card(
            "read",
            GenericCall(title=f"Read {prices}", input={"file_path": prices}),
            window(prices, PRICES, 1, 20, via="buffer", dirty=True),
        ),
        card("multi_edit", asked(prices, "return result * rate", "…"), change(prices, PRICES, CHANGED, **buffer)),
        failure(
            "edit",
            asked(prices, '    if country == "DE":\n', '    if country in {"DE", "AT", "CH"}:\n'),
            "FS_STALE_VERSION",
            stale,
        ),
        card(
            "web_fetch",
            GenericCall(title="Fetch docs.python.org", input={"url": "https://docs.python.org/3/library/decimal.html"}),
            WebResult(
                title="Fetch docs.python.org",
                url="https://docs.python.org/3/library/decimal.html",
                status=200,
                text=page,
                truncated=True,
            ),
        ),
        card("write", asked(checks, None, CHECKS), change(checks, None, CHECKS)),
        card(
            "bash",
            TerminalCall(title="python -m pytest", command="python -m pytest -v", cwd="shop"),
            TerminalResult(
                title="python -m pytest", command="python -m pytest -v", output=log, exit_code=1, truncated=False
            ),
        ),
        failure(
            "bash",
            TerminalCall(title="git push", command="git push --force origin main", cwd="shop"),
            "DENIED",
            "The user did not allow this command. Don't retry without asking the user.",
        ),
        card(
            "remember",
            GenericCall(title="remember", input={"topic": "tax", "text": "Rates are fractions: 0.19, not 19."}),
            GenericResult(title="remember", text="Noted under “tax”."),
        ),
        card("bash", TerminalCall(title="make docs", command="make docs", cwd="shop"), None),
    )
