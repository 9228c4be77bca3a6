"""The machine that the suite runs on, and the versions of all libraries."""

import os
import platform
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from contenders import CONTENDERS, version_of

BUSY = 0.5  # load above which times are unreliable


def machine(threads: int) -> dict[str, Any]:
    """Return the processor, memory, system, time, load and versions."""
    model, memory = platform.processor() or "unknown processor", 0
    with suppress(OSError, StopIteration):
        model = proc("cpuinfo", "model name")
        memory = int(proc("meminfo", "MemTotal").split()[0]) * 1024
    packages = ["numpy", "pandas", *dict.fromkeys(package for package, _ in CONTENDERS.values())]
    versions = {"Python": platform.python_version()} | {p: version_of(p) for p in packages}
    return {
        "cpu": model,
        "cpus": os.cpu_count(),
        "memory": memory,
        "system": f"{platform.system()} {platform.release().partition('-')[0]}",
        "threads": threads,
        "load": os.getloadavg()[0],
        "when": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "versions": versions,
    }


def proc(name: str, key: str) -> str:
    """Return the first value of a key in a file of /proc."""
    lines = Path("/proc", name).read_text(encoding="utf-8").splitlines()
    return next(line.partition(":")[2].strip() for line in lines if line.startswith(key))


def describe(where: dict[str, Any]) -> list[str]:
    """Return the description as lines of text."""
    gigabytes = f", {where['memory'] / 2**30:.0f} GB" if where["memory"] else ""
    lines = [
        f"{where['cpu']}, {where['cpus']} cores{gigabytes}, {where['system']}; "
        f"{where['threads']} threads for each library; {where['when']}, load {where['load']:.1f}",
        ", ".join(
            f"{name} {number or 'not installed'}" for name, number in where["versions"].items()
        ),
    ]
    if where["load"] > BUSY:
        lines.append(f"The machine was busy (load {where['load']:.1f}): the times are unreliable.")
    return lines
