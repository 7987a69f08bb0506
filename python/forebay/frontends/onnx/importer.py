"""The entry of the front end: import a file as a module."""

from __future__ import annotations

from mlir import ir

from forebay.frontends.importers import ImportRequest
from forebay.frontends.module import build_module
from forebay.frontends.onnx.lowering.registry import onnx_lowerings
from forebay.frontends.onnx.main_function import OnnxMainFunction
from forebay.frontends.onnx.model.control_flow import inline_control_flow
from forebay.frontends.onnx.model.evaluate import fold_constants
from forebay.frontends.onnx.model.expand import expand_qlinear
from forebay.frontends.onnx.model.functions import expand_functions
from forebay.frontends.onnx.model.gemm import plain_gemms
from forebay.frontends.onnx.model.graph import Graph
from forebay.frontends.onnx.model.integers import find_integer_operators
from forebay.frontends.onnx.model.moves import move_integers
from forebay.frontends.onnx.model.read import read_onnx
from forebay.frontends.onnx.model.tables import make_tables
from forebay.frontends.tensors import ModelTensors


def import_request(request: ImportRequest) -> tuple[ir.Module, ModelTensors]:
    """Import an `.onnx` file: `@main` in TOSA and linalg on static tensors.

    Raises `MalformedModel` or `UnsupportedModel`, and OSError where the file cannot be read.
    """
    graph = integer_graph(read_onnx(request.path, request.shapes))
    main = OnnxMainFunction(graph)
    return build_module(graph.file_name, None, main.build), ModelTensors()


def integer_graph(graph: Graph) -> Graph:
    """Return the graph with integer operators in place of those between DQ and Q."""
    plain = fold_constants(inline_control_flow(graph))
    known = plain_gemms(fold_constants(expand_qlinear(plain)))
    tables = make_tables(move_integers(known))
    # Tables hold functions of elements, so only what is left becomes its definition.
    expanded = fold_constants(expand_functions(tables, onnx_lowerings().keys()))
    return find_integer_operators(expanded)
