"""Who is compared: our trees by procedure and budget, scikit-learn's, and LightGBM's."""

from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from .contest import Contender, Fitted, Stopwatch
from .fit import fit_on
from .peers import lightgbm_tree, sklearn_tree

if TYPE_CHECKING:
    from .sample import Sample

_PROCEDURES = ("per-leaf", "hatano", "kearns-mansour")


def contenders(
    budgets: Sequence[int], gamma: float | None, jobs: int | None, categorical: Sequence[str]
) -> list[Contender]:
    """Return all that are compared, by budget."""
    common: dict[str, Any] = {"n_jobs": jobs}
    if categorical:
        common["categorical_features"] = list(categorical)
    who: list[Contender] = []
    for budget in budgets:
        who += [_ours(procedure, budget, common) for procedure in _PROCEDURES]
        if gamma is not None:
            who.append(_ours("mansour-mcallester", budget, {**common, "gamma": gamma}))
        peer = partial(sklearn_tree, leaves=budget)
        who.append(Contender("scikit-learn", str(budget), peer))
        if find_spec("lightgbm") is not None:
            peer = partial(lightgbm_tree, leaves=budget, jobs=jobs)
            who.append(Contender("LightGBM", str(budget), peer))
    return [*who, _ours("per-leaf", "cv", {**common, "random_state": 0})]


def _ours(procedure: str, budget: int | str, more: dict[str, Any]) -> Contender:
    params = {"max_leaves": budget, "procedure": procedure, **more}
    return Contender(f"polytomy {procedure}", str(budget), partial(our_tree, params=params))


def our_tree(sample: "Sample", params: dict[str, Any]) -> Fitted:
    """Fit our classifier on rows."""
    from polytomy import TreeClassifier

    with Stopwatch() as watch:
        clf = fit_on(TreeClassifier(**params), sample)
    return Fitted(lambda held: clf.predict(held.X), watch.seconds, clf.n_leaves_, clf.n_questions_)
