"""Data frames made of plain columns, for what the library gives back."""

from collections.abc import Mapping, Sequence
from typing import Any

from polytomy._errors import ParameterError

_BACKENDS = ("pandas", "polars", "pyarrow")


def frame_of(columns: Mapping[str, Sequence[Any]], backend: str | None = None) -> Any:
    """Return a data frame of a named library, or of the first that is installed."""
    import narwhals as nw  # noqa: PLC0415  # imported only where a frame is wanted

    for name in (backend,) if backend else _BACKENDS:
        try:
            return nw.from_dict(dict(columns), backend=name).to_native()  # type: ignore[arg-type]
        except ModuleNotFoundError:
            continue
    wanted = backend or "pandas, polars or pyarrow"
    raise ParameterError(f"a data frame needs {wanted}, which is not installed")
