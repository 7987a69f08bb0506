"""The options of a compilation: one field per option, with its type, default and help."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forebay.cpus import GENERIC
from forebay.options.choices import PHASES, Io, Optimize, Phase, Requantise
from forebay.options.converters import (
    Pairs,
    PoolLists,
    budget_of_text,
    callback,
    constant_pools,
    cpu_name,
    device_of_text,
    input_pools,
    inputs_by_rows,
    names_of_passes,
    operator_devices,
    order_of_devices,
    output_pools,
    pass_of_text,
    path_or_none,
    planner_name,
    pool_budgets,
    pools_of_text,
    shape_of_text,
    shapes_by_input,
    target_text,
    user_operators,
    user_passes,
)
from forebay.options.option_class import Flag, option_class, option_field

if TYPE_CHECKING:
    from forebay.frontends.tflite.lowering.registry import OperatorLowering
else:
    OperatorLowering = Any  # its module loads MLIR

Progress = Callable[[str], None]

_POOLS = "NAME=POOL[+POOL]"


@option_class
class Options:
    """The options of a compilation, converted and checked as far as possible without the model.

    `forebay.compile`, the command and the pipelines take their options from these fields. Objects
    (targets, planners, passes) are represented by names; each name keeps its object alive.

    Raises `Error` (its subclasses) for an invalid option.
    """

    target: str | None = option_field(
        default=None,
        converter=target_text,
        help="a target's name or file, with parameters: fetch_conv:act_mem=64K; or the devices, "
        "the host last, if options describe the pools; default: the devices that the module "
        "declares, or host",
    )
    place: Pairs = option_field(
        default=(),
        converter=operator_devices,
        flag=Flag(metavar="OPERATOR=DEVICE", repeatable=True, parse=device_of_text),
        help="run an operator, by its name or index, on a device",
    )
    placement: Path | None = option_field(
        default=None,
        converter=path_or_none,
        flag=Flag(metavar="FILE.json"),
        help="a file of such placements",
    )
    order: tuple[str, ...] = option_field(
        default=(),
        converter=order_of_devices,
        flag=Flag(metavar="DEVICE,DEVICE", split=","),
        help="devices whose own stages run first",
    )
    io: Io = option_field(
        default="caller",
        help="inputs and outputs in the caller's memory (default) or planned in the workspace",
    )
    input_rows: tuple[str, ...] = option_field(
        default=(),
        converter=inputs_by_rows,
        flag=Flag("--input-rows", "NAME", repeatable=True, parse=str),
        help="an input whose rows the application hands in one by one, through a function that "
        "each run calls; it is never stored as a whole",
    )
    input_pools: PoolLists = option_field(
        default=(),
        converter=input_pools,
        flag=Flag("--input-pool", _POOLS, repeatable=True, parse=pools_of_text),
        help="the pools that the input of that name may live in, in order of preference",
    )
    output_pools: PoolLists = option_field(
        default=(),
        converter=output_pools,
        flag=Flag("--output-pool", _POOLS, repeatable=True, parse=pools_of_text),
        help="the pools that the output of that name may live in, in order of preference",
    )
    constant_pools: PoolLists = option_field(
        default=(),
        converter=constant_pools,
        flag=Flag("--constant-pool", _POOLS, repeatable=True, parse=pools_of_text),
        help="the pools that the constant of that name may live in, in order of preference; '*' "
        "stands for all others",
    )
    requantise: Requantise = option_field(
        default="host",
        flag=Flag(needs_model=True),
        help="who rounds the sums of a device to int8: the host, exactly as the model, or the "
        "device in its own way, which is faster; then the largest deviation seen is reported",
    )
    optimize: Optimize = option_field(
        default="speed",
        help="make the host's kernels fast, with blocks of positions that are computed together "
        "(default), or small",
    )
    cpu: str = option_field(
        default=GENERIC,
        converter=cpu_name,
        flag=Flag(metavar="CPU"),
        help="the processor whose instructions the host's kernels use, as cortex-m4 "
        "(docs/kernels.md); of an object also any name of LLVM's, or native; default: generic, for "
        "portable C",
    )
    strict: bool = option_field(default=False, help="refuse what needs a copy between pools")
    planner: str = option_field(
        default="auto", converter=planner_name, help="a name or a Python file; default: auto"
    )
    budget: Pairs = option_field(
        default=(),
        converter=pool_budgets,
        flag=Flag(metavar="[POOL=]BYTES", repeatable=True, parse=budget_of_text),
        help="most bytes that the plan of a workspace pool, or of each, may take: 24K, sram=24K; "
        "min: as few as possible; met by computing tensors row by row, or refused",
    )
    slots: int = option_field(
        default=2,
        least=1,
        flag=Flag(metavar="N"),
        help="buffers for each tile in loops whose transfers run in queues, at most; 1: pipeline "
        "no loop; default: 2",
    )
    in_flight: int = option_field(
        default=2,
        least=1,
        flag=Flag(metavar="N"),
        help="operations of a kind that may run ahead in straight-line code, at most; 1: overlap "
        "no transfers and calls; default: 2",
    )
    passes: Mapping[Phase, tuple[str, ...]] = option_field(
        default=(),
        converter=user_passes,
        flag=Flag("--pass", "PHASE=PASS", repeatable=True, parse=pass_of_text),
        help="run a pass of your own: a Python file, an entry point or a pipeline text at "
        f"{', '.join(PHASES[:-1])} or {PHASES[-1]}",
    )
    shapes: Mapping[str, tuple[int, ...]] = option_field(
        default=None,
        converter=shapes_by_input,
        flag=Flag(
            "--shape", "INPUT=1x96x96x1", repeatable=True, parse=shape_of_text, needs_model=True
        ),
        help="bound of an input of dynamic shape",
    )
    operators: tuple[OperatorLowering, ...] = option_field(
        default=(),
        converter=user_operators,
        flag=Flag("--operators", "FILE.py", repeatable=True, parse=str, needs_model=True),
        help="a Python file with TFLite operators of your own",
    )
    verify_each: bool = option_field(
        default=False,
        flag=Flag(needs_model=True),
        help="run the program before and after each pass up to the plan, on drawn inputs, and "
        "refuse a pass that changes an output or the state",
    )
    print_after: tuple[str, ...] = option_field(
        default=(),
        converter=names_of_passes,
        flag=Flag(metavar="PASS", repeatable=True, parse=str),
        help="print the module on stderr after each run of this pass",
    )
    progress: Progress | None = option_field(
        default=None,
        converter=callback,
        flag=None,
        help="a function that is called with the name of each stage when it begins",
    )

    def passes_at(self, phase: Phase) -> tuple[str, ...]:
        """Return the texts of the user's passes at a phase, in order."""
        return self.passes.get(phase, ())
