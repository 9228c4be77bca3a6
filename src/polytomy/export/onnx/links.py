"""From an ensemble's votes to probabilities, in a graph: each algorithm's own link."""

import numpy as np

from .graph import Graph


def add_probabilities(
    graph: Graph, votes: str, algorithm: str, n_outputs: int, output: str
) -> None:
    """Add what ``predict_proba`` does to votes, and give it as the output.

    One output f is two, -f and f. ``adaboost-mh`` asks for each class whether a row is of it, and
    the softmax is that of log 1/(1 + exp(-2 f)); elsewhere it is that of the votes.
    """
    if n_outputs == 1:
        against = graph.add("Neg", [votes])
        scores = graph.add("Concat", [against, votes], axis=1)
    elif algorithm == "adaboost-mh":
        scores = _log_sigmoid(graph, graph.add("Add", [votes, votes]))
    else:
        scores = votes
    graph.give("Softmax", [scores], output, axis=1)


def _log_sigmoid(graph: Graph, x: str) -> str:
    """Add log 1/(1 + exp(-x)) as min(x, 0) - log(1 + exp(-|x|)), which nothing overflows.

    The runtime has no Softplus for doubles.
    """
    small = graph.add("Exp", [graph.add("Neg", [graph.add("Abs", [x])])])
    one = graph.constant("one", np.array(1.0))
    rest = graph.add("Log", [graph.add("Add", [small, one])])
    below = graph.add("Min", [x, graph.constant("zero", np.array(0.0))])
    return graph.add("Sub", [below, rest])
