"""``dsh-lsp agent`` in a terminal: a line is a call, ``:name`` is something else, and Ctrl-C gives up a call.

The lines are read by the main thread, which readline and Ctrl-C need; the client runs in a loop of another thread.
"""

import asyncio
import atexit
import shlex
import threading
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Any, Final, TypeVar

from dsh_lsp.client import Agent, ClientError, Note, connect
from dsh_lsp.commands.agent_run import RunOptions, call, show, text_of
from dsh_lsp.commands.arguments import json_object, parse, usage
from dsh_lsp.commands.ending import DONE, Usage, complain, put
from dsh_lsp.commands.hunk_words import hunk_line
from dsh_lsp.journals.state_dir import StateDirRefused, state_dir
from dsh_lsp.review.wording import decision_sentence
from dsh_lsp.runtime_dir import RuntimeDirRefused, private_dir
from dsh_lsp.wire import DecidedNote, DecisionInfo, DriftNote, ReviewedHunk

_T = TypeVar("_T")

_HISTORY: Final = 1000
"""Lines that are remembered."""

_HELP: Final = """\
TOOL [ARGUMENT...]     run a tool: read a.txt, edit a.txt OLD NEW, grep "def main" --glob '*.py'
TOOL --json '{...}'    the same, with the arguments as JSON
TOOL --help            what a tool takes
:tools                 the tools
:pending               the changes of this session that nobody has decided on, with numbers
:keep [NUMBER...]      keep them, or those of these numbers
:undo [NUMBER...]      take them back
:help                  this
:quit, Ctrl-D          leave"""


class _Thread:
    """A loop in a thread of its own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="dsh-lsp client", daemon=True)
        self._thread.start()

    def do(self, work: Coroutine[Any, Any, _T]) -> _T:
        """Have it done there, and wait. Ctrl-C gives it up."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except KeyboardInterrupt:
            future.cancel()
            raise

    def end(self) -> None:
        """End the thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5.0)


def run_prompt(options: RunOptions, ask: Callable[[str], str] = input) -> int:
    """Read lines and do what they say until there are no more; the exit code."""
    thread = _Thread()
    attaching = connect(options.workspace, name=options.name, session_id=options.session, patience=options.wait)
    try:
        agent = thread.do(attaching.__aenter__())
    except (ClientError, RuntimeDirRefused) as error:
        thread.end()
        return complain("agent", str(error))
    try:
        _with_history([tool.name for tool in agent.tools])
        put(f"session {agent.session_id} in {', '.join(agent.workspace_folders)}; :help says what there is")
        return _Prompt(agent, thread).run(ask)
    finally:
        with suppress(KeyboardInterrupt):
            thread.do(attaching.__aexit__(None, None, None))
        thread.end()


class _Prompt:
    """The lines of one person."""

    def __init__(self, agent: Agent, thread: _Thread) -> None:
        self._agent = agent
        self._thread = thread
        self._listed: tuple[ReviewedHunk, ...] = ()

    def run(self, ask: Callable[[str], str]) -> int:
        """Read lines until there are no more; the exit code."""
        while True:
            for note in self._agent.take_notes():
                if said := _said(note):
                    put(f"({said})")
            try:
                line = ask("dsh> ")
            except EOFError:
                put("")
                return DONE
            except KeyboardInterrupt:
                put("")
                continue
            try:
                words = shlex.split(line)
                if words in ([":quit"], [":q"]):
                    return DONE
                if words:
                    self._do(words)
            except KeyboardInterrupt:
                put("given up")
            except (Usage, ValueError) as error:
                put(str(error))
            except ClientError as error:
                put(f"{type(error).__name__}: {error}")

    def _do(self, words: Sequence[str]) -> None:
        name, *rest = words
        match name:
            case ":help" | "help" | ":h" | "?":
                put(_HELP)
            case ":tools":
                put("\n\n".join(map(usage, self._agent.tools)))
            case ":pending":
                self._pending()
            case ":keep":
                self._decided(self._thread.do(self._agent.keep(self._meant(rest))))
            case ":undo":
                self._decided(self._thread.do(self._agent.undo(self._meant(rest))))
            case _ if name.startswith(":"):
                raise Usage(f"there is no {name}; :help says what there is")
            case _:
                self._call(name, rest)

    def _call(self, name: str, words: Sequence[str]) -> None:
        tool = next((tool for tool in self._agent.tools if tool.name == name), None)
        if tool is None:
            raise Usage(f"there is no tool {name!r}; :tools lists them, :help says what else there is")
        if "--help" in words:
            put(usage(tool))
            return
        typed = parse(words, tool, ("json",))
        given = json_object(typed.own["json"], "--json") if "json" in typed.own else {}
        result = self._thread.do(call(self._agent, name, {**given, **typed.arguments}))
        if result.is_error:
            put(text_of(result))
        else:
            show(result, "text")

    def _pending(self) -> None:
        self._listed = self._thread.do(self._agent.pending())
        put("\n".join(f"{n:>3}  {hunk_line(hunk, self._folders)}" for n, hunk in enumerate(self._listed, 1)) or "none")

    @property
    def _folders(self) -> tuple[str, ...]:
        return self._agent.workspace_folders

    def _meant(self, numbers: Sequence[str]) -> list[str]:
        """The hunks of these numbers, as they were listed; without any, all that are pending now."""
        if not numbers:
            self._listed = self._thread.do(self._agent.pending())
            return [hunk.id for hunk in self._listed]
        try:
            return [self._listed[int(number) - 1].id for number in numbers if int(number) > 0]
        except (ValueError, IndexError):
            raise Usage("expected numbers as :pending lists them") from None

    def _decided(self, decided: Sequence[DecisionInfo]) -> None:
        for each in decided:
            put(f"{each.status}: {each.uri.rpartition('/')[2]}{f' ({each.reason})' if each.reason else ''}")
        if not decided:
            put("nothing is pending")


def _said(note: Note) -> str | None:
    """What a person should know of a note."""
    match note:
        case DecidedNote():
            return decision_sentence({**note.to_wire(), "path": note.uri.rpartition("/")[2]})
        case DriftNote():
            return f"{note.uri.rpartition('/')[2]} has changed since it was read"
        case _:
            return None


def _with_history(names: Sequence[str]) -> None:
    """Have the lines of earlier times at hand, and the names of tools completed."""
    try:
        import readline
    except ImportError:  # a Python without it
        return
    words = [*names, ":tools", ":pending", ":keep", ":undo", ":help", ":quit"]

    def complete(text: str, nth: int) -> str | None:
        found = [word for word in words if word.startswith(text)] if not readline.get_begidx() else []
        return f"{found[nth]} " if nth < len(found) else None

    readline.set_completer(complete)
    readline.set_completer_delims(" \t\n")
    readline.parse_and_bind("tab: complete")
    readline.set_history_length(_HISTORY)
    try:
        state_dir().parent.mkdir(parents=True, exist_ok=True)
        path = private_dir(state_dir()) / "prompt-history"
        path.touch(0o600)
        readline.read_history_file(path)
    except (OSError, StateDirRefused, RuntimeDirRefused):
        return
    atexit.register(readline.write_history_file, path)
