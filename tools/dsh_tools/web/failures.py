"""Why there was no connection, in our own words: texts of libraries and of the operating system are not passed on."""

import errno
import socket
import ssl
from collections.abc import Iterator
from typing import Final

_CERTIFICATE: Final = {
    9: "is not valid yet",
    10: "has expired",
    18: "is self-signed",
    19: "is self-signed",
    20: "is signed by nobody who is trusted",
    21: "is signed by nobody who is trusted",
    62: "is for another host",
    64: "is for another address",
}
"""OpenSSL's X509_V_ERR codes."""

_SYSTEM: Final = {
    errno.ECONNREFUSED: "It refuses connections at that port.",
    errno.ECONNRESET: "It ended the connection.",
    errno.ENETUNREACH: "There is no way to its network.",
    errno.EHOSTUNREACH: "There is no way to it.",
}


def why_not_resolved(error: OSError | UnicodeError | None) -> str:
    """Why a name has no address, as a sentence."""
    if isinstance(error, socket.gaierror) and error.errno == socket.EAI_AGAIN:
        return "Its name can't be looked up now; there may be no network."
    return "There is no host of that name."


def why_not_connected(error: BaseException, seconds: float) -> str:
    """Why a connection was not made, as a sentence.

    Args:
        error: What was raised; its causes tell more than it does.
        seconds: How long a connection may take.
    """
    for cause in _causes(error):
        if isinstance(cause, TimeoutError):
            return f"There was no connection within {seconds:g} seconds."
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"Its certificate {_CERTIFICATE.get(cause.verify_code, 'is not accepted')}."
        if isinstance(cause, ssl.SSLError):
            return "It does not speak TLS as it should."
        if isinstance(cause, OSError) and cause.errno in _SYSTEM:
            return _SYSTEM[cause.errno]
    return "There was no connection."


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """The chain, and what is in groups: connecting to several addresses raises several errors."""
    seen: set[int] = set()
    waiting = [error]
    while waiting:
        link = waiting.pop()
        if link is None or id(link) in seen:
            continue
        seen.add(id(link))
        yield link
        waiting += [link.__context__, link.__cause__]
        if isinstance(link, BaseExceptionGroup):
            waiting += link.exceptions
