"""A graph in the making: operators, constants, and a name for each value between them."""

from typing import Any

from polytomy._errors import MissingPackageError
from polytomy._types import AnyArray

ML = "ai.onnx.ml"
# TreeEnsemble with sets came with version 5 of ai.onnx.ml; 21 and 10 are of the same release.
_OPSETS = {"": 21, ML: 5}
_IR_VERSION = 10


def onnx_package() -> Any:
    """Return the onnx package, or say how to get it."""
    try:
        import onnx  # noqa: PLC0415  # only where a graph is wanted
        from onnx import checker, helper, numpy_helper  # noqa: F401, PLC0415  # onnx's own parts
    except ImportError as missing:
        raise MissingPackageError(
            'to_onnx needs the onnx package; install it with: pip install "polytomy[onnx]"'
        ) from missing
    return onnx


class Graph:
    """Collects the parts of a graph, inputs first; ``finish`` returns the model.

    Names that are ``reserved``, those of the outputs, are given to nothing else.
    """

    def __init__(self, reserved: tuple[str, ...]) -> None:
        self._onnx = onnx_package()
        self._taken = {"", *reserved}
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._inputs: list[Any] = []
        self._outputs: list[Any] = []

    def name(self, wanted: str) -> str:
        """Return a name nothing else has: the one wanted, or that with underscores after it."""
        name = wanted
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name

    def input(self, name: str, kind: str, columns: int, says: str) -> None:
        """Add an input of shape (rows, columns)."""
        self._taken.add(name)
        self._inputs.append(self._value(name, kind, ["rows", columns], says))

    def output(self, name: str, kind: str, shape: list[Any], says: str) -> None:
        """Declare a value to be an output."""
        self._outputs.append(self._value(name, kind, shape, says))

    def constant(self, wanted: str, values: AnyArray) -> str:
        """Add an array and return its name."""
        name = self.name(wanted)
        self._constants.append(self.tensor(values, name))
        return name

    def tensor(self, values: AnyArray, name: str = "") -> Any:
        """Return an array as ONNX holds it."""
        return self._onnx.numpy_helper.from_array(values, name)

    def add(self, operator: str, inputs: list[str], wanted: str = "", **attributes: Any) -> str:
        """Add an operator of the plain domain, of one output, and return the output's name."""
        return self._add(operator, inputs, wanted, "", attributes)

    def add_ml(self, operator: str, inputs: list[str], wanted: str = "", **attributes: Any) -> str:
        """Add an operator of ai.onnx.ml, of one output, and return the output's name."""
        return self._add(operator, inputs, wanted, ML, attributes)

    def give(self, operator: str, inputs: list[str], output: str, **attributes: Any) -> None:
        """Add an operator whose output is one of the graph's."""
        node = self._onnx.helper.make_node(operator, inputs, [output], **attributes)
        self._nodes.append(node)

    def kind(self, name: str) -> int:
        """Return the number ONNX has for a type, such as DOUBLE."""
        return int(self._onnx.TensorProto.DataType.Value(name))

    def finish(self, says: str, version: str) -> Any:
        """Return the model, checked."""
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
            doc_string=says,
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

    def _value(self, name: str, kind: str, shape: list[Any], says: str) -> Any:
        return self._onnx.helper.make_tensor_value_info(name, self.kind(kind), shape, says)
