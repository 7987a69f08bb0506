"""Builds and runs a compiled network on a board, and returns the report."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from forebay.codegen.project.build_files.output_directory import (
    require_replaceable,
    write_directory,
)
from forebay.codegen.project.interface.row_inputs import feed_name
from forebay.driver.compiled import Compiled
from forebay.formats.mcu_report import McuReport, PoolUse, StackUse
from forebay.mcu.board import Board
from forebay.mcu.errors import McuError
from forebay.mcu.image.call_graph import (
    CallGraph,
    stack_of_function,
    stack_of_image,
    with_indirect_calls,
)
from forebay.mcu.image.compile_c import network_flags
from forebay.mcu.image.elf import check_placed_pools, read_elf
from forebay.mcu.image.image import (
    SCRIPT,
    ObjectFiles,
    compile_sources,
    kept_files,
    link,
)
from forebay.mcu.image.linker_script import write_linker_script
from forebay.mcu.image.placement import PlacedPool, place
from forebay.mcu.image.program import guarded_pools, painted_pools, write_main
from forebay.mcu.run.compare import compared
from forebay.mcu.run.count import count
from forebay.mcu.run.emulate import EmulatedRun
from forebay.mcu.run.functions import NetworkFunctions, costs
from forebay.mcu.run.golden import drawn_golden, with_golden
from forebay.mcu.run.memory_use import memory_use
from forebay.mcu.tools import require, version_of
from forebay.network.model import GoldenStep, ModelInfo
from forebay.network.names import Naming, naming_of
from forebay.network.pool_images import image_name

_ADVICE = "move a pool by --pool NAME=MEMORY"


@dataclass(frozen=True)
class LinkedImage:
    """A linked image, and the facts about it before it runs."""

    elf: Path
    objects: ObjectFiles
    placed: tuple[PlacedPool, ...]


def measure(
    compiled: Compiled,
    board: Board,
    *,
    golden: Sequence[GoldenStep] = (),
    pools: Mapping[str, str] | None = None,
    directory: Path | None = None,
    timeout: float = 120.0,
) -> McuReport:
    """Run a network freestanding on an emulated board, and return the report.

    `golden` are inferences from reset, by default three on drawn inputs with the model's outputs.
    `pools` places pools in the board's memories by name. `directory` keeps all files.

    Raises `MismatchError` when an output differs; `DifferentValuesError` when the program computes
    other values than the model; `McuError` when the image does not fit, a pool is not where it was
    placed, or the program fails; `ToolError` for missing tools.
    """
    require(board.compiler)
    require(board.emulator)
    board.flags_for(compiled.cpu)
    if directory is not None:
        require_replaceable(directory, lambda _: True)
    model = with_golden(compiled.info, tuple(golden) or drawn_golden(compiled))
    with tempfile.TemporaryDirectory(prefix="forebay-mcu-") as temporary:
        built = _build(compiled, model, board, pools or {}, Path(temporary))
        if directory is not None:
            write_directory(directory, kept_files(Path(temporary)))
        return _report(compiled, model, board, built, timeout)


def _build(
    compiled: Compiled, model: ModelInfo, board: Board, pools: Mapping[str, str], work: Path
) -> LinkedImage:
    """Write, compile and link a network with its golden outputs in an empty directory."""
    naming = naming_of(model)
    placed = place(model, naming, board, pools)
    script, elf = work / SCRIPT, work / f"{naming.prefix}.elf"
    script.touch()
    project = compiled.write(work / "model", golden=model.golden)
    images = {
        pool.name: np.fromfile(project / image_name(pool, naming), np.uint8)
        for pool in model.outside_pools
    }
    text = write_main(model, naming, images)
    (work / "main.c").write_text(text, encoding="utf-8")
    objects = compile_sources(
        project, naming, board, placed, work, optimize=compiled.optimize, cpu=compiled.cpu
    )
    regions = [it.region for it in placed]
    fed = {feed_name(port, naming) for port in model.row_inputs}
    objects = replace(objects, program=with_indirect_calls(objects.program, fed))
    stack = stack_of_image(objects.program)
    try:
        script.write_text(write_linker_script(board, regions, stack, _ADVICE))
        link(board, objects.files, script, elf)
    except McuError:  # a memory that is too small for the bytes around pools may have room without
        script.write_text(write_linker_script(board, regions, stack, _ADVICE, guard=0))
        link(board, objects.files, script, elf)
    return LinkedImage(elf, objects, placed)


def _report(
    compiled: Compiled, model: ModelInfo, board: Board, built: LinkedImage, timeout: float
) -> McuReport:
    naming = naming_of(model)
    elf = read_elf(built.elf)
    addresses = check_placed_pools(elf, board, built.placed)
    functions = NetworkFunctions.of(compiled, naming, len(model.golden))
    outcome, counts = count(board, elf, functions.owners, timeout)
    outputs = compared(model, outcome)
    parts = costs(functions, elf, built.objects.network, counts)
    return McuReport(
        format="forebay-mcu-report",
        version=1,
        model=model.name,
        board=board.title,
        compiler=version_of(board.compiler, built.elf.parent),
        emulator=version_of(board.emulator, built.elf.parent),
        flags=network_flags(board, compiled.cpu, compiled.optimize),
        memories=memory_use(elf, board),
        pools=tuple(_pool(it, addresses[it.pool.name], model, outcome) for it in built.placed),
        functions=parts,
        stack=_stack(outcome.stack, built.objects.program, naming),
        outputs=outputs,
        instructions=tuple(map(sum, zip(*(part.instructions for part in parts), strict=True))),
        code=sum(part.code for part in parts),
    )


def _pool(placed: PlacedPool, address: int, model: ModelInfo, outcome: EmulatedRun) -> PoolUse:
    pool = placed.pool
    return PoolUse(
        pool.name,
        pool.kind.name,
        placed.memory.name,
        placed.section,
        address,
        pool.size,
        _touched(placed, model, outcome),
        _intact_guards(placed, model, outcome),
    )


def _touched(placed: PlacedPool, model: ModelInfo, outcome: EmulatedRun) -> int | None:
    """Return the end of the highest byte that the runs touched, or None for a pool of constants."""
    numbers = [number for number, pool in painted_pools(model) if pool.name == placed.pool.name]
    return outcome.pools[numbers[0]] if numbers else None


def _intact_guards(placed: PlacedPool, model: ModelInfo, outcome: EmulatedRun) -> int | None:
    """Return the number of guard bytes around a pool; None without any.

    Raises `McuError` if a run wrote to one of them.
    """
    numbers = [number for number, pool in guarded_pools(model) if pool.name == placed.pool.name]
    guards, changed = outcome.guards[numbers[0]] if numbers else (0, 0)
    if changed:
        raise McuError(
            f"the runs wrote outside of pool '{placed.pool.name}': {changed} of {guards} bytes "
            "around it changed"
        )
    return guards or None


def _stack(used: int, program: CallGraph, naming: Naming) -> StackUse:
    try:
        bound = stack_of_function(program, f"{naming.prefix}_run")
    except McuError as error:
        return StackUse(used, None, str(error))
    if used > bound:
        raise McuError(f"{naming.prefix}_run took {used:,} bytes of stack; its bound is {bound:,}")
    return StackUse(used, bound)
