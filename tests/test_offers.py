"""The table of what each estimator offers is true and complete."""

from pathlib import Path

import pytest

import polytomy

PAGE = (Path(__file__).parents[1] / "docs/reference/estimators.md").read_text()
SCIKIT_LEARN = {"get_metadata_routing", "get_params", "set_params"}
SCIKIT_LEARN |= {"set_fit_request", "set_score_request"}


def rows():
    """Return the cells of each row of the first table."""
    lines = PAGE.partition("\n## ")[0].splitlines()
    return [[c.strip() for c in line[1:-1].split("|")] for line in lines if line[:1] == "|"]


HEAD, *BODY = rows()
CLASSES = [getattr(polytomy, name.strip("`")) for name in HEAD[1:]]
OFFERS = {
    row[0].strip("`"): [cell == "yes" for cell in row[1:]] for row in BODY if row[0][:1] == "`"
}


def test_every_kind_of_estimator_has_a_column():
    assert [cls.__name__ for cls in CLASSES] == [
        "TreeClassifier",
        "TreeRegressor",
        "DensityTree",
        "ForestClassifier",
        "ForestRegressor",
        "BoostedTreeClassifier",
    ]


@pytest.mark.parametrize("name", OFFERS)
def test_the_page_says_who_has_it(name):
    assert OFFERS[name] == [hasattr(cls, name) for cls in CLASSES]


def test_the_page_lists_all_that_is_public():
    public = {name for cls in CLASSES for name in dir(cls) if name[0] != "_"} - SCIKIT_LEARN
    assert public == set(OFFERS)
