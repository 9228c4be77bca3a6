"""Estimators whose trees were found with a teacher, by search or by polishing."""

from copy import copy
from dataclasses import replace

from polytomy.certify import replayed
from polytomy.model import Lesson, Origin

FOREST = Lesson("forest of 200 trees", "out-of-bag", 0.041, 0.5, 8000, 0.953)
BOOSTED = Lesson("boosting, 100 rounds", "out-of-fold", 3211.3, 0.5, 0, 0.91)
TAUGHT = Origin(FOREST, (6, 2), 2)
TAUGHT_NUMBERS = Origin(BOOSTED)


def with_origin(fitted, origin=None):
    """Return a fitted estimator whose tree counts as found in this way, with a replayed run."""
    model, other = fitted._model, copy(fitted)
    if origin is None:
        origin = TAUGHT_NUMBERS if model.is_numeric else TAUGHT
    run = replayed(model.kept, model.run.index, model.run.rules, model.run.weighting)
    other._model = replace(model, grown=model.kept, pruning=None, run=run, origin=origin)
    return other
