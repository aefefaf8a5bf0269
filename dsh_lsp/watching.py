"""Noticing that files which sessions have seen change on the disk, while no editor has them open.

Watched are the directories of those files and nothing else: none below them, never the whole workspace. What is noticed
is only that something happened; what it was is found out by content (`dsh_lsp.drift`). Without it everything holds as
well: where watching is impossible, or is switched off, agents learn of a change when they next use the file.

Whoever watches is watchdog, with one thread for each directory; it is loaded when there is something to watch.
"""

import asyncio
import errno
import logging
import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from dsh_ledger.ledger import Ledger
from dsh_ledger.targets import Target
from dsh_lsp.buffers.open_document import OpenDocument
from dsh_lsp.buffers.open_documents import OpenDocuments
from dsh_tools.fs.uris import uri_path

if TYPE_CHECKING:
    from watchdog.events import FileSystemEventHandler
    from watchdog.observers.api import BaseObserver, ObservedWatch

_log = logging.getLogger(__name__)

MOST = 128
"""Directories that are watched at the same time, those with the latest files."""

_DELAY = 0.05
"""Seconds in which changes of what is to be watched are gathered."""

_LIMITS = {errno.ENOSPC, errno.EMFILE, errno.ENFILE}
"""What the system says when somebody watches too much (inotify_init(2), inotify_add_watch(2))."""


class FileWatch:
    """Watches what sessions have seen.

    Args:
        ledger: What they have seen.
        documents: What editors have open, and therefore tell of themselves.
        happened: Told that something has happened to a file, or may have.
        enabled: Whether to watch at all.
    """

    def __init__(
        self, ledger: Ledger, documents: OpenDocuments, happened: Callable[[Target], None], *, enabled: bool = True
    ) -> None:
        self._ledger = ledger
        self._documents = documents
        self._happened = happened
        self._enabled = enabled
        self._due: asyncio.TimerHandle | None = None
        self._changing: asyncio.Task[None] | None = None
        self._targets: dict[str, Target] = {}
        self._open: set[Target] = set()
        self._lost: set[str] = set()
        self._said: set[str] = set()
        self._directories: _Directories | None = None

    @property
    def is_enabled(self) -> bool:
        """Whether it watches at all."""
        return self._enabled

    @property
    def watched(self) -> frozenset[str]:
        """The directories that are watched now."""
        return frozenset(self._directories.watches if self._directories is not None else ())

    def observed(self, target: Target) -> None:
        """A session has seen a file. From now on what happens to it matters, also before all is set up anew."""
        path = _path(target)
        if not self._enabled or path is None or self._documents.has(target):
            return
        directories = self._directories
        if path in self._targets and directories is not None and _directory(path) in directories.watches:
            return
        self._targets[path] = target
        if directories is not None:
            directories.paths.add(path)
        self.update()

    def update(self) -> None:
        """What sessions have seen has changed, or what is open."""
        if self._enabled and self._due is None:
            self._due = asyncio.get_running_loop().call_later(_DELAY, self._update)

    def document_changed(self, document: OpenDocument) -> None:
        """A document was opened, changed, or closed."""
        target = document.target
        if target is None or document.closed.is_set() != (target in self._open):
            return
        if document.closed.is_set():
            self._open.discard(target)
            if self._enabled:
                self._happened(target)  # what was unsaved is gone
        else:
            self._open.add(target)
        self.update()

    async def close(self) -> None:
        """Watch nothing any more."""
        self._enabled = False
        if self._due is not None:
            self._due.cancel()
        if self._changing is not None:
            await asyncio.wait((self._changing,))
        if self._directories is not None:
            await asyncio.to_thread(self._directories.stop)

    def _update(self) -> None:
        self._due = None
        if self._changing is not None:
            self.update()
            return
        self._targets = dict(self._wanted())
        wanted = dict.fromkeys(_directory(path) for path in self._targets)
        kept = list(wanted)[-MOST:]
        if len(kept) < len(wanted):
            self._say(f"files in more than {MOST} directories have been read: not all of them are watched")
        if self._directories is not None:
            self._directories.paths = {*self._targets, *kept}
        if set(kept) != self.watched or self._lost:
            self._changing = asyncio.ensure_future(self._change(kept))

    def _wanted(self) -> Iterable[tuple[str, Target]]:
        """The files to watch by path, the last ones seen last."""
        for target in self._ledger.targets():
            path = _path(target)
            if path is not None and not self._documents.has(target):
                yield path, target

    async def _change(self, wanted: list[str]) -> None:
        if self._directories is None:
            loop = asyncio.get_running_loop()
            self._directories = _Directories(lambda: loop.call_soon_threadsafe(self._take))
            self._directories.paths = {*self._targets, *wanted}
        lost, self._lost = self._lost, set()
        try:
            new, fault = await asyncio.to_thread(self._directories.watch, wanted, lost)
        finally:
            self._changing = None
        if fault is not None:
            self._say(f"changes of some files are not noticed until they are used: {fault}")
        # What has happened before the watch began was not noticed.
        self._tell(target for path, target in self._targets.items() if _directory(path) in new)

    def _take(self) -> None:
        """Something has happened: see to what."""
        if not self._enabled or self._directories is None:
            return
        for path in self._directories.taken():
            target = self._targets.get(path)
            if target is not None:
                self._happened(target)
            else:  # a directory has gone, and all that was in it; one that comes in its place is another
                self._lost.add(path)
                self._tell(target for child, target in self._targets.items() if _directory(child) == path)
                self.update()

    def _say(self, sentence: str) -> None:
        if sentence not in self._said:
            self._said.add(sentence)
            _log.warning(sentence)

    def _tell(self, targets: Iterable[Target]) -> None:
        if self._enabled:
            for target in list(targets):
                self._happened(target)


class _Directories:
    """The directories that are watched; all methods block, and are for threads other than the event loop's.

    Args:
        happened: Called from any thread when there is something to take.

    Attributes:
        paths: The paths that matter: the files, and the directories themselves. Whatever else happens is dropped where
            it is noticed.
        watches: What is watched, by directory.
    """

    def __init__(self, happened: Callable[[], object]) -> None:
        self.paths: set[str] = set()
        self.watches: dict[str, ObservedWatch] = {}
        self._happened = happened
        self._observer: BaseObserver | None = None
        self._waiting: set[str] = set()
        self._missing: set[str] = set()

    def taken(self) -> list[str]:
        """The paths to which something has happened since this was last asked; for the event loop."""
        taken: list[str] = []
        while self._waiting:
            taken.append(self._waiting.pop())
        return taken

    def watch(self, directories: list[str], lost: set[str]) -> tuple[frozenset[str], str | None]:
        """Watch these and no others, as far as it is possible.

        Args:
            directories: Which.
            lost: Those that were gone; what is at their place now is another directory.

        Returns:
            The ones that are new, or newly found not to be there; and the name of the error that keeps more from being
            watched.
        """
        for gone in self.watches.keys() & lost | self.watches.keys() - set(directories):
            self._unwatch(gone)
        self._missing &= set(directories)
        new: set[str] = set()
        for directory in directories:
            if directory in self.watches:
                continue
            try:
                is_there = self._watch(directory)
            except OSError as error:
                return frozenset(new), errno.errorcode[error.errno or 0]
            if is_there or directory not in self._missing:
                new.add(directory)
            (self._missing.discard if is_there else self._missing.add)(directory)
        return frozenset(new), None

    def stop(self) -> None:
        """Watch nothing any more."""
        if self._observer is not None:
            self._observer.stop()
            self._observer.join()

    def _watch(self, directory: str) -> bool:
        """Whether it could be. Raises OSError where no other could be, either."""
        from watchdog import events

        try:
            self.watches[directory] = self._started().schedule(
                _handler(self._noticed),
                directory,
                event_filter=[
                    events.DirDeletedEvent,
                    events.FileClosedEvent,
                    events.FileCreatedEvent,
                    events.FileDeletedEvent,
                    events.FileModifiedEvent,
                    events.FileMovedEvent,
                ],
            )
        except OSError as error:
            if error.errno in _LIMITS:
                raise
            return False  # it is not there, or nobody may look
        return True

    def _unwatch(self, directory: str) -> None:
        watch = self.watches.pop(directory)
        if self._observer is not None:
            self._observer.unschedule(watch)

    def _started(self) -> "BaseObserver":
        if self._observer is None:
            from watchdog.observers import Observer

            observer = Observer()
            observer.start()
            self._observer = observer
        return self._observer

    def _noticed(self, path: str) -> None:
        """In a thread of watchdog's, which has nothing to wait for."""
        if path in self.paths and path not in self._waiting:
            self._waiting.add(path)
            try:
                self._happened()
            except RuntimeError:
                pass  # the event loop has ended


def _path(target: Target) -> str | None:
    path = uri_path(target.uri)
    return None if path is None else os.fsdecode(path)


def _directory(path: str) -> str:
    return path.rpartition("/")[0] or "/"


def _handler(noticed: Callable[[str], None]) -> "FileSystemEventHandler":
    from watchdog.events import FileSystemEvent, FileSystemEventHandler

    class Handler(FileSystemEventHandler):
        def on_any_event(self, event: FileSystemEvent) -> None:
            noticed(os.fsdecode(event.src_path))
            noticed(os.fsdecode(event.dest_path))

    return Handler()
