"""Old import path."""

from tests.export.own_split import *  # noqa: F403
