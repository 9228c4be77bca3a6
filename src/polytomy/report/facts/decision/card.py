"""The model card: what the model is, how it was made, and fingerprints."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from polytomy._text import one_line, shorten

_LONGEST = 200  # characters of a value


@dataclass(frozen=True, slots=True, eq=False)
class Card:
    """What a model card says.

    Attributes
    ----------
    figures : mapping of str to value
        What the model is: names and values, in the order of the card.
    parameters : mapping of str to value
        The parameters.
    defaults : mapping of str to value
        Their default values.
    fingerprints : mapping of str to str
        Names and hashes.
    """

    figures: Mapping[str, Any]
    parameters: Mapping[str, Any]
    defaults: Mapping[str, Any]
    fingerprints: Mapping[str, str] = field(default_factory=dict)


def card_facts(card: Card) -> dict[str, Any]:
    """Return a model card as text: figures, parameters that were changed, others, fingerprints."""
    changed: list[list[str]] = []
    others: list[list[str]] = []
    for name, value in card.parameters.items():
        text = _text(value)
        is_default = name in card.defaults and _text(card.defaults[name]) == text
        (others if is_default else changed).append([name, text])
    return {
        "figures": [[name, _plain(value)] for name, value in card.figures.items()],
        "changed": changed,
        "defaults": others,
        "fingerprints": [[name, value] for name, value in card.fingerprints.items()],
    }


def _plain(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else shorten(one_line(value), _LONGEST)


def _text(value: Any) -> str:
    return shorten(one_line(repr(value)), _LONGEST)
