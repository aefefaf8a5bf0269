"""Which addresses a fetch may connect to."""

import pytest

from dsh_tools.web.addresses import refusal


@pytest.mark.parametrize(
    ("address", "what"),
    [
        ("127.0.0.1", "a loopback address"),
        ("127.255.255.254", "a loopback address"),
        ("0.0.0.0", "the unspecified address"),  # noqa: S104 - refused, not bound
        ("0.1.2.3", "an address of this network"),
        ("10.0.0.1", "a private address"),
        ("172.16.0.1", "a private address"),
        ("172.31.255.255", "a private address"),
        ("192.168.1.1", "a private address"),
        ("100.64.0.1", "an address shared behind a carrier's NAT"),
        ("100.127.255.255", "an address shared behind a carrier's NAT"),
        ("169.254.1.1", "a link-local address"),
        ("169.254.169.254", "a cloud metadata address"),
        ("168.63.129.16", "a cloud metadata address"),
        ("100.100.100.200", "a cloud metadata address"),
        ("192.0.0.192", "a cloud metadata address"),
        ("192.0.0.8", "a reserved address"),
        ("192.0.2.1", "an address for documentation"),
        ("198.51.100.7", "an address for documentation"),
        ("203.0.113.7", "an address for documentation"),
        ("192.88.99.1", "a reserved address"),
        ("198.18.0.1", "an address for benchmarks"),
        ("198.19.255.255", "an address for benchmarks"),
        ("224.0.0.251", "a multicast address"),
        ("239.255.255.250", "a multicast address"),
        ("240.0.0.1", "a reserved address"),
        ("255.255.255.255", "the broadcast address"),
    ],
)
def test_special_ipv4_addresses_are_refused(address: str, what: str) -> None:
    """Whatever IANA lists as special is named as what it is."""
    assert what == refusal(address)


@pytest.mark.parametrize(
    ("address", "what"),
    [
        ("::", "the unspecified address"),
        ("::1", "a loopback address"),
        ("0:0:0:0:0:0:0:1", "a loopback address"),
        ("::127.0.0.1", "a reserved address"),
        ("fe80::1", "a link-local address"),
        ("fe80::1%eth0", "a link-local address"),
        ("febf::1", "a link-local address"),
        ("fec0::1", "a site-local address"),
        ("fc00::1", "a private address"),
        ("fd12:3456::1", "a private address"),
        ("fd00:ec2::254", "a cloud metadata address"),
        ("fd20:ce::254", "a cloud metadata address"),
        ("ff02::1", "a multicast address"),
        ("2001:db8::1", "an address for documentation"),
        ("3fff:123::1", "an address for documentation"),
        ("2001:20::1", "a reserved address"),
        ("100::1", "a reserved address"),
        ("5f00::1", "a reserved address"),
        ("4000::1", "a reserved address"),
        ("64:ff9b:1::1", "a reserved address"),
        ("2002:7f00:1::1", "a 6to4 tunnel"),
        ("2002:808:808::1", "a 6to4 tunnel"),
        ("2001:0:4136:e378:8000:63bf:3fff:fdd2", "a Teredo tunnel"),
    ],
)
def test_special_ipv6_addresses_are_refused(address: str, what: str) -> None:
    """The same for IPv6; tunnels are refused whatever they lead to, and all that is not assigned is reserved."""
    assert what == refusal(address)


@pytest.mark.parametrize(
    ("address", "what"),
    [
        ("::ffff:127.0.0.1", "a loopback address"),
        ("::ffff:7f00:1", "a loopback address"),
        ("::ffff:10.0.0.1", "a private address"),
        ("::ffff:169.254.169.254", "a cloud metadata address"),
        ("64:ff9b::127.0.0.1", "a loopback address"),
        ("64:ff9b::a9fe:a9fe", "a cloud metadata address"),
        ("64:ff9b::192.168.0.1", "a private address"),
        ("64:ff9b::8.8.8.8", None),
        ("::ffff:8.8.8.8", None),
    ],
)
def test_ipv6_that_stands_for_ipv4_is_judged_by_it(address: str, what: str | None) -> None:
    """Mapped addresses, and those that a network without IPv4 makes up for IPv4 hosts."""
    assert what == refusal(address)


@pytest.mark.parametrize(
    "address",
    [
        "8.8.8.8",
        "1.1.1.1",
        "9.255.255.255",
        "11.0.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "126.255.255.255",
        "128.0.0.1",
        "169.253.255.255",
        "169.255.0.0",
        "172.15.255.255",
        "172.32.0.0",
        "192.167.255.255",
        "192.169.0.0",
        "198.17.255.255",
        "198.20.0.0",
        "223.255.255.255",
        "2606:4700::1111",
        "2a00:1450::1",
        "2001:4860::8888",
        "2003::1",
        "2001:200::1",
        "3ffe::1",
    ],
)
def test_addresses_of_the_internet_may_be_reached(address: str) -> None:
    """Also those just beside the special ones."""
    assert None is refusal(address)


@pytest.mark.parametrize("address", ["", "localhost", "127.1", "0177.0.0.1", "2130706433", "0x7f000001", "1.2.3.4.5"])
def test_what_is_no_address_is_refused(address: str) -> None:
    """Names and other spellings are for the resolver; here they can't be judged."""
    assert "not an address" == refusal(address)
