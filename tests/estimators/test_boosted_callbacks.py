"""scikit-learn's callbacks hear of every round, and may end the run."""

import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV

from polytomy import BoostedTreeClassifier

callback = pytest.importorskip("sklearn.callback")
IRIS = load_iris(return_X_y=True)


class Listener:
    """Counts rounds, scores after each, and asks to stop after some."""

    def __init__(self, most=None):
        self.most, self.scores, self.begun, self.torn = most, [], 0, 0

    def setup(self, estimator, context):
        pass

    def teardown(self, estimator, context):
        self.torn += 1

    def on_fit_task_begin(self, estimator, context):
        self.begun += context.task_name == "fit"

    def on_fit_task_end(self, estimator, context, *, X=None, y=None, fitted_estimator=None):
        if context.task_name == "round":
            self.scores.append(fitted_estimator.score(X, y))
            return len(self.scores) == self.most
        return False


@pytest.mark.parametrize("algorithm", ["adaboost-mh", "samme", "logitboost"])
def test_every_round_is_told_with_an_estimator_that_predicts(algorithm):
    listener = Listener()
    clf = BoostedTreeClassifier(8, algorithm=algorithm).set_callbacks(listener).fit(*IRIS)
    assert listener.scores == list(clf.staged_score(*IRIS))
    assert (listener.begun, listener.torn, clf.ended_) == (1, 1, None)
    assert clf.ensemble_ == BoostedTreeClassifier(8, algorithm=algorithm).fit(*IRIS).ensemble_


def test_a_callback_may_ask_to_stop():
    listener = Listener(3)
    clf = BoostedTreeClassifier(8).set_callbacks(listener).fit(*IRIS)
    assert len(listener.scores) == clf.n_rounds_ == 3
    assert clf.ended_ == "a callback asked to stop"


def test_callbacks_are_told_of_the_end_of_a_fit_that_fails():
    listener = Listener()
    listener.on_fit_task_end = None
    with pytest.raises(TypeError):
        BoostedTreeClassifier(2).set_callbacks(Listener, listener).fit(*IRIS)
    failing = Listener()
    failing.on_fit_task_end = lambda estimator, context: 1 / 0
    with pytest.raises(ZeroDivisionError):
        BoostedTreeClassifier(2).set_callbacks(failing).fit(*IRIS)
    assert failing.torn == 1


def test_scikit_learns_own_monitor_and_bar():
    monitor = callback.ScoringMonitor(scoring="accuracy")
    clf = BoostedTreeClassifier(4).set_callbacks(monitor, callback.ProgressBar()).fit(*IRIS)
    log = monitor.get_logs()
    assert clf.score(*IRIS) > 0.9
    assert log is not None


def test_a_search_is_not_disturbed():
    search = GridSearchCV(BoostedTreeClassifier(3), {"max_leaves": [2, 4]}, cv=2)
    assert search.fit(*IRIS).best_score_ > 0.85
