"""The Python API that compiles a model file to a planned network."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from mlir import ir

import forebay.passes  # noqa: F401  # pyright: ignore[reportUnusedImport]  (registers)
from forebay import targets
from forebay.driver.compiled import Compiled, Source
from forebay.driver.requested import Choices, for_module, settings_of
from forebay.driver.user_passes import Passes
from forebay.errors import Error
from forebay.frontends.mlir import import_mlir
from forebay.frontends.tensors import ModelTensors
from forebay.frontends.tflite import import_model
from forebay.frontends.tflite.tensors import tensors_of
from forebay.ir.locations import operator_of
from forebay.ir.nested import ops_nested_in
from forebay.pipelines import run_together
from forebay.pipelines.build import Progress, StageTimer, build
from forebay.pipelines.choices import shapes_of
from forebay.pipelines.settings import Io
from forebay.planning.contract.planner import Planner
from forebay.planning.user import UserFunction
from forebay.support.files import printable
from forebay.targets import Target
from forebay.validation import Validator


@targets.once()
def compile(
    model: str | Path,
    *,
    target: str | Path | Target | None = None,
    place: Choices = (),
    placement: str | Path | None = None,
    order: Sequence[str] = (),
    io: Io = "caller",
    input_pools: Choices = (),
    output_pools: Choices = (),
    constant_pools: Choices = (),
    strict: bool = False,
    planner: str | Path | Planner | UserFunction = "auto",
    slots: int = 2,
    passes: Passes = (),
    shapes: Mapping[str, Sequence[int]] | None = None,
    verify_each: bool = False,
    progress: Progress | None = None,
) -> Compiled:
    """Compile a `.tflite` or `.mlir` file for a target.

    * `target` is a target, its name or its file. Without one, a module that declares devices and
      pools is compiled for these, and any other module for the host alone.
    * `place` lists `OPERATOR=DEVICE` or is a mapping; `placement` is a file with such entries. The
      target's patterns decide about every other operator. `order` lists devices whose own stages
      run first.
    * `io` says whether inputs and outputs are in the caller's memory or in the workspace;
      `input_pools`, `output_pools` and `constant_pools` list `NAME=POOL` or, in order of
      preference, `NAME=POOL+POOL` for single tensors, or are mappings of names to pools.
    * `strict` refuses a program that needs a copy between pools.
    * `planner` is a name that `forebay.planning` knows, a Python file, a `Planner`, or a function
      `plan(buffers, pools)`.
    * `slots` is the most buffers that a tile gets in a loop whose transfers run in queues; 1
      pipelines no loop.
    * `passes` are the user's passes, each `PHASE=PASS`, or a mapping of phases to passes: files,
      texts, classes, objects or functions (see `forebay.driver.user_passes`).
    * `shapes` bounds inputs of dynamic shape by their names.
    * `verify_each` runs the program before and after each pass up to the plan, on drawn inputs, and
      refuses a pass that changes an output or the state.
    * `progress` is called with the name of each stage when it begins.

    Raises `Error` (its subclasses) when the model, the target or the plan is refused.
    """
    path = Path(model)
    clock = StageTimer(progress)
    wanted = settings_of(
        target=target,
        place=place,
        placement=placement,
        order=order,
        io=io,
        input_pools=input_pools,
        output_pools=output_pools,
        constant_pools=constant_pools,
        strict=strict,
        planner=planner,
        slots=slots,
        passes=passes,
    )
    bounds, name = shapes_of(shapes), printable(path.name)
    with ir.Context(), ir.Location.file(name, 0, 0):
        with clock("import"):
            lowered = "before-partition" in wanted.at
            module, source_hash = _import(path, bounds, lowered=lowered)
        settings = for_module(wanted, module, is_named=target is not None)
        operators = _count_operators(module)
        source = module.operation.clone().operation
        built = build(
            module,
            settings,
            printable(path.stem),
            source_hash,
            clock,
            tensors=_tensors(path),
            run_passes=Validator().run if verify_each else run_together,
        )
    return Compiled(built, Source(source, settings), operators, clock.seconds)


def _import(
    path: Path, shapes: Mapping[str, Sequence[int]] | None, *, lowered: bool
) -> tuple[ir.Module, str]:
    """Return the module and a hash of its file.

    `lowered` says that the user's own passes run before the lowering.
    """
    if path.suffix not in (".tflite", ".mlir"):
        raise Error(f"{path}: a model is a .tflite or .mlir file")
    try:
        source_hash = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise Error(f"{path}: {error.strerror or error}") from error
    if path.suffix == ".tflite":
        return import_model(path, shapes=shapes), source_hash
    return import_mlir(path, shapes=shapes, lowered=lowered), source_hash


def _tensors(path: Path) -> ModelTensors:
    """Return the quantisation of tensors from the file; IR has only that of inputs and outputs."""
    return tensors_of(path) if path.suffix == ".tflite" else ModelTensors()


def _count_operators(module: ir.Module) -> int:
    """Return the number of operators of a model or, for other IR, of operations with results."""
    indices: set[int] = set()
    others = 0

    for op in ops_nested_in(module.operation):
        operator = operator_of(op.location)
        if operator is not None:
            indices.add(operator.index)
        elif op.results:
            others += 1
    return len(indices) or others
