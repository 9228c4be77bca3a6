"""Tables that the tests of boosted facts share."""

import pytest

from tests.report.boosted_cases import cars_of_every_kind, tumours_of_two_classes


@pytest.fixture(scope="module")
def cars():
    """Return cars with a column of every kind, and their origins."""
    return cars_of_every_kind()


@pytest.fixture(scope="module")
def tumours():
    """Return tumours of two classes."""
    return tumours_of_two_classes()
