"""The peak memory of a contender above its input, in a process of its own.

``python benchmarks/memory.py KEY CONTENDER`` prints it, in bytes. The table is made and the
contender warmed up first; then the mark of the most memory held is lowered to what is held now.
"""

import argparse
import resource
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import racing  # noqa: F401  # first: it tells OpenMP how to wait
from case import Case, Size
from cases import groups_of
from contenders import contender

WARM_ROWS = 1000
LONGEST = 120  # seconds


def high_water() -> int:
    """Return the most memory the process has held, in bytes, since the mark was last lowered."""
    with suppress(OSError, StopIteration):
        lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
        return next(1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak


def rise(case: Case, name: str) -> int:
    """Return how far the peak rises while a contender does what is timed of a case."""
    who, given = contender(name), case.make()
    case.started(who, given.first(WARM_ROWS))()  # loads what is loaded on first use
    do = case.started(who, given)
    with suppress(OSError):  # lowers the mark; if not, it is where making the table left it
        Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")
    before = high_water()
    result = do()
    after = high_water()
    del result
    return after - before


def rise_elsewhere(key: str, name: str, size: Size) -> int | None:
    """Measure in a fresh process; None if it fails or takes too long."""
    command = [sys.executable, __file__, key, name, "--threads", str(size.threads)]
    command += ["--quick"] * size.quick
    with suppress(subprocess.SubprocessError, ValueError):
        done = subprocess.run(command, check=True, capture_output=True, timeout=LONGEST)
        return int(done.stdout.split()[-1])
    return None


def main() -> int:
    """Measure one contender of one case."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("key", help="of a case, as in the results")
    parser.add_argument("contender", help="its name, as in the tables")
    parser.add_argument("--threads", type=int, default=2, help="of the contender (2)")
    parser.add_argument("--quick", action="store_true", help="the rehearsal's sizes")
    given = parser.parse_args()
    every = [c for g in groups_of(Size(given.quick, given.threads)) for c in g.cases]
    case = next((c for c in every if c.key == given.key), None)
    if case is None:
        parser.error(f"no case {given.key}")
    print(rise(case, given.contender))
    return 0


if __name__ == "__main__":
    sys.exit(main())
