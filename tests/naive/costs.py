"""Costs by their definition: of labels, of trees, and of predictions."""


def cost_of(cases, matrix, label):
    """Return the cost of predicting a label for some cases of each class."""
    return sum(n * matrix[i][label] for i, n in enumerate(cases))


def cheapest(cases, matrix, slack=1e-9):
    """Return the first label of least cost; costs are equal up to ``slack`` of the largest."""
    costs = [cost_of(cases, matrix, label) for label in range(len(matrix))]
    return next(j for j, c in enumerate(costs) if c <= min(costs) + slack * (1 + max(costs)))


def mean_cost(labels, predicted, matrix):
    """Return the mean cost of predictions, row by row."""
    return sum(matrix[i][j] for i, j in zip(labels, predicted, strict=True)) / len(labels)
