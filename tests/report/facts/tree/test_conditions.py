"""The conditions of edges and paths, on random trees."""

from hypothesis import given, settings

from polytomy.export import captions, describe_branches, to_rules
from polytomy.report.facts.tree.conditions import conditions
from polytomy.tree import IntervalSplit
from tests.export.awkward_tables import chain
from tests.export.random_models import random_models


@settings(max_examples=60)
@given(random_models())
def test_conditions_agree_with_captions_and_rules(drawn):
    model = drawn[0]
    tree, written = model.kept, captions(model)
    words = conditions(tree, model.schema, contracted=model.contracted)
    for node in range(tree.n_nodes):
        children = tree.children(node).tolist()
        assert tuple(words[c].edge for c in children) == written[node].branches
        split = tree.split(node)
        if isinstance(split, IntervalSplit):
            short = describe_branches(split, model.schema, named=False)
            assert [words[c].label for c in children] == short
    for rule in to_rules(model):
        text = {}
        for node in tree.path(rule.leaf)[1:]:
            text[int(tree.feature[tree.parent[node]])] = words[node].path
        assert tuple(text.values()) == rule.conditions


def test_conditions_of_a_long_chain_are_computed():
    model = chain(4000)[1]
    words = conditions(model.kept, model.schema, contracted=model.contracted)
    last = int(model.kept.depth.argmax())
    assert words[last].path == "3997 < b <= 3999"
