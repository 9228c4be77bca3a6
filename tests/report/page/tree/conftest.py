"""The page of one tree, opened on a tall screen."""

import pytest

from tests.report.tree_cases import facts_of


@pytest.fixture
def plain(open_facts):
    """Return the open page of the plain case."""
    return open_facts(facts_of("plain"), height=1400)
