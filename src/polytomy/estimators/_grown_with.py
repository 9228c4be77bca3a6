"""The parameters that a model was grown with, whatever was set later, for model files."""

from dataclasses import fields
from typing import Any

from polytomy.format import Node
from polytomy.grow import GrowParams

_NAMES = [f.name for f in fields(GrowParams)]


def to_grown_with(params: GrowParams) -> dict[str, Any]:
    """Return growth parameters by name."""
    return {name: getattr(params, name) for name in _NAMES}


def from_grown_with(node: Node) -> GrowParams:
    """Return the growth parameters, checked as those of a user are."""
    values = {n: part.value for n, part in zip(_NAMES, node.fields(*_NAMES), strict=True)}
    if not isinstance(values["index"], str):
        node.member("index").fail("must be the name of an index")
    try:
        return GrowParams(**values)
    except (ValueError, TypeError, ArithmeticError) as error:
        node.fail(str(error))
