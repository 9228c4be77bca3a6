"""A tree as a Mermaid flowchart, which renders in Markdown."""

from polytomy._text import one_line
from polytomy.export.phrasing import AnyModel, captions

from .colours import node_colours

_PLAIN = frozenset(" .,:=+-*/%()!'")  # shown unchanged between double quotes


def to_mermaid(model: AnyModel) -> str:
    """Return a model's tree as a Mermaid flowchart.

    A leaf shows its class, the share of the class to expect of new rows, and that of its training
    rows; ``!`` marks leaves whose shares disagree. For a numeric target it shows the mean to expect
    of new rows, and that of its training rows; for a density tree, its share of the rows and its
    density.

    In Markdown, put it in a fenced code block of the language ``mermaid``. Most renderers draw at
    most 500 edges unless they are configured otherwise.

    Parameters
    ----------
    model : Model or DensityModel
        The model to draw.

    Returns
    -------
    str
        The flowchart.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from polytomy import TreeClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> print(to_mermaid(TreeClassifier(max_leaves=2).fit(X, y)._model))
    flowchart TD
        n0["petal length (cm)#63;<br/>class 0: 33% of 150 rows"]
        n1(["class 0: 98% (100% of 50 training rows)"])
        n2(["class 1: 49% (50% of 100 training rows)"])
        n0 -->|"petal length (cm) #60;= 2.45"| n1
        n0 -->|"petal length (cm) #62; 2.45"| n2
        style n0 fill:#ffffff,stroke:#333,color:#000
        style n1 fill:#52a0cb,stroke:#333,color:#000
        style n2 fill:#f8e4d4,stroke:#333,color:#000
    <BLANKLINE>
    """
    tree = model.tree
    nodes, edges, styles = [], [], []
    colours = node_colours(model)
    for node, caption in enumerate(captions(model)):
        if caption.title:
            title, support = escaped(f"{caption.title}?"), escaped(caption.support)
            nodes.append(f'    n{node}["{title}<br/>{support}"]')
        else:
            nodes.append(f'    n{node}(["{escaped(caption.support)}"])')
        for child, branch in zip(tree.children(node).tolist(), caption.branches, strict=True):
            edges.append(f'    n{node} -->|"{escaped(branch)}"| n{child}')
        styles.append(f"    style n{node} fill:{colours[node]},stroke:#333,color:#000")
    return "\n".join(["flowchart TD", *nodes, *edges, *styles]) + "\n"


def escaped(text: str) -> str:
    """Return text with every character that could be markup written as a numeric entity.

    >>> escaped('a "b" <c> #1')
    'a #34;b#34; #60;c#62; #35;1'
    """
    return "".join(c if c.isalnum() or c in _PLAIN else f"#{ord(c)};" for c in one_line(text))
