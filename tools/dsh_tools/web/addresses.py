"""Which IP addresses a fetch may connect to: those of the public internet, and no others.

What is refused follows IANA's registries of special-purpose addresses (RFC 6890 and its updates) instead of
``ipaddress.is_global``, whose answers differ between releases of Python. An IPv6 address that stands for an IPv4
address is judged by that one; tunnels that nobody needs any more (6to4, Teredo) are refused whatever is inside.

Deliberately absent: names. A name says nothing about where a connection goes; whoever connects resolves it once, asks
here about every address, and connects to one of these.
"""

from functools import cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final, TypeAlias

_Network: TypeAlias = IPv4Network | IPv6Network

_REFUSED: Final = (
    # Cloud metadata services first: the others of them are link-local, private or shared addresses.
    ("168.63.129.16/32", "a cloud metadata address"),
    ("169.254.169.254/32", "a cloud metadata address"),
    ("100.100.100.200/32", "a cloud metadata address"),
    ("192.0.0.192/32", "a cloud metadata address"),
    ("fd00:ec2::254/128", "a cloud metadata address"),
    ("fd20:ce::254/128", "a cloud metadata address"),
    ("0.0.0.0/32", "the unspecified address"),
    ("0.0.0.0/8", "an address of this network"),
    ("10.0.0.0/8", "a private address"),
    ("100.64.0.0/10", "an address shared behind a carrier's NAT"),
    ("127.0.0.0/8", "a loopback address"),
    ("169.254.0.0/16", "a link-local address"),
    ("172.16.0.0/12", "a private address"),
    ("192.0.0.0/24", "a reserved address"),
    ("192.0.2.0/24", "an address for documentation"),
    ("192.88.99.0/24", "a reserved address"),
    ("192.168.0.0/16", "a private address"),
    ("198.18.0.0/15", "an address for benchmarks"),
    ("198.51.100.0/24", "an address for documentation"),
    ("203.0.113.0/24", "an address for documentation"),
    ("224.0.0.0/4", "a multicast address"),
    ("255.255.255.255/32", "the broadcast address"),
    ("240.0.0.0/4", "a reserved address"),
    ("::/128", "the unspecified address"),
    ("::1/128", "a loopback address"),
    ("fe80::/10", "a link-local address"),
    ("fec0::/10", "a site-local address"),
    ("fc00::/7", "a private address"),
    ("ff00::/8", "a multicast address"),
    ("2001::/32", "a Teredo tunnel"),
    ("2001:db8::/32", "an address for documentation"),
    ("2001::/23", "a reserved address"),
    ("2002::/16", "a 6to4 tunnel"),
    ("3fff::/20", "an address for documentation"),
)
"""Networks with what their addresses are; the first that holds an address names it."""

_GLOBAL_UNICAST: Final = IPv6Network("2000::/3")
"""All that is assigned for use on the internet with IPv6; the rest is reserved."""

_STANDS_FOR_IPV4: Final = (IPv6Network("::ffff:0:0/96"), IPv6Network("64:ff9b::/96"))
"""IPv4-mapped (RFC 4291, 2.5.5.2) and the well-known prefix of NAT64 (RFC 6052): the last 32 bits are IPv4.

The second is what every name resolves to on a network that has IPv6 only, so it can't be refused as a whole.
"""


def refusal(address: str) -> str | None:
    """Why an address may not be connected to, as what it is (``a private address``), or None if it may.

    Args:
        address: As a resolver gives it, with or without a zone. What can't be read as an address is refused.
    """
    try:
        parsed = ip_address(address)
    except ValueError:
        return "not an address"
    if isinstance(parsed, IPv6Address) and any(parsed in network for network in _STANDS_FOR_IPV4):
        parsed = IPv4Address(int(parsed) & 0xFFFFFFFF)
    for network, what in _networks():
        if parsed in network:
            return what
    if isinstance(parsed, IPv6Address) and parsed not in _GLOBAL_UNICAST:
        return "a reserved address"
    return None


@cache
def _networks() -> tuple[tuple[_Network, str], ...]:
    return tuple((IPv6Network(net) if ":" in net else IPv4Network(net), what) for net, what in _REFUSED)
