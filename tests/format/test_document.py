"""Invalid documents are refused with the place; models that no file can hold are not saved."""

import json
from copy import copy
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest

from polytomy import BoostedTreeClassifier, ParameterError, TreeClassifier, prune, theory
from polytomy.estimators.base.files import load_bytes, save, to_file_bytes
from polytomy.format import ModelFormatError
from tests.format.saved_models import (
    BOOSTED,
    POISSON,
    PRUNED,
    REGRESSION,
    TAUGHT,
    TAUGHT_NUMBERS,
    TREE,
    X,
    Y,
    changed,
    refused,
)

# ---- documents that are not a valid model

WRONG = {
    # the head
    "format is text": (("format",), "1", "not a polytomy model file"),
    "kind": (
        ("kind",),
        "mixture",
        "kind: must be one of tree, .*density; not 'mixture', which a newer version of polytomy",
    ),
    "numeric": (("kind",), "regression-tree", "member 'centre' is missing"),
    "library": (("library",), 3, "library: must be text, not 3"),
    "unknown": (("more",), 3, "unknown member 'more'"),
    # parameters
    "parameter": (("parameters", "speed"), 3, r"parameters\.speed: TreeClassifier has no such"),
    "smoothing": (("parameters", "smoothing"), -1, "parameters: smoothing must be a number"),
    "contract": (("parameters", "contract"), 1, "parameters: contract must be True or False"),
    "index": (("parameters", "index"), None, "parameters: index must be the name"),
    "n_jobs": (("parameters", "n_jobs"), 0, "parameters: n_jobs must not be 0"),
    "max_bins": (("parameters", "max_bins"), 1, "parameters: max_bins must be"),
    "pruner": (("parameters", "pruner"), "axe", "parameters: pruner must be one of"),
    "tuple": (("parameters", "families", "items"), 3, r"parameters\.families\.items: must be a li"),
    "type": (
        ("parameters", "families"),
        {"type": "code"},
        r"'code' is not a type",
    ),
    "class_weight": (
        ("parameters", "class_weight"),
        {"type": "dict", "items": [[0, {"type": "float", "value": "nan"}]]},
        "parameters.class_weight: weights must be finite and not negative, not nan",
    ),
    "object": (
        ("parameters", "pruner"),
        {"type": "object", "name": "os.system", "fields": {}},
        r"parameters\.pruner\.name: unknown object 'os.system'",
    ),
    "object's fields": (
        ("parameters", "pruner"),
        {"type": "object", "name": "chi-square", "fields": {"max_p_chance": 2}},
        "parameters.pruner: max_p_chance must be a number from 0 to 1, got 2",
    ),
    # columns and classes
    "no columns": (("columns",), [], "columns: there must be at least one"),
    "name": (("columns", 0, "name"), None, r"columns\[0\]\.name: must be text"),
    "bins": (("columns", 0, "low", 3), 0, r"columns\[0\]\.low\[3\]: the bins must be in ascending"),
    "bin": (("columns", 0, "high", 3), -9, r"columns\[0\]\.high\[3\]: the bin ends before it beg"),
    "nan bin": (("columns", 0, "low", 3), "nan", r"columns\[0\]\.high\[3\]: the bin ends"),
    "bins' number": (
        ("columns", 0, "high"),
        [1],
        r"columns\[0\]\.high: must have 22 numbers, as low",
    ),
    "scale": (("columns", 0, "scale", "type"), "log", r"scale\.type: must be one of numbers"),
    "times": (
        ("columns", 0, "scale"),
        {"type": "times", "dtype": "datetime64[x]", "zone": None},
        r"columns\[0\]\.scale\.dtype: 'datetime64\[x\]' is not a dtype of times",
    ),
    "categories": (
        ("columns", 1, "categories", 0),
        "Rom",
        r"columns\[1\]\.categories: duplicate category",
    ),
    "classes": (("classes", "values", 0), 2, r"classes\.values\[1\]: the classes must be distinct"),
    "class": (("classes", "values", 0), "a", r"classes\.values\[0\]: must be an integer"),
    "dtype": (("classes", "dtype"), "<U999999999", r"classes\.dtype: '<U999999999' is not a dtype"),
    "narrow": (("classes", "dtype"), "|u1x", r"classes\.dtype: '\|u1x' is not a dtype"),
    "few classes": (("classes", "values"), [0, 1], r"tree\.counts\[0\]: must have 2 items, not 3"),
    # the tree
    "cyclic": (("tree", "child", 1), 1, "tree: not a tree: a node does not have exactly one"),
    "its own child": (("tree", "child", 0), 0, r"tree\.child\[0\]: must be an integer from 1"),
    "parent": (("tree", "parent", 1), 2, "tree: not a tree: parent and child disagree"),
    "arity": (("tree", "child_start", 1), 1, "tree: not a tree: "),
    "no list": (("tree", "child"), {}, r"tree\.child: must be a list, or packed as one of int8"),
    "float": (("tree", "child", 1), 1.0, r"tree\.child\[1\]: must be an integer from 1 to"),
    "bool": (("tree", "child", 1), True, r"tree\.child\[1\]: must be an integer from 1 to"),
    "feature": (("tree", "feature", 0), 2, r"tree\.feature\[0\]: must be an integer from -1 t"),
    "other column": (
        ("tree", "feature", 0),
        1,
        "tree: the schema does not belong to this tree: node 0",
    ),
    "kind of node": (("tree", "kind", 0), 4, r"tree\.kind\[0\]: must be an integer from 0 to"),
    "nan weight": (("tree", "counts", 1, 0), "nan", r"tree\.counts\[1\]\[0\]: must be a number, n"),
    "weight": (("tree", "counts", 1, 0), -1, "tree: not a tree: a count is negative"),
    "no weight": (
        ("tree", "counts", 1),
        [0, 0, 0],
        "tree: not a tree: the counts of node 0 are not",
    ),
    "rows": (("tree", "rows", 1), 0, r"tree\.rows\[1\]: must be an integer from 1 to"),
    "threshold": (("tree", "threshold", 0), "nan", "tree: not a tree: node 0 has thresholds"),
    "infinite": (("tree", "threshold", 0), "inf", "tree: not a tree: node 0 has an infinite"),
    "default": (("tree", "default_branch", 0), 99, "tree: not a tree: node 0 has no branch for un"),
    "missing": (("tree", "missing_branch", 0), 99, "tree: not a tree: node 0 "),
    "own": (
        ("tree", "own"),
        [[0, {"type": "dict", "items": []}]],
        "own.0..1.: must be a dict",
    ),
    # the run
    "procedure": (("run", "rules", "procedure"), "x", r"run\.rules\.procedure: must be one of"),
    "order": (("run", "rules", "order"), "heaviest", r"run\.rules\.order: priced uses the leaf"),
    "gamma": (("run", "rules", "gamma"), 0.5, r"run\.rules\.gamma: must be null for priced"),
    "run index": (("run", "index"), "squares", r"run\.index: must be one of sqrt, gini"),
    "split": (("run", "splits", "leaf", 0), 1, r"run\.splits\.leaf: must list every inner node"),
    "split's arity": (
        ("run", "splits", "arity", 0),
        9,
        r"run\.splits\.arity\[0\]: (must|is 9, but there are \d children)",
    ),
    "leaves": (("run", "splits", "leaves_before", 0), 2, r"leaves_before\[0\]: is 2, but there ar"),
    "gain": (("run", "splits", "gain", 0), -1, r"run\.splits\.gain\[0\]: must not be negative"),
    "price": (("run", "splits", "price", 0), 0, r"run\.splits\.price\[0\]: must be above 0"),
    "other gain": (
        ("run", "splits", "gain", 0),
        1,
        r"certificate\.\w+: is .*, but the model",
    ),
    "weighting": (("run", "weighting"), "rules", r"run\.weighting: must be one of none, rows, cl"),
    # the certificate, and the rest
    "certificate": (("certificate", "bound"), 0.001, r"certificate\.bound: is 0.001, but"),
    "covered": (("certificate", "covered"), False, r"certificate\.covered: is False, but"),
    "held out": (("held_out",), [3, 2], "held_out: must be at least one row number"),
    "held row": (("held_out",), [1500], r"fitted\.n_rows: must be an integer of at least 151"),
    "fitted": (("fitted", "n_rows"), 3, r"fitted\.n_rows: must be an integer of at least 150"),
    "weights": (("fitted", "class_weight"), "balanced", r"run\.weighting: does not agree with"),
    "grown with": (
        ("fitted", "grown_with", "items", 3),
        ["index", "sqrt"],
        r"fitted\.grown_with: the index is not that of the run",
    ),
    "contracted": (("contracted",), 1, "contracted: must be true or false, not 1"),
    # prices, class weights and honest shares
    "price of a leaf": (
        ("pruning", "prices", "leaf"),
        -1,
        r"pruning\.prices: prices must not be neg",
    ),
    "prices": (("pruning", "prices"), {"leaf": 1}, r"pruning\.prices: .*question"),
    "priced": (("pruning", "overgrown"), None, r"pruning\.overgrown: must be the budget of leaves"),
    "factors": (("class_factors",), [1, 1, 2], "class_factors: must be null, because the classes"),
    "shrinkage": (("honesty", "shrinkage"), -1, "honesty: shrinkage must be a number"),
    "dispersion": (("honesty", "dispersion"), 0, "honesty: dispersion must be a number"),
    "folds": (("honesty", "folds"), 2.5, r"honesty\.folds: must be an integer"),
    "infinite shrinkage": (
        ("honesty", "shrinkage"),
        "inf",
        r"honesty\.shrinkage: must be a number",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_invalid_tree_document_is_refused_with_its_place(name):
    path, value, message = WRONG[name]
    refused(changed(TREE, (path, value)), message)


TINY = 5e-324
WRONG_REGRESSION = {
    "kind": (("kind",), "tree", "member 'classes' is missing"),
    "format 1": (("format",), 1, "kind: must be one of tree, boosted; not 'regression-tree'"),
    # classes
    "classes": (("classes",), {"dtype": "<i8", "values": []}, "unknown member 'classes'"),
    "class factors": (("class_factors",), None, "unknown member 'class_factors'"),
    "weights": (("fitted", "class_weight"), None, "fitted: unknown member 'class_weight'"),
    "weighting": (("run", "weighting"), "classes", r"run\.weighting: must be one of none, rows;"),
    **{
        name: (("parameters", name), value, rf"parameters\.{name}: TreeRegressor has no such")
        for name, value in (("class_weight", None), ("smoothing", 0.0), ("index", "gini"))
    },
    # the index
    "criterion": (("parameters", "criterion"), "gini", "parameters: criterion must be one of squ"),
    "run index": (("run", "index"), "gini", r"run\.index: must be one of squared_error, poisson;"),
    "other index": (("run", "index"), "poisson", r"run\.index: is poisson, but the moments are"),
    "grown with": (
        ("fitted", "grown_with", "items", 3),
        ["index", "gini"],
        r"fitted\.grown_with: the index is not that of the run",
    ),
    # the moments
    "centre": (("centre",), None, "centre: must be a number, not None"),
    "infinite centre": (("centre",), "inf", "centre: must be a number, not 'inf'"),
    "nan": (
        ("tree", "counts", 1, 1),
        "nan",
        r"tree\.counts\[1\]\[1\]: must be a number, not 'nan'",
    ),
    "few": (("tree", "counts", 1), [3, 0], r"tree\.counts\[1\]: must have 3 items, not 2"),
    "no weight": (("tree", "counts", 1, 0), 0, "tree: not a tree: a node has no weight"),
    "weight": (("tree", "counts", 1, 0), -3, "tree: not a tree: a node has no weight"),
    "squares": (("tree", "counts", 1, 2), -1, "tree: not a tree: a sum of squares is smaller"),
    "mean": (("tree", "counts", 1, 1), 1e6, "tree: not a tree: a sum of squares is smaller than"),
    "infinite mean": (
        ("tree", "counts", 1),
        [TINY, 1e-9, 1e308],
        "tree: not a tree: a mean is not finite",
    ),
    "sums": (("tree", "counts", 0, 2), 1e6, "tree: not a tree: the counts of node 0 are not the"),
    "sum": (("tree", "counts", 0, 1), 1, "tree: not a tree: the counts of node 0 are not the su"),
    "pruned moments": (
        ("pruning", "tree", "counts", 0),
        [1, 0, 1, 0],
        r"pruning\.tree\.counts\[0\]: must have 3 items, not 4",
    ),
    "certificate": (("certificate", "index"), 0.001, r"certificate\.index: is 0.001, but"),
}


@pytest.mark.parametrize("name", WRONG_REGRESSION)
def test_invalid_regression_document_is_refused_with_its_place(name):
    path, value, message = WRONG_REGRESSION[name]
    refused(changed(REGRESSION, (path, value)), f"^{message}")


LESSON = ("origin", "lesson")
WRONG_ORIGIN = {
    "missing": (LESSON, {"name": "forest"}, r"origin\.lesson: member 'validation' is missing"),
    "unknown": (("origin", "luck"), 1, "origin: unknown member 'luck'"),
    "text": (("origin",), "forest", "origin: must be an object, not 'forest'"),
    "none": (("origin",), None, r"certificate\.covered: is False, but the model gives True"),
    "name": ((*LESSON, "name"), " ", r"origin\.lesson: name must be the name of a teacher"),
    "validation": ((*LESSON, "validation"), "none", r"origin\.lesson: validation must be one of"),
    "error": ((*LESSON, "error"), -0.5, r"origin\.lesson: error must be a finite number >= 0"),
    "no error": ((*LESSON, "error"), None, r"origin\.lesson\.error: must be a number, not None"),
    "no share": ((*LESSON, "error"), 1.5, r"origin\.lesson: error must be a share from 0 to 1"),
    "mix": ((*LESSON, "mix"), 2, r"origin\.lesson: mix must be a number from 0 to 1"),
    "rows": ((*LESSON, "synthetic_rows"), -1, r"origin\.lesson\.synthetic_rows: must be an integ"),
    "fidelity": ((*LESSON, "fidelity"), -0.5, r"origin\.lesson: fidelity must be a share"),
    "search": (("origin", "search"), [6], r"origin\.search: must have 2 items, not 1"),
    "no beam": (("origin", "search", 0), 0, r"origin\.search\[0\]: must be an integer of at least"),
    "polishing": (
        ("origin", "polishing"),
        0.5,
        r"origin\.polishing: must be an integer of at least",
    ),
    # the record of a tree that was found claims nothing of a run
    "best": (
        ("run", "splits", "best_binary_gain", 0),
        1,
        r"run\.splits\.best_binary_gain\[0\]: must be null, because the tree has an origin",
    ),
    "stopped": (
        ("run", "stopped"),
        "callback",
        r"run\.stopped: must be null, because the tree has",
    ),
    "retired": (
        ("run", "retired", "leaf"),
        [1],
        r"run\.retired\.leaf\[0\]: the tree has an origin",
    ),
    "covered": (("certificate", "covered"), True, r"certificate\.covered: is True, but the model"),
}


@pytest.mark.parametrize("name", WRONG_ORIGIN)
def test_invalid_origin_is_refused_with_its_place(name):
    path, value, message = WRONG_ORIGIN[name]
    refused(changed(TAUGHT, (path, value)), f"^{message}")


def test_weaker_certificate_of_an_earlier_version_is_accepted():
    clf = TreeClassifier(8, procedure="mansour-mcallester", gamma=0.1, index="sqrt").fit(X, Y)
    issued, data = clf.certificate_, to_file_bytes(clf)
    assert issued.covered
    assert issued.gamma > 0.3

    def stating(gamma, covered=True):
        root, size = float(issued.index_curve[0]), issued.leaves
        bounds = {
            "gamma": gamma,
            "covered": covered,
            "bound": root * theory.e(size, gamma),
            "error_bound": root * theory.e(size, gamma) / 2,
            "power_bound": root * size**-gamma,
        }
        return changed(data, *((("certificate", name), value) for name, value in bounds.items()))

    for older in (stating(0.1), stating(0.3), stating(0.1, covered=False)):
        again = load_bytes(older).certificate_
        assert (again.covered, again.gamma) == (True, issued.gamma)
    refused(stating(0.9), r"certificate\.gamma: is 0.9, but the model gives 0.")
    bound = (("certificate", "bound"), 0.001)
    refused(changed(stating(0.1), bound), r"certificate\.bound: is 0.001, but")


def test_origin_of_a_grown_tree_is_refused():
    origin = json.loads(TAUGHT)["origin"]
    refused(changed(TREE, (("origin",), origin)), "must be null, because the tree has an origin")


def test_fidelity_to_a_teacher_of_numbers_has_no_lower_limit():
    for value in (-3.5, "nan"):
        again = load_bytes(changed(TAUGHT_NUMBERS, ((*LESSON, "fidelity"), value)))
        assert again._model.origin.lesson.fidelity == pytest.approx(float(value), nan_ok=True)
        assert to_file_bytes(again)


def test_origin_that_contradicts_the_record_is_not_saved():
    clf = load_bytes(TAUGHT)
    for changes in ({"origin": None}, {"run": replace(clf._model.run, found=False)}):
        other = copy(clf)
        other._model = replace(clf._model, **changes)
        with pytest.raises(ModelFormatError, match="trees that were found have an origin"):
            to_file_bytes(other)


def test_regression_document_has_3_or_4_moments():
    counts = json.loads(REGRESSION)["tree"]["counts"]
    for n in (1, 2, 5):
        path = ("tree", "counts")
        data = changed(REGRESSION, (path, [([*row] * 2)[:n] for row in counts]))
        refused(data, "tree: not a tree: a numeric target has 3 or 4 moments")
    more = changed(REGRESSION, (("tree", "counts"), [[*row, 0] for row in counts]))
    refused(more, "tree: not a tree: Poisson moments are not about 0")


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("centre",), 1, "Poisson moments are not about 0"),
        (("tree", "counts", 1, 1), -1, "a Poisson sum is negative"),
        (("tree", "counts", 1, 3), -1e6, "a Poisson deviance is negative"),
        (("tree", "counts", 1, 3), 1e6, "the counts of node 0 are not the sum"),
    ],
)
def test_invalid_poisson_moments_are_refused(path, value, message):
    refused(changed(POISSON, (path, value)), f"^tree: not a tree: {message}")


def test_pruned_regression_tree_must_have_the_same_rows():
    other = json.loads(POISSON)["pruning"]["tree"]
    other["counts"] = [row[:3] for row in other["counts"]]  # the same rows, about 0
    refused(
        changed(REGRESSION, (("pruning", "tree"), other)),
        r"pruning\.tree: the pruned tree has other training rows than the grown one",
    )


WRONG_BOOSTED = {
    "algorithm": (
        ("algorithm",),
        "samme",
        "algorithm: is 'samme', but the parameters give 'adaboost-real'",
    ),
    "start": (("start",), [0, 0], "members.0..scores.0.: must have 2 items, not 1"),
    "no start": (("start",), [], "start: 2 classes, but votes of shape"),
    "score": (("members", 0, "scores", 1, 0), 0.1, "members.0..scores: scores must be quantized"),
    "inner": (("members", 0, "scores", 0, 0), 1, "members.0..scores: only leaves vote"),
    "huge": (("members", 0, "scores", 1, 0), 1e300, "members.0..scores: scores must be|members"),
    "nan": (("members", 0, "scores", 1, 0), "nan", "members.0..scores.1..0.: must be a number"),
    "member": (("members", 0, "tree", "child", 0), 2, "members.0..tree: not a tree"),
    "counts": (("members", 0, "tree", "counts", 0), [1], "members.0..tree.counts.1.: must have 1"),
    "rounds": (("rounds", "trees", 0), 2, "rounds.trees: the rounds do not match the 2 members"),
    "leaves": (("rounds", "leaves", 0), 3, "rounds.leaves.0.: is 3, but the round's trees have 2"),
    "figure": (("rounds", "z", 0), None, "rounds.z.0.: must be a number, not None"),
    "columns": (("rounds", "z"), [0.5], "rounds.z: must have 2 items, not 1"),
    "unknown": (("rounds", "zz"), [0.5], "rounds: unknown member 'zz'"),
    "bound": (("certificate", "bound"), 0.001, "certificate.bound: is 0.001, but"),
    "z": (("rounds", "z", 0), 0.001, "certificate.findings: are not those of these rounds"),
    "voting": (("fitted", "n_rounds"), 3, "fitted.n_rounds: must be an integer from 0 to 2"),
    "mark": (("fitted", "mark"), 3, "fitted.mark: must be an object, not 3"),
}


@pytest.mark.parametrize("name", WRONG_BOOSTED)
def test_invalid_ensemble_document_is_refused_with_its_place(name):
    path, value, message = WRONG_BOOSTED[name]
    refused(changed(BOOSTED, (path, value)), f"^{message}")


def test_class_factors_must_fit_the_classes():
    clf = TreeClassifier(4, class_weight="balanced").fit(X[:120], Y[:120])
    data = to_file_bytes(clf)
    again = load_bytes(data)
    np.testing.assert_array_equal(again._model.class_factors, clf._model.class_factors)
    for value, message in (
        (None, "must list the weights of the classes"),
        ([1.0, 2.0], "must have 3 items"),
        ([1.0, -2.0, 1.0], "must not be negative"),
        ([0.0, 0.0, 0.0], "nor all 0"),
    ):
        refused(changed(data, (("class_factors",), value)), f"class_factors: {message}|{message}")


def test_pruned_tree_must_belong_to_the_grown_tree():
    refused(changed(PRUNED, (("pruning", "tree"), None)), r"pruning\.tree: must be an object")
    refused(changed(PRUNED, (("pruning", "overgrown"), 0)), r"pruning\.overgrown: must be an int")
    document = json.loads(PRUNED)
    assert document["tree"]["kind"] != document["pruning"]["tree"]["kind"]
    grown = (("tree",), document["pruning"]["tree"]), (("pruning", "tree"), document["tree"])
    refused(changed(PRUNED, *grown), "run.splits.leaf: must have|pruning.tree: the pruned tree has")


# ---- models that cannot be saved


def gini_like(counts):
    total = counts.sum(axis=-1)
    return 2 * (total - (counts**2).sum(axis=-1) / np.where(total > 0, total, 1))


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"index": gini_like}, "index must be the name of an index: a model file holds no code"),
        ({"random_state": np.random.RandomState(0)}, "parameter random_state: is of type RandomS"),
        (
            {"categorical_features": np.array([[True]])},
            "parameter categorical_features: is of type ndarray",
        ),
    ],
)
def test_parameter_that_is_not_plain_data_is_not_saved(params, message):
    clf = TreeClassifier(3, **{k: v for k, v in params.items() if k != "categorical_features"})
    clf.fit(X, Y)
    clf.set_params(**params)
    with pytest.raises(ModelFormatError, match=message):
        to_file_bytes(clf)


def test_callable_index_is_not_saved():
    clf = TreeClassifier(3, index=gini_like).fit(X, Y).set_params(index="gini")
    with pytest.raises(ModelFormatError, match="'gini_like' is your own function"):
        to_file_bytes(clf)
    assert TreeClassifier(3).fit(X, Y).to_text()


def test_validation_rows_among_parameters_are_not_saved():
    stopping = {"X_val": X[:50], "y_val": Y[:50], "patience": 2}
    clf = BoostedTreeClassifier(3, early_stopping=stopping).fit(X[:100], Y[:100])
    with pytest.raises(
        ModelFormatError, match=r"early_stopping\['X_val'\].*replace it with set_params"
    ):
        to_file_bytes(clf)
    clf.set_params(early_stopping={"patience": 2})
    assert load_bytes(to_file_bytes(clf)).n_rounds_ == clf.n_rounds_


def test_category_that_files_cannot_store_is_not_saved():
    cells = np.array(["a", "b", Decimal("Infinity")] * 50, dtype=object).reshape(-1, 1)
    clf = TreeClassifier(3).fit(cells, Y)
    message = "column 'x0': model files cannot store the category .* of type Decimal: convert"
    with pytest.raises(ModelFormatError, match=message):
        to_file_bytes(clf)


def test_parameter_that_contains_itself_is_not_saved():
    endless = []
    endless.append(endless)
    clf = TreeClassifier(3).fit(X, Y).set_params(categorical_features=endless)
    with pytest.raises(ModelFormatError, match="is nested too deeply or contains itself"):
        to_file_bytes(clf)


def test_save_refuses_subclasses_and_unfitted_classifiers(tmp_path):
    class Mine(TreeClassifier):
        pass

    with pytest.raises(ModelFormatError, match="a model file cannot hold a Mine"):
        save(Mine(), tmp_path / "m.json")
    with pytest.raises(Exception, match="not fitted"):
        save(TreeClassifier(), tmp_path / "m.json")
    assert not list(tmp_path.iterdir())


def test_invalid_parameter_set_after_fitting_is_not_saved():
    clf = TreeClassifier(3).fit(X, Y).set_params(max_leaves=-1)
    with pytest.raises(ModelFormatError, match="the parameters cannot be saved: max_leaves must"):
        to_file_bytes(clf)
    with pytest.raises(ParameterError):
        clf.fit(X, Y)
    assert prune.PRUNERS


@pytest.mark.parametrize("algorithm", ["adaboost", "adaboost-real", "samme", "logitboost"])
def test_boosted_file_with_one_class_is_refused(algorithm):
    data = to_file_bytes(BoostedTreeClassifier(2, algorithm=algorithm).fit(X[50:], Y[50:]))
    one = changed(data, (("classes", "values"), [1]))
    refused(one, "classes: a boosted model has at least two classes")
