"""A compiled network: its plan, its program, and engines that run it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from mlir import ir
from mlir.dialects import func
from msgspec import Struct

from forebay.errors import Error
from forebay.frontends.mlir.entry import MAIN
from forebay.ir.liveness.call_order import calls_in_order
from forebay.ir.locations import OperatorLocation, operator_of, operators_of
from forebay.ir.memory.call_sites import CallSites
from forebay.ir.memory.underlying_buffers import functions_in, is_private
from forebay.ir.module import module_of
from forebay.network.engine import FILL, Engine
from forebay.network.model import Port
from forebay.options import Options
from forebay.options.choices import Optimize
from forebay.options.option_class import with_keywords
from forebay.options.project_options import GoldenFrom, ProjectOptions
from forebay.pipelines.build import BuiltProgram

if TYPE_CHECKING:  # a program that writes C loads no engine
    from numpy.typing import ArrayLike, NDArray

    from forebay.driver.ir_forms import IrForm
    from forebay.emulator.compiled.c_machine import CheckedEngine, Through
    from forebay.emulator.engine import EmulatorEngine
    from forebay.emulator.interpreter.body import OpProgress
    from forebay.emulator.machine.report import RunReport
    from forebay.formats.memory_map import MemoryMap
    from forebay.golden import Golden
    from forebay.network.port_arrays import GivenInputs
    from forebay.values.model import ModelValues

EngineName = Literal["c", "llvm", "emulator"]


class Source(Struct, frozen=True, eq=False):
    """The model as it was imported, and the user's options for the pipelines."""

    module: ir.Operation
    options: Options


def _c_engine(built: BuiltProgram) -> Engine:
    from forebay.engines.c import CEngine  # noqa: PLC0415

    return CEngine(built.final, built.info)


def _emulator_engine(built: BuiltProgram) -> Engine:
    from forebay.emulator.engine import EmulatorEngine  # noqa: PLC0415

    return EmulatorEngine(built.planned, built.info)


def _llvm_engine(built: BuiltProgram) -> Engine:
    from forebay.engines.llvm import LlvmEngine  # noqa: PLC0415

    return LlvmEngine(built.final, built.info)


ENGINES: dict[str, Callable[[BuiltProgram], Engine]] = {
    "c": _c_engine,
    "emulator": _emulator_engine,
    "llvm": _llvm_engine,
}


class Compiled:
    """A compiled network: its plan, its program, and engines that run it."""

    def __init__(
        self,
        built: BuiltProgram,
        source: Source,
        operators: int,
        seconds: Mapping[str, float],
    ) -> None:
        self.info = built.info
        self.plan = built.plan
        self.operators = operators
        """Number of operators of the model."""
        self.seconds = dict(seconds)
        """Time of each stage of compilation."""
        self.offload = built.offload
        """The device of each operator and the reason; None for a module with its own devices."""
        self.golden: Golden | None = None
        """The outputs that the self-test written last expects, and their origin."""
        self._built = built
        self._source = source
        self._module = built.final
        self._engines: dict[str, Engine] = {}

    def __repr__(self) -> str:
        peaks = ", ".join(f"{name} {self.plan.peak(name):,} B" for name in self.plan.pools)
        return f"<Compiled '{self.info.name}': {self.operators} operators; {peaks}>"

    def _repr_html_(self) -> str:
        """Return the table of the pools and the picture of the plan, as a notebook shows them."""
        from forebay.driver.summary import summary_html  # noqa: PLC0415

        return summary_html(self)

    @property
    def inputs(self) -> tuple[Port, ...]:
        """Name, type, shape and quantisation of each input."""
        return self.info.inputs

    @property
    def outputs(self) -> tuple[Port, ...]:
        """Name, type, shape and quantisation of each output."""
        return self.info.outputs

    @property
    def functions(self) -> dict[str, tuple[OperatorLocation, ...]]:
        """The program's private functions by name, each with its operators in the order of calls.

        A function has several operators if their kernels are equal, and none for code that comes
        from no operator.
        """
        functions = functions_in(module_of(self._module.operation))
        sites = CallSites(functions)
        return {op.name.value: _operators_of(op, sites) for op in functions if is_private(op)}

    @property
    def calls(self) -> dict[str, tuple[OperatorLocation, ...]]:
        """The private functions by name, each with the operator of each call in an inference.

        In the order of the calls; those that data may skip are left out.
        """
        found: dict[str, list[OperatorLocation]] = {name: [] for name in self.functions}
        for function in functions_in(module_of(self._module.operation)):
            for call in calls_in_order(function) if function.name.value == MAIN else ():
                operator = operator_of(call.location)
                if operator is not None and call.callee.value in found:
                    found[call.callee.value].append(operator)
        return {name: tuple(operators) for name, operators in found.items()}

    @property
    def planned(self) -> ir.Operation:
        """The module after planning, which the emulator runs; it must not be changed."""
        return self._built.planned

    @cached_property
    def memory_map(self) -> MemoryMap:
        """The memory map of the C project: where each buffer is, and the schedule."""
        from forebay.codegen.project.project import memory_map_of  # noqa: PLC0415

        with self._module.context:
            return memory_map_of(self._module, self.info)

    @property
    def ir(self) -> str:
        """The materialised module as text."""
        return str(self._module)

    def run(
        self,
        *inputs: GivenInputs,
        engine: EngineName = "c",
        progress: OpProgress | None = None,
        **named: ArrayLike,
    ) -> NDArray[Any] | tuple[NDArray[Any], ...]:
        """Run the network on one array per input, in the order of `inputs` or by name.

        Arrays by name are keywords, or one mapping, which also works for names that are no Python
        identifiers. All arrays must be in order or all by name, one for each input.

        Returns the output, or a tuple of several. `engine` is "c" (the emitted C, built by the
        host's compiler), "llvm" (the same plan through upstream's lowering and JIT) or "emulator"
        (the planned program on memories that check every access). The emulator calls `progress`
        with the number of ops that have run and the number of all ops. A network with state needs
        `reset` before its first run, and keeps its state from run to run, separately in each
        engine.

        Raises `Error` (its subclasses) when an array's shape or type is wrong, when there is no C
        compiler, when state was not reset, or when the emulator finds a wrong access.
        """
        from forebay.network.port_arrays import inputs_in_order  # noqa: PLC0415

        runner, arrays = self._engine(engine), inputs_in_order(self.info, inputs, named)
        emulator = self._running_emulator() if engine == "emulator" else None
        outputs = emulator.run(arrays, progress=progress) if emulator else runner.run(arrays)
        return outputs[0] if len(outputs) == 1 else outputs

    def reset(self, engine: EngineName = "c") -> None:
        """Initialise the state of an engine; do nothing for a network without state."""
        self._engine(engine).reset()

    @property
    def report(self) -> RunReport | None:
        """The report of the last run by the engine "emulator", or None before the first."""
        emulator = self._running_emulator()
        return emulator.report if emulator else None

    def emulator(
        self,
        *,
        poison: int = FILL,
        by_element: bool = False,
        check_values: bool = False,
        host_rate: float | None = None,
    ) -> EmulatorEngine:
        """Return a fresh emulator of the network, whose `report` describes its last run.

        `poison` is the value of bytes that are unwritten or whose buffer's lifetime has ended.
        `by_element` interprets every element of every kernel, for networks under a million MACs.
        With `check_values` a run stops at the first operator whose result differs from the model's.
        `host_rate` is the number of operations per cycle of the host in the timing model:
        evaluations of a kernel's body, or elements of a copy. Without it the host's work takes no
        time. Raises `ValueError` for a rate that is not above 0, and `UnsupportedError` when the
        interpreter of the model does not support an op.
        """
        from forebay.emulator.engine import EmulatorEngine  # noqa: PLC0415
        from forebay.emulator.machine.timeline import require_rate  # noqa: PLC0415

        values = self.values() if check_values else None
        rate = None if host_rate is None else require_rate(host_rate)
        with self._module.context:
            return EmulatorEngine(
                self._built.planned,
                self.info,
                poison=poison,
                by_element=by_element,
                values=values,
                host_rate=rate,
            )

    @property
    def optimize(self) -> Optimize:
        """The processor that the code of the host's kernels is made for."""
        return self._source.options.optimize

    @property
    def cpu(self) -> str:
        """Return the processor whose instructions the host's kernels use."""
        return self._source.options.cpu

    def values(self) -> ModelValues:
        """Return the values that the model computes between its operators, by the interpreter."""
        from forebay.values.model import ModelValues  # noqa: PLC0415

        return ModelValues(self._source.module, self._source.options)

    def checked(self, through: Through = "c") -> CheckedEngine:
        """Return a fresh engine that runs the emitted code with emulated devices.

        C or LLVM compiles the code. The emulator checks all device commands; its `report` describes
        the last run.
        """
        from forebay.emulator.compiled.c_machine import CheckedEngine  # noqa: PLC0415

        with self._module.context:
            return CheckedEngine(self._built.final, self.info, through=through)

    @with_keywords(ProjectOptions)
    def write(self, directory: str | Path, options: ProjectOptions) -> Path:
        """Write the C project: header, code, weights, pools, memory map, CMake file, self-test.

        With `emit`, write what this emission of the target makes of the project instead; with
        "obj" or "llvm", the project whose network is an object file or LLVM IR for `triple`, and
        for the `cpu` of the compilation; with "tosa", "linalg", "planned" or "memref", only the
        program at that stage.

        The self-test's expected outputs are `golden`: a file, or `GoldenStep`s. Without it the
        inputs are drawn from a fixed seed, and the expected outputs are those of the imported
        model, computed by an interpreter that shares no code with the compiler; the program must
        compute the same outputs. If the interpreter does not support the model, or with
        `golden_from="program"`, they are the program's own outputs, and `self.golden` says so. The
        function writes all files or none. It replaces or removes files of an earlier run that the
        user has not changed, and keeps all other files.

        `weights_blob` keeps all constants out of the image: one file per pool, and a manifest for
        `forebay.update_constants`. `internal_pools` puts all memory inside of the C code, whose
        functions then take only inputs and outputs. `operator_hooks` puts macros around each
        operator.

        Raises `DifferentValuesError`, which names an operator, when the program computes other
        values than the model. Raises `Error` when a file of the user would be overwritten, for
        `internal_pools` when the application fills a pool, and for an emission that the target does
        not have.
        """
        from forebay.codegen.project.project import (  # noqa: PLC0415
            require_project_directory,
            write_project,
        )
        from forebay.driver.emission import (  # noqa: PLC0415
            chosen_code,
            chosen_emission,
            emit_project,
            write_code_project,
        )
        from forebay.driver.ir_forms import IR_FORMS  # noqa: PLC0415
        from forebay.network.packaging import (  # noqa: PLC0415
            with_internal_pools,
            with_weights_blob,
        )
        from forebay.options.command_text import command_text  # noqa: PLC0415

        if options.emit in IR_FORMS:
            return self._write_ir(options.emit, Path(directory))
        processor = chosen_code(options.emit, options.triple, self._source.options.cpu)
        own = None if processor is not None or options.emit == "c" else options.emit
        emission = chosen_emission(self._source.options.target, own)
        if emission is None:
            require_project_directory(Path(directory), self.info.name)
        chosen = self._golden(options)
        self.golden = chosen
        info = chosen.of(self.info)
        info = with_weights_blob(info) if options.weights_blob else info
        info = with_internal_pools(info) if options.internal_pools else info
        made_with = command_text(self._source.options, options)
        info = replace(info, operator_hooks=options.operator_hooks, made_with=made_with)
        with self._module.context:
            if emission is not None:
                return emit_project(emission, self._module, info, Path(directory))
            if processor is not None:
                form = "obj" if options.emit == "obj" else "llvm"
                return write_code_project(
                    self._module, info, processor, form, Path(directory), optimize=self.optimize
                )
            return write_project(self._module, info, Path(directory))

    def _write_ir(self, form: IrForm, directory: Path) -> Path:
        """Write the program at a stage of the compilation."""
        from forebay.driver.ir_forms import ir_name, ir_text, write_ir  # noqa: PLC0415

        source = self._source
        with self._module.context:
            text = ir_text(form, self._built, source.module, source.options)
        return write_ir(text, ir_name(self.info, form), directory)

    def expected_outputs(
        self, golden_from: GoldenFrom = "model", steps: int | None = None
    ) -> Golden:
        """Return drawn inputs and the model's outputs for them, as `write` stores them.

        Raises `DifferentValuesError` when the program computes other values than the model.
        """
        from forebay.golden import golden_of  # noqa: PLC0415

        source = self._source
        return golden_of(self._built, source.module, source.options, golden_from, steps)

    def _golden(self, options: ProjectOptions) -> Golden:
        """Return the self-test's inputs and outputs: those of the user, or drawn ones."""
        given = options.golden
        if given is None:
            return self.expected_outputs(options.golden_from)
        from forebay.golden.steps import BY_USER, Golden  # noqa: PLC0415
        from forebay.network.arrays import read_golden  # noqa: PLC0415
        from forebay.network.port_arrays import check_golden  # noqa: PLC0415

        steps = read_golden(given, self.inputs, self.outputs) if isinstance(given, Path) else given
        check_golden(self.info, steps)
        return Golden(tuple(steps), BY_USER)

    def _running_emulator(self) -> EmulatorEngine | None:
        """Return the engine "emulator" if it exists."""
        if "emulator" not in self._engines:
            return None
        from forebay.emulator.engine import EmulatorEngine  # noqa: PLC0415

        engine = self._engines["emulator"]
        return engine if isinstance(engine, EmulatorEngine) else None

    def _engine(self, name: str) -> Engine:
        if name not in ENGINES:
            raise Error(f"there is no engine '{name}'; engines: {', '.join(sorted(ENGINES))}")
        if name not in self._engines:
            with self._module.context:
                self._engines[name] = ENGINES[name](self._built)
        return self._engines[name]


def _operators_of(function: func.FuncOp, sites: CallSites) -> tuple[OperatorLocation, ...]:
    operator = operator_of(function.location)
    if operator is None:
        return ()
    calls = [call for calls in sites.of(function.name.value).values() for call in calls]
    return tuple(operators_of(calls)) or (operator,)
