"""Parameters that mean nothing are refused with one sentence."""

import pytest

from polytomy import ParameterError
from polytomy.encode import Target, encode
from polytomy.grow import GrowParams, grow
from polytomy.table import Table

REFUSED = [
    ({"max_leaves": 0}, "max_leaves must be an integer of at least 1 or None, got 0"),
    ({"max_leaves": 2.5}, "max_leaves must be an integer"),
    ({"max_leaves": True}, "max_leaves must be an integer"),
    ({"max_arity": 1}, "max_arity must be an integer of at least 2"),
    ({"max_depth": 0}, "max_depth must be an integer of at least 1 or None"),
    ({"min_samples_split": 1}, "min_samples_split must be an integer of at least 2"),
    ({"min_samples_leaf": 0}, "min_samples_leaf must be an integer of at least 1"),
    ({"min_gain": -1}, "min_gain must be a number of at least 0"),
    ({"min_gain": float("nan")}, "min_gain must be a number"),
    ({"min_gain": "0"}, "min_gain must be a number"),
    ({"min_gain": 10**400}, "min_gain must be a number"),
    ({"min_weight_fraction_leaf": 0.6}, "from 0 to 0.5, got 0.6"),
    ({"procedure": "cart"}, "procedure must be one of per-leaf, hatano"),
    ({"procedure": "mansour-mcallester"}, "needs gamma between 0 and 1, got None"),
    ({"procedure": "mansour-mcallester", "gamma": 1.0}, "needs gamma between 0 and 1"),
    ({"gamma": 0.3}, "gamma is for procedure='mansour-mcallester'"),
    ({"leaf_order": "random"}, "leaf_order must be auto, heaviest or steepest"),
    ({"leaf_order": "heaviest"}, "per-leaf is always steepest"),
    ({"procedure": "hatano", "leaf_order": "steepest"}, "no theorem covers it"),
    ({"procedure": "mansour-mcallester", "gamma": 0.4, "leaf_order": "steepest"}, "no theorem"),
    ({"procedure": "id3", "leaf_order": "heaviest"}, "id3 is always steepest"),
    ({"procedure": "gain-ratio", "families": (object(),)}, "cannot use families of your own"),
    ({"families": ()}, "families must be a non-empty tuple"),
    ({"families": "intervals"}, "families must be a non-empty tuple"),
]


@pytest.mark.parametrize(("params", "sentence"), REFUSED)
def test_refused(params, sentence):
    with pytest.raises(ParameterError, match=sentence):
        GrowParams(**params)


@pytest.mark.parametrize("family", ["oblique", object()])
def test_unknown_families_are_refused_when_used(family):
    coded = encode(Table.of([[0.0], [1.0]]))
    with pytest.raises(
        ParameterError, match=r"families are intervals, values, groups|needs a name"
    ):
        grow(coded, Target.of([0, 1]), GrowParams(families=(family,)))


@pytest.mark.parametrize("procedure", ["id3", "gain-ratio"])
def test_auto_is_entropy_and_a_branch_for_each_category_by_gain(procedure):
    params = GrowParams(procedure=procedure)
    assert (params.index, params.families) == ("entropy", ("values", "intervals"))
    assert (params.order, params.range_arity) == ("steepest", 2)
    own = GrowParams(procedure=procedure, index="gini", families=("groups",))
    assert (own.index, own.families) == ("gini", ("groups",))
    other = GrowParams(max_arity=5)
    assert (other.index, other.families) == ("gini", ("intervals", "values", "groups"))
    assert other.range_arity == 5


def test_auto_order_is_heaviest_for_the_published_procedures_only():
    assert GrowParams().order == GrowParams(procedure="id3").order == "steepest"
    assert GrowParams(procedure="hatano").order == "heaviest"
    assert GrowParams(procedure="kearns-mansour").order == "heaviest"
    assert GrowParams(procedure="kearns-mansour", leaf_order="steepest").order == "steepest"
