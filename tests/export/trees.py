"""Old import path."""

from tests.export.random_models import *  # noqa: F403
