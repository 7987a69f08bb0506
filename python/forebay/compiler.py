"""From a model file to a planned, runnable, writable network: the Python API."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from mlir import ir
from numpy.typing import NDArray

import forebay.passes  # noqa: F401  # pyright: ignore[reportUnusedImport]  (registers)
from forebay.codegen.build import CEngine
from forebay.codegen.engine import Engine
from forebay.codegen.llvm_engine import LlvmEngine
from forebay.codegen.model import BufferInfo, GoldenStep, ModelInfo, PoolInfo, Port
from forebay.codegen.project import write_project
from forebay.errors import Error
from forebay.frontends.mlir import import_mlir
from forebay.frontends.tflite import import_model
from forebay.ir.locations import operator_of
from forebay.ir.module import module_of
from forebay.ir.nested import ops_nested_in
from forebay.ir.pools import pools_in
from forebay.ir.ports import dtype_of, ports_of
from forebay.ir.problem import extract, plan_of
from forebay.pipelines import run, stages
from forebay.planning import Plan, PoolCertificate, certify

Io = Literal["caller", "pool"]
EngineName = Literal["c", "llvm"]
Progress = Callable[[str], None]

ENGINES: dict[str, Callable[[ir.Module, ModelInfo], Engine]] = {"c": CEngine, "llvm": LlvmEngine}


@dataclass(frozen=True)
class PlanReport:
    """What planning achieved, pool by pool. Sizes in bytes."""

    plan: Plan
    certificates: tuple[PoolCertificate, ...]

    def peak(self, pool: str) -> int:
        """Bytes that the pool needs; raises `Error` for an unknown pool."""
        return self._of(pool).peak

    def lower_bound(self, pool: str) -> int:
        """Bytes below which no plan can go."""
        return self._of(pool).lower_bound

    def gap(self, pool: str) -> int:
        """Bytes between peak and lower bound; 0 proves the plan optimal."""
        return self._of(pool).gap

    @property
    def pools(self) -> tuple[str, ...]:
        """Names of the pools that hold something."""
        return tuple(c.pool for c in self.certificates if c.peak)

    def _of(self, pool: str) -> PoolCertificate:
        known = {certificate.pool: certificate for certificate in self.certificates}
        if pool not in known:
            raise Error(f"there is no pool '{pool}'; pools: {', '.join(known)}")
        return known[pool]


class Compiled:
    """A compiled network: its plan, its program, and engines that run it."""

    def __init__(
        self,
        module: ir.Module,
        info: ModelInfo,
        plan: PlanReport,
        operators: int,
        seconds: Mapping[str, float],
    ) -> None:
        self.info = info
        self.plan = plan
        self.operators = operators
        """Number of operators of the model."""
        self.seconds = dict(seconds)
        """Time of each stage of compilation."""
        self._module = module
        self._engines: dict[str, Engine] = {}

    @property
    def inputs(self) -> tuple[Port, ...]:
        """Name, type, shape and quantisation of each input."""
        return self.info.inputs

    @property
    def outputs(self) -> tuple[Port, ...]:
        """Name, type, shape and quantisation of each output."""
        return self.info.outputs

    @property
    def ir(self) -> str:
        """The materialised module as text."""
        return str(self._module)

    def run(
        self, *inputs: NDArray[Any], engine: EngineName = "c"
    ) -> NDArray[Any] | tuple[NDArray[Any], ...]:
        """Execute the network on one array per input, in the order of `inputs`.

        Returns the output, or a tuple of several. `engine` is "c", the emitted C built by the
        host's compiler, or "llvm", the same plan through upstream's lowering and JIT. A network
        with state needs `reset` first and keeps its state from run to run, in each engine for
        itself.

        Raises `Error` (its subclasses) when an array's shape or type is wrong, when there is no C
        compiler, or when state was not reset.
        """
        outputs = self._engine(engine).run([np.asarray(value) for value in inputs])
        return outputs[0] if len(outputs) == 1 else outputs

    def reset(self, engine: EngineName = "c") -> None:
        """Initialise the state of an engine; does nothing for a network without state."""
        self._engine(engine).reset()

    def write(self, directory: str | Path, *, golden: Sequence[GoldenStep] | None = None) -> Path:
        """Write the C project: header, code, weights, pools, memory map, CMake file, self-test.

        The self-test's expected outputs are `golden`; without it, those of the LLVM engine on
        inputs drawn from a fixed seed. The directory appears whole or not at all.

        Raises `Error` when the directory exists and is not one that Forebay wrote.
        """
        steps = tuple(golden) if golden is not None else self._own_golden()
        with self._module.context:
            return write_project(self._module, self._with_golden(steps), Path(directory))

    def _own_golden(self) -> tuple[GoldenStep, ...]:
        """Three runs of a fresh LLVM engine from reset, one where there is no state."""
        with self._module.context:
            engine = LlvmEngine(self._module, self.info)
        engine.reset()
        generator = np.random.default_rng(0)
        steps: list[GoldenStep] = []
        for _ in range(3 if self.info.state_pools else 1):
            inputs = tuple(random_input(generator, port) for port in self.inputs)
            steps.append(GoldenStep(inputs, engine.run(inputs)))
        return tuple(steps)

    def _with_golden(self, steps: tuple[GoldenStep, ...]) -> ModelInfo:
        is_float = any(np.dtype(port.dtype).kind == "f" for port in self.outputs)
        return replace(self.info, golden=steps, tolerance=1e-5 if is_float else 0.0)

    def _engine(self, name: str) -> Engine:
        if name not in ENGINES:
            raise Error(f"there is no engine '{name}'; engines: {', '.join(sorted(ENGINES))}")
        if name not in self._engines:
            with self._module.context:
                self._engines[name] = ENGINES[name](self._module, self.info)
        return self._engines[name]


def compile(
    model: str | Path,
    *,
    target: str = "host",
    io: Io = "caller",
    planner: str = "auto",
    shapes: Mapping[str, Sequence[int]] | None = None,
    progress: Progress | None = None,
) -> Compiled:
    """Compile a `.tflite` or `.mlir` file for a target.

    `io` says whether inputs and outputs are the caller's memory or places in the workspace;
    `planner` is a name that `forebay.planning` knows; `shapes` bounds inputs of dynamic shape by
    their names; `progress` is told the name of each stage as it begins.

    Raises `Error` (its subclasses) when the model, the target or the plan is refused.
    """
    path = Path(model)
    clock = _Clock(progress)
    with ir.Context(), ir.Location.file(path.name, 0, 0):
        with clock("import"):
            module, source_hash = _import(path, shapes)
        operators = _count_operators(module)
        with clock("lower"):
            run(module, stages.lowering(target))
        with clock("bufferize"):
            run(module, stages.bufferization(io))
        with clock("plan"):
            run(module, stages.planning(planner))
            plan = plan_of(module_of(module))
            report = PlanReport(plan, certify(plan))
            info = _describe(module, path.stem, source_hash, report)
        with clock("materialize"):
            run(module, stages.materialization())
    return Compiled(module, info, report, operators, clock.seconds)


class _Clock:
    """Times the stages, and tells who wants to know which one runs."""

    def __init__(self, progress: Progress | None) -> None:
        self.seconds: dict[str, float] = {}
        self._progress = progress

    @contextmanager
    def __call__(self, stage: str) -> Generator[None]:
        if self._progress is not None:
            self._progress(stage)
        begin = time.perf_counter()
        yield
        self.seconds[stage] = time.perf_counter() - begin


def _import(path: Path, shapes: Mapping[str, Sequence[int]] | None) -> tuple[ir.Module, str]:
    readers = {".tflite": import_model, ".mlir": import_mlir}
    if path.suffix not in readers:
        raise Error(f"{path}: a model is a {' or '.join(readers)} file")
    try:
        source_hash = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise Error(f"{path}: {error.strerror or error}") from error
    return readers[path.suffix](path, shapes=shapes), source_hash


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


def _describe(module: ir.Module, name: str, source_hash: str, report: PlanReport) -> ModelInfo:
    """What the IR says before materialisation turns places into addresses."""
    root = module_of(module)
    extraction = extract(root)
    declared = pools_in(module.operation)
    main = [port for port in ports_of(root) if port.function == "main"]
    ports = [
        Port(
            port.name,
            port.dtype,
            port.shape,
            port.scale,
            port.zero_point,
            None if port.placement is None else port.placement.pool,
            0 if port.placement is None else port.placement.offset,
        )
        for port in main
    ]
    return ModelInfo(
        name=name,
        inputs=tuple(p for p, port in zip(ports, main, strict=True) if not port.is_result),
        outputs=tuple(p for p, port in zip(ports, main, strict=True) if port.is_result),
        pools=tuple(
            PoolInfo(
                name=certificate.pool,
                kind=declared[certificate.pool].kind.name,
                size=certificate.peak,
                alignment=report.plan.base_alignment(certificate.pool),
                lower_bound=certificate.lower_bound,
                capacity=declared[certificate.pool].capacity,
                section=declared[certificate.pool].section,
            )
            for certificate in report.certificates
            if certificate.peak
        ),
        source_hash=source_hash,
        buffers=tuple(
            BufferInfo(
                name=buffer.name,
                pool=report.plan.placements[buffer.name].pool,
                offset=report.plan.placements[buffer.name].offset,
                size=buffer.size,
                start=min((i.start for i in buffer.lifetime), default=0),
                end=max((i.end for i in buffer.lifetime), default=len(extraction.problem.steps)),
                dtype=dtype_of(buffer_root.type.element_type),
                shape=tuple(buffer_root.type.shape),
            )
            for buffer, buffer_root in zip(
                extraction.problem.buffers, extraction.liveness.roots, strict=True
            )
        ),
    )


def random_input(generator: np.random.Generator, port: Port) -> NDArray[Any]:
    """An array for an input: integers over their whole range, floats normally distributed."""
    dtype = np.dtype(port.dtype)
    if dtype.kind == "f":
        return generator.standard_normal(port.shape).astype(dtype)
    if dtype.kind == "b":
        return generator.integers(0, 2, port.shape).astype(dtype)
    limits = np.iinfo(dtype)
    return generator.integers(limits.min, limits.max, port.shape, dtype, endpoint=True)
