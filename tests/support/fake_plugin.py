"""A plug-in for one test: a module and the metadata that names its entry points, on the server's path."""

import os
from collections.abc import Mapping

from tests.support.world import World


def install_plugin(world: World, name: str, entry_points: Mapping[str, str], source: str) -> None:
    """Install a plug-in for the servers that are started from now on.

    Args:
        world: The test's world.
        name: The distribution's name; its module has underscores for hyphens.
        entry_points: What each group's one entry point leads to.
        source: The module.
    """
    site = world.workspace.parent / "site"
    module = name.replace("-", "_")
    info = site / f"{module}-1.0.dist-info"
    info.mkdir(parents=True)
    (site / f"{module}.py").write_text(source, encoding="utf-8")
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    groups = "".join(f"[{group}]\n{module} = {place}\n" for group, place in entry_points.items())
    (info / "entry_points.txt").write_text(groups, encoding="utf-8")
    world.env["PYTHONPATH"] = os.pathsep.join(filter(None, [str(site), world.env.get("PYTHONPATH", "")]))
