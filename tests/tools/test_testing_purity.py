"""The kit for authors of tools: what it takes away from projections, and what it finds out about their purity."""

import gc
import os
import random
import secrets
import socket
import subprocess
import threading
import time
import uuid
from collections.abc import Callable
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from dsh_ledger.json_values import JsonObject
from dsh_tools.cards import GenericCall, GenericResult
from dsh_tools.content import text_content
from dsh_tools.contract import ToolResult
from dsh_tools.models import ToolArguments
from dsh_tools.testing import ToolCase
from tests.support.contract_tool import USUAL, Args, findings, render, tool

NAIVE = datetime(2000, 1, 1)  # noqa: DTZ001 - a naive time is what the test is about


def own_stat() -> object:
    """A file's status, which no audit event tells of."""
    return os.path.exists(__file__)  # noqa: PTH110 - this is one of the ways


REACHING: dict[str, tuple[Callable[[], object], str]] = {
    "time.time": (time.time, "the clock (time.time"),
    "time.monotonic": (time.monotonic, "the clock (time.monotonic"),
    "time.perf_counter": (time.perf_counter_ns, "the clock (time.perf_counter_ns"),
    "time.strftime": (lambda: time.strftime("%Y"), "the clock (time.strftime"),
    "datetime.now": (lambda: datetime.now(UTC), "the clock (datetime.now"),
    "date.today": (date.today, "the clock (date.today"),
    "open": (lambda: Path(__file__).read_text(encoding="utf-8"), "the disk (open"),
    "open, begun by C": (lambda: list(map(open, [__file__])), "the disk (open"),
    "stat": (own_stat, "the operating system (os.stat"),
    "listdir": (os.getcwd, "the operating system (os.getcwd"),
    "scandir": (lambda: list(Path(__file__).parent.iterdir()), "the operating system (os.listdir"),
    "write": (lambda: os.write(1, b""), "the operating system (os.write"),
    "socket": (socket.socket, "the network (socket.__new__"),
    "a name of a host": (lambda: socket.gethostbyname("localhost"), "the network"),
    "subprocess": (lambda: subprocess.run(["true"], check=True), "another process (subprocess.Popen"),
    "thread": (lambda: threading.Thread(target=list).start(), "another thread"),
    "environ": (lambda: os.environ.get("HOME"), "the environment (os.environ"),
    "environ, all": (lambda: dict(os.environ), "the environment (os.environ"),
    "environ, changed": (lambda: os.environ.update(KIT="1"), "the environment (os.environ"),
    "random": (random.random, "randomness (random.random"),
    "choice": (lambda: random.choice("ab"), "randomness (random.getrandbits"),
    "uuid4": (uuid.uuid4, "randomness (os.urandom"),
    "secrets": (secrets.token_hex, "randomness (os.urandom"),
}  # fmt: skip
SOURCES = pytest.mark.parametrize(("reach", "told"), REACHING.values(), ids=REACHING)


@SOURCES
async def test_render_reaches_for_nothing(tmp_path: Path, reach: Callable[[], object], told: str) -> None:
    """Whatever is read besides the arguments is named with the place, even where it changes nothing."""

    def impure(args: Args, value: JsonObject) -> Any:
        reach()
        return render(args, value)

    [(check, message)] = await findings(tool(render=impure), tmp_path)

    assert "render" == check
    assert message.startswith(f"it reaches for {told}")
    assert "test_testing_purity.py, line" in message


@pytest.mark.parametrize("place", ["render", "presentation_meta", "present_call", "present_result"])
@pytest.mark.parametrize("reach", [time.time, own_stat, random.random], ids=["clock", "disk", "randomness"])
async def test_every_projection_is_looked_at(tmp_path: Path, place: str, reach: Callable[[], object]) -> None:
    """Each of the four is called sealed, and swallowing the exception does not hide the attempt."""

    def impure(*given: Any) -> Any:
        try:
            reach()
        finally:
            return USUAL[place](*given)  # noqa: B012 - it swallows everything, on purpose

    found = await findings(tool(**{place: impure}), tmp_path)

    assert [place] == [check for check, _ in found]


@pytest.mark.parametrize(
    "reading",
    [
        lambda: NAIVE.astimezone(UTC).isoformat(),
        lambda: datetime.fromtimestamp(0).isoformat(),  # noqa: DTZ006 - it depends on the time zone
        lambda: str(next(map(partial(lambda clock, _: clock, time.perf_counter_ns), [0]))()),
        lambda: str(list(map(lambda _: random.Random().random(), [0]))),  # noqa: C417 - as above
    ],
    ids=["naive time", "local time", "clock", "unseeded generator"],
)
async def test_what_differs_from_run_to_run_is_found(tmp_path: Path, reading: Callable[[], str]) -> None:
    """What can't be taken away shows in the bytes: the local time zone, and generators of one's own."""
    made = tool(render=lambda _args, _value: text_content(reading()))

    assert ["render"] == [check for check, _ in await findings(made, tmp_path)]


async def test_a_lazy_import_is_no_disk_access(tmp_path: Path) -> None:
    """A projection may import, and may look in vain for a module that is not installed."""

    def importing(args: Args, value: JsonObject) -> Any:
        import this_module_is_not_there  # type: ignore[import-not-found]

        return this_module_is_not_there

    def falling_back(args: Args, value: JsonObject) -> Any:
        import colorsys

        try:
            return importing(args, value)
        except ImportError:
            return text_content(str(colorsys.rgb_to_hsv(0, 0, 0)))

    assert [] == await findings(tool(render=falling_back), tmp_path)


async def test_a_seeded_generator_is_pure(tmp_path: Path) -> None:
    """The same bytes every time: a generator of one's own with a seed is nothing random."""
    made = tool(render=lambda _args, _value: text_content(str(random.Random(7).random())))

    assert [] == await findings(made, tmp_path)


class LooseArgs(ToolArguments):
    """Arguments with a list, which can be changed."""

    name: str = "a"
    tags: list[str] = []  # noqa: RUF012 - pydantic copies defaults


def changed_value(args: Args, value: JsonObject) -> Any:
    """Change the value."""
    value["lines"] = []
    return render(args, value)


def changed_order(args: Args, value: JsonObject) -> Any:
    """Put the members into another order."""
    value["lineCount"] = value.pop("lineCount")
    return {"lines": 1}


def changed_arguments(args: LooseArgs) -> GenericCall:
    """Change the arguments."""
    args.tags.append("more")
    return GenericCall(title="t")


def changed_meta(_args: Args, result: ToolResult) -> GenericResult:
    """Change what was recorded."""
    assert isinstance(result.meta, dict)
    result.meta["seen"] = {1, 2}  # type: ignore[assignment]
    return GenericResult(title="t", text="")


@pytest.mark.parametrize(
    ("place", "other"),
    [
        ("render", {"render": changed_value}),
        ("presentation_meta", {"presentation_meta": changed_order}),
        ("present_call", {"present_call": changed_arguments, "params": LooseArgs}),
        ("present_result", {"present_result": changed_meta}),
    ],
)
async def test_inputs_are_left_alone(tmp_path: Path, place: str, other: dict[str, Any]) -> None:
    """No projection changes the arguments, the value or the record that it is given."""
    found = await findings(tool(**other), tmp_path)

    assert (place, "it changes what it is given") in found


async def test_a_projection_that_fails_only_without_its_clock_is_named(tmp_path: Path) -> None:
    """What it falls for when something is taken away is told as what it reached for."""

    def falling(args: Args, value: JsonObject) -> Any:
        try:
            time.time()
        except BaseException:  # noqa: BLE001 - it mistakes what was taken away for a failure
            raise ValueError("no clock") from None
        return render(args, value)

    [(check, message)] = await findings(tool(render=falling), tmp_path)

    assert ("render", True) == (check, message.startswith("it reaches for the clock (time.time"))


async def test_a_fallback_does_not_take_what_is_taken_away_for_its_own_failure(tmp_path: Path) -> None:
    """What catches exceptions does not catch this one: only what is reached for first is told."""

    def falling_back(args: Args, value: JsonObject) -> Any:
        try:
            time.time()
        except Exception:  # noqa: BLE001 - the usual fallback
            Path(__file__).read_bytes()
        return render(args, value)

    [(_, message)] = await findings(tool(render=falling_back), tmp_path)

    assert message.startswith("it reaches for the clock")


class Leftover:
    """What reads the clock when it is collected."""

    def __init__(self) -> None:
        self.itself = self

    def __del__(self) -> None:
        time.time()


async def test_what_is_collected_meanwhile_is_not_the_projections_doing(tmp_path: Path) -> None:
    """Finalizers of garbage do not run while a projection is looked at."""

    def littering(args: Args, value: JsonObject) -> Any:
        Leftover()
        return render(args, {**value, "lines": [[] for _ in range(5_000)]})

    assert [] == await findings(tool(render=littering), tmp_path)
    assert gc.isenabled()


async def test_each_run_has_its_own_copies(tmp_path: Path) -> None:
    """What one call of a projection does to its inputs is told once, and reaches neither other calls nor the case."""

    class AnyArgs(ToolArguments):
        name: str
        more: Any = None

    def emptied(args: AnyArgs) -> GenericCall:
        args.more.clear()
        return GenericCall(title="t")

    def taken(_args: Args, value: JsonObject) -> Any:
        return text_content(str(value.pop("lines")))

    case = ToolCase("usual", {"name": "a", "more": {"b": 1}})
    of_arguments = await findings(tool(params=AnyArgs, present_call=emptied), tmp_path, case)
    of_value = await findings(tool(render=taken, presentation_meta=lambda _args, value: value["lines"]), tmp_path)

    assert [("present_call", "it changes what it is given")] == of_arguments
    assert [("render", "it changes what it is given")] == of_value
    assert {"name": "a", "more": {"b": 1}} == case.arguments


@pytest.mark.parametrize("zone", [None, "UTC"])
async def test_the_process_is_left_as_it_was(tmp_path: Path, zone: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the kit has run, even over what failed, clock, environment, zone and profiler are what they were."""
    monkeypatch.delenv("TZ", raising=False)
    if zone is not None:
        monkeypatch.setenv("TZ", zone)
    time.tzset()
    before = (os.environ.get("TZ"), time.tzname, dict(os.environ))

    await findings(tool(render=lambda *_: text_content(str(time.time()))), tmp_path)

    assert before == (os.environ.get("TZ"), time.tzname, dict(os.environ))
    assert time.time() > 0
    assert Path(__file__).exists()
