"""The growth loop over brute-force options: every leaf, every option, every step."""

from dataclasses import dataclass
from math import ceil, inf, log2, prod

from .options import TIE, NaiveNode, NaiveOption, all_options


def naive_e(n, gamma):
    return prod(1 - gamma / i for i in range(1, n))


def naive_price(params, k):
    match params.procedure:
        case "per-leaf":
            return k - 1
        case "hatano":
            return ceil(log2(k))
        case "mansour-mcallester":
            return (1 - naive_e(k, params.gamma)) / params.gamma
    return 1


def naive_acceptable(params, k, leaves):
    s = inf if params.max_leaves is None else params.max_leaves
    match params.procedure:
        case "kearns-mansour":
            return k == 2
        case "per-leaf":
            return leaves + k - 1 <= s
        case "hatano":
            return k == 2 or k <= s / leaves
        case "mansour-mcallester":
            if s == inf:
                return True
            return k == 2 or leaves < naive_e(k, params.gamma) * s * params.gamma / (2 * k)


@dataclass
class NaiveLeaf:
    node: int
    depth: int
    rows: list
    done: bool = False


@dataclass(frozen=True)
class NaiveStep:
    leaf: int
    option: NaiveOption
    children: tuple  # the rows of each
    best_binary: float | None


def naive_grow(table, labels, units, n_classes, params):
    """Return the steps of a run, in order. Slow: looks at everything each time."""
    judge = NaiveNode(labels, units, n_classes, params.index)
    leaves = [NaiveLeaf(0, 0, list(range(len(labels))))]
    root_value = judge.value(leaves[0].rows)
    total = sum(units)
    n_nodes, steps = 1, []
    limit = inf if params.max_leaves is None else params.max_leaves
    while len(leaves) < limit:
        picked = _pick(leaves, judge, table, params, root_value, total)
        if picked is None:
            break
        leaf, option, binary = picked
        children = tuple(
            [r for r, b in zip(leaf.rows, option.branches, strict=True) if b == j]
            for j in range(option.arity)
        )
        leaves.remove(leaf)
        for rows in children:
            leaves.append(NaiveLeaf(n_nodes, leaf.depth + 1, rows))
            n_nodes += 1
        steps.append(NaiveStep(leaf.node, option, children, binary))
    return steps


def _pick(leaves, judge, table, params, root_value, total):
    open_leaves = [leaf for leaf in leaves if not leaf.done and _impure(judge, leaf)]
    if params.order == "heaviest":
        while open_leaves:
            most = max(judge.value(leaf.rows) for leaf in open_leaves)
            tied = [
                leaf for leaf in open_leaves if judge.value(leaf.rows) >= most - TIE * root_value
            ]
            leaf = min(tied, key=lambda tie: tie.node)
            best = _best(leaf, judge, table, params, len(leaves), total)
            if best is not None:
                return leaf, *best[:2]
            leaf.done = True
            open_leaves.remove(leaf)
        return None
    found = [(leaf, _best(leaf, judge, table, params, len(leaves), total)) for leaf in open_leaves]
    found = [(leaf, *best) for leaf, best in found if best is not None]
    if not found:
        return None
    most = max(score for *_, score in found)
    tied = [f for f in found if f[3] >= most - TIE * root_value]
    rank = {name: i for i, name in enumerate(params.families)}
    leaf, option, binary, _ = min(
        tied, key=lambda f: (f[1].arity, f[1].feature, rank[f[1].family], f[1].across, f[0].node)
    )
    return leaf, option, binary


def _impure(judge, leaf):
    return sum(c > 0 for c in judge.counts(leaf.rows)) > 1


def _best(leaf, judge, table, params, n_leaves, total):
    """Return the option a leaf would take, the best binary gain and the score; None if none."""
    if params.max_depth is not None and leaf.depth >= params.max_depth:
        return None
    if len(leaf.rows) < params.min_samples_split:
        return None
    options = all_options(judge, leaf.rows, table, params, len(leaf.rows))
    binary = max((o.gain for o in options if o.arity == 2), default=None)
    usable = [o for o in options if naive_acceptable(params, o.arity, n_leaves)]
    if not usable:
        return None
    score = {id(o): o.gain / naive_price(params, o.arity) for o in usable}
    most = max(score.values())
    slack = TIE * judge.value(leaf.rows)
    rank = {name: i for i, name in enumerate(params.families)}
    option = min(
        (o for o in usable if score[id(o)] >= most - slack),
        key=lambda o: (o.arity, o.feature, rank[o.family], o.within),
    )
    if option.gain < params.min_gain * total:
        return None
    return option, binary, score[id(option)]
