"""Whether a theorem covers a run, and if not, the reasons as sentences.

In steepest order the bound follows from the gains of the steps alone. In heaviest order every step
must split a heaviest leaf. For ``hatano`` every arity must also be acceptable for the *final* size
of the tree: if growth stops before its budget, a wide step that the budget allowed may no longer be
acceptable. For ``mansour-mcallester`` the visited weighted tree must be safe for some gamma, which
acceptable arities imply. A tree that was found in another way is never covered.
"""

from polytomy import theory
from polytomy._text import count
from polytomy.certify.origin import NOT_GROWN, Origin
from polytomy.certify.record import Run
from polytomy.tree import Tree, least_errors

from .curves import GrowthCurves
from .gammas import safe_gammas

_SLACK = 1e-9


def why_not_covered(
    run: Run, tree: Tree, curves: GrowthCurves, origin: Origin | None
) -> str | None:
    """Return the reasons why no theorem covers a run, or None."""
    reasons = [_invalid_index(run, tree, curves)]
    if run.found:
        reasons.insert(0, NOT_GROWN if origin is None else origin.why_not_covered)
    elif run.rules.order == "heaviest":
        mansour = run.rules.procedure == "mansour-mcallester"
        width = _unsafe(run, curves) if mansour else _too_wide(run, curves)
        reasons += [_not_heaviest(run, curves), width]
    return " ".join(reason for reason in reasons if reason) or None


def _invalid_index(run: Run, tree: Tree, curves: GrowthCurves) -> str | None:
    """Return why the index is not an index function on the nodes of this tree, or None."""
    weight, errors = tree.weight, tree.errors
    outside = errors if tree.costs is None else least_errors(tree.counts)  # 0 for a pure node
    name = run.index.name
    if tree.is_numeric:  # the impurity is the error, and its unit is not that of weights
        weight = weight * (curves.impurity[0] / weight[0])
    for node in range(0 if tree.is_numeric else tree.n_nodes):
        if curves.impurity[node] < 2 * errors[node] - _SLACK * weight[node]:
            return (
                f"{name} is not an index function: at node {node} it is "
                f"{curves.impurity[node]:.6g}, less than twice the errors, {2 * errors[node]:.6g}."
            )
        if outside[node] == 0 and curves.impurity[node] > _SLACK * weight[node]:
            return (
                f"{name} is not an index function: the pure node {node} has the "
                f"impurity {curves.impurity[node]:.6g}, not 0."
            )
    for number, split in enumerate(run.splits, 1):
        grown = curves.impurity[list(split.children)].sum() - curves.impurity[split.leaf]
        if grown > _SLACK * weight[split.leaf]:  # recorded gains are never negative
            return f"{name} is not an index function: step {number} increased the index."
    return None


def _not_heaviest(run: Run, curves: GrowthCurves) -> str | None:
    broken = [i for i, leaf in enumerate(curves.heavier) if leaf is not None]
    if not broken:
        return None
    heavier = curves.heavier[broken[0]]
    reason = next((r.reason for r in run.retired if r.leaf == heavier), None)
    because = f"; it had been given up ({reason})" if reason else ""
    return (
        f"Step {broken[0] + 1}{_and_more(len(broken) - 1)} did not split the heaviest leaf: "
        f"it split leaf {run.splits[broken[0]].leaf}, but leaf {heavier} was heavier{because}."
    )


def _too_wide(run: Run, curves: GrowthCurves) -> str | None:
    rules, size = run.rules, int(curves.leaves[-1])
    wide = [
        i
        for i, s in enumerate(run.splits)
        if s.arity > 2
        and not theory.acceptable(rules.procedure, s.arity, s.leaves_before, size, rules.gamma)
    ]
    if not wide:
        return None
    split = run.splits[wide[0]]
    stopped = "" if rules.max_leaves is None else f", short of its budget of {rules.max_leaves}"
    return (
        f"Growth stopped at {size} leaves{stopped}: for a tree of that size the {split.arity} "
        f"branches of step {wide[0] + 1}, taken at "
        f"{count(split.leaves_before, 'leaf', 'leaves')}, are not acceptable"
        f"{_and_more(len(wide) - 1)}."
    )


def _unsafe(run: Run, curves: GrowthCurves) -> str | None:
    """Return the wide steps that are unsafe for every gamma, as a sentence, or None."""
    wide = [
        i
        for i, safe in enumerate(safe_gammas(run, curves))
        if safe is None and run.splits[i].arity > 2
    ]
    if not wide:
        return None
    split = run.splits[wide[0]]
    share = curves.heaviest / curves.impurity[split.leaf]
    return (
        f"The heaviest leaf at the end has {share:.3g} times the impurity of the node that step "
        f"{wide[0] + 1} split {split.arity} ways; at most 1/{split.arity - 1} would be safe"
        f"{_and_more(len(wide) - 1)}."
    )


def _and_more(n: int) -> str:
    return f" (and {n} more)" if n else ""
