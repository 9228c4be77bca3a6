"""The origin of a tree in words: teacher, search, polishing and edits, and how it compares."""

from polytomy._text import class_title
from polytomy.certify import constraint_sentences, error_text, origin_sentences
from polytomy.density import DensityModel

from .predictions import AnyModel

_OWN_LABELS = (
    "Counts, shares and p-values are those of the training rows with their own labels; p-values do "
    "not account for how the tree was found."
)
_OWN_NUMBERS = (
    "Means, errors and p-values are those of the training rows with their own numbers; p-values do "
    "not account for how the tree was found."
)
_TAUGHT = (
    "A small forest helped to choose the splits; counts and shares are those of the training rows "
    "with their own labels."
)


def describe_origin(model: AnyModel) -> list[str]:
    """Return how a tree was found, if not by growing it freely, one sentence for each fact.

    These are its constraints, the forest that helped to choose the splits of a default tree, and
    its origin if no growth procedure made it.
    For a tree with a teacher, the errors of both are compared: that of the teacher by its own
    validation, and that of the tree to expect of new rows or, if that was not learned, that on the
    training rows. For numbers, that of the trees of cross-fitting is added: they have no teacher.

    Parameters
    ----------
    model : Model or DensityModel
        The model.

    Returns
    -------
    list of str
        The sentences; none for a tree that was grown without constraints.
    """
    if isinstance(model, DensityModel):
        return []
    rules = model.run.rules if model.run else None  # files of trees without a record have none
    names = () if model.is_numeric else model.class_names
    predicted = f"share of {class_title(names[1])}" if len(names) == 2 else "prediction"
    constraints = [] if rules is None else constraint_sentences(rules, model.schema, predicted)
    if model.origin is None:
        pruning = model.pruning
        is_taught = pruning is not None and pruning.is_taught and pruning.tree.n_leaves > 1
        return [*constraints, *((_TAUGHT,) if is_taught else ())]
    origin, is_numeric = model.origin, model.is_numeric
    loss = model.run.index.loss if is_numeric else None
    sentences = constraints + origin_sentences(origin, loss)
    if origin.lesson is None:
        return sentences
    teacher = error_text(origin.lesson.error, is_numeric)
    training = error_text(model.training_error, is_numeric)
    own = f"{training} (of the training rows)"
    if model.expected_error is not None:
        expected = error_text(model.expected_error, is_numeric)
        own = f"{expected} (expected of new rows; {training} of the training rows)"
        if is_numeric:  # measured, but on the trees of the folds
            others = f"{expected} of held-out rows in trees grown greedily on the labels"
            own = f"{training} (of the training rows; {others})"
    if is_numeric:
        gap = f"The mean {loss} of the teacher is {teacher}, that of this tree {own}."
        return [*sentences, gap, _OWN_NUMBERS]
    gap = f"The teacher errs on {teacher} of the rows, this tree on {own}."
    return [*sentences, gap, _OWN_LABELS]
