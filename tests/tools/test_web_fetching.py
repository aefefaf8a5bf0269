"""Fetching: redirects, names and addresses, certificates, and what a request says of us."""

import asyncio
import ssl
import subprocess
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path
from shutil import which

import pytest

from dsh_ledger.errors import Denied
from dsh_tools.web.addresses import refusal
from dsh_tools.web.fetching import Fetched, Fetcher, FetchLimits, Unfetched, any_address
from tests.support.web_site import Site, web_site

HERE = "127.0.0.1"
INSIDE = "10.0.0.1"


class Names:
    """A resolver that knows some names; where one has several answers, they come one after the other."""

    def __init__(self, **answers: Sequence[Sequence[str]]) -> None:
        self._answers = {name.replace("_", "."): list(each) for name, each in answers.items()}
        self.asked: list[str] = []

    async def __call__(self, host: str, _port: int) -> Sequence[str]:
        """The next answer; the last one again and again."""
        self.asked.append(host)
        answers = self._answers.get(host)
        if not answers:
            raise OSError
        return answers.pop(0) if len(answers) > 1 else answers[0]


def outside(address: str) -> str | None:
    """The real judge, but that this machine counts as the internet."""
    return None if address == HERE else refusal(address)


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    """A server without pages."""
    async with web_site() as site:
        yield site


def redirect(site: Site, path: str, location: str, status: str = "302 Found") -> str:
    """A page that leads elsewhere."""
    return site.put(path, status=status, location=location)


@pytest.mark.parametrize("status", ["301 x", "302 x", "303 x", "307 x", "308 x"])
async def test_redirects_are_followed_and_told(site: Site, status: str) -> None:
    """The final address, and those that led there; relative locations are resolved."""
    first = redirect(site, "/a/1", "../b?x=1", status)
    last = site.put("/b?x=1", b"end")

    found = await Fetcher(judge=any_address).fetch(f"{first}#part")

    assert isinstance(found, Fetched)
    assert (last, (first,), b"end") == (found.url, found.redirects, found.body)


async def test_an_answer_with_a_location_that_is_no_redirect_is_shown(site: Site) -> None:
    """201 names what was made; nothing is followed."""
    found = await Fetcher(judge=any_address).fetch(redirect(site, "/x", "/y", "201 Created"))

    assert isinstance(found, Fetched)
    assert 201 == found.status


async def test_five_redirects_are_followed_and_no_more(site: Site) -> None:
    """The limit is exact."""
    for hop in range(6):
        redirect(site, f"/{hop}", f"/{hop + 1}")
    site.put("/6", b"end")
    fetcher = Fetcher(judge=any_address)

    five, six = await fetcher.fetch(site.url("/1")), await fetcher.fetch(site.url("/0"))

    assert isinstance(five, Fetched)
    assert isinstance(six, Unfetched)
    assert "It redirects once more after 5 redirects." == six.reason
    assert (302, 5, site.url("/5")) == (six.status, len(six.redirects), six.url)


async def test_a_circle_ends(site: Site) -> None:
    """A page that leads to itself is asked for six times."""
    found = await Fetcher(judge=any_address).fetch(redirect(site, "/x", "/x"))

    assert isinstance(found, Unfetched)
    assert 6 == len(site.asked)


@pytest.mark.parametrize(
    ("location", "reason"),
    [
        ("http://u:p@example.org/", "It redirects to an address that has credentials in it."),
        ("https:///x", "It redirects to an address that has no scheme or no host."),
        ("http://[::1", "It redirects to something that is no address."),
        ("/" + "a" * 2_000, "It redirects to an address that is longer than 2000 characters."),
        ("http://example.org:99999/", "It redirects to an address that has a port that there is not."),
    ],
)
async def test_a_redirect_that_leads_nowhere_is_said(site: Site, location: str, reason: str) -> None:
    """What a server made up is not repeated."""
    found = await Fetcher(judge=any_address).fetch(redirect(site, "/x", location))

    assert isinstance(found, Unfetched)
    assert reason == found.reason


@pytest.mark.parametrize("location", ["file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1/", "data:,x"])
async def test_a_redirect_out_of_the_web_is_refused(site: Site, location: str) -> None:
    """The schemes are those of the first address."""
    with pytest.raises(Denied):
        await Fetcher(judge=any_address).fetch(redirect(site, "/x", location))


@pytest.mark.parametrize(
    "host", ["inside.test", "10.0.0.1", "169.254.169.254", "[::1]", "[::ffff:10.0.0.1]", "167772161"]
)
async def test_a_redirect_into_a_private_network_is_refused(site: Site, host: str) -> None:
    """Every hop is judged anew."""
    names = Names(
        public_test=[[HERE]],
        inside_test=[[INSIDE]],
        **{"10_0_0_1": [[INSIDE]], "169_254_169_254": [["169.254.169.254"]], "::1": [["::1"]]},
        **{"::ffff:10_0_0_1": [["::ffff:10.0.0.1"]], "167772161": [[INSIDE]]},
    )
    redirect(site, "/x", f"http://{host}/latest")

    with pytest.raises(Denied, match="only addresses of the public internet are fetched"):
        await Fetcher(judge=outside, resolve=names).fetch(site.url("/x", "public.test"))


async def test_a_name_is_resolved_once_and_the_judged_address_is_connected_to(site: Site) -> None:
    """A name that would lead inside a moment later gains nothing; the server still hears the name."""
    names = Names(rebind_test=[[HERE], [INSIDE]])
    site.put("/x", b"outside")

    found = await Fetcher(judge=outside, resolve=names).fetch(site.url("/x", "rebind.test"))

    assert isinstance(found, Fetched)
    assert b"outside" == found.body
    assert ["rebind.test"] == names.asked
    assert f"rebind.test:{site.port}" == site.asked[0].headers["host"]


async def test_the_next_hop_to_the_same_name_is_judged_again(site: Site) -> None:
    """No connection is kept, and no judgement."""
    names = Names(rebind_test=[[HERE], [INSIDE]])
    redirect(site, "/x", "/y")

    with pytest.raises(Denied, match=r"rebind\.test is at 10\.0\.0\.1, which is a private address"):
        await Fetcher(judge=outside, resolve=names).fetch(site.url("/x", "rebind.test"))

    assert 1 == len(site.asked)


@pytest.mark.parametrize("answer", [[HERE, INSIDE], [INSIDE, HERE]])
async def test_one_private_address_among_several_refuses_the_name(site: Site, answer: list[str]) -> None:
    """A host of the internet has none; nothing is connected to."""
    with pytest.raises(Denied):
        await Fetcher(judge=outside, resolve=Names(mixed_test=[answer])).fetch(site.url("/x", "mixed.test"))

    assert [] == site.asked


async def test_the_next_address_is_tried_where_one_is_dead(site: Site) -> None:
    """A host with two addresses is reached by the one that answers."""
    site.put("/x", b"end")

    found = await Fetcher(judge=any_address, resolve=Names(two_test=[["::1", HERE]])).fetch(site.url("/x", "two.test"))

    assert isinstance(found, Fetched)


@pytest.mark.parametrize("resolve", [Names(), Names(none_test=[[]])])
async def test_a_name_without_an_address_is_a_failure(resolve: Names) -> None:
    """Whether the resolver raises or finds nothing."""
    found = await Fetcher(resolve=resolve).fetch("http://none.test/")

    assert isinstance(found, Unfetched)
    assert "There is no host of that name." == found.reason


async def test_a_request_says_little_of_us(site: Site) -> None:
    """Program and version, and no cookie, also where one was set on the way."""
    site.put("/x", status="302 Found", location="/y", set_cookie="a=b; Path=/")
    site.put("/y", b"end", set_cookie="c=d")

    await Fetcher(judge=any_address).fetch(site.url("/x"))

    sent = site.asked[1].headers
    assert {"host", "user-agent", "accept", "accept-encoding", "connection"} == set(sent)
    assert "dsh-lsp/" == sent["user-agent"][:8]


async def test_proxies_of_the_environment_are_not_used(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy would resolve the name again, where nobody judges."""
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    site.put("/x", b"end")

    assert isinstance(await Fetcher(judge=any_address).fetch(site.url("/x")), Fetched)


async def test_the_time_for_the_name_counts() -> None:
    """A look-up that does not end is out of time like the rest."""

    async def never(_host: str, _port: int) -> Sequence[str]:
        await asyncio.Event().wait()
        return ()

    found = await Fetcher(resolve=never, limits=FetchLimits(total=0.1)).fetch("http://slow.test/")

    assert isinstance(found, Unfetched)
    assert "There was no answer within 0.1 seconds." == found.reason


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate of secure.test, with its key."""
    if which("openssl") is None:
        pytest.skip("there is no openssl to make a certificate with")
    path = tmp_path_factory.mktemp("tls") / "secure.pem"
    make = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=secure.test"
    more = ["-addext", "subjectAltName=DNS:secure.test", "-keyout", str(path), "-out", f"{path}.cert"]
    subprocess.run([*make.split(), *more], check=True, capture_output=True)
    path.write_bytes(path.read_bytes() + Path(f"{path}.cert").read_bytes())
    return path


@pytest.fixture
async def secure(certificate: Path) -> AsyncIterator[Site]:
    """A server that speaks TLS as secure.test."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    async with web_site(context) as site:
        yield site


@pytest.fixture
def trusting(certificate: Path) -> Fetcher:
    """A fetcher that trusts that certificate, and knows two names of this machine."""
    names = Names(secure_test=[[HERE]], other_test=[[HERE]])
    return Fetcher(judge=any_address, resolve=names, trust=ssl.create_default_context(cafile=certificate))


async def test_the_certificate_is_checked_for_the_name(secure: Site, trusting: Fetcher) -> None:
    """The connection goes to an address, and the name is what has to be proved."""
    secure.put("/x", b"end")

    right = await trusting.fetch(secure.url("/x", "secure.test", "https"))
    wrong = await trusting.fetch(secure.url("/x", "other.test", "https"))

    assert isinstance(right, Fetched)
    assert isinstance(wrong, Unfetched)
    assert "Its certificate is for another host." == wrong.reason


async def test_a_certificate_of_nobody_known_is_not_accepted(secure: Site) -> None:
    """The usual authorities are those that count."""
    fetcher = Fetcher(judge=any_address, resolve=Names(secure_test=[[HERE]]))

    found = await fetcher.fetch(secure.url("/x", "secure.test", "https"))

    assert isinstance(found, Unfetched)
    assert "Its certificate is self-signed." == found.reason


async def test_a_redirect_out_of_encryption_is_not_followed(secure: Site, site: Site, trusting: Fetcher) -> None:
    """Where it leads is said, so that it can be fetched on purpose; into encryption is fine."""
    plain = site.put("/y", b"end")
    redirect(secure, "/x", plain)
    secure.put("/z", b"end")
    redirect(site, "/up", secure.url("/z", "secure.test", "https"))

    down = await trusting.fetch(secure.url("/x", "secure.test", "https"))
    names = Names(secure_test=[[HERE]], **{"127_0_0_1": [[HERE]]})
    up = await Fetcher(judge=any_address, resolve=names, trust=trusting.trust).fetch(site.url("/up"))

    assert isinstance(down, Unfetched)
    assert f"It redirects to {plain}, without encryption; that is not followed by itself." == down.reason
    assert ["/up"] == [asked.path for asked in site.asked]
    assert isinstance(up, Fetched)


async def test_a_server_without_tls_is_a_failure(trusting: Fetcher) -> None:
    """What it says instead is not repeated."""

    async def greet(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"SSH-2.0-something\r\n")
        writer.close()

    server = await asyncio.start_server(greet, HERE, 0)
    async with server:
        found = await trusting.fetch(f"https://secure.test:{server.sockets[0].getsockname()[1]}/")

    assert isinstance(found, Unfetched)
    assert "It does not speak TLS as it should." == found.reason


async def test_the_time_for_a_connection_is_bounded(site: Site, trusting: Fetcher) -> None:
    """A server that takes the connection and then leaves the handshake at that."""
    fetcher = replace(trusting, limits=FetchLimits(connect=0.2))

    found = await fetcher.fetch(site.url("/x", "secure.test", "https"))

    assert isinstance(found, Unfetched)
    assert "There was no connection within 0.2 seconds." == found.reason
