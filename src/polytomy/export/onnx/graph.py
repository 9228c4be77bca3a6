"""A builder of ONNX graphs: operators, constants, and unique names of values."""

from typing import Any

from polytomy._errors import MissingPackageError
from polytomy._types import AnyArray

ML = "ai.onnx.ml"
# Version 5 of ai.onnx.ml has TreeEnsemble with sets; 21 and 10 are from the same release.
_OPSETS = {"": 21, ML: 5}
_IR_VERSION = 10


def onnx_package() -> Any:
    """Return the onnx package, or raise an error that explains how to install it."""
    try:
        import onnx  # noqa: PLC0415  # an optional dependency
        from onnx import checker, helper, numpy_helper  # noqa: F401, PLC0415  # submodules
    except ImportError as missing:
        raise MissingPackageError(
            'to_onnx needs the onnx package; install it with: pip install "polytomy[onnx]"'
        ) from missing
    return onnx


class Graph:
    """A graph under construction; ``finish`` returns the model.

    Inputs must be added first. Names in ``reserved``, those of the outputs, are not given to other
    values.
    """

    def __init__(self, reserved: tuple[str, ...]) -> None:
        self._onnx = onnx_package()
        self._taken = {"", *reserved}
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._inputs: list[Any] = []
        self._outputs: list[Any] = []

    def name(self, wanted: str) -> str:
        """Return an unused name: the one wanted, if necessary with underscores appended."""
        name = wanted
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name

    def input(self, name: str, kind: str, columns: int, description: str) -> None:
        """Add an input of shape (rows, columns)."""
        self._taken.add(name)
        self._inputs.append(self._value(name, kind, ["rows", columns], description))

    def output(self, name: str, kind: str, shape: list[Any], description: str) -> None:
        """Declare a value as an output."""
        self._outputs.append(self._value(name, kind, shape, description))

    def constant(self, wanted: str, values: AnyArray) -> str:
        """Add an array and return its name."""
        name = self.name(wanted)
        self._constants.append(self.tensor(values, name))
        return name

    def tensor(self, values: AnyArray, name: str = "") -> Any:
        """Return an array as an ONNX tensor."""
        return self._onnx.numpy_helper.from_array(values, name)

    def add(self, operator: str, inputs: list[str], wanted: str = "", **attributes: Any) -> str:
        """Add an operator of the default domain; return the name of its output."""
        return self._add(operator, inputs, wanted, "", attributes)

    def add_ml(self, operator: str, inputs: list[str], wanted: str = "", **attributes: Any) -> str:
        """Add an operator of ai.onnx.ml; return the name of its output."""
        return self._add(operator, inputs, wanted, ML, attributes)

    def give(self, operator: str, inputs: list[str], output: str, **attributes: Any) -> None:
        """Add an operator whose output is an output of the graph."""
        node = self._onnx.helper.make_node(operator, inputs, [output], **attributes)
        self._nodes.append(node)

    def kind(self, name: str) -> int:
        """Return ONNX's number of a type, such as DOUBLE."""
        return int(self._onnx.TensorProto.DataType.Value(name))

    def finish(self, description: str, version: str) -> Any:
        """Return the model, after ONNX has checked it."""
        helper = self._onnx.helper
        graph = helper.make_graph(
            self._nodes, "polytomy", self._inputs, self._outputs, self._constants
        )
        model = helper.make_model(
            graph,
            opset_imports=[helper.make_opsetid(name, v) for name, v in _OPSETS.items()],
            ir_version=_IR_VERSION,
            producer_name="polytomy",
            producer_version=version,
            doc_string=description,
        )
        self._onnx.checker.check_model(model, full_check=True)
        return model

    def _add(
        self, operator: str, inputs: list[str], wanted: str, domain: str, attributes: dict[str, Any]
    ) -> str:
        name = self.name(wanted or operator)
        node = self._onnx.helper.make_node(operator, inputs, [name], domain=domain, **attributes)
        self._nodes.append(node)
        return name

    def _value(self, name: str, kind: str, shape: list[Any], description: str) -> Any:
        return self._onnx.helper.make_tensor_value_info(name, self.kind(kind), shape, description)
