"""Which files of a folder a search is about: by glob and by ripgrep's types, asked of paths alone.

The same question is asked of files on the disk and of unsaved texts that have no file.
"""

import fnmatch
import os
import re
from collections.abc import Sequence

from dsh_tools.search import ripgrep
from dsh_tools.search.globs import Glob


class FileFilter:
    """Tells files that are searched from those that are not.

    Args:
        glob: A pattern, or one after ``!`` for all files that don't match it. One of a single name is for any depth.
        names: Patterns of which a file's name has to match one; empty for no matter.

    Raises:
        GlobRefused: The glob can't be used.
    """

    def __init__(self, glob: str | None = None, names: Sequence[str] = ()) -> None:
        self._negated = glob is not None and glob.startswith("!")
        self._glob = Glob(glob.removeprefix("!").lstrip("/"), anywhere="/" not in glob.strip("/")) if glob else None
        self._names = re.compile("|".join(map(fnmatch.translate, names))) if names else None

    def accepts(self, path: bytes) -> bool:
        """Whether a file is searched; its path is relative to the folder."""
        text = os.fsdecode(path)
        if self._names is not None and self._names.match(text.rpartition("/")[2]) is None:
            return False
        return self._glob is None or self._glob.matches(text) != self._negated

    def hint(self) -> list[str]:
        """Arguments that spare ripgrep files that the glob will not let through anyway, where that can be said.

        As a type of our own by the file's name: unlike ``--glob``, a type does not override ``.gitignore``.
        """
        if self._glob is None or self._negated:
            return []
        names = {alternative[-1] for alternative in self._glob.alternatives if alternative}
        if not names or any(re.search(r"[\[\]\\{},:]|^\*+$", name) for name in names):
            return []
        return [*(f"--type-add=dsh:{name}" for name in sorted(names)), "--type=dsh"]


async def names_of_type(name: str) -> tuple[str, ...]:
    """The patterns of file names that ripgrep knows a type by; all that it knows for ``all``."""
    listed = bytearray()

    def take(piece: bytes) -> bool:
        listed.extend(piece)
        return True

    await ripgrep.run(["--no-config", "--type-list"], take)
    lines = (line.partition(":") for line in listed.decode("utf-8", "replace").splitlines())
    return tuple(glob.strip() for known, _, globs in lines if name in (known, "all") for glob in globs.split(","))
