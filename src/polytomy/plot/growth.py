"""The growth of a tree against what its certificate promises."""

from typing import Any

import numpy as np

from polytomy.certify import Certificate

from .axes import axes_or_new
from .palette import BLUE, VERMILION
from .paper import Paper


def plot_growth(certificate: Certificate, ax: Any = None) -> Any:
    """Draw I(T) and the training error against the leaves, with the bounds.

    Parameters
    ----------
    certificate : Certificate
        Of a fitted tree.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure.

    Returns
    -------
    matplotlib Axes
    """
    ax = axes_or_new(ax)
    ink = Paper.behind(ax, framed=True).ink
    leaves, root = certificate.leaves_curve, float(certificate.index_curve[0])
    gamma = f"{certificate.gamma:.3g}"
    dots: dict[str, Any] = {"marker": ".", "markersize": 5, "linewidth": 1.2}
    promised = "bound on I(T), not promised"
    if certificate.covered:
        at_the_end = certificate.run.rules.procedure in ("hatano", "mansour-mcallester")
        promised = "bound on I(T), promised at the end" if at_the_end else "bound on I(T)"
    if len(certificate.steps):
        sizes = np.unique(np.geomspace(1, leaves[-1], 200))
        power = max(1.0, root) * sizes**-certificate.gamma
        name = "leaves$^{-\\gamma}$" if root <= 1 else "I(root) leaves$^{-\\gamma}$"
        ax.plot(sizes, power, ":", color="grey", label=f"{name}, $\\gamma$ = {gamma}")
        ax.plot(leaves, certificate.bound_curve, "--", color=ink, label=promised)
        ax.plot(leaves[-1:], certificate.bound_curve[-1:], "o", color=ink, markersize=5)
    ax.plot(leaves, certificate.index_curve, color=BLUE, label="I(T), measured", **dots)
    ax.plot(leaves, certificate.error_curve, color=VERMILION, label="training error", **dots)
    if leaves[-1] > 4:
        ax.set_xscale("log", base=2)
        ax.xaxis.set_major_formatter("{x:g}")
    else:
        ax.set_xticks(range(1, int(leaves[-1]) + 1))
    ax.set_ylim(bottom=0)
    ax.set_xlabel("leaves")
    ax.set_ylabel(f"index ({certificate.run.index.name}) and error")
    ax.set_title(_title(certificate))
    ax.grid(alpha=0.25)
    ax.legend()
    return ax


def _title(certificate: Certificate) -> str:
    covered = "covered" if certificate.covered else "not covered by a theorem"
    return f"Growth by {certificate.run.rules.procedure}: {covered}"
