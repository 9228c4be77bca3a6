"""A tree as text that a person enjoys: one line an answer, leaves in a column of their own."""

from collections.abc import Mapping
from dataclasses import dataclass

from polytomy._errors import ParameterError
from polytomy.model import Model
from polytomy.prune import p_chance as chance_of

from .shares import largest_share
from .words import answers


@dataclass(frozen=True, slots=True)
class _Line:
    """A branch, drawn; ``leaf`` is what it holds, empty where more questions follow."""

    drawn: str
    leaf: str


def to_text(
    model: Model, max_width: int = 100, max_depth: int | None = None, p_chance: bool = False
) -> str:
    """Draw a model's tree.

    Each leaf shows its largest class, that class's share with its 95 % interval, and its rows.

    Parameters
    ----------
    model : Model
        What to draw.
    max_width : int
        Lines are cut to so many characters.
    max_depth : int, optional
        Below so many questions, a line says how many leaves follow.
    p_chance : bool
        Whether each question shows how likely chance alone makes it as telling as it is, by a
        chi-square test of its children by classes; "rough" where a cell expects fewer than 5 cases.
    """
    if max_width < 20 or (max_depth is not None and max_depth < 1):
        raise ParameterError("a drawing needs a width of at least 20 and a depth of at least 1")
    tree, names = model.tree, model.class_names
    held = tree.counts[0] / tree.counts[0].sum()
    shares = ", ".join(
        f"{n} {s:.0%}" for n, s in sorted(zip(names, held, strict=True), key=lambda p: -p[1])[:6]
    )
    more = f", +{len(names) - 6} classes" if len(names) > 6 else ""
    notes = _chances(model) if p_chance else {}
    head = f"{tree.rows[0]} rows: {shares}{more}{notes.get(0, '')}"
    lines = _lines(model, max_width, max_depth, notes)
    wide = max((len(line.drawn) for line in lines if line.leaf), default=0)
    room = max_width - max((len(line.leaf) for line in lines), default=0) - 2
    column = min(wide, max(room, 20))
    drawn = [
        f"{_cut(line.drawn, column):<{column}}  {line.leaf}".rstrip() if line.leaf else line.drawn
        for line in lines
    ]
    return "\n".join(_cut(line, max_width) for line in [head, *drawn])


def _chances(model: Model) -> dict[int, str]:
    """Return what to write behind each question about chance."""
    p, few = chance_of(model.tree)
    return {
        node: f"  (p_chance {_small(p[node])}{', rough' if few[node] else ''})"
        for node in range(model.tree.n_nodes)
        if not model.tree.is_leaf(node)
    }


def _small(p: float) -> str:
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}"


def _lines(
    model: Model, max_width: int, max_depth: int | None, notes: Mapping[int, str]
) -> list[_Line]:
    """Walk the tree, depth first, with the questions that wait on a stack."""
    tree, names = model.tree, model.class_names
    lines: list[_Line] = []
    waiting = _branches(model, 0, "", max_width)
    while waiting:
        node, words, indent, last = waiting.pop()
        drawn = f"{indent}{'└' if last else '├'}─ {words}"
        if tree.is_leaf(node):
            share = largest_share(tree.counts[node], names)
            lines.append(_Line(drawn, f"{share} of {tree.rows[node]}"))
        elif max_depth is not None and tree.depth[node] >= max_depth:
            lines.append(_Line(drawn, f"... {_leaves_below(model, node)} leaves"))
        else:
            lines.append(_Line(drawn + notes.get(node, ""), ""))
            waiting += _branches(model, node, indent + ("   " if last else "│  "), max_width)
    return lines


def _branches(
    model: Model, node: int, indent: str, max_width: int
) -> list[tuple[int, str, str, bool]]:
    """Return a node's children with their answers, last first, ready for the stack."""
    question = model.tree.question(node)
    if question is None:
        return []
    width = max(24, max_width - len(indent) - 48)
    words = answers(question, model.schema, width)
    children = model.tree.children(node).tolist()
    pairs = list(zip(children, words, strict=True))
    return [(c, w, indent, i == 0) for i, (c, w) in enumerate(reversed(pairs))]


def _leaves_below(model: Model, node: int) -> int:
    waiting, leaves = [node], 0
    while waiting:
        here = waiting.pop()
        children = model.tree.children(here).tolist()
        leaves += not children
        waiting += children
    return leaves


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: max(width - 1, 1)] + "…"
