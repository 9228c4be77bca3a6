"""Does a theorem cover the run? If not, why, in sentences.

In steepest order the bound follows from the steps' gains alone. In heaviest order every split must
have taken a heaviest leaf, and every arity must be acceptable for the size the tree *ended* with:
growth may stop before its budget, and a wide step that was cheap for the budget is dear then.
"""

from polytomy import theory
from polytomy.tree import Tree

from .course import Course
from .gammas import short_steps
from .run import Run

_SLACK = 1e-9


def why_not_covered(run: Run, tree: Tree, course: Course) -> str | None:
    """Return what breaks the theorem's conditions, or None."""
    reasons = [_no_index(run, tree, course)]
    if run.rules.order == "heaviest":
        reasons += [_gamma_too_large(run), _not_heaviest(run, course), _too_wide(run, course)]
    return " ".join(reason for reason in reasons if reason) or None


def _no_index(run: Run, tree: Tree, course: Course) -> str | None:
    """Object to an index that, on these nodes, is below twice the errors or gains from nothing."""
    weight = tree.counts.sum(axis=1)
    errors = weight - tree.counts.max(axis=1)
    name = run.index.name
    for node in range(tree.n_nodes):
        if course.values[node] < 2 * errors[node] - _SLACK * weight[node]:
            return (
                f"{name} is no index function: at node {node} it is {course.values[node]:.6g}, "
                f"less than twice the errors, {2 * errors[node]:.6g}."
            )
        if errors[node] == 0 and course.values[node] > _SLACK * weight[node]:
            return (
                f"{name} is no index function: the pure node {node} weighs "
                f"{course.values[node]:.6g}, not 0."
            )
    for number, split in enumerate(run.splits, 1):
        grown = course.values[list(split.children)].sum() - course.values[split.leaf]
        if grown > _SLACK * weight[split.leaf]:  # the record has 0 there: gains are never negative
            return f"{name} is no index function: step {number} made the index grow."
    return None


def _gamma_too_large(run: Run) -> str | None:
    short = short_steps(run)
    if not short:
        return None
    first, gamma = run.splits[short[0]], run.rules.gamma
    asked = 1 - theory.e(first.arity, float(gamma or 0))
    return (
        f"gamma = {gamma:g} is too large for this table: step {short[0] + 1} had an advantage of "
        f"{first.advantage:.3g} where a {first.arity}-way split must have {asked:.3g}"
        f"{_and_more(len(short) - 1)}."
    )


def _not_heaviest(run: Run, course: Course) -> str | None:
    broken = [i for i, leaf in enumerate(course.heavier) if leaf is not None]
    if not broken:
        return None
    heavier = course.heavier[broken[0]]
    reason = next((r.reason for r in run.retired if r.leaf == heavier), None)
    because = f"; it had been given up ({reason})" if reason else ""
    return (
        f"Step {broken[0] + 1}{_and_more(len(broken) - 1)} did not split the heaviest leaf: "
        f"it split leaf {run.splits[broken[0]].leaf}, but leaf {heavier} was heavier{because}."
    )


def _too_wide(run: Run, course: Course) -> str | None:
    rules, size = run.rules, int(course.leaves[-1])
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
        f"branches of step {wide[0] + 1}, taken at {split.leaves_before} "
        f"{'leaf' if split.leaves_before == 1 else 'leaves'}, are not acceptable"
        f"{_and_more(len(wide) - 1)}."
    )


def _and_more(count: int) -> str:
    if count == 0:
        return ""
    return f" (and {count} more)"
