"""Old import path; use polytomy.export."""

from .scores import describe_members as members_in_words

__all__ = ["members_in_words"]
