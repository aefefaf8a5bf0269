"""The looks of a page: legible in light and dark."""

import re

import pytest

from dsh_lsp.replaying.style import DARK, LIGHT, STYLE


def luminance(colour: str) -> float:
    """The relative luminance of WCAG 2.1, from 0 to 1."""
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


PAIRS = [
    *((text, ground) for text in ("text", "quiet", "link") for ground in ("page", "card", "well")),
    *(("text", ground) for ground in ("add", "add-strong", "del", "del-strong", "hidden")),
    *(("quiet", ground) for ground in ("add", "del", "at")),
    *(("plus", ground) for ground in ("page", "card", "add", "tint-plus")),
    *(("minus", ground) for ground in ("page", "card", "del", "tint-minus")),
    *(("warn", ground) for ground in ("card", "tint-warn")),
    ("link", "tint-link"),
]


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(("text", "ground"), PAIRS)
def test_text_can_be_read_on_its_ground(colours: dict[str, str], text: str, ground: str) -> None:
    """The contrast of each text colour with each ground that it stands on is at least 4.5 : 1 (WCAG 2.1, 1.4.3)."""
    low, high = sorted((luminance(colours[text]), luminance(colours[ground])))

    assert (high + 0.05) / (low + 0.05) >= 4.5


def test_every_colour_that_is_used_is_there_in_light_and_dark() -> None:
    """No rule names a variable that one of the two lacks, and none is left over."""
    used = set(re.findall(r"var\(--([a-z-]+)\)", STYLE)) - {"n"}

    assert used == LIGHT.keys() == DARK.keys()
