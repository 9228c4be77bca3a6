"""rpart, run by R: native categories, and surrogate splits for missing cells."""

import subprocess
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
from tables import Data

from quality.learners.tree import Answers, Learner, Tree

MOST = 10  # categories of a column if there are more than two classes
TIME_LIMIT = 60.0  # seconds of a call of R
# Grow with rpart's limits on rows, then prune to the largest tree of the path within the budget.
GROW = """
limits <- rpart.control(cp = 0, xval = 0)
model <- rpart(label ~ ., rows, method = "class", control = limits)
fitting <- max(which(model$cptable[, "nsplit"] < leaves))
model <- prune(model, cp = model$cptable[fitting, "CP"])
saveRDS(model, "result")
"""
# Node k of rpart has the children 2k and 2k + 1, so its depth is the logarithm of its number.
ANSWER = """
model <- readRDS("model.rds")
cells <- model.frame(delete.response(model$terms), rows, na.action = na.pass)
leaf <- rpart:::pred.rpart(model, rpart:::rpart.matrix(cells))
depth <- floor(log2(as.integer(rownames(model$frame))[leaf]))
shares <- predict(model, rows, type = "prob")
write.table(cbind(leaf, depth, shares), "result", row.names = FALSE, col.names = FALSE)
"""


class RpartTree(Tree):
    """A tree as R saves it; R passes rows down."""

    def __init__(self, data: Data, max_leaves: int) -> None:
        self.model, self.classes = b"", np.unique(data.y)
        self.model = self.run(f"leaves <- {max_leaves}\n{GROW}", data.x, data.y)
        found = self.answer(data.x)
        self.n_leaves, self.depth = len(np.unique(found.leaf)), int(found.questions.max())

    def run(self, script: str, x: pd.DataFrame, y: np.ndarray | None = None) -> bytes:
        """Run a script of R with these rows, whose categories become factors; return its result."""
        x = x if len(self.classes) == 2 else spread(x)
        lines = ["library(rpart)", 'rows <- read.csv("rows.csv")']
        cells = {}
        for j, name in enumerate(x):
            column = x[name]
            if column.dtype == "category":  # codes, since all rows must have the same levels
                last = len(column.cat.categories) - 1
                lines.append(f"rows[[{j + 1}]] <- factor(rows[[{j + 1}]], 0:{last})")
                column = column.cat.codes.where(column.notna())
            cells[f"column{j}"] = column
        if y is not None:
            cells["label"] = y
            lines.append("rows$label <- factor(rows$label)")
        command = ["Rscript", "--vanilla", "run.R"]
        with TemporaryDirectory() as name:
            folder = Path(name)
            pd.DataFrame(cells).to_csv(folder / "rows.csv", index=False, na_rep="NA")
            (folder / "run.R").write_text("\n".join([*lines, script]), encoding="utf-8")
            (folder / "model.rds").write_bytes(self.model)
            subprocess.run(command, cwd=name, check=True, capture_output=True, timeout=TIME_LIMIT)
            return (folder / "result").read_bytes()

    def answer(self, x: pd.DataFrame) -> Answers:
        """Pass rows down the tree."""
        found = np.loadtxt(BytesIO(self.run(ANSWER, x)), ndmin=2)
        return Answers(found[:, 2:], found[:, 0].astype(np.int64), found[:, 1])


def spread(x: pd.DataFrame) -> pd.DataFrame:
    """Replace columns of many categories by a column for each.

    With more than two classes, rpart tries every way to divide the categories into two sets.
    """
    many = [n for n in x if x[n].dtype == "category" and len(x[n].cat.categories) > MOST]
    return pd.get_dummies(x, columns=many, dtype=float) if many else x


RPART = Learner(
    "rpart(cp = 0, minsplit = 20, minbucket = 7), pruned to at most s leaves, by R", RpartTree
)
