"""An ensemble of deeper trees in a few lines: what it is made of, and how to get one to read."""

from collections import Counter
from textwrap import wrap

from polytomy._text import one_line
from polytomy.ensemble import Ensemble

_SHOWN = 8  # columns


def members_in_words(ensemble: Ensemble, width: int) -> list[str]:
    """Return what the members are, what they ask most about, and what to do to read them."""
    trees = [member.tree for member in ensemble.members]
    leaves = sorted(tree.n_leaves for tree in trees)
    asked = Counter(int(j) for tree in trees for j in tree.feature if j >= 0)
    questions = sum(asked.values()) + sum(len(tree.own) for tree in trees)
    names = ensemble.schema.names
    most = sorted(asked.items(), key=lambda pair: (-pair[1], pair[0]))
    shown = ", ".join(f"{one_line(names[j])} {n}" for j, n in most[:_SHOWN])
    more = f", +{len(most) - _SHOWN} columns" if len(most) > _SHOWN else ""
    size = f"{leaves[0]}" if leaves[0] == leaves[-1] else f"{leaves[0]} to {leaves[-1]}"
    own = sum(len(tree.own) for tree in trees)
    told = [
        f"{ensemble.algorithm}: {len(trees)} trees of {size} leaves, up to {ensemble.depth} "
        "questions deep",
        f"They ask {questions} questions about {len(most)} of {len(names)} columns: {shown}{more}"
        + (f"; {own} questions are of a kind of their own" if own else ""),
        "",
        "Trees this deep do not add up column by column, so there is no table to print. Instead:",
        "- boost with max_depth=1: stumps, of any number of branches, add up to a table a column",
        "- or grow one tree that is made to be read, with TreeClassifier",
    ]
    return [line for text in told for line in wrap(text, width, subsequent_indent="  ") or [""]]
