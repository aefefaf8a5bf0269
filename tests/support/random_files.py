"""Random files in random encodings, and random changes of them, from a seeded generator.

They are mostly text: drawn from the alphabet of an encoding, with line ends of three kinds, marks, NULs, characters
that take two units of UTF-16, and accents written apart. Small, since what can go wrong is where pieces meet.
"""

from dataclasses import dataclass
from random import Random

from dsh_ledger.edits import Change, Edit
from dsh_tools.fs.charsets import MARKS, WIDE
from tests.support.encoded_texts import ENCODINGS, alphabet

_MARK_OF = {codec: mark for mark, codec in MARKS}
_LINE_ENDS = (("\n",), ("\r\n",), ("\n", "\r\n"), ("\n", "\r\n", "\r"), ("\r",))
_COMMON = ("utf-8", "utf-8", "utf-8", "gbk", "shift_jis", "cp932", "euc_kr", "iso8859-1", "cp1252")


@dataclass(frozen=True, slots=True)
class RandomFile:
    """A file.

    Attributes:
        text: The physical text, without byte order mark.
        mark: The mark that the bytes begin with.
        codec: The encoding of the text.
        data: The bytes.
    """

    text: str
    mark: bytes
    codec: str

    @property
    def data(self) -> bytes:
        """The bytes."""
        return self.mark + self.text.encode(self.codec)

    @property
    def logical(self) -> str:
        """The text as an agent sees it."""
        return self.text.removeprefix("\ufeff").replace("\r\n", "\n")


class RandomFiles:
    """A source of files and changes.

    Args:
        random: The source of choices.
    """

    def __init__(self, random: Random) -> None:
        self._random = random

    def file(self) -> RandomFile:
        """A file."""
        random = self._random
        codec = random.choice(random.choice((_COMMON, ENCODINGS)))
        marked = codec in _MARK_OF and random.random() < (0.8 if codec in WIDE else 0.3)
        ends = random.choice(_LINE_ENDS)
        pieces = [random.choice(ends) if random.random() < 0.25 else self.text(codec, 4) for _ in range(self._few(12))]
        return RandomFile("".join(pieces), _MARK_OF[codec] if marked else b"", codec)

    def text(self, codec: str, most: int, nul: float = 0.01) -> str:
        """A few characters of an encoding, without line ends."""
        random = self._random
        characters = alphabet(codec)
        return "".join(
            "\0" if random.random() < nul else random.choice("ab \\~\t" if random.random() < 0.5 else characters)
            for _ in range(random.randint(0, most))
        )

    def new_text(self, codec: str) -> str:
        """What an agent may put into a file: line ends of both kinds, and seldom what the encoding does not have."""
        random = self._random
        source = "utf-8" if random.random() < 0.05 else codec
        pieces = [self.text(source, 3), *(random.choice(("\n", "\r\n", "\n", self.text(source, 3))) for _ in range(2))]
        return "".join(pieces[: random.randint(0, 3)])

    def change(self, file: RandomFile) -> Change:
        """Up to four edits with something untouched between them."""
        random = self._random
        length = len(file.logical)
        offsets = sorted(random.sample(range(length + 1), min(self._few(8), length + 1)))
        return Change.of(
            *(
                Edit(start, random.choice((start, end)), self.new_text(file.codec))
                for start, end in zip(offsets[::2], offsets[1::2], strict=False)
            )
        )

    def part(self, text: str) -> str:
        """A short part of a text, not empty if the text is not."""
        start = self._random.randrange(max(len(text), 1))
        return text[start : start + self._random.randint(1, 4)]

    def _few(self, most: int) -> int:
        return self._random.randint(0, most)
