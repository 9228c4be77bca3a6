"""The studio: a local page on which a tree is grown and edited by hand.

``server`` serves an application to one user of this machine, ``workbench`` is the tree that is
edited, ``routes`` holds the functions that the page calls, and ``page`` is the page.
"""

from .routes import studio_application
from .server import Application, StaleError, StudioError, StudioServer
from .workbench import AUTOSAVE, FILES, StudioRows, Workbench

__all__ = [
    "AUTOSAVE",
    "FILES",
    "Application",
    "StaleError",
    "StudioError",
    "StudioRows",
    "StudioServer",
    "Workbench",
    "studio_application",
]
