"""A model as ONNX: a graph that onnxruntime and others run without this library."""

from .feed import onnx_inputs
from .write import to_onnx

__all__ = ["onnx_inputs", "to_onnx"]
