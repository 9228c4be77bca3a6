"""Check that the stub of the compiled extension is up to date.

The stub ``src/polytomy/kernels/_core.pyi`` is generated from the extension. It is kept in the
repository so that type checkers and readers know the kernels' signatures without a build. Run
``python tools/check_stub.py`` to compare it with a newly generated one, or
``python tools/check_stub.py --write`` (``make stub``) to rewrite it.
"""

import argparse
import difflib
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MODULE = "polytomy.kernels._core"
STUB = Path("src/polytomy/kernels/_core.pyi")


def generate() -> str | None:
    """Return a new stub of the installed extension; on failure print a message and return None."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "_core.pyi"
        command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", MODULE, "-o", str(output)]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode == 0 and output.exists():
            return output.read_text(encoding="utf-8")
    print(result.stdout + result.stderr, end="", file=sys.stderr)
    print(f"no stub could be generated for {MODULE}; is the package installed?", file=sys.stderr)
    return None


def compare(new: str, path: Path) -> int:
    """Print how the stored stub differs from the new one; return the exit code."""
    stored = path.read_text(encoding="utf-8") if path.exists() else ""
    if stored == new:
        print(f"{STUB.as_posix()} is up to date")
        return 0
    before, after = (text.splitlines(keepends=True) for text in (stored, new))
    sys.stdout.writelines(difflib.unified_diff(before, after, "stored", "new"))
    print(f"{STUB.as_posix()} does not match the extension; run: make stub")
    return 1


def main() -> int:
    """Compare or rewrite the stub and return the exit code."""
    parser = argparse.ArgumentParser(
        description="Compare the stub of the extension with a new one."
    )
    parser.add_argument("--write", action="store_true", help="rewrite the stub")
    options = parser.parse_args()
    new = generate()
    if new is None:
        return 1
    if options.write:
        (ROOT / STUB).write_text(new, encoding="utf-8")
        print(f"wrote {STUB.as_posix()}")
        return 0
    return compare(new, ROOT / STUB)


if __name__ == "__main__":
    sys.exit(main())
