"""The one error of model files."""

from typing import NoReturn

from polytomy._errors import ModelFormatError


def refusal(place: str, sentence: str) -> ModelFormatError:
    """Return the error with the place it is about, such as ``tree.child[17]``."""
    return ModelFormatError(f"{place}: {sentence}" if place else sentence)


def refuse(place: str, sentence: str) -> NoReturn:
    """Raise the error."""
    raise refusal(place, sentence)


def shown(value: object) -> str:
    """Return a value for a message: in plain characters, and short."""
    try:
        text = ascii(value)
    except (RecursionError, ValueError):  # ValueError: whole numbers of thousands of digits
        return f"a {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:57]}..."


__all__ = ["ModelFormatError", "refusal", "refuse", "shown"]
