"""Replaying the growth of the tree."""

from tests.report.page_reader import settle
from tests.report.tree_cases import facts_of


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
