"""The public entry of the front end: import a file as a module."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from mlir import ir

from forebay.frontends.importers import ImportRequest
from forebay.frontends.module import build_module
from forebay.frontends.tensors import ModelTensors
from forebay.frontends.tflite.custom.load import with_operators
from forebay.frontends.tflite.file.reader import read_model
from forebay.frontends.tflite.file.schema import Model
from forebay.frontends.tflite.lowering.registry import OperatorLowering, lowerings
from forebay.frontends.tflite.lowering.unsigned import without_unsigned_arithmetic
from forebay.frontends.tflite.main_function import MainFunction
from forebay.frontends.tflite.tensors import tensors_of
from forebay.support.files import printable

_FROM_MEMORY = "model.tflite"


def import_model(
    source: Path | bytes,
    *,
    name: str | None = None,
    shapes: Mapping[str, Sequence[int]] | None = None,
    operators: Iterable[OperatorLowering] = (),
) -> ir.Module:
    """Import a `.tflite` file, or its bytes, into the active MLIR context.

    `name` becomes the module's symbol and defaults to the file's name; `shapes` overrides the
    shapes of inputs by their names; `operators` are lowerings of operators that Forebay lacks. The
    module holds `func.func @main` in TOSA on static tensors.
    Raises `MalformedModel` or `UnsupportedModel`, and OSError where the file cannot be read.
    """
    file_name = printable(source.name) if isinstance(source, Path) else _FROM_MEMORY
    file = source.read_bytes() if isinstance(source, Path) else source
    added = tuple(operators)
    return _module(_read(file, file_name, added), file_name, name, shapes, added)


def import_request(request: ImportRequest) -> tuple[ir.Module, ModelTensors]:
    """Import a `.tflite` file as `import_model` does; return also the tensors' quantisation."""
    file_name = printable(request.path.name)
    model = _read(request.path.read_bytes(), file_name, request.operators)
    module = _module(model, file_name, None, request.shapes, request.operators)
    return module, tensors_of(model)


def _read(file: bytes, file_name: str, added: Sequence[OperatorLowering]) -> Model:
    known = lowerings()
    if added:
        known.load_all()  # a lowering of the user may read the options of any operator
    model = read_model(file, file_name, known.get)
    return without_unsigned_arithmetic(model, [operator.name for operator in added])


def _module(
    model: Model,
    file_name: str,
    name: str | None,
    shapes: Mapping[str, Sequence[int]] | None,
    added: Sequence[OperatorLowering],
) -> ir.Module:
    given = {k: tuple(v) for k, v in (shapes or {}).items()}
    main = MainFunction(model, given, with_operators(added))
    return build_module(file_name, name, main.build)
