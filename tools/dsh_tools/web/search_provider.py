"""The seam to a search engine: what one has to offer, and how much of what it says is believed.

Deliberately absent: any particular engine. A deployment brings one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol, runtime_checkable
from urllib.parse import urlsplit

LONGEST_TITLE: Final = 300
LONGEST_SNIPPET: Final = 1_000
LONGEST_ADDRESS: Final = 2_000
"""Characters of a result. Titles and snippets are cut, and end in an ellipsis then; an address can't be cut."""


@dataclass(frozen=True, slots=True)
class FoundPage:
    """One result; ``url`` is an http or https address, ``snippet`` a few words of the page, or empty."""

    title: str
    url: str
    snippet: str = ""


@dataclass(frozen=True, slots=True)
class SearchResults:
    """What a search found.

    Attributes:
        results: The best ones, best first.
        total: How many there are in all, or None where the engine does not say.
    """

    results: Sequence[FoundPage]
    total: int | None = None


@runtime_checkable
class SearchProvider(Protocol):
    """A search engine."""

    @property
    def name(self) -> str:
        """What people know it by."""
        ...

    async def search(self, query: str, limit: int) -> SearchResults:
        """Search the web.

        Args:
            query: As the model wrote it.
            limit: The most results that are of any use. One more than are shown is asked for, so that it is known
                whether there are more.

        Raises:
            LedgerError: It refuses, and the model is to know why. Anything else that is raised is not passed on.
        """
        ...


class ProviderFault(Exception):
    """What came from a provider is no `SearchResults`. The message says what is wrong, and quotes nothing."""


@dataclass(frozen=True, slots=True)
class Believed:
    """What of a provider's answer can be used.

    Attributes:
        results: Not more than were asked for, none with anything in it but short text and a link.
        given: How many results were given, those that can't be used included; not more than were asked for are counted.
        unusable: How many of these can't be used.
        total: How many there are in all, or None.
    """

    results: tuple[FoundPage, ...]
    given: int
    unusable: int
    total: int | None


def believed(answer: object, limit: int) -> Believed:
    """Check an answer, and cut it to size.

    Args:
        answer: What the provider returned.
        limit: How many results were asked for.

    Raises:
        ProviderFault: It has not the shape that it must have.
    """
    if not isinstance(answer, SearchResults):
        raise ProviderFault("it is no SearchResults")
    if not isinstance(answer.results, list | tuple):
        raise ProviderFault("its results are no list")
    total: object = answer.total
    if total is not None and (not isinstance(total, int) or isinstance(total, bool) or total < 0):
        raise ProviderFault("its total is no number")
    given = answer.results[:limit]
    results = tuple(page for each in given if (page := _usable(each)) is not None)
    return Believed(results, len(given), len(given) - len(results), total)


def _usable(page: object) -> FoundPage | None:
    if not isinstance(page, FoundPage) or not all(isinstance(x, str) for x in (page.title, page.url, page.snippet)):
        return None
    if not _is_link(page.url):
        return None
    return FoundPage(_line(page.title, LONGEST_TITLE), page.url, _line(page.snippet, LONGEST_SNIPPET))


def _is_link(url: str) -> bool:
    try:
        parts = urlsplit(url)
        has_host = bool(parts.hostname)
    except ValueError:
        return False
    printable = url.isprintable() and " " not in url and url.isascii()
    return parts.scheme in {"http", "https"} and has_host and printable and len(url) <= LONGEST_ADDRESS


def _line(text: str, longest: int) -> str:
    """The text in one line, without characters that UTF-8 or a terminal can't take, cut to a length."""
    line = " ".join(text[: 4 * longest].split())
    line = "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in line)
    cut = len(line) > longest or len(text) > 4 * longest
    return f"{line[: longest - 1]}…" if cut else line
