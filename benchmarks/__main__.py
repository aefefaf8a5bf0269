"""Every measurement, one after the other: ``python -m benchmarks``, or with names, ``python -m benchmarks keystroke``.

A measurement is a module of this folder with ``measure() -> dict[str, float]``; its docstring says what is measured and
in which units. Nothing here has an opinion on the figures: a run fails only when a measurement does.
"""

import sys
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).parent


def names() -> list[str]:
    """The measurements that there are, by module name."""
    return sorted(path.stem for path in HERE.glob("*.py") if not path.stem.startswith("_"))


def run(name: str) -> None:
    """Take one measurement and print what it is, then its figures."""
    module = import_module(f"benchmarks.{name}")
    print(f"\n{name}: {(module.__doc__ or '').partition(chr(10))[0]}", flush=True)
    for figure, value in module.measure().items():
        print(f"  {figure:28} {value:14,.2f}", flush=True)


if __name__ == "__main__":
    wanted = sys.argv[1:] or names()
    unknown = sorted(set(wanted) - set(names()))
    if unknown:
        sys.exit(f"no such measurement: {', '.join(unknown)}; there are: {', '.join(names())}")
    for name in wanted:
        run(name)
