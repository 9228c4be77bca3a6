"""A model as an ONNX graph, which onnxruntime runs without this library."""

from .inputs import onnx_inputs
from .write import to_onnx

__all__ = ["onnx_inputs", "to_onnx"]
