"""Model files of trees with a teacher, a search or polishing."""

import json

import pytest
from sklearn.naive_bayes import GaussianNB

import polytomy
from polytomy import ParameterError, Teacher, TreeClassifier, TreeRegressor, verify
from tests.estimators.fitting.test_teacher import COUNTS, FRAME, LABELS, NUMBERS, SMALL, fitted


def saved_and_loaded(tree, tmp_path):
    tree.save(tmp_path / "model.json")
    return polytomy.load(tmp_path / "model.json")


@pytest.mark.parametrize(
    "params",
    [
        {"teacher": "forest"},
        {"teacher": SMALL},
        {"teacher": False, "effort": "thorough"},
        {"teacher": SMALL, "effort": "thorough", "search": (2, 1)},
        {"teacher": SMALL, "pruner": "reduced-error"},
        {"teacher": SMALL, "max_leaves": "cv"},
        {"teacher": SMALL, "procedure": "hatano"},
    ],
    ids=str,
)
@pytest.mark.parametrize("cls", [TreeClassifier, TreeRegressor])
def test_files_keep_teacher_and_origin(cls, params, tmp_path):
    y = LABELS if cls is TreeClassifier else COUNTS
    if params["teacher"] == "forest":
        X, y = NUMBERS[:30], y[:30]
    else:
        X = FRAME
    tree = fitted(X, y, cls=cls, **params)
    back = saved_and_loaded(tree, tmp_path)
    for name in ("teacher", "effort", "search"):
        assert getattr(back, name) == getattr(tree, name)
    assert back.origin_ == tree.origin_
    assert back.to_text() == tree.to_text()
    assert (back.predict(X) == tree.predict(X)).all()
    assert verify(back, X, y).ok
    assert back.fit(X, y).to_text() == tree.to_text()


@pytest.mark.parametrize("wrapped", [True, False])
def test_files_keep_only_the_name_of_other_estimators(wrapped, tmp_path):
    model = GaussianNB(var_smoothing=1e-6)
    clf = fitted(NUMBERS, LABELS, teacher=Teacher(model, mix=0.25) if wrapped else model)
    back = saved_and_loaded(clf, tmp_path)
    assert back.teacher == Teacher("GaussianNB", mix=0.25 if wrapped else 0.5)
    assert back.origin_ == clf.origin_
    assert back.origin_.lesson.name == "GaussianNB"
    assert verify(back, NUMBERS, LABELS).ok
    with pytest.raises(ParameterError, match=r"got 'GaussianNB'.*set it again"):
        back.fit(NUMBERS, LABELS)
    assert back.set_params(teacher=model).fit(NUMBERS, LABELS).n_leaves_ > 0
    assert (saved_and_loaded(saved_and_loaded(clf, tmp_path), tmp_path).teacher) == Teacher(
        "GaussianNB", mix=0.25 if wrapped else 0.5
    )


def test_a_file_with_a_damaged_teacher_is_refused(tmp_path):
    path = tmp_path / "model.json"
    fitted(FRAME, LABELS).save(path)
    document = json.loads(path.read_text())
    assert "teacher" in json.dumps(document["parameters"])
    text = path.read_text().replace('"mix": 0.5', '"mix": 7.5').replace('"mix":0.5', '"mix":7.5')
    assert text != path.read_text()
    path.write_text(text)
    with pytest.raises(polytomy.ModelFormatError):
        polytomy.load(path)
