"""Old import path; use polytomy.export."""

from .phrasing import Range, branch_range
from .phrasing import describe_branch as say_codes
from .phrasing import describe_branches as answers
from .phrasing import describe_categories as say_set
from .phrasing import describe_range as say_range

__all__ = ["Range", "answers", "branch_range", "say_codes", "say_range", "say_set"]
