"""The targets, and whether the results meet them."""

from dataclasses import dataclass

from cases import LARGE, MANY, QUICK
from results import Results
from runs import ratios
from scaling import exponents

CELL_BYTES, ROW_BYTES = 1.3, 12
BOOSTED = "ours, adaboost-real"


@dataclass(frozen=True)
class Target:
    """A number that should not exceed a limit."""

    what: str
    limit: float
    limit_text: str
    value: float | None  # None: not measured
    spread: tuple[float, float] | None = None
    beside: str = ""

    @property
    def verdict(self) -> str:
        """Whether it is met."""
        if self.value is None:
            return "not measured"
        return "met" if self.value <= self.limit else "**missed**"


def targets_of(results: Results) -> list[Target]:
    """Return all targets, in the order of the document."""
    large = f"rows/{QUICK if results.quick else MANY}"
    largest = f"rows/{QUICK if results.quick else LARGE}"
    fit, tree, light = "fit 1M x 20, 64 leaves", "DecisionTree", "LightGBM"
    numbers = f"regression/{MANY}"
    comparisons: list[tuple[str, str, str, str, float]] = [
        (f"{fit}, the default", large, "ours, default", light, 1 / 0.3),
        ("iris, 32 leaves, the default", "small/default", "ours, default", tree, 1 / 4),
        (f"{fit}, per-leaf", large, "ours", light, 6),
        (f"{fit}, hatano", large, "ours, hatano", light, 6),
        (f"{fit}, per-leaf", large, "ours", tree, 100),
        (f"{fit}, hatano", large, "ours, hatano", tree, 100),
        ("the same, encoded, per-leaf", "encoded/1000000", "ours", light, 2),
        ("the same, encoded, hatano", "encoded/1000000", "ours, hatano", light, 2),
        ("regression 1M x 20, 64 leaves, per-leaf", numbers, "ours", light, 4),
        ("regression 1M x 20, 64 leaves, the default", numbers, "ours, default", light, 4),
        ("regression 1M x 20, 64 leaves, the default", numbers, "ours, default", tree, 20),
        ("fit until pure, 100k x 20", "leaves/pure", "ours", tree, 4),
        ("20 columns of 1,000 categories, 1M rows", "categories/large", "ours", light, 4),
        ("iris", "small/fit", "ours", tree, 1),
        ("predict 1M x 20, 64 leaves", "predict/64", "ours", tree, 3),
        ("200 boosted stumps, 100k x 20", "boosting/200", BOOSTED, light, 2),
    ]
    ratio_targets = [ratio_target(results, *line) for line in comparisons]
    return [*ratio_targets, memory_target(results, largest), scaling_target(results)]


def ratio_target(
    results: Results, what: str, key: str, ours: str, peer: str, divisor: float
) -> Target:
    """Return the target that our time is at most a fraction of another library's."""
    text = f"{1 / divisor:.3g} of {peer}"
    mine, theirs = (results.contestant(key, name).get("runs") for name in (ours, peer))
    if not mine or not theirs:
        return Target(what, 1 / divisor, text, None)
    found = ratios(mine, theirs)
    return Target(what, 1 / divisor, text, found["ratio"], (found["least"], found["most"]))


def memory_target(results: Results, key: str) -> Target:
    """Return the target for the peak memory, in MB."""
    case = results.case(key) or {"rows": 0, "columns": 0}
    budget = case["rows"] * (CELL_BYTES * case["columns"] + ROW_BYTES) / 1e6
    rises = (results.contestant(key, name).get("memory") for name in ("ours", "LightGBM"))
    mine, peer = (None if rise is None else rise / 1e6 for rise in rises)
    beside = "" if peer is None else f"LightGBM {peer:,.0f} MB"
    text = f"{budget:,.0f} MB: {CELL_BYTES} bytes per cell + {ROW_BYTES} per row"
    what = "peak memory above the input, 10M x 20"
    return Target(what, budget, text, mine, beside=beside)


def scaling_target(results: Results) -> Target:
    """Return the target for the exponent of rows."""
    fitted = exponents(results).get("rows", {})
    value = fitted["ours"]["exponent"] if "ours" in fitted else None
    beside = f"LightGBM {fitted['LightGBM']['exponent']:.2f}" if "LightGBM" in fitted else ""
    what = "time against rows, 10^5 to 10^7: exponent"
    return Target(what, 1.05, "1.05", value, beside=beside)
