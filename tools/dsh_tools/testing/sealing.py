"""Calling a function with the clock, the disk, the network, the environment and randomness taken away.

Three nets, one behind the other, in force for the calling thread alone:

- Every call of a C function that Python code makes is looked at before it happens (`sys.setprofile`), whatever name it
  was imported under: the functions of `time`, ``datetime.now`` and its like, those of ``posix`` (so also all that
  `os.path` and `pathlib` do on the disk), the shared generator of `random`, the start of a thread. Of Python functions,
  those of `os.environ` are; `secrets` and ``uuid4`` end at ``os.urandom``.
- Audit events (`sys.addaudithook`) tell of files, sockets and processes, also where C code begins them.
- What depends on the local time zone is found by its results: the caller runs the function in two zones
  (`other_zones`) and compares bytes. So is what differs from one call to the next.

What is reached for is recorded, and the attempt raises; swallowing the exception does not hide it. Imports are let
through: the first call of a function may import, and a module that is not there is looked for each time.

What can't be seen: C code that reads the clock, or asks for a file's status, by itself (a ``default_factory`` of
pydantic that is ``time.time`` itself; its values differ, though, and show that way); libraries that go to the system
behind Python's back; what was read once and kept, since the function has run before it is sealed; the locale; an order
that hangs on the hash seed of the process. ``time.gmtime`` and ``time.strftime`` are refused also where they are given
the time, because that can't be told apart: use `datetime`. A profiler and `sealed` exclude each other.
"""

import gc
import os
import random
import sys
import sysconfig
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from functools import cache
from types import CodeType, FrameType, FunctionType
from typing import Any, Final, Generic, TypeVar

T = TypeVar("T")

_CLOCK, _SYSTEM, _FILES = "the clock", "the operating system", "the disk"
_NETWORK, _PROCESS, _ENVIRONMENT, _RANDOM = "the network", "another process", "the environment", "randomness"

_EVENTS: Final = {
    "open": _FILES,
    "os.putenv": _ENVIRONMENT,
    "os.unsetenv": _ENVIRONMENT,
    "time.sleep": _CLOCK,
    "ctypes.dlopen": _SYSTEM,
}
_EVENTS_OF: Final = {
    "os": _SYSTEM,
    "socket": _NETWORK,
    "urllib": _NETWORK,
    "http": _NETWORK,
    "subprocess": _PROCESS,
    "pty": _PROCESS,
    "shutil": _FILES,
    "tempfile": _FILES,
    "glob": _FILES,
    "pathlib": _FILES,
    "sqlite3": _FILES,
    "mmap": _FILES,
    "fcntl": _FILES,
    "signal": _SYSTEM,
    "resource": _SYSTEM,
    "syslog": _SYSTEM,
    "winreg": _SYSTEM,
    "_winapi": _SYSTEM,
}
"""Audit events by the first part of their names."""

_FUNCTIONS_OF: Final = {
    "time": _CLOCK,
    "posix": _SYSTEM,
    "nt": _SYSTEM,
    "_socket": _NETWORK,
    "select": _SYSTEM,
    "pwd": _SYSTEM,
    "grp": _SYSTEM,
    "_uuid": _RANDOM,
}
"""C functions by their modules."""

_PURE: Final = {"fspath", "strerror", "strptime", "get_clock_info", "clock_getres"}
_RANDOM_FUNCTIONS: Final = {"urandom", "getrandom"}
_NOW: Final = {"now", "utcnow", "today"}
_ENVIRON_CODE: Final[dict[CodeType, str]] = {
    member.__code__: name
    for name, member in vars(type(os.environ)).items()
    if isinstance(member, FunctionType) and name != "__init__"
}
_SHARED_RANDOM: Final = getattr(random.random, "__self__", None)
_STANDARD_LIBRARY: Final = sysconfig.get_path("stdlib")


class _Taken(BaseException):
    """What was reached for is not there. No `Exception`, so that the usual fallbacks don't take it for theirs."""


@dataclass(frozen=True, slots=True)
class Sealed(Generic[T]):
    """How a sealed call went.

    Attributes:
        value: What it returned, or None.
        failure: What it raised, other than because something was taken away, or None.
        reached: What it reached for, each once: ``the clock (time.time at cards.py, line 12)``.
    """

    value: T | None
    failure: BaseException | None
    reached: tuple[str, ...]


class _Watch(threading.local):
    """What the sealed call of this thread has reached for; None where there is none."""

    reached: list[str] | None = None


_watch = _Watch()


def sealed(function: Callable[[], T]) -> Sealed[T]:
    """Call a function with everything taken away that is not in its arguments. See the module for the limits.

    Its first call may import, or prepare what a library prepares when it is first used: call it once before.
    """
    _hook_once()
    reached: list[str] = []
    value: T | None = None
    failure: BaseException | None = None
    profiler, collecting = sys.getprofile(), gc.isenabled()
    gc.disable()  # Finalizers of others would count as the function's doing.
    try:
        _watch.reached = reached
        sys.setprofile(_profile)
        value = function()
    except KeyboardInterrupt:
        raise
    except _Taken:
        pass
    except BaseException as error:  # noqa: BLE001 - whatever it raises is what is to be told
        failure = error
    finally:
        sys.setprofile(profiler)
        _watch.reached = None
        if collecting:
            gc.enable()
    return Sealed(value, failure, tuple(dict.fromkeys(reached)))


@contextmanager
def other_zones() -> Iterator[Iterator[None]]:
    """For the time of the block, an iterator of which each step puts the process into another local time zone.

    There are two of them, 18 hours apart. On systems without ``tzset`` nothing happens.
    """
    before = os.environ.get("TZ")
    try:
        yield map(_enter_zone, ("KITEAST-11", "KITWEST+7"))
    finally:
        _enter_zone(before)


def _enter_zone(zone: str | None) -> None:
    if zone is None:
        os.environ.pop("TZ", None)
    else:
        os.environ["TZ"] = zone
    if sys.platform != "win32":
        time.tzset()


@cache
def _hook_once() -> None:
    """An audit hook can't be removed: there is one for the process, and it looks at sealed threads alone."""
    sys.addaudithook(_audit)


def _audit(event: str, _arguments: tuple[Any, ...]) -> None:
    if _watch.reached is None:
        return
    what = _EVENTS.get(event) or _EVENTS_OF.get(event.partition(".")[0])
    if what is not None:
        _take(what, event, sys._getframe(1))  # noqa: SLF001 - the one way to see who asks


def _profile(frame: FrameType, event: str, argument: Any) -> None:
    if event == "c_call":
        found = _impure(argument)
        if found is not None:
            _take(*found, frame)
    elif event == "call" and frame.f_code in _ENVIRON_CODE:
        _take(_ENVIRONMENT, "os.environ", frame)


def _impure(function: Any) -> tuple[str, str] | None:
    """What a C function reaches for, and its name, or None."""
    name = function.__name__
    owner = function.__self__
    if owner is _SHARED_RANDOM:
        return _RANDOM, f"random.{name}"
    if isinstance(owner, type):
        return (_CLOCK, f"{owner.__name__}.{name}") if name in _NOW and issubclass(owner, date) else None
    module = function.__module__
    if module == "_thread":
        return ("another thread", f"_thread.{name}") if name.startswith("start_") else None
    what = _FUNCTIONS_OF.get(module) if isinstance(module, str) else None
    if what is None or name in _PURE or name.startswith(("_path_", "W")):
        return None
    return _RANDOM if name in _RANDOM_FUNCTIONS else what, f"{'os' if module in ('posix', 'nt') else module}.{name}"


def _take(what: str, name: str, frame: FrameType | None) -> None:
    """Record an attempt and stop it, unless it is an import's."""
    place: FrameType | None = None
    while frame is not None and frame.f_code is not sealed.__code__:
        file = frame.f_code.co_filename
        if file.startswith("<frozen importlib"):
            return
        if place is None and not _is_standard(file):
            place = frame
        frame = frame.f_back
    where = f" at {os.path.basename(place.f_code.co_filename)}, line {place.f_lineno}" if place else ""  # noqa: PTH119
    if _watch.reached is not None:
        _watch.reached.append(f"{what} ({name}{where})")
    raise _Taken


def _is_standard(file: str) -> bool:
    return file.startswith(("<frozen", _STANDARD_LIBRARY + os.sep)) and "site-packages" not in file
