"""The sizes of a pruning path with their errors, for trees with and without a target."""

from typing import Any

import numpy as np

from polytomy._types import FloatArray, IntArray
from polytomy.table import frame_of

_SHOWN = 12  # sizes in a printed path


class Sizes:
    """The sizes of a path with their errors: what all paths have in common.

    ``errors_are_losses`` says that errors are sums of a loss, not weights of rows.
    """

    sizes: IntArray
    training_errors: FloatArray
    validation_errors: FloatArray | None
    size = "leaves"  # what the sizes count

    def __init__(
        self,
        estimator: Any,
        weights: tuple[float, float | None],
        loss: str,
        *,
        errors_are_losses: bool,
    ) -> None:
        self._estimator, self._loss, self._are_losses = estimator, loss, errors_are_losses
        self._weight, self._held_weight = weights

    def __len__(self) -> int:
        return len(self.sizes)

    def __repr__(self) -> str:
        return f"<pruning path of {len(self)} sizes, from 1 to {self.sizes[-1]} {self.size}>"

    def _rates(self) -> dict[str, Any]:
        """Return the errors per unit of weight; the second is None without held-out rows."""
        held = self.validation_errors
        return {
            "training_error": self.training_errors / self._weight,
            "validation_error": None if held is None else held / (self._held_weight or 1.0),
        }

    def _costs(self) -> dict[str, FloatArray | None]:
        """Return the mean costs of the training rows and of the held-out rows, if there are any."""
        return {}

    def _remarks(self) -> list[str]:
        """Return what is said below a printed path."""
        return [f"The loss is the {self._loss}."] if self._are_losses else []

    def _frame(self, others: dict[str, Any]) -> Any:
        """Return a data frame of the sizes, errors and other figures."""
        rates = self._rates()
        columns = {
            self.size: self.sizes,
            "training_errors": self.training_errors,
            "training_error": rates["training_error"],
            **others,
        }
        if self.validation_errors is not None:
            columns["validation_errors"] = self.validation_errors
            columns["validation_error"] = rates["validation_error"]
        for name, costs in self._costs().items():
            if costs is not None:
                columns[f"{name}_cost"] = costs
        return frame_of({name: list(values) for name, values in columns.items()})

    def _text(self, others: dict[str, tuple[FloatArray, int, int]], marks: dict[int, str]) -> str:
        """Return a table of some sizes.

        ``others`` maps the title of a column to its figures, width and decimals, and ``marks`` a
        size to a remark.
        """
        rates, held = self._rates(), self.validation_errors
        word, kind = ("loss", "g") if self._are_losses else ("error", "f")
        head = f"{self.size:>8}{'training ' + word:>17}"
        head += "".join(f"{title:>{width}}" for title, (_, width, _) in others.items())
        lines = [head + (f"{'held-out ' + word:>17}" if held is not None else "")]
        for i in _positions_to_print(self.sizes, list(marks)):
            if i < 0:
                lines.append(f"{'...':>8}")
                continue
            line = f"{self.sizes[i]:>8}{rates['training_error'][i]:>17.4{kind}}"
            for values, width, decimals in others.values():
                line += f"{values[i]:>{width}.{decimals}f}"
            if held is not None:
                line += f"{rates['validation_error'][i]:>17.4{kind}}"
            mark = marks.get(int(self.sizes[i]))
            lines.append(f"{line}  <- {mark}" if mark else line)
        return "\n".join([*lines, *self._remarks()])


def _positions_to_print(sizes: IntArray, always: list[int]) -> list[int]:
    """Return positions spread evenly on a logarithmic scale, with -1 for each gap."""
    spread = np.geomspace(1, len(sizes), min(_SHOWN, len(sizes))).round().astype(int) - 1
    positions = sorted({*spread.tolist(), *np.searchsorted(sizes, always).tolist()})
    out: list[int] = []
    for position in positions:
        if out and position > out[-1] + 1:
            out.append(-1)
        out.append(position)
    return out
