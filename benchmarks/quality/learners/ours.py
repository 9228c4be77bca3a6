"""polytomy's TreeClassifier with named parameters."""

import ast
import re
from functools import partial
from typing import Any

import pandas as pd
from tables import Data

from polytomy import TreeClassifier
from quality.learners.tree import Answers, Learner, Tree


class OurTree(Tree):
    """A fitted TreeClassifier."""

    def __init__(self, data: Data, max_leaves: int, params: dict[str, Any]) -> None:
        self.model = TreeClassifier(max_leaves, **{"n_jobs": 1} | params).fit(data.x, data.y)
        self.n_leaves, self.depth = self.model.n_leaves_, self.model.depth_
        self.classes = self.model.classes_

    def answer(self, x: pd.DataFrame) -> Answers:
        """Pass rows down the tree."""
        leaf = self.model.apply(x)
        return Answers(self.model.predict_proba(x), leaf, self.model.tree_.depth[leaf])

    def intervals(self) -> pd.DataFrame:
        """Return the intervals of the rules."""
        return self.model.to_rules().to_frame("pandas").set_index("leaf")[["share", "low", "high"]]


def ours(**params: Any) -> Learner:
    """Return a TreeClassifier with these parameters as a learner."""
    words = "".join(f", {key}={value!r}" for key, value in params.items())
    TreeClassifier(**params)  # so that an unknown parameter is found before the study begins
    return Learner(f"TreeClassifier(max_leaves=s{words})", partial(OurTree, params=params))


def parse_ours(text: str) -> tuple[str, Learner]:
    """Return the name and the learner of ``NAME:KEY=VALUE,...``.

    Values are Python literals or plain text.

    >>> parse_ours("deep:overgrow=4,procedure=per-leaf")
    ('deep', Learner(call="TreeClassifier(max_leaves=s, overgrow=4, procedure='per-leaf')"))
    """
    name, _, rest = text.partition(":")
    pairs = [pair.partition("=") for pair in re.split(r",(?=\s*\w+\s*=)", rest) if pair.strip()]
    try:
        return name, ours(**{key.strip(): literal(value.strip()) for key, _, value in pairs})
    except TypeError as error:
        raise ValueError(f"{text!r}: {error}") from error


def literal(text: str) -> Any:
    """Return the value of a Python literal, or the text itself."""
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return text
