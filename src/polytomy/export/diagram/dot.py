"""A tree as a Graphviz graph."""

from polytomy._text import one_line
from polytomy.export.phrasing import AnyModel, captions

from .colours import node_colours


def to_dot(model: AnyModel) -> str:
    r"""Return a model's tree as a Graphviz graph, for ``dot -Tsvg``.

    A node shows the column of its split, its class, the class's share and its rows. A leaf shows
    the share to expect of new rows, and that of its training rows; ``!`` marks leaves whose shares
    disagree. The colour is that of the class: the larger the share, the stronger the colour.
    Nodes of a numeric target show means instead: the larger the mean, the stronger the colour.
    Those of a density tree show densities, and leaves also their share of the rows.

    Parameters
    ----------
    model : Model or DensityModel
        The model to draw.

    Returns
    -------
    str
        The graph in the DOT language.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from polytomy import TreeClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> print(to_dot(TreeClassifier(max_leaves=2).fit(X, y)._model))
    digraph tree {
        node [shape=box, style="filled,rounded", fontname="Helvetica", fillcolor="#ffffff"];
        edge [fontname="Helvetica"];
        n0 [label="petal length (cm)?\nclass 0: 33% of 150 rows", fillcolor="#ffffff"];
        n1 [label="class 0: 98% (100% of 50 training rows)", fillcolor="#52a0cb", shape=ellipse];
        n2 [label="class 1: 49% (50% of 100 training rows)", fillcolor="#f8e4d4", shape=ellipse];
        n0 -> n1 [label="petal length (cm) <= 2.45"];
        n0 -> n2 [label="petal length (cm) > 2.45"];
    }
    <BLANKLINE>
    """
    tree = model.tree
    nodes, edges = [], []
    colours = node_colours(model)
    for node, caption in enumerate(captions(model)):
        lines = [f"{caption.title}?", caption.support] if caption.title else [caption.support]
        shape = "" if caption.title else ", shape=ellipse"
        nodes.append(f'    n{node} [label={quoted(lines)}, fillcolor="{colours[node]}"{shape}];')
        children = tree.children(node).tolist()
        edges += [
            f"    n{node} -> n{child} [label={quoted([branch])}];"
            for child, branch in zip(children, caption.branches, strict=True)
        ]
    head = [
        "digraph tree {",
        '    node [shape=box, style="filled,rounded", fontname="Helvetica", fillcolor="#ffffff"];',
        '    edge [fontname="Helvetica"];',
    ]
    return "\n".join([*head, *nodes, *edges, "}"]) + "\n"


def quoted(lines: list[str]) -> str:
    r"""Return lines as a quoted string whose special characters are escaped.

    >>> print(quoted(['say "a\\b"', "AT&amp;T"]))
    "say \"a\\b\"\nAT&amp;amp;T"
    """
    safe = [
        one_line(line).replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
        for line in lines
    ]
    return '"' + "\\n".join(safe) + '"'
