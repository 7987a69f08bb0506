"""The stages of a compilation: import of the model, the pipelines, the compiled network."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

from mlir import ir

import forebay.passes  # noqa: F401  # pyright: ignore[reportUnusedImport]  (registers)
from forebay import targets
from forebay.driver.compiled import Compiled, Source
from forebay.errors import Error
from forebay.frontends.importers import ImportRequest, importer_of
from forebay.ir.locations import operator_of
from forebay.ir.machine.devices import devices_in
from forebay.ir.nested import ops_nested_in
from forebay.options import Options
from forebay.pipelines import RunPasses, run_together
from forebay.pipelines.build import StageTimer, build
from forebay.support.files import printable


def compile_model(path: Path, options: Options) -> Compiled:
    """Compile a model file with these options; see `forebay.compile`."""
    clock, import_model = StageTimer(options.progress), importer_of(path)
    request = _request(path, options)
    context: Any = ir.Context()
    # Most passes hold Python's lock. So threads save no time, but starting them takes 0.04 s.
    context.enable_multithreading(False)
    with context, ir.Location.file(printable(path.name), 0, 0):
        with clock("import"):
            source_hash = _hash_of(path)
            module, tensors = import_model(request)
        chosen = _for_module(options, module)
        operators = _count_operators(module)
        source = module.operation.clone().operation
        built = build(
            module,
            chosen,
            printable(path.stem),
            source_hash,
            clock,
            tensors=tensors,
            run_passes=_validating() if options.verify_each else run_together,
        )
    return Compiled(built, Source(source, chosen), operators, clock.seconds)


def imported(path: Path, options: Options) -> tuple[ir.Module, Options]:
    """Return the module of a model file, in the current context, and the options with a target."""
    module, _ = importer_of(path)(_request(path, options))
    return module, _for_module(options, module)


def _for_module(options: Options, module: ir.Module) -> Options:
    """Return the options with a target: the host for a module that declares no devices."""
    if options.target is not None:
        return _requantising(options, options.target)
    if not devices_in(module.operation):
        return _requantising(options, "host")
    if options.requantise == "device":
        raise Error("--requantise device needs a target, but the module declares its devices")
    for what in ("place", "placement", "order"):
        if getattr(options, what):
            raise Error(
                f"{what} sends operators to the devices of a target, but the module declares its "
                "devices itself: name a target, or write accel.call into the module"
            )
    return options


def _requantising(options: Options, target: str) -> Options:
    """Return the options with a target, whose device requantises if that is asked for."""
    if options.requantise == "device":
        target = targets.with_requantisation(target)
    return replace(options, target=target)


def _validating() -> RunPasses:
    from forebay.validation import Validator  # noqa: PLC0415  (loads the emulator)

    return Validator().run


def _request(path: Path, options: Options) -> ImportRequest:
    if options.operators and path.suffix != ".tflite":
        raise Error(f"{path}: operators are for a .tflite file")
    before = "before-partition" in options.passes
    return ImportRequest(path, options.shapes, options.operators, lowered=before)


def _hash_of(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise Error(f"{path}: {error.strerror or error}") from error


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
