"""The environment of a command: the server's own, without secrets, without traps, and without anybody to ask.

Left out are
- names that look like a secret's, and values that are a URL with a password in it;
- ours (``DSH_…``), so that a command can't be taken for a part of the server;
- what makes bash run or mean something other than the command that was asked for (start files, exported functions);
- programs that would open a window to ask for a password.

Kept is all the rest: ``PATH``, ``HOME``, the locale, virtual environments, ``SSH_AUTH_SOCK``, also ``LD_PRELOAD`` and
``LD_LIBRARY_PATH``: the user's programs may need them, and a command could set them itself. A filter of names keeps
secrets from a transcript; it does not keep them from a command that goes looking. Nothing of this is ever logged.
"""

import re
from collections.abc import Mapping
from typing import Final

_SECRET_NAME: Final = re.compile(
    r"TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|COOKIE|APIKEY"
    r"|(?:^|_)(?:KEYS?|PASS|PWD|PAT|JWT|AUTH|BEARER|DSN)(?:_|$)"
    r"|^AWS_",
    re.IGNORECASE,
)
_NO_SECRETS: Final = frozenset({"SSH_AUTH_SOCK"})
"""Looks like a secret and is none: the way to an agent that signs and never tells its keys."""

_URL_WITH_PASSWORD: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@]*:[^\s/@]+@")

_TRAP: Final = re.compile(
    r"DSH_.*|BASH_FUNC_.*|BASH_ENV|ENV|SHELLOPTS|BASHOPTS|BASH_XTRACEFD|PS4|CDPATH|GLOBIGNORE|EXECIGNORE"
    r"|PWD|OLDPWD|(?:SSH|GIT|SUDO)_ASKPASS|FORCE_COLOR|CLICOLOR_FORCE"
)

_NON_INTERACTIVE: Final = {
    "TERM": "dumb",
    "NO_COLOR": "1",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "MANPAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "SSH_ASKPASS_REQUIRE": "never",
    "DEBIAN_FRONTEND": "noninteractive",
    # An editor would wait for somebody until the time is out. This one leaves the text as it is.
    "EDITOR": "true",
    "VISUAL": "true",
    "GIT_EDITOR": "true",
}


def child_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment for a command.

    Args:
        environ: The server's own.
    """
    kept = {name: value for name, value in environ.items() if not _is_withheld(name, value)}
    return kept | _NON_INTERACTIVE


def _is_withheld(name: str, value: str) -> bool:
    if _TRAP.fullmatch(name) or _URL_WITH_PASSWORD.search(value):
        return True
    return name not in _NO_SECRETS and _SECRET_NAME.search(name) is not None
