"""Some of the failures that ``make faults`` injects, and threads without any memory."""

import os
import subprocess
import sys
from pathlib import Path
from shutil import which
from textwrap import dedent

import pytest

needs_preload = pytest.mark.skipif(
    sys.platform != "linux" or which("c++") is None, reason="needs LD_PRELOAD and a compiler"
)


@needs_preload
@pytest.mark.parametrize(
    ("name", "kind", "later", "step"),
    [
        ("fit a classifier", "allocation", False, 1501),
        ("fit a classifier", "thread", True, 1),
        ("path with merging", "allocation", True, 997),
        ("save and load", "array", False, 23),
    ],
)
def test_failing_calls_are_errors_or_do_no_harm(name, kind, later, step, tmp_path):
    import faults  # noqa: PLC0415

    seen = faults.observed(faults.built_shim(tmp_path), name, kind, later, step)
    assert seen
    assert set(seen) <= faults.ALLOWED[kind]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
@pytest.mark.parametrize(
    ("name", "kills"), [("save", 20), ("checkpoint", 5), ("cache", 3), ("dask", 1)]
)
def test_killed_processes_leave_whole_files(name, kills):
    """Killed workers of a cluster are in tests/dask/test_failures.py."""
    import fault_kills  # noqa: PLC0415

    if name not in fault_kills.names():
        pytest.skip("needs pyarrow")
    result = fault_kills.kills_of(name, kills)
    assert result.kills == kills
    assert not result.wrong


_STARVED = Path(__file__).parents[1] / "faults" / "starved_threads.cpp"
_PREPARE = """
import ctypes, threading
import numpy as np
from polytomy import kernels
from polytomy._threads import ThreadPool
from polytomy._types import Branch, Row

shim, sample = ctypes.PyDLL(None), np.arange(50_000.0)
table = kernels.code_table([np.zeros(50_000, np.uint8)], [1])
rows, branch = np.arange(50_000, dtype=Row), np.zeros(1, Branch)

def outcome():
    shim.starve(True)
    try:
        kernels.cell_ends(sample)
    except MemoryError:
        return "MemoryError"
    finally:
        shim.starve(False)
"""


@needs_preload
@pytest.mark.parametrize(
    ("program", "printed"),
    [
        (  # no memory is left when a task of a pool allocates
            """
            with ThreadPool(1) as pool:
                print(pool.submit(outcome).result())
            """,
            "MemoryError",
        ),
        (  # no memory is left when the thread of a pool begins
            """
            shim.starve_others(True)
            with ThreadPool(1) as pool:
                found = pool.submit(threading.get_ident).result()
            print(found == threading.get_ident())
            """,
            "True",
        ),
        (  # no memory is left in a thread of the user's own after its first call of a kernel
            """
            def task():
                kernels.scatter(rows, table, 0, branch, rows.copy(), 1, 1)
                print(outcome())
            thread = threading.Thread(target=task)
            thread.start()
            thread.join()
            """,
            "MemoryError",
        ),
    ],
)
def test_threads_without_memory_do_not_end_the_process(program, printed, tmp_path):
    shim = tmp_path / "starved_threads.so"
    flags = ["-O1", "-shared", "-fPIC", "-fvisibility=hidden", "-nodefaultlibs"]
    subprocess.run(["c++", *flags, str(_STARVED), "-o", str(shim), "-lc"], check=True)
    run = subprocess.run(
        [sys.executable, "-c", _PREPARE + dedent(program)],
        env={**os.environ, "LD_PRELOAD": str(shim)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (run.stdout.strip(), run.stderr, run.returncode) == (printed, "", 0)
