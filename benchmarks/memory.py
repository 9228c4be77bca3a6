"""The peak memory of a library above its input, measured in a fresh process.

``python benchmarks/memory.py KEY CONTENDER`` prints it in bytes. The table is made and the library
warmed up first; then the system's record of the peak is reset to the memory in use.
"""

import argparse
import resource
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from case import Case, Size
from cases import groups_of
from contenders import contender

WARM_ROWS = 1000
TIMEOUT = 120  # seconds


def high_water() -> int:
    """Return the peak memory of the process in bytes, since it was last reset."""
    with suppress(OSError, StopIteration):
        lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
        return next(1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak


def rise(case: Case, name: str) -> int:
    """Return the increase of the peak while a library does the timed job of a case."""
    who, data = contender(name), case.make()
    case.prepare(who, data.first(WARM_ROWS))()  # includes loading on first use
    do = case.prepare(who, data)
    with suppress(OSError):  # resets the peak; if that fails, it includes making the table
        Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")
    before = high_water()
    result = do()
    after = high_water()
    del result
    return after - before


def rise_elsewhere(key: str, name: str, size: Size) -> int | None:
    """Measure in a fresh process; return None if that fails or takes too long."""
    command = [sys.executable, __file__, key, name, "--threads", str(size.threads)]
    command += ["--quick"] * size.quick
    with suppress(subprocess.SubprocessError, ValueError):
        done = subprocess.run(command, check=True, capture_output=True, timeout=TIMEOUT)
        return int(done.stdout.split()[-1])
    return None


def main() -> int:
    """Measure one library in one case."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("key", help="key of a case, as in the results")
    parser.add_argument("contender", help="name of the library, as in the tables")
    parser.add_argument("--threads", type=int, default=2, help="number of threads (2)")
    parser.add_argument("--quick", action="store_true", help="sizes of the quick trial")
    given = parser.parse_args()
    every = [c for g in groups_of(Size(given.quick, given.threads)) for c in g.cases]
    case = next((c for c in every if c.key == given.key), None)
    if case is None:
        parser.error(f"there is no case {given.key}")
    print(rise(case, given.contender))
    return 0


if __name__ == "__main__":
    sys.exit(main())
