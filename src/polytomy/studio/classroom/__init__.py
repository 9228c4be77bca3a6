"""The classroom: guess the next split, and play the two games of the theory.

``Classroom`` is the state of one class on one machine. Its functions take and return plain data, so
they can be tested without a server; ``classroom_application`` serves them with a page.
"""

from .state import Classroom, classroom_application
from .tables import BUNDLED, own_table

__all__ = ["BUNDLED", "Classroom", "classroom_application", "own_table"]
