"""Parameters: one declaration of each default, and documentation of all public parameters."""

import inspect
import re

import pytest

from polytomy import BoostedTreeClassifier, TreeClassifier
from polytomy.boost import BoostParams
from polytomy.estimators.base.parameters import GROWTH, grow_params
from polytomy.estimators.ensembles.parameters import BOOSTING, boost_params
from polytomy.estimators.trees.paths import TreePath
from polytomy.grow import GrowParams

CLASSIFIERS = [TreeClassifier, BoostedTreeClassifier]


def defaults(cls):
    return {name: p.default for name, p in inspect.signature(cls).parameters.items()}


def test_tree_defaults_equal_those_of_grow_params():
    ours, declared = defaults(TreeClassifier), {**defaults(GrowParams), "procedure": "priced"}
    assert {name: ours[name] for name in GROWTH} == {name: declared[name] for name in GROWTH}
    assert grow_params(TreeClassifier()) == GrowParams(procedure="priced")


def test_boosted_defaults_equal_those_of_boost_params():
    ours, params = defaults(BoostedTreeClassifier), BoostParams()
    assert {name: ours[name] for name in BOOSTING} == {n: getattr(params, n) for n in BOOSTING}
    growth = [name for name in GROWTH if name != "index"]  # the algorithm chooses the index
    declared = {**defaults(GrowParams), "max_leaves": params.grow.max_leaves}
    assert {n: ours[n] for n in growth} == {n: declared[n] for n in growth}
    assert boost_params(BoostedTreeClassifier()) == params


def test_shared_parameters_have_the_same_default():
    one, other = map(defaults, CLASSIFIERS)
    differ = {name for name in one.keys() & other.keys() if one[name] != other[name]}
    assert differ == {"max_leaves", "procedure", "smoothing", "max_bins"}


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_only_the_first_parameter_is_positional(cls):
    first, *rest = inspect.signature(cls).parameters.values()
    assert first.kind is first.POSITIONAL_OR_KEYWORD
    assert all(p.kind is p.KEYWORD_ONLY for p in rest)


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_docstring_describes_every_parameter_with_its_default(cls):
    text = inspect.getdoc(cls)
    section = text[text.index("Parameters\n") : text.index("Attributes\n")]
    described = re.findall(r"^(\w+) : .+, default=(.+)\n    \w", section, re.MULTILINE)
    assert described == [(name, repr(value)) for name, value in defaults(cls).items()]


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_docstring_describes_every_fitted_attribute(cls):
    text = inspect.getdoc(cls)
    section = text[text.index("Attributes\n") : text.index("Examples\n")]
    described = set(re.findall(r"^(\w+_) : ", section, re.MULTILINE))
    clf = cls(max_leaves=2).fit([[1.0], [2.0], [3.0]], [0, 1, 1])
    public = {name for name in dir(clf) if name.endswith("_") and not name.startswith("_")}
    assert described - {"feature_names_in_"} == public - {"feature_names_in_"}


def public_methods():
    for cls in (*CLASSIFIERS, TreePath):
        for name, member in inspect.getmembers(cls, inspect.isfunction):
            own = member.__module__.startswith("polytomy.")
            if own and not name.startswith("_") and not name.startswith("set_"):
                yield pytest.param(member, id=f"{cls.__name__}.{name}")


@pytest.mark.parametrize("method", list(public_methods()))
def test_methods_document_parameters_with_defaults_and_returns(method):
    text = inspect.getdoc(method)
    signature = inspect.signature(method)
    for name, p in list(signature.parameters.items())[1:]:
        expected = "" if p.default is p.empty else f", default={_shown(p.default)}"
        assert re.search(rf"^{name} : .+{re.escape(expected)}$", text, re.MULTILINE), name
    if signature.return_annotation not in (None, "None"):
        assert re.search(r"^(Returns|Yields)\n-{6,7}\n", text, re.MULTILINE)


def _shown(value):
    return repr(value).replace("'", '"')
