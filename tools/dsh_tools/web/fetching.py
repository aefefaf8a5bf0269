"""One GET over HTTP, within bounds: where it may connect to, how many redirects, how long, how much.

Every hop is one connection of its own: its host is resolved once, every address that comes back is judged, and the
connection is made to one of these addresses, with the name kept in the Host header, for SNI and for the check of the
certificate. So a name that resolves differently a moment later gains nothing. Proxies of the environment are not used,
since a proxy would resolve the name again, out of sight; ``SSL_CERT_FILE`` and ``SSL_CERT_DIR`` are, as everywhere.

Deliberately absent: cookies, credentials, caches, and methods other than GET.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from dsh_ledger.errors import Denied, FieldError, InvalidArgs
from dsh_tools.web.addresses import refusal
from dsh_tools.web.bodies import ACCEPTED, Body, Stopped, UnknownCoding, read_into
from dsh_tools.web.failures import why_not_connected, why_not_resolved

if TYPE_CHECKING:
    import ssl

    import httpx

Resolver: TypeAlias = Callable[[str, int], Awaitable[Sequence[str]]]
"""The addresses of a host, best first, for a port. Raises OSError when there are none."""

Judge: TypeAlias = Callable[[str], str | None]
"""Says what an address is that may not be connected to, as `refusal` does, or None of one that may."""

LONGEST_URL: Final = 2_000
"""Characters that an address may have."""

_PORTS: Final = {"http": 80, "https": 443}
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """How far a fetch goes.

    Attributes:
        redirects: How many are followed.
        size: Bytes of the body that are read, decompressed.
        connect: Seconds for a connection to one address.
        total: Seconds for all of it. A body that takes longer is shown as far as it came.
    """

    redirects: int = 5
    size: int = 5 * 1024 * 1024
    connect: float = 10.0
    total: float = 30.0


DEFAULT_LIMITS: Final = FetchLimits()


@dataclass(frozen=True, slots=True)
class Fetched:
    """A response.

    Attributes:
        url: Where it came from in the end, without a fragment.
        redirects: The addresses that led there, first the one asked for.
        status: Its status.
        content_type: ``Content-Type`` as it was sent, or an empty string.
        body: The body as far as it was read; None when it was not wanted.
        stopped: Why the body is not whole.
        size: Bytes of the whole body, where the server says so and did not compress it.
    """

    url: str
    redirects: tuple[str, ...]
    status: int
    content_type: str
    body: bytes | None
    stopped: Stopped | None
    size: int | None


@dataclass(frozen=True, slots=True)
class Unfetched:
    """No response that could be shown.

    Attributes:
        url: The address that failed.
        redirects: The addresses that led there, first the one asked for.
        status: The status, where there was one.
        reason: Why, as a sentence.
    """

    url: str
    redirects: tuple[str, ...]
    status: int | None
    reason: str


async def system_resolver(host: str, port: int) -> Sequence[str]:
    """What the operating system says, other spellings of addresses included: ``2130706433`` is ``127.0.0.1``.

    A look-up that is cancelled goes on in its thread until the operating system gives up; nothing waits for it.
    """
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


def any_address(_address: str) -> None:
    """The judge that refuses none."""


def any_type(_content_type: str) -> bool:
    """Every body is wanted."""
    return True


@dataclass(frozen=True, slots=True)
class Fetcher:
    """Fetches over HTTP.

    Attributes:
        wanted: Whether a body of that ``Content-Type`` is to be read.
        judge: Which addresses may be connected to.
        limits: How far a fetch goes.
        resolve: How hosts become addresses.
        trust: Which certificates are trusted; None for those that certifi lists, or that the environment names.
    """

    wanted: Callable[[str], bool] = any_type
    judge: Judge = refusal
    limits: FetchLimits = DEFAULT_LIMITS
    resolve: Resolver = system_resolver
    trust: "ssl.SSLContext | None" = None

    async def fetch(self, url: str) -> Fetched | Unfetched:
        """GET an address, and where it redirects to.

        Raises:
            InvalidArgs: It can't be read as an absolute address of a host.
            Denied: Its scheme, or an address it leads to, may not be used; also after a redirect.
        """
        trust, agent = await asyncio.to_thread(_prepared, self.trust)
        import httpx

        try:
            parsed = httpx.URL(url).copy_with(fragment=None)
        except httpx.InvalidURL:
            raise InvalidArgs([FieldError("url", "it can't be read as an address")]) from None
        fault = _fault(parsed)
        if fault:
            raise InvalidArgs([FieldError("url", f"it {fault}")])
        fetching = _Fetching(self, trust, agent, parsed)
        limit = asyncio.timeout(self.limits.total)
        try:
            async with limit:
                return await fetching.follow()
        except TimeoutError:
            if not limit.expired():
                raise
        return fetching.out_of_time()


def _prepared(trust: "ssl.SSLContext | None") -> "tuple[ssl.SSLContext, str]":
    """What takes too long for the event loop: importing httpx, loading certificates, finding our own version."""
    from importlib import metadata

    import httpx

    try:
        version = metadata.version("dsh-lsp")
    except metadata.PackageNotFoundError:
        version = "0"
    return trust or httpx.create_ssl_context(), f"dsh-lsp/{version}"


def _fault(url: "httpx.URL") -> str:
    """What is wrong with an address, after a word that stands for it; empty where nothing is.

    Raises:
        Denied: It is not of the web.
    """
    if url.scheme and url.scheme not in _PORTS:
        raise Denied(f"Addresses that begin with {url.scheme}: are not fetched; http: and https: are.")
    if not url.scheme or not url.host:
        return "has no scheme or no host"
    if url.userinfo:
        return "has credentials in it"
    if len(str(url)) > LONGEST_URL:
        return f"is longer than {LONGEST_URL} characters"
    if url.port is not None and not 0 < url.port < 1 << 16:
        return "has a port that there is not"
    return ""


class _Fetching:
    """One fetch, as far as it has come.

    Args:
        fetcher: Whose rules hold.
        trust: Which certificates are trusted.
        agent: What we say we are.
        url: Where it starts.
    """

    def __init__(self, fetcher: Fetcher, trust: "ssl.SSLContext", agent: str, url: "httpx.URL") -> None:
        self._fetcher = fetcher
        self._trust = trust
        self._headers = {"User-Agent": agent, "Accept": "*/*", "Accept-Encoding": ACCEPTED, "Connection": "close"}
        self._url = url
        self._redirects: tuple[str, ...] = ()
        self._status: int | None = None
        self._head: tuple[str, int | None] = ("", None)
        self._body: Body | None = None

    async def follow(self) -> Fetched | Unfetched:
        """One hop after the other."""
        import httpx

        limits = self._fetcher.limits
        while True:
            location = await self._hop()
            if isinstance(location, Fetched | Unfetched):
                return location
            if len(self._redirects) >= limits.redirects:
                return self._failed(f"It redirects once more after {limits.redirects} redirects.")
            try:
                url = self._url.join(location).copy_with(fragment=None)
            except (httpx.InvalidURL, ValueError):
                return self._failed("It redirects to something that is no address.")
            fault = _fault(url)
            if fault:
                return self._failed(f"It redirects to an address that {fault}.")
            if self._url.scheme == "https" and url.scheme == "http":
                return self._failed(f"It redirects to {url}, without encryption; that is not followed by itself.")
            self._redirects = (*self._redirects, str(self._url))
            self._url, self._status = url, None

    def out_of_time(self) -> Fetched | Unfetched:
        """What there is when the time is up."""
        if self._body is None:
            return self._failed(f"There was no answer within {self._fetcher.limits.total:g} seconds.")
        self._body.stopped = "time"
        return self._arrived()

    async def _hop(self) -> Fetched | Unfetched | str:
        """One request; the next address, as it was sent, where the answer redirects."""
        import httpx

        try:
            addresses = await self._addresses()
        except (OSError, UnicodeError) as error:
            return self._failed(why_not_resolved(error))
        limits = self._fetcher.limits
        why = why_not_resolved(None)
        for address in addresses:
            request = httpx.Request(
                "GET",
                self._url.copy_with(host=address),
                headers={"Host": self._url.netloc.decode("ascii"), **self._headers},
                extensions={
                    "sni_hostname": self._host.rstrip("."),
                    "timeout": httpx.Timeout(limits.total, connect=limits.connect).as_dict(),
                },
            )
            # The transport alone: a client would keep cookies, and read where a redirect leads before we can.
            async with httpx.AsyncHTTPTransport(verify=self._trust, trust_env=False) as transport:
                try:
                    response = await transport.handle_async_request(request)
                except (httpx.ConnectError, httpx.ConnectTimeout) as error:
                    why = why_not_connected(error, limits.connect)
                    continue
                except httpx.HTTPError:
                    return self._failed("The connection broke off, or what answered does not speak HTTP.")
                async with aclosing(response):
                    return await self._answer(response)
        return self._failed(why)

    async def _answer(self, response: "httpx.Response") -> Fetched | Unfetched | str:
        import httpx

        self._status = response.status_code
        location = response.headers.get("Location")
        if response.status_code in _REDIRECTS and location is not None:
            return str(location)
        coding = response.headers.get("Content-Encoding", "")
        length = response.headers.get("Content-Length", "")
        content_type = response.headers.get("Content-Type", "")
        known = not coding and length.isascii() and length.isdigit()
        self._head = content_type, int(length) if known else None
        if self._fetcher.wanted(content_type):
            self._body = Body(bytearray())
            try:
                await read_into(self._body, response.aiter_raw(), coding, self._fetcher.limits.size)
            except UnknownCoding:
                return self._failed("Its content is compressed in a way that was not asked for.")
            except httpx.HTTPError:
                self._body.stopped = "broken"
        return self._arrived()

    async def _addresses(self) -> Sequence[str]:
        """The addresses of the host, once each of them is known to be one that may be connected to."""
        addresses = await self._fetcher.resolve(self._host, self._url.port or _PORTS[self._url.scheme])
        for address in addresses:
            what = self._fetcher.judge(address)
            if what is not None:
                said = self._host if self._host == address else f"{self._host} is at {address}, which"
                raise Denied(f"{said} is {what}; only addresses of the public internet are fetched.")
        return [address for address in addresses if "%" not in address]

    @property
    def _host(self) -> str:
        return self._url.raw_host.decode("ascii")

    def _failed(self, reason: str) -> Unfetched:
        return Unfetched(str(self._url), self._redirects, self._status, reason)

    def _arrived(self) -> Fetched:
        body, (content_type, size) = self._body, self._head
        return Fetched(
            url=str(self._url),
            redirects=self._redirects,
            status=self._status or 0,
            content_type=content_type,
            body=None if body is None else bytes(body.data),
            stopped=None if body is None else body.stopped,
            size=size,
        )
