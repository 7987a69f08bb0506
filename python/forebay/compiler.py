"""From a model file to a planned network: the Python API."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from mlir import ir

import forebay.passes  # noqa: F401  # pyright: ignore[reportUnusedImport]  (registers)
from forebay import targets
from forebay.built import Clock, Progress, build
from forebay.compiled import Compiled, Source
from forebay.errors import Error
from forebay.frontends.mlir import import_mlir
from forebay.frontends.tensors import ModelTensors
from forebay.frontends.tflite import import_model
from forebay.frontends.tflite.tensors import tensors_of
from forebay.ir.devices import devices_in
from forebay.ir.locations import operator_of
from forebay.ir.nested import ops_nested_in
from forebay.pipelines import run_together
from forebay.pipelines.settings import OWN_TARGET, Io, Settings
from forebay.pipelines.user import passes_by_phase
from forebay.validation import Validator


@targets.once()
def compile(
    model: str | Path,
    *,
    target: str | None = None,
    place: Sequence[str] = (),
    placement: str | Path | None = None,
    order: Sequence[str] = (),
    io: Io = "caller",
    input_pools: Sequence[str] = (),
    output_pools: Sequence[str] = (),
    constant_pools: Sequence[str] = (),
    strict: bool = False,
    planner: str = "auto",
    slots: int = 2,
    passes: Sequence[str] = (),
    shapes: Mapping[str, Sequence[int]] | None = None,
    verify_each: bool = False,
    progress: Progress | None = None,
) -> Compiled:
    """Compile a `.tflite` or `.mlir` file for a target.

    * `target` is a target's name or file; without one a module that declares devices and pools is
      compiled for these, any other for the host alone.
    * `place` lists `OPERATOR=DEVICE`, `placement` is a file of such; every other operator goes
      where the target's patterns send it. `order` lists devices whose own stages run first.
    * `io` says whether inputs and outputs are the caller's memory or places in the workspace;
      `input_pools`, `output_pools` and `constant_pools` list `NAME=POOL` or, in order of
      preference, `NAME=POOL+POOL` for single tensors.
    * `strict` refuses what needs a copy between pools.
    * `planner` is a name that `forebay.planning` knows, or a Python file.
    * `slots` is how many buffers a tile gets at most in a loop whose transfers run in queues; 1
      pipelines none.
    * `passes` are passes of the user's own, each `PHASE=PASS` (see `forebay.pipelines.user`).
    * `shapes` bounds inputs of dynamic shape by their names.
    * `verify_each` runs the program before and after each pass up to the plan, on drawn inputs, and
      refuses a pass that changes an output or the state.
    * `progress` is told the name of each stage as it begins.

    Raises `Error` (its subclasses) when the model, the target or the plan is refused.
    """
    path = Path(model)
    clock = Clock(progress)
    at = passes_by_phase(passes)
    if target is not None:
        # Here, where mistakes in a target's file are the user's own and no pass's.
        targets.load(target)
    with ir.Context(), ir.Location.file(path.name, 0, 0):
        with clock("import"):
            lowered = "before-partition" in at
            module, source_hash = _import(path, shapes, lowered=lowered)
        if target is None:
            target = OWN_TARGET if devices_in(module.operation) else "host"
        settings = Settings(
            target=target,
            place=tuple(place),
            placement="" if placement is None else str(placement),
            order=tuple(order),
            io=io,
            input_pools=tuple(input_pools),
            output_pools=tuple(output_pools),
            constant_pools=tuple(constant_pools),
            strict=strict,
            planner=planner,
            slots=slots,
            at=at,
        )
        operators = _count_operators(module)
        source = module.operation.clone().operation
        built = build(
            module,
            settings,
            path.stem,
            source_hash,
            clock,
            tensors=_tensors(path),
            run_passes=Validator().run if verify_each else run_together,
        )
    return Compiled(built, Source(source, settings), operators, clock.seconds)


def _import(
    path: Path, shapes: Mapping[str, Sequence[int]] | None, *, lowered: bool
) -> tuple[ir.Module, str]:
    """The module and a hash of its file; `lowered` says that the user's own passes come first."""
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
    """What the file says of its tensors' quantisation; IR says it of inputs and outputs alone."""
    return tensors_of(path) if path.suffix == ".tflite" else ModelTensors()


def _count_operators(module: ir.Module) -> int:
    """Operators of an imported model; of other IR, the operations that have results."""
    indices: set[int] = set()
    others = 0

    for op in ops_nested_in(module.operation):
        operator = operator_of(op.location)
        if operator is not None:
            indices.add(operator.index)
        elif op.results:
            others += 1
    return len(indices) or others
