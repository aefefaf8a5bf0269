"""Replays a journal where nothing but the journal is there; run as a program: ``replay_offline.py JOURNAL FORM``.

Taken away are every tool (their modules can't be imported), the clock, the network and the environment's variables.
What was opened while it ran, besides the journal, is counted. Standard output is the replay; the last line of standard
error is the report as JSON: ``{"opened": [...], "exit": n}``.
"""

import json
import os
import sys
import time

WATCHED = {"open", "os.listdir", "os.scandir", "subprocess.Popen", "os.exec", "socket.connect"}


def main() -> None:
    """Replay, under watch."""
    journal, form = sys.argv[1:]
    sys.modules["dsh_tools.builtin"] = None  # type: ignore[assignment]
    from dsh_lsp.replaying import command

    # Once without being watched, so that what is imported late is in; its output is thrown away.
    kept, sys.stdout = sys.stdout, open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    command.run_replay(journal, form, None)
    sys.stdout.close()
    sys.stdout = kept

    opened: list[str] = []
    watching = True

    def watch(event: str, args: tuple[object, ...]) -> None:
        # An `open` of a number is what makes a file object of a descriptor that was opened, and seen, before.
        if watching and event in WATCHED and not isinstance(args[0], int):
            opened.append(f"{event} {args[0]}")

    def no_clock(*_: object) -> float:
        raise AssertionError("the clock was asked")

    sys.addaudithook(watch)
    time.time = time.monotonic = no_clock
    os.environ.clear()
    code = command.run_replay(journal, form, None)
    sys.stdout.flush()
    watching = False
    others = [each for each in opened if each != f"open {journal}"]
    sys.stderr.write(json.dumps({"opened": others, "journal": len(opened) - len(others), "exit": code}) + "\n")


main()
