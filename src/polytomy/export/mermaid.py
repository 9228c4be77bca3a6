"""A tree as a Mermaid flowchart, which renders in Markdown."""

from polytomy._text import one_line
from polytomy.model import Model

from .captions import captions
from .colours import fill

_PLAIN = frozenset(" .,:=+-*/%()!'")  # what Mermaid shows as it is between double quotes


def to_mermaid(model: Model) -> str:
    """Return a model's tree as a Mermaid flowchart.

    Put it between lines of three backquotes, the first with the word ``mermaid``. Renderers draw
    up to 500 edges unless they are told to draw more.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from polytomy import TreeClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> print(to_mermaid(TreeClassifier(max_leaves=2).fit(X, y)._model))
    flowchart TD
        n0["petal length (cm)#63;<br/>0 33% of 150 rows"]
        n1(["0 100% of 50 rows"])
        n2(["1 50% of 100 rows"])
        n0 -->|"petal length (cm) #60;= 2.45"| n1
        n0 -->|"petal length (cm) #62; 2.45"| n2
        style n0 fill:#ffffff,stroke:#333,color:#000
        style n1 fill:#4c9cc9,stroke:#333,color:#000
        style n2 fill:#f8e3d2,stroke:#333,color:#000
    <BLANKLINE>
    """
    tree = model.tree
    nodes, edges, styles = [], [], []
    for node, said in enumerate(captions(model)):
        if said.asked:
            nodes.append(f'    n{node}["{escaped(said.asked + "?")}<br/>{escaped(said.support)}"]')
        else:
            nodes.append(f'    n{node}(["{escaped(said.support)}"])')
        for child, answer in zip(tree.children(node).tolist(), said.answers, strict=True):
            edges.append(f'    n{node} -->|"{escaped(answer)}"| n{child}')
        colour = fill(int(tree.label[node]), said.share.share, tree.n_classes)
        styles.append(f"    style n{node} fill:{colour},stroke:#333,color:#000")
    return "\n".join(["flowchart TD", *nodes, *edges, *styles]) + "\n"


def escaped(text: str) -> str:
    """Return text as Mermaid shows it: what could be markup is written as a numbered character.

    >>> escaped('a "b" <c> #1')
    'a #34;b#34; #60;c#62; #35;1'
    """
    return "".join(c if c.isalnum() or c in _PLAIN else f"#{ord(c)};" for c in one_line(text))
