"""Early stopping finds the best round and ends the run."""

import numpy as np
import pytest

from polytomy import BoostedTreeClassifier
from polytomy.boost import EarlyStopping, Round, Rounds


def rounds_of(*errors):
    return Rounds([Round(0.1, 1, 0.9, 0.9, None, 0.1, e, e, 2, 1) for e in errors])


def test_best_round_is_the_first_on_ties():
    stopping = EarlyStopping(patience=2)
    assert stopping.best(rounds_of(0.5, 0.3, 0.3, 0.4)) == 2
    assert stopping.best(rounds_of()) == 0


def test_improvement_must_exceed_min_delta():
    assert EarlyStopping(min_delta=0.1).best(rounds_of(0.5, 0.45, 0.39)) == 3
    assert EarlyStopping(min_delta=0.2).best(rounds_of(0.5, 0.45, 0.39)) == 1


def test_patience_counts_rounds_since_the_best():
    stopping = EarlyStopping(patience=2)
    assert not stopping.is_over(rounds_of(0.5, 0.3, 0.3))
    assert stopping.is_over(rounds_of(0.5, 0.3, 0.3, 0.4))


def noisy(n=600, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, 6))
    return x, (x[:, 0] + x[:, 1] + rng.standard_normal(n) > 0).astype(int)


@pytest.mark.parametrize("monitor", ["error", "loss"])
def test_early_stopping_holds_out_rows_and_keeps_the_best_rounds(monitor):
    x, y = noisy()
    stopping = {"fraction": 0.25, "patience": 8, "monitor": monitor}
    clf = BoostedTreeClassifier(300, max_leaves=4, early_stopping=stopping).fit(x, y)
    assert len(clf.rounds_) < 300
    assert clf.n_rounds_ == len(clf.rounds_) - 8 == len(clf.ensemble_)
    values = clf.rounds_.array(f"validation_{monitor}")
    assert values.argmin() + 1 == clf.n_rounds_
    assert "no better in 8 rounds" in clf.ended_
    again = BoostedTreeClassifier(300, max_leaves=4, early_stopping=stopping).fit(x, y)
    assert again.ensemble_ == clf.ensemble_


def test_early_stopping_uses_given_validation_rows():
    x, y = noisy()
    held, y_held = noisy(seed=1)
    clf = BoostedTreeClassifier(
        30, early_stopping=EarlyStopping(X_val=held, y_val=y_held, patience=30)
    ).fit(x, y)
    scores = list(clf.staged_score(held, y_held))
    np.testing.assert_allclose(1 - clf.rounds_.validation_error[: clf.n_rounds_], scores)
    assert len(scores) == clf.n_rounds_


def test_validation_rows_are_read_like_training_rows():
    town = np.array(["Ulm", "Rom", None, "Oslo"] * 20, dtype=object)
    x = np.column_stack([town, np.arange(80)])
    y = np.array(["yes", "no", "no", "yes"] * 20)
    x_val = np.array([["Ulm", 3], ["Mars", 1]], dtype=object)
    stopping = {"X_val": x_val, "y_val": ["yes", "yes"], "sample_weight_val": [3, 1]}
    clf = BoostedTreeClassifier(4, early_stopping=stopping).fit(x, y)
    assert clf.rounds_[0].validation_error in (0.0, 0.25)


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (3, "early_stopping must be None, a dict"),
        ({"wait": 3}, "no setting 'wait'"),
        ({"patience": 0}, "patience"),
        ({"patience": True}, "patience"),
        ({"fraction": 1.0}, "fraction"),
        ({"min_delta": -1}, "min_delta"),
        ({"min_delta": float("nan")}, "min_delta"),
        ({"monitor": "auc"}, "monitor"),
        ({"X_val": [[1.0]]}, "belong together"),
    ],
)
def test_invalid_early_stopping_settings_are_refused(bad, why):
    x, y = noisy(40)
    with pytest.raises(ValueError, match=why):
        BoostedTreeClassifier(3, early_stopping=bad).fit(x, y)


def test_validation_rows_of_unknown_classes_are_refused():
    x, y = noisy(40)
    with pytest.raises(ValueError, match=r"y_val has classes .* was not fitted on: \[6, 7\]"):
        BoostedTreeClassifier(3, early_stopping={"X_val": x, "y_val": y + 6}).fit(x, y)


def test_early_stopping_refuses_too_few_rows_to_hold_out():
    with pytest.raises(ValueError, match="too few to hold any out"):
        BoostedTreeClassifier(3, early_stopping={}).fit([[0.0], [1.0]], [0, 1])


def test_first_round_is_best_even_with_an_infinite_loss():
    stopping = EarlyStopping(monitor="loss", patience=2)
    assert stopping.best(rounds_of(np.inf, np.inf)) == 1
    assert stopping.best(rounds_of(np.inf, 3.0, np.inf)) == 2
    assert stopping.is_over(rounds_of(np.inf, np.inf, np.inf))


def test_validation_weights_are_checked():
    x, y = noisy(60)
    given = {"X_val": x, "y_val": y, "sample_weight_val": -np.ones(60)}
    with pytest.raises(ValueError, match="Negative"):
        BoostedTreeClassifier(3, early_stopping=given).fit(x, y)
    with pytest.raises(ValueError, match="sample_weight_val needs X_val"):
        EarlyStopping(sample_weight_val=[1.0])


def test_end_message_uses_the_singular_for_one_round():
    x, y = noisy()
    clf = BoostedTreeClassifier(300, early_stopping={"patience": 1}).fit(x, y)
    assert clf.ended_.endswith("in 1 round")
