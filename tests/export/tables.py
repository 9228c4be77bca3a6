"""Old import path."""

from tests.export.awkward_tables import *  # noqa: F403
