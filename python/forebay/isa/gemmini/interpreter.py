"""The interpreter: runs a program instruction by instruction and refuses what is undefined."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import TypeAlias

from forebay.isa.faults import FaultLocation, InstructionFault, WrongOperand
from forebay.isa.gemmini.faults import MissingConfiguration, MissingFence, PreloadDisturbed
from forebay.isa.gemmini.geometry import GemminiGeometry
from forebay.isa.gemmini.instructions import (
    ComputeAccumulated,
    ComputePreloaded,
    ConfigEx,
    ConfigLd,
    ConfigSt,
    Dataflow,
    Fence,
    Flush,
    GemminiInstruction,
    Mvin,
    Mvout,
    Preload,
)
from forebay.isa.gemmini.loops import LoopInstruction
from forebay.isa.gemmini.matmul import compute, preload
from forebay.isa.gemmini.mvin import move_in
from forebay.isa.gemmini.mvout import move_out
from forebay.isa.gemmini.state import GemminiState
from forebay.isa.main_memory import MainMemory

GemminiProgram: TypeAlias = Iterable[GemminiInstruction | LoopInstruction | Fence]


def run_gemmini(
    program: GemminiProgram,
    memory: MainMemory,
    geometry: GemminiGeometry | None = None,
    ignoring: Collection[type[InstructionFault]] = (),
) -> GemminiState:
    """Run `program` on `memory`, which it changes, and return the state at the end.

    Local memory is undefined at the start. Raises an `InstructionFault`, except of the classes in
    `ignoring`; the result is then that of the functional simulator.
    """
    state = GemminiState(memory, geometry or GemminiGeometry(), ignoring)
    for index, instruction in enumerate(program):
        state.place = FaultLocation(index, type(instruction).__name__)
        step_gemmini(state, instruction)
    if state.order.has_stores:
        what = "no fence completes the last mvout before the processor reads its bytes"
        state.report(MissingFence, "end of the program", what)
    return state


def step_gemmini(
    state: GemminiState, instruction: GemminiInstruction | LoopInstruction | Fence
) -> None:
    """Run one instruction."""
    match instruction:
        case ConfigEx():
            _configure_array(state, instruction)
        case ConfigLd():
            _configure_load(state, instruction)
        case ConfigSt():
            state.config_st = instruction
        case Mvin():
            move_in(state, instruction)
        case Mvout():
            move_out(state, instruction)
        case Preload():
            preload(state, instruction)
        case ComputePreloaded() | ComputeAccumulated():
            compute(state, instruction)
        case Fence():
            state.order.fence()
        case Flush():
            pass
        case _:
            state.report(WrongOperand, "funct", f"{instruction.funct} is not modelled")


def _configure_array(state: GemminiState, config: ConfigEx) -> None:
    _require_array_modes(state, config)
    if state.preload is not None and not state.preload.computed:
        what = "comes between a preload and its compute, which then differ in their configuration"
        state.report(PreloadDisturbed, "config_ex", what)
    if config.strides_only:
        state.config_ex = _with_strides(state, config)
    else:
        state.config_ex = config


def _require_array_modes(state: GemminiState, config: ConfigEx) -> None:
    if config.shift > 31:
        state.report(WrongOperand, "shift", f"is {config.shift}; it must be 0 to 31")
    a, b = config.a_transposed, config.b_transposed
    if config.dataflow is Dataflow.WEIGHT_STATIONARY and a and b:
        state.report(WrongOperand, "b_transposed", "weight stationary, only one of A and B may be")
    if config.dataflow is Dataflow.OUTPUT_STATIONARY and b and not a:
        state.report(WrongOperand, "b_transposed", "output stationary, B may be only if A is")


def _with_strides(state: GemminiState, config: ConfigEx) -> ConfigEx | None:
    if state.config_ex is None:
        state.report(MissingConfiguration, "strides_only", "the array was never configured")
        return None
    return replace(state.config_ex, a_stride=config.a_stride, c_stride=config.c_stride)


def _configure_load(state: GemminiState, config: ConfigLd) -> None:
    if config.load > 2:
        state.report(WrongOperand, "load", f"is {config.load}; it must be 0 to 2")
    state.config_ld[config.load] = config
