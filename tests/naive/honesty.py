"""Honest shares, their intervals and what is learned from folds, one number after the other."""

from math import hypot, log, sqrt

Z = 1.959963984540054


def naive_shares(counts, parent, shrinkage):
    """Return the shrunken shares of each node by the recursion of the definition."""
    counts = [[float(c) for c in row] for row in counts]
    n_classes, total = len(counts[0]), sum(counts[0])
    # Mixing the training shares first or the results last is the same: the recursion is linear.
    training = [
        [(total * c / sum(row) + 1 / n_classes) / (total + 1) for c in row] for row in counts
    ]
    shares = [training[0]]
    for node in range(1, len(counts)):
        above = int(parent[node])
        keep = 1 / (1 + shrinkage / sum(counts[above]))
        shares.append(
            [
                shares[above][c] + (training[node][c] - training[above][c]) * keep
                for c in range(n_classes)
            ]
        )
    return shares


def naive_interval(share, training, weight, dispersion):
    """Return Wilson's interval for the effective rows, extended towards the training share."""
    low, high = naive_wilson(share, weight / dispersion)
    if training < share:
        low = share - hypot(share - low, share - training)
    else:
        high = share + hypot(high - share, training - share)
    return max(low, 0.0), min(high, 1.0)


def naive_wilson(share, n):
    """Return the shares p with |p - share| <= Z sqrt(p (1 - p) / n), the roots of a quadratic."""
    a, b, c = 1 + Z * Z / n, -(2 * share + Z * Z / n), share * share
    root = sqrt(max(b * b - 4 * a * c, 0.0))
    return (-b - root) / (2 * a), (-b + root) / (2 * a)


def naive_log_loss(folds, shrinkage):
    """Return the total log loss on the held-out rows."""
    loss = 0.0
    for fold in folds:
        shares = naive_shares(fold.counts, fold.parent, shrinkage)
        for leaf, row in zip(fold.leaves, fold.held_out, strict=True):
            loss -= sum(float(w) * log(shares[leaf][c]) for c, w in enumerate(row) if w > 0)
    return loss


def naive_misfit(folds, shrinkage, dispersion):
    """Return minus the log likelihood of the held-out shares, and the leaves judged and covered."""
    misfit, judged, covered = 0.0, 0, 0
    for fold in folds:
        shares = naive_shares(fold.counts, fold.parent, shrinkage)
        for leaf, row in zip(fold.leaves, fold.held_out, strict=True):
            held, weight = float(sum(row)), float(sum(fold.counts[leaf]))
            if held < 5:
                continue
            label = list(fold.counts[leaf]).index(max(fold.counts[leaf]))
            share, training = shares[leaf][label], float(fold.counts[leaf][label]) / weight
            seen = float(row[label]) / held
            low, high = naive_wilson(share, weight / dispersion)
            noise_low, noise_high = naive_wilson(share, held)
            below = hypot(share - low, max(share - training, 0), share - noise_low)
            above = hypot(high - share, max(training - share, 0), noise_high - share)
            half = max(above if seen > share else below, 1e-9)
            misfit += log(below + above) + 0.5 * (Z * (seen - share) / half) ** 2
            judged += 1
            covered += abs(seen - share) <= half
    return misfit, judged, covered
