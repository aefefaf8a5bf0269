r"""Pairs of texts that are hard to compare: repeating lines, blank lines, braces, missing last line ends.

Small pairs come from Hypothesis; long ones, whose changes lie in the middle of hundreds of lines, from a seeded
generator, because Hypothesis would spend its time on drawing lines that don't matter.
"""

from random import Random

from hypothesis import strategies as st

ALPHABETS = (
    ("a",),
    ("a", "b"),
    ("", "a"),
    ("", "{", "}", "  x", "    y"),
    ("", "\t", "\tif", "\t}", "}", "x"),
    ("a", "b", "c", "d", "e"),
    ("-- a", "++ b", "@@ -1 +1 @@", "\\ No newline at end of file", " "),
    ("a\r", "\rb", "a", "\r"),
    ("nul\x00", "\x00", "a"),
    ("é", "\U0001f600", "\u2028", "\u0085", "a"),
    ("\x0b", "\x0c", "\x0c  a", "a", ""),
    ("\ud800", "\udfff", "a"),
)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[str, str]:
    """An old and a new text of a few lines, of which some are the same."""
    lines = st.lists(st.sampled_from(draw(st.sampled_from(ALPHABETS))), max_size=12)
    old = draw(lines)
    new = list(old) if draw(st.booleans()) else draw(lines)
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(new)))
        new[at : at + draw(st.integers(0, 3))] = draw(lines)[:3]
    ends = st.sampled_from(("\n", "\n", ""))
    return _text(old, draw(ends)), _text(new, draw(ends))


def sliding_pair(random: Random, most: int) -> tuple[str, str]:
    """Changes between lines that repeat, so that runs of changed lines could be in several places.

    Args:
        random: The source of choices.
        most: How many lines may be above, and below, what changes.
    """
    alphabet = random.choice(ALPHABETS)
    size = random.choice((3, 10, 40))
    above, below = (_lines(random, alphabet, random.randint(0, most)) for _ in "ab")
    old = _lines(random, alphabet, random.randint(0, size))
    new = list(old)
    if random.random() < 0.3:
        new = _lines(random, alphabet, random.randint(0, size))
    for _ in range(random.randint(1, 4)):
        at = random.randint(0, len(new))
        new[at : at + random.randint(0, 3)] = _lines(random, alphabet, random.randint(0, 3))
    if random.random() < 0.3:
        new += above[-random.randint(1, 5) :]
    end = random.choice(("\n", "\n", "\n", ""))
    pair = _text(above + old + below, end), _text(above + new + below, random.choice((end, end, "\n", "")))
    return pair if random.random() < 0.5 else (pair[1], pair[0])


def rewritten_pair(random: Random, most: int) -> tuple[str, str]:
    """A block written anew among lines that are frequent elsewhere, so that counts over the whole text decide.

    Args:
        random: The source of choices.
        most: How many lines may be above, and below, the block.
    """
    frequent = random.choice((("}",), ("}", ""), ("}", "", "  return", "{")))
    shared = [f"shared {index}" for index in range(20)]
    size, share = random.randint(1, 60), random.choice((0.1, 0.2, 0.3))

    def lines(count: int, often: float) -> list[str]:
        return [random.choice(frequent) if random.random() < often else str(random.random()) for _ in range(count)]

    def block() -> list[str]:
        made = lines(size, share)
        for _ in range(random.randint(0, 10)):
            made.insert(random.randint(0, len(made)), random.choice(shared))
        return made

    above = random.sample(shared, random.randint(0, 20)) + lines(random.randint(0, most), 0.4)
    below = lines(random.randint(0, most), 0.4)
    return _text(above + block() + below, "\n"), _text(above + block() + below, "\n")


def _lines(random: Random, alphabet: tuple[str, ...], count: int) -> list[str]:
    kind = random.random()
    if kind < 0.3:
        period = [random.choice(alphabet) for _ in range(random.randint(1, 6))]
        return [period[index % len(period)] for index in range(count)]
    if kind < 0.5:
        return [random.choice(alphabet)] * count
    if kind < 0.7:
        return [random.choice(alphabet) if random.random() < 0.5 else f"u{random.randint(0, 60)}" for _ in range(count)]
    return [random.choice(alphabet) for _ in range(count)]


def _text(lines: list[str], end: str) -> str:
    return "\n".join(lines) + (end if lines else "")
