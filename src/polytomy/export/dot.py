"""A tree as a Graphviz drawing."""

from polytomy._text import one_line
from polytomy.model import Model

from .captions import captions
from .colours import fill


def to_dot(model: Model) -> str:
    r"""Return a model's tree in Graphviz's language, for ``dot -Tsvg``.

    A node shows what it asks, its largest class, that class's share and its rows. Its colour is the
    class's, the stronger the larger the share, from a palette for colour-blind readers.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from polytomy import TreeClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> print(to_dot(TreeClassifier(max_leaves=2).fit(X, y)._model))
    digraph tree {
        node [shape=box, style="filled,rounded", fontname="Helvetica", fillcolor="#ffffff"];
        edge [fontname="Helvetica"];
        n0 [label="petal length (cm)?\n0 33% of 150 rows", fillcolor="#ffffff"];
        n1 [label="0 100% of 50 rows", fillcolor="#4c9cc9", shape=ellipse];
        n2 [label="1 50% of 100 rows", fillcolor="#f8e3d2", shape=ellipse];
        n0 -> n1 [label="petal length (cm) <= 2.45"];
        n0 -> n2 [label="petal length (cm) > 2.45"];
    }
    <BLANKLINE>
    """
    tree = model.tree
    nodes, edges = [], []
    for node, said in enumerate(captions(model)):
        lines = [f"{said.asked}?", said.support] if said.asked else [said.support]
        colour = fill(int(tree.label[node]), said.share.share, tree.n_classes)
        shape = "" if said.asked else ", shape=ellipse"
        nodes.append(f'    n{node} [label={quoted(lines)}, fillcolor="{colour}"{shape}];')
        children = tree.children(node).tolist()
        edges += [
            f"    n{node} -> n{child} [label={quoted([answer])}];"
            for child, answer in zip(children, said.answers, strict=True)
        ]
    head = [
        "digraph tree {",
        '    node [shape=box, style="filled,rounded", fontname="Helvetica", fillcolor="#ffffff"];',
        '    edge [fontname="Helvetica"];',
    ]
    return "\n".join([*head, *nodes, *edges, "}"]) + "\n"


def quoted(lines: list[str]) -> str:
    r"""Return lines as a quoted string that Graphviz shows as they are.

    >>> print(quoted(['say "a\\b"', "AT&amp;T"]))
    "say \"a\\b\"\nAT&amp;amp;T"
    """
    safe = [
        one_line(line).replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
        for line in lines
    ]
    return '"' + "\\n".join(safe) + '"'
