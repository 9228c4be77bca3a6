"""The text of a certificate, about one screen."""

from __future__ import annotations

from math import isinf, isnan
from textwrap import fill
from typing import TYPE_CHECKING

from polytomy._text import count, one_line, shorten

from .constraints import constraint_sentences
from .origin import error_text, origin_sentences

if TYPE_CHECKING:
    from .certificate import Certificate, Pruned, Step

_WIDTH = 96
_ORDERS = {"heaviest": "heaviest leaf first", "steepest": "steepest step first"}
_GAMMA_MEANINGS = {
    "per-leaf": "smallest gain per added leaf, in units of the mean leaf impurity",
    "hatano": "smallest advantage of a step divided by ceil(log2 k)",
    "mansour-mcallester": "largest gamma for which steps and widths meet the theorem's conditions",
    "kearns-mansour": "smallest advantage of a step",
}

# How splits were chosen again, with the word for it in the name of the tree.
_REFINEMENTS = {"a search": "searched", "polishing": "polished"}

_MEANS = (
    " This is the error of the training means at the leaves; honest means, which are shrunk for "
    "new rows, have a larger one."
)


def certificate_text(certificate: Certificate) -> str:
    """Return the text of a certificate."""
    parts = [
        _heading(certificate),
        _gammas(certificate),
        _bounds(certificate),
        _weakest(certificate),
        fill(summary(certificate), _WIDTH),
    ]
    return "\n\n".join(part for part in parts if part)


def gamma_figures(c: Certificate) -> list[tuple[str, str, str]]:
    """Return a name, a figure and its meaning for each gamma of the run."""
    rules = c.run.judged_by
    key = "per-leaf" if rules.order == "steepest" else rules.procedure
    of = "tree" if c.run.found else "run"
    rows = [
        ("gamma", c.gamma, _GAMMA_MEANINGS[key]),
        ("weak gamma", c.weak_gamma, "smallest advantage of the best binary split of a node"),
        ("achieved gamma", c.achieved_gamma, f"of the whole {of}: I(T)/I(root) = leaves^-achieved"),
    ]
    if c.run.found:
        del rows[1]  # not known
    return [(name, _number(value), what) for name, value, what in rows]


def bound_figures(c: Certificate) -> list[tuple[str, str, str]]:
    """Return a name, the measured value and its bound for the index and the training error.

    If the tree was pruned, the names say which figures are of the tree as grown, and which of the
    tree that was kept.
    """
    form = ".4g" if c.tree.is_numeric else ".4f"
    grown = "" if c.pruned is None else f", {count(c.leaves, 'leaf', 'leaves')} as grown"
    error = (f"{loss_name(c)}{grown}", f"{c.training_error:{form}}", f"{c.error_bound:{form}}")
    if c.tree.is_numeric:
        rows = [(error[0], f"{c.index:{form}}", f"{c.bound:{form}}")]
    else:
        rows = [(f"index I(T){grown}", f"{c.index:{form}}", f"{c.bound:{form}}"), error]
    if c.pruned is not None:
        kept = f"{loss_name(c)}, {count(c.pruned.leaves, 'leaf', 'leaves')} kept"
        limit = "none" if c.kept_error_bound is None else f"{c.kept_error_bound:{form}}"
        rows.append((kept, f"{c.pruned.training_error:{form}}", limit))
    return rows


def loss_name(c: Certificate) -> str:
    """Return what is called the error: that of classes, or the loss of a numeric target."""
    return c.run.index.loss if c.tree.is_numeric else "training error"


def _error_text(c: Certificate, value: float) -> str:
    return error_text(value, c.tree.is_numeric)


def summary(c: Certificate) -> str:
    """Return the conclusion in one sentence."""
    kept = c.training_error if c.pruned is None else c.pruned.training_error
    kept_bound = c.kept_error_bound
    what = _mean_loss(c)
    simplest = "the mean" if c.tree.is_numeric else "the most frequent class"
    new_rows = _MEANS if c.tree.is_numeric else " For new rows see certificate.generalization()."
    if kept_bound is None:
        return (
            "In short: the bounds are for the tree as grown; the "
            f"{what} of the pruned tree, {_error_text(c, kept)}, is measured.{new_rows}"
        )
    error, limit = _error_text(c, kept), _error_text(c, kept_bound)
    if not c.steps:
        return f"In short: nothing was split; predicting {simplest} has a {what} of {error}."
    if not c.covered:
        return _not_covered(c, error, limit) + (new_rows if c.run.found else "")
    if c.gamma <= 0:
        return (
            "In short: covered, but vacuously: a step gained nothing, so gamma is 0 and the "
            f"bound is the root's index; the measured {what} is {error}."
        )
    if kept_bound >= c.error_curve[0]:
        return (
            f"In short: covered, but the bound on the {what}, {limit}, is no better than "
            f"predicting {simplest} ({_error_text(c, float(c.error_curve[0]))}); the measured "
            f"{what} is {error}."
        )
    guarantee = "its size and gamma alone guarantee"
    if c.pruned is not None and c.pruned.allowance is not None:
        guarantee = "the run's size and gamma and the prices guarantee"
    return f"In short: {guarantee} that the {what} is at most {limit}; it is {error}.{new_rows}"


def _mean_loss(c: Certificate) -> str:
    return f"mean {loss_name(c)} of the training rows" if c.tree.is_numeric else "training error"


def _not_covered(c: Certificate, error: str, limit: str) -> str:
    if c.run.found:
        return (
            f"In short: the measured {_mean_loss(c)} is {error}. No theorem about growth "
            f"guarantees this, but gain per leaf bounds it for any tree: at most {limit}."
        )
    if c.index == 0:
        return "In short: every leaf is pure, so there was nothing left to guarantee."
    return (
        f"In short: the measured {_mean_loss(c)} is {error}, but the theorem does not guarantee "
        "it. Gain per leaf gives a weaker bound for any run: an index of at most "
        f"{c.per_leaf_bound:.4{'g' if c.tree.is_numeric else 'f'}} "
        f"(gamma {_number(c.per_leaf_gamma)})."
    )


def _heading(c: Certificate) -> str:
    covered = "covered by" if c.covered else "NOT covered by"
    rules, size, steps = c.run.rules, c.leaves, len(c.steps)
    how = f"{rules.procedure}, {_ORDERS[rules.order]}, index {c.run.index.name}: "
    made = f"{count(size, 'leaf', 'leaves')} in {count(steps, 'step')}"
    if c.run.found:
        how = f"Index {c.run.index.name}: "
        made = f"{count(size, 'leaf', 'leaves')}, {count(steps, 'split')}"
    lines = [f"Certificate: {covered} {c.theorem}", how + made]
    if c.origin is not None:
        loss = c.run.index.loss if c.tree.is_numeric else None
        lines += [fill(sentence, _WIDTH) for sentence in origin_sentences(c.origin, loss)]
    two_classes = not c.tree.is_numeric and c.tree.n_classes == 2
    predicted = "share of the second class" if two_classes else "prediction"
    constraints = constraint_sentences(rules, c.schema, predicted)
    lines += [fill(sentence, _WIDTH) for sentence in constraints]
    if c.run.weighting == "costs":
        lines.append("Mistakes have costs: errors are fractions of the largest possible cost.")
    elif c.run.weighting != "none":
        what = "Classes" if c.run.weighting == "classes" else "Rows"
        of = ("means over", "over") if c.tree.is_numeric else ("fractions of", "of")
        lines.append(f"{what} are weighted: errors are {of[0]} the weight, not {of[1]} the rows.")
    if c.run.stopped == "callback":
        lines.append("A callback stopped the run early.")
    if c.pruned is not None:
        lines.append(fill(_pruned_text(c, c.pruned, size), _WIDTH))
    if c.why_not is not None:
        lines.append(fill(f"Reason: {c.why_not}", _WIDTH))
    return "\n".join(lines)


def _priced_text(pruned: Pruned, what: str, size: int) -> str:
    """Return how the tree was found that prices chose, and what is known of its error.

    ``what`` is its size and error, and ``size`` the leaves of the run that the certificate covers.
    """
    ways = " and ".join(way for way, word in _REFINEMENTS.items() if word in pruned.by)
    figures = f"The figures below describe the run up to {count(size, 'leaf', 'leaves')}."
    excess = f"exceeds the bound by at most {pruned.allowance:+.4g}"
    price = "the price of the questions and leaves by which the two differ"
    if "taught" in pruned.by:
        means = f", by {ways}" if ways else ""
        return (
            f"Grown to {pruned.grown_leaves} leaves on the labels. The tree that was kept was "
            f"found on labels that a small forest had softened{means}. It has {what}. {figures} "
            f"The error of the tree that was kept {excess}: {price}, or the difference of their "
            "losses if that is more."
        )
    chosen = " of a size chosen by cross-validation" if pruned.by == "cross-validation" else ""
    refined = f"; {ways} then found a cheaper one" if ways else ""
    return (
        f"Grown to {pruned.grown_leaves} leaves and pruned to the tree of least cost{chosen}"
        f"{refined}, with {what}. {figures} That tree is one of those compared, so the error of "
        f"the tree that was kept {excess}, {price}."
    )


def _pruned_text(c: Certificate, pruned: Pruned, size: int) -> str:
    kept = count(pruned.leaves, "leaf", "leaves")
    error = f"a {_mean_loss(c)} of {_error_text(c, pruned.training_error)}"
    if pruned.keeps_error_bound and pruned.allowance is not None:
        return _priced_text(pruned, f"{kept} and {error}", size)
    if pruned.keeps_error_bound:
        holds = (
            f"at most the {loss_name(c)} of that one, so the bound holds for it, too."
            if c.tree.is_numeric
            else "at most as many errors, so the bound on the error (but not the bound on the "
            "index) holds for it, too."
        )
        return (
            f"Grown to {pruned.grown_leaves} leaves and pruned back to the best tree of {kept}, "
            f"with {error}. The figures below describe the run up to "
            f"{count(size, 'leaf', 'leaves')}. The tree that was kept has {holds}"
        )
    return (
        f"The figures below describe the tree as grown. It was pruned to {kept} by {pruned.by}, "
        f"with {error}."
    )


def _gammas(c: Certificate) -> str:
    return "\n".join(f"  {name:<15}{text:>9}   {what}" for name, text, what in gamma_figures(c))


def _bounds(c: Certificate) -> str:
    header = "bound" if c.bound_holds else "not guaranteed"
    is_plain = c.index_curve[0] <= 1 and not c.tree.is_numeric
    power = "leaves^-gamma" if is_plain else "I(root) leaves^-gamma"
    figures = bound_figures(c)
    width = max(15, *(len(name) + 1 for name, _, _ in figures))
    lines = [f"  {name:<{width}}{measured:>9}   {bound:>14}" for name, measured, bound in figures]
    lines[0] += f"   {c.power_bound:.4{'g' if c.tree.is_numeric else 'f'}}"
    return "\n".join([f"  {'':<{width}}{'measured':>9}   {header:>14}   {power}", *lines])


def _weakest(c: Certificate) -> str:
    if not c.steps:
        return ""
    weakest = sorted(c.steps, key=lambda step: (step.gamma, step.number))[:3]
    return "Weakest steps\n" + "\n".join(f"  {_step_text(step)}" for step in weakest)


def _step_text(step: Step) -> str:
    ways = "" if step.arity == 2 else f" {step.arity} ways"
    column = shorten(one_line(step.column), 40)
    rows = count(step.rows, "row")
    return (
        f"step {step.number} split {rows}{ways} on `{column}` "
        f"with an advantage of {_number(step.advantage)} (gamma {_number(step.gamma)})"
    )


def _number(value: float) -> str:
    if isnan(value):
        return "none"
    if isinf(value):
        return "inf"
    return f"{value:.4f}" if value >= 0.001 or value == 0 else f"{value:.1e}"
