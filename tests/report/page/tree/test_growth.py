"""Replaying the growth of the tree."""

import numpy as np
import pytest

import polytomy
from polytomy import DensityTree, TreeClassifier
from tests.report.page_reader import settle
from tests.report.tree_cases import case, facts_of


def test_growth_slider_shows_the_tree_after_each_step(plain):
    facts = facts_of("plain")
    plain.get_by_role("button", name="Watch it grow").click()
    slider = plain.get_by_label("Growth steps")
    for steps in (0, 1, 3, 7):
        slider.fill(str(steps))
        settle(plain)
        grown = [n for n in facts["nodes"] if 0 < n.get("step", 0) <= steps]
        leaves = 1 + sum(len(n["children"]) - 1 for n in grown)
        assert slider.get_attribute("aria-valuetext").startswith(
            f"{steps} step{'' if steps == 1 else 's'}: {leaves} lea"
        )
        assert plain.locator(".leaves tbody tr").count() == leaves
    plain.get_by_role("button", name="Whole tree").click()
    settle(plain)
    assert plain.locator(".leaves tbody tr").count() == facts["path"]["sizes"][-1]


def test_growth_replay_plays_and_pauses(plain):
    plain.get_by_role("button", name="Watch it grow").click()
    assert plain.locator("#step").input_value() == "0"
    assert plain.locator(".leaves tbody tr").count() == 1
    plain.wait_for_function("() => document.getElementById('step').value === '3'")
    plain.get_by_role("button", name="Pause").click()
    assert plain.get_by_role("button", name="Play", exact=True).is_visible()


def edited():
    c = case("plain")
    session = polytomy.edit(c.clf, c.X, c.y)
    session.collapse(int(session.tree_.children(0)[0]))
    return session.estimator().report_facts()


def found():
    c = case("plain")
    return TreeClassifier(8, effort="balanced", random_state=0).fit(c.X, c.y).report_facts()


def boxes():
    X = np.random.default_rng(0).normal(size=(300, 2))
    return DensityTree(8).fit(X).report_facts()


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: facts_of("priced"), "branches were merged or moved after it was grown"),
        (edited, "it was edited by hand"),
        (found, "it was not grown step by step"),
        (boxes, "the steps of density trees are not recorded"),
    ],
    ids=["priced", "edited", "found", "density"],
)
def test_page_says_why_the_growth_cannot_be_replayed(open_facts, make, reason):
    page = open_facts(make())
    assert page.get_by_role("button", name="Watch it grow").count() == 0
    assert page.locator("#no-replay").inner_text().endswith(f"cannot be replayed: {reason}.")


def test_page_gives_no_reason_if_growth_can_be_replayed(plain):
    assert plain.locator("#no-replay").count() == 0
