"""One drawn program: what it computes, before and after each pass, is what the interpreter says."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from mlir import ir

import forebay.passes  # noqa: F401  (registers)
from forebay.emulator import Emulator
from forebay.errors import Error
from forebay.options import Options
from forebay.passes.buffers.accel_lower_copies import OrderedLoopError
from forebay.pipelines import PipelineError, run_pipeline, stages
from forebay.planning.model.errors import PlanInfeasibleError
from fuzz.cases import Wrong
from fuzz.programs.draw import Program
from fuzz.programs.engines import run_engines
from fuzz.programs.interpret import Interpreter
from fuzz.programs.machine import machine

INPUTS = 2
RUNS = 2
"""Runs of each input after a reset, where there is state, which the first one leaves behind."""
ENGINES_EACH, ENGINES_FROM = 40, 8
"""One program of so many, from this one on, is also run as C and by LLVM's JIT."""

PLAN = "memref-pool-plan"
_FIRST = "symbol-dce"
"""The last pass in front of `memref-pool-adopt`; it drops functions that nothing calls."""

Outcome = list[list[np.ndarray]]


def check(seed: int) -> Mapping[str, int]:
    """Judge the program of a number; raises `Wrong` for a defect, with the program in its text."""
    program = Program(seed)
    with _context(), ir.Location.file(f"program{seed}.mlir", 0, 0):
        try:
            return _check(program, seed)
        except Wrong as wrong:
            raise Wrong(f"{wrong}\n{program.text}") from wrong


def _check(program: Program, seed: int) -> Counter[str]:
    module = ir.Module.parse(program.text)
    inputs = _inputs(module, seed)
    expected = [_interpreted(module, values) for values in inputs]
    counts: Counter[str] = Counter()
    slots = 2 + seed % 2
    before, is_placed = "", False
    for text in _passes(slots):
        try:
            run_pipeline(module, f"builtin.module({text})")
        except PipelineError as refusal:
            return counts + _refused(refusal, text)
        now = str(module)
        if now == before:
            continue
        before = now
        is_placed |= text.startswith(PLAN)
        counts[f"programs changed by {text.split('{')[0]}"] += 1
        _compare(module, inputs, expected, text, placed=is_placed)
    counts["programs planned"] += 1
    counts["operations moved ahead or beside"] += before.count("accel.start")
    if seed % ENGINES_EACH == ENGINES_FROM and not program.has_choice:
        counts += run_engines(program.text, inputs, expected)
    return counts


def _passes(slots: int) -> list[str]:
    """Those between adoption and the plan, and the check of the plan."""
    options = Options(slots=slots)
    passes = list(stages.bufferization_passes(options))
    return passes[passes.index(_FIRST) :] + list(stages.planning_passes(options))


def _refused(refusal: PipelineError, text: str) -> Counter[str]:
    """A program may be too large for a pool, and a transfer cannot copy onto its own source.

    Any other refusal is a defect.
    """
    if isinstance(refusal.origin, PlanInfeasibleError):
        return Counter({"programs that no plan has room for": 1})
    if isinstance(refusal.origin, OrderedLoopError):
        return Counter({"programs with a loop that no transfer can replace": 1})
    raise Wrong(f"{text} refuses a right program: {refusal}")


def _inputs(module: ir.Module, seed: int) -> list[list[np.ndarray]]:
    """Drawn arrays for `@main`, in the order of its inputs."""
    (main,) = (f for f in module.body.operations if _name(f) == "main")
    generator = np.random.default_rng(seed)
    marks = zip(main.arguments, main.attributes["arg_attrs"], strict=True)
    types = [argument.type for argument, mark in marks if "bufferize.result" not in mark]
    return [
        [
            generator.integers(-128, 128, list(type_.shape)).astype(
                f"int{type_.element_type.width}"
            )
            for type_ in types
        ]
        for _ in range(INPUTS)
    ]


def _name(op: ir.OpView) -> str:
    return op.attributes["sym_name"].value if op.operation.name == "func.func" else ""


def _interpreted(module: ir.Module, values: Sequence[np.ndarray]) -> Outcome:
    interpreter = Interpreter(module)
    has_state = "reset" in [_name(op) for op in module.body.operations]
    if has_state:
        interpreter.call("reset", [])
    return [
        [*interpreter.call("main", values), *([interpreter.state("s")] if has_state else [])]
        for _ in range(RUNS if has_state else 1)
    ]


def _compare(
    module: ir.Module,
    inputs: Sequence[Sequence[np.ndarray]],
    expected: Sequence[Outcome],
    text: str,
    *,
    placed: bool,
) -> None:
    """Run the emulator; it checks each access, so poison is never read."""
    try:
        emulator = Emulator(module.operation, placed=placed, like=_kernels())
        found = [_emulated(emulator, values) for values in inputs]
    except Error as error:
        raise Wrong(f"behind {text}: {type(error).__name__}: {error}\n{module}") from error
    for values, wanted in zip(found, expected, strict=True):
        if not same(values, wanted):
            raise Wrong(f"behind {text}: other values\n{module}")


@functools.cache
def _context() -> ir.Context:
    """One for all programs of a process, so that they share machine code."""
    return ir.Context()


@functools.cache
def _kernels() -> Emulator:
    """An emulator of a program that does nothing, for its compiled kernels."""
    with _context(), ir.Location.unknown():
        return Emulator(ir.Module.parse(machine(4096, None)).operation, placed=False)


def _emulated(emulator: Emulator, values: Sequence[np.ndarray]) -> Outcome:
    has_state = "reset" in emulator.entries
    if has_state:
        emulator.call("reset")
    return [
        [*emulator.call("main", values), *([emulator.state["s"]] if has_state else [])]
        for _ in range(RUNS if has_state else 1)
    ]


def same(found: Outcome, wanted: Outcome) -> bool:
    """Whether all arrays of all runs are equal."""
    pairs = zip(found, wanted, strict=True)
    return all(
        len(one) == len(other)
        and all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))
        for one, other in pairs
    )
