"""Old import path; use polytomy.export."""

from .phrasing import CategorySubset as Reaching
from .phrasing import PathCondition as Known
from .phrasing import conditions_after as knows
from .phrasing import describe_condition as said
from .phrasing import describe_condition as say_known

__all__ = ["Known", "Reaching", "knows", "said", "say_known"]
