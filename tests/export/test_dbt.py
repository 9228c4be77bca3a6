"""The files of a dbt project: rendered, they run in DuckDB, and their tests hold."""

import duckdb
import numpy as np
import pandas as pd
import pytest

from polytomy import TreeClassifier, TreeRegressor
from polytomy._errors import ParameterError
from polytomy.export import to_dbt
from tests.export.awkward_tables import fitted, nasty_frame, random_labels
from tests.export.ensembles import fitted_ensemble

yaml = pytest.importorskip("yaml")
jinja2 = pytest.importorskip("jinja2")

HOSTILE = ["{{ ref('x') }}", "{% endraw %}", "{# c #}", 'it\'s "q"', "two\nlines", "plain", "{{{%"]


def rendered(text):
    """Return a file as dbt renders it."""
    names = jinja2.Environment().from_string(text)  # SQL, not HTML
    return names.render(ref=lambda name: f'"{name}"', config=lambda **_: "")


def run(files, frame, name="predictions"):
    """Run the model on a frame; assert that its tests hold, and return its table."""
    with duckdb.connect() as base:
        base.register("frame", frame)
        base.execute('CREATE TABLE "rows" AS SELECT * FROM frame')
        base.execute(f'CREATE TABLE "{name}" AS {rendered(files[f"models/{name}.sql"])}')
        found = base.execute(f'SELECT * FROM "{name}"').df()
        for path, text in files.items():
            if path.startswith("tests/"):
                assert base.execute(rendered(text)).fetchall() == []
    described = yaml.safe_load(rendered(files[f"models/{name}.yml"]))
    (entry,) = described["models"]
    assert entry["name"] == name
    for column in entry["columns"]:
        cells = found[column["name"]]
        tests = column["data_tests"]
        assert "not_null" in tests
        assert cells.notna().all()
        for test in tests[1:]:
            assert set(cells) <= set(test["accepted_values"]["values"])
    return found


def test_dbt_model_predicts_like_the_tree():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"{{ x }}": rng.normal(size=300), "c": rng.choice(np.array(HOSTILE), 300)})
    clf = TreeClassifier(procedure="per-leaf", max_leaves=30)
    clf.fit(frame, rng.choice(np.array(HOSTILE[:4]), 300))
    outputs = ["prediction", "proba", "leaf", "rule"]
    files = clf.to_dbt("rows", dialect="duckdb", outputs=outputs)
    assert list(files) == [
        "models/predictions.sql",
        "models/predictions.yml",
        "tests/predictions_probabilities.sql",
    ]
    found = run(files, frame)
    assert found["prediction"].tolist() == clf.predict(frame).tolist()
    assert found["leaf"].tolist() == clf.apply(frame).tolist()
    assert found[[f"p_{c}" for c in clf.classes_]].to_numpy().tolist() == (
        clf.predict_proba(frame).tolist()
    )


@pytest.mark.parametrize("labels", [(0, 1, 7), (True, False)])
def test_dbt_accepts_classes_of_other_types(labels):
    frame = nasty_frame(100).drop(columns="zoned")
    clf = fitted(frame, random_labels(100, labels))
    found = run(clf.to_dbt("rows", "risk", "duckdb"), frame, "risk")
    assert found["prediction"].tolist() == clf.predict(frame).tolist()


@pytest.mark.parametrize("kind", ["stumps", "mh", "numbers"])
def test_dbt_model_predicts_like_the_ensemble(kind):
    clf, frame = fitted_ensemble(kind, zoned=False)
    outputs = ["prediction", "votes"] + (["proba"] if kind != "numbers" else [])
    found = run(clf.to_dbt("rows", dialect="duckdb", outputs=outputs), frame)
    assert found["prediction"].tolist() == clf.predict(frame).tolist()


def test_dbt_model_of_a_regressor_has_no_accepted_values():
    frame = pd.DataFrame({"x": np.arange(20.0)})
    reg = TreeRegressor().fit(frame, np.arange(20.0) // 5)
    files = reg.to_dbt("rows", dialect="duckdb")
    assert "accepted_values" not in files["models/predictions.yml"]
    assert run(files, frame)["prediction"].tolist() == reg.predict(frame).tolist()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"source": "a b"}, "source must be the name of a dbt model"),
        ({"source": "a", "name": "{{ x }}"}, "name must be the name of a dbt model"),
        ({"source": "a", "outputs": ["all"]}, "outputs must be some of"),
        ({"source": "a", "dialect": "oracle"}, "dialect must be one of"),
    ],
)
def test_dbt_refuses_bad_parameters(options, message):
    clf = TreeClassifier(procedure="per-leaf").fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(ParameterError, match=message):
        to_dbt(clf._model, **options)
