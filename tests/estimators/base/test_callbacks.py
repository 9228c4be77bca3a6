"""scikit-learn's callbacks, and the progress that ``verbose`` shows."""

import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV

from polytomy import BoostedTreeClassifier, Cancellation, Cancelled, TreeClassifier

callback = pytest.importorskip("sklearn.callback")
IRIS = load_iris(return_X_y=True)


class ScoringCallback:
    """Scores after every round, and asks to stop after ``most`` rounds."""

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
def test_callback_gets_a_fitted_estimator_after_every_round(algorithm):
    scoring = ScoringCallback()
    clf = BoostedTreeClassifier(8, algorithm=algorithm).set_callbacks(scoring).fit(*IRIS)
    assert scoring.scores == list(clf.staged_score(*IRIS))
    assert (scoring.begun, scoring.torn, clf.ended_) == (1, 1, None)
    assert clf.ensemble_ == BoostedTreeClassifier(8, algorithm=algorithm).fit(*IRIS).ensemble_


def test_callback_can_stop_boosting():
    scoring = ScoringCallback(3)
    clf = BoostedTreeClassifier(8).set_callbacks(scoring).fit(*IRIS)
    assert len(scoring.scores) == clf.n_rounds_ == 3
    assert clf.ended_ == "a callback asked to stop"


@pytest.mark.parametrize(
    "model", [TreeClassifier(procedure="id3", max_leaves=None), BoostedTreeClassifier(4)]
)
@pytest.mark.parametrize("task", ["fit", "split or round"])
def test_callback_can_cancel_and_the_estimator_is_left_as_it_was(model, task):
    class Canceller(ScoringCallback):
        calls = 0

        def on_fit_task_end(self, estimator, context, **_):
            if (context.task_name == "fit") == (task == "fit"):
                self.calls += 1
                stop.cancel()
            return False

    model = clone(model).fit(*IRIS)
    before, canceller, stop = dict(vars(model)), Canceller(), Cancellation()
    model.set_callbacks(canceller)
    with stop, pytest.raises(Cancelled):
        model.fit(*IRIS)
    assert canceller.calls == canceller.torn == 1
    assert all(vars(model)[name] is value for name, value in before.items())


def test_callbacks_are_torn_down_if_fitting_fails():
    scoring = ScoringCallback()
    scoring.on_fit_task_end = None
    with pytest.raises(TypeError):
        BoostedTreeClassifier(2).set_callbacks(ScoringCallback, scoring).fit(*IRIS)
    failing = ScoringCallback()
    failing.on_fit_task_end = lambda estimator, context: 1 / 0
    with pytest.raises(ZeroDivisionError):
        BoostedTreeClassifier(2).set_callbacks(failing).fit(*IRIS)
    assert failing.torn == 1


def test_scikit_learns_own_callbacks_work():
    monitor = callback.ScoringMonitor(scoring="accuracy")
    clf = BoostedTreeClassifier(4).set_callbacks(monitor, callback.ProgressBar()).fit(*IRIS)
    log = monitor.get_logs()
    assert clf.score(*IRIS) > 0.9
    assert log is not None


def test_grid_search_works_without_callbacks():
    search = GridSearchCV(BoostedTreeClassifier(3), {"max_leaves": [2, 4]}, cv=2)
    assert search.fit(*IRIS).best_score_ > 0.85


@pytest.mark.parametrize("last", [3, None])
def test_callback_is_called_after_every_split_and_can_stop(last):
    class Counter:
        splits = 0

        def setup(self, estimator, context):
            pass

        def teardown(self, estimator, context):
            pass

        def on_fit_task_begin(self, estimator, context, **_):
            pass

        def on_fit_task_end(self, estimator, context, **_):
            self.splits += context.task_name == "split"
            return self.splits == last

    counter = Counter()
    clf = TreeClassifier(max_leaves=4).set_callbacks(counter).fit(*IRIS)
    if last is None:
        assert counter.splits > 4  # more leaves are grown than are kept
    else:
        assert counter.splits == last == len(clf._model.run.splits)


def test_progress_is_printed_as_lines_without_a_terminal(capsys):
    BoostedTreeClassifier(12, verbose=1).fit(*IRIS)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == [f"round {n} of 12" for n in (1, 2, 5, 10, 12)]
    assert "training error" in lines[0]
    assert "bound" in lines[0]


def test_progress_is_a_bar_on_a_terminal(capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")  # makes rich assume a terminal
    BoostedTreeClassifier(12, verbose=1).fit(*IRIS)
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "12/12" in printed.err
    assert "training error" in printed.err
