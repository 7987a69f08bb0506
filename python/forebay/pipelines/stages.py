"""The stages of compilation as textual pipelines, with a reason before each pass.

Between the stages the module is valid IR, and `forebay-opt` takes any of these texts.
"""

from forebay.cpus import GENERIC, schedule_of
from forebay.options import Options
from forebay.options.choices import Io
from forebay.pipelines.host import host_lowering
from forebay.support.option_text import with_options

ALL = 100
"""Percent: all free bytes."""
_BUDGETS = "memref-pool-cascade"


def whole_pipeline(options: Options) -> str:
    """Return all stages as one pipeline, which ends at the input of the C printer."""
    return _module(*all_passes(options))


def all_passes(options: Options) -> tuple[str, ...]:
    """Return the passes of all stages, one by one."""
    return (
        *lowering_passes(options),
        *bufferization_passes(options),
        *planning_passes(options),
        *materialization_passes(options),
    )


def lowering(options: Options) -> str:
    """Return the pipeline from TOSA or linalg on tensors to fused kernels on tensors."""
    return _module(*lowering_passes(options))


def partitioning(options: Options) -> str:
    """Return the first part of the lowering: operators to devices, layout changes still in TOSA."""
    return _module(
        *_attachment(options), *options.passes_at("before-partition"), *_partition(options)
    )


def bufferization(options: Options) -> str:
    """Return the pipeline from fused kernels on tensors to kernels on buffers with candidates."""
    return _module(*bufferization_passes(options))


def before_budgets(options: Options) -> tuple[str, ...]:
    """Return the passes of `bufferization` that run before budgets are met."""
    passes = bufferization_passes(options)
    return passes[: next(n for n, text in enumerate(passes) if text.startswith(_BUDGETS))]


def planning(options: Options) -> str:
    """Return the pipeline that gives every buffer a pool and an offset, and verifies the plan."""
    return _module(*planning_passes(options))


def materialization(options: Options) -> str:
    """Return the pipeline from operators to functions, kernels to loops, buffers to pool views."""
    return _module(*materialization_passes(options))


def trial(io: Io, slots: int) -> tuple[str, str]:
    """Return the pipelines of a trial plan, to buffers and to a plan, without the user's passes.

    Nothing runs by this plan, so no pass verifies it.
    """
    plain = Options(io=io, slots=slots, in_flight=1, optimize="size")
    return _module(*_assignment(plain)), _module(*_plan(plain))


def _module(*passes: str) -> str:
    return f"builtin.module({','.join(passes)})"


def _offset(options: Options) -> int:
    """Return what words of the processor's kernels best have added to their elements."""
    return schedule_of(options.cpu).offset if options.optimize == "speed" else 0


def _with_options(name: str, **options: object) -> tuple[str, ...]:
    """Return a pass with those options that are not empty."""
    empty = (None, (), "")
    given = {o.replace("_", "-"): value for o, value in options.items() if value not in empty}
    return (with_options(name, given),)


def lowering_passes(options: Options) -> tuple[str, ...]:
    """Return the passes of `lowering`, one by one."""
    return (
        *_attachment(options),
        *options.passes_at("before-partition"),
        # Verify before the lowering: refuse here, all at once, what no pass below supports.
        "accel-check-supported",
        # Keep the pools that ops list, before lowerings replace the ops.
        "memref-pool-hold-candidates",
        # Partition while operators are as in the model, with scales; afterwards only those of the
        # host are left.
        *_partition(options),
        *options.passes_at("after-partition"),
        # Raise the program's own copies before a pass removes them as redundant.
        "accel-raise-copies",
        # Variables first: from here on they are buffers, read and, at the end, written.
        "memref-pool-carry-state",
        *host_lowering(_offset(options)),
        # Clone functions whose callers' tensors are in different memories, for each combination.
        "memref-pool-specialise-calls",
        # A loop-carried value has one address: each iteration leaves it where the next one reads
        # it.
        "memref-pool-settle-loops",
    )


def _attachment(options: Options) -> tuple[str, ...]:
    """Return no pass for a module that declares its own devices and pools."""
    if options.target is None:
        return ()
    return _with_options("accel-attach-target", target=options.target)


def _partition(options: Options) -> tuple[str, ...]:
    """Return the pass that gives operators to devices, by the patterns of the target's file."""
    if options.target is None:
        return ()
    return _with_options(
        "accel-partition",
        place=options.place,
        placement=options.placement,
    )


def _device_lowering(options: Options, share: int) -> tuple[str, ...]:
    """Return the pass that runs the devices' stages, each with the free bytes during its calls."""
    if options.target is None:
        return ()
    return _with_options(
        "accel-lower-devices",
        target=options.target,
        order=options.order,
        io=options.io,
        slots=options.slots,
        share=None if share == ALL else share,
    )


def bufferization_passes(options: Options, share: int = ALL) -> tuple[str, ...]:
    """Return the passes of `bufferization`, one by one.

    `share` is the percentage of the free bytes that the devices' stages get.
    """
    return (
        *_device_lowering(options, share),
        *_choices(options),
        *options.passes_at("before-assign"),
        *_assignment(options),
    )


def _choices(options: Options) -> tuple[str, ...]:
    """Return the pass for pools that the user names for single tensors."""
    pools = options.input_pools or options.output_pools or options.constant_pools
    if not (pools or options.input_rows):
        return ()
    return _with_options(
        "memref-pool-choose",
        rows=options.input_rows,
        inputs=options.input_pools,
        outputs=options.output_pools,
        constants=options.constant_pools,
    )


def _assignment(options: Options) -> tuple[str, ...]:
    return (
        *_with_options("memref-pool-assign", io=options.io, strict=options.strict),
        # Verify: no pass may change tensors between the assignment and bufferization.
        "memref-pool-check-assigned",
        # The time of the bufferization grows with the cube of the writes in a block.
        "memref-pool-split-blocks",
        "one-shot-bufferize{bufferize-function-boundaries=true "
        "function-boundary-type-conversion=identity-layout-map "
        "use-encoding-for-memory-space=true buffer-alignment=0}",
        "memref-pool-join-blocks",
        # Remove copies of a buffer onto itself, through equal views too, and unused ops. The result
        # of a loop that carries an argument becomes this argument.
        "cse",
        "canonicalize",
        # A function that returns its own argument returns nothing,
        "drop-equivalent-buffer-results",
        # and one that returns a buffer of its own writes into its caller's memory.
        "buffer-results-to-out-params{hoist-static-allocs=true modify-public-functions=true "
        "add-result-attr=true}",
        "symbol-dce",
        # Verify after bufferization; allocations are `memref_pool.alloc` from here on.
        "memref-pool-adopt",
        # The last operator writes into the caller's memory,
        "memref-pool-forward-results",
        # and state is stored as soon as its old value has been read.
        "memref-pool-hoist-stores",
        # Shift state in its variables, or keep it in rings, while copies are whole.
        *_with_options("memref-pool-shift-state", smallest=options.optimize == "size" or None),
        # The tiles of temporaries are on the stack, not in a pool.
        "memref-pool-promote-to-stack",
        *options.passes_at("after-bufferize"),
        # The application hands in the rows of some inputs one by one.
        *(("memref-pool-read-rows",) if options.input_rows else ()),
        # Meet budgets by loops over rows, while copies are whole and kernels are single ops.
        *_with_options(
            _BUDGETS, budget=options.budget, planner=options.planner, cpu=_padding_cpu(options)
        ),
        # Lower the copies that a transfer can make; no other copy into or out of a device may
        # remain.
        "accel-lower-copies",
        # Set each register of a device for its next use, so that no two values need it at once.
        "accel-set-registers",
        # Move loop-invariant and repeated transfers once,
        "accel-hoist-transfers",
        # and set registers once from what these transfers have moved,
        "accel-set-registers",
        # and run the others in the devices' queues, in parallel with the computation: loops,
        *_pipelined_loops(options),
        # and straight-line code.
        *_overlapped_calls(options),
        # Copy sources with their padding where they fit into the plan, which is known now.
        *_padding(options),
    )


def _padding_cpu(options: Options) -> str | None:
    """Return the processor that rows are padded for, or None."""
    return options.cpu if options.optimize == "speed" else None


def _padding(options: Options) -> tuple[str, ...]:
    """Return no pass for code that is optimised for size."""
    if options.optimize != "speed":
        return ()
    cpu = None if options.cpu == GENERIC else options.cpu
    return _with_options(
        "accel-pad-sources", cpu=cpu, budget=options.budget, planner=options.planner
    )


def _pipelined_loops(options: Options) -> tuple[str, ...]:
    return _with_options("accel-pipeline-loops", slots=options.slots) if options.slots > 1 else ()


def _overlapped_calls(options: Options) -> tuple[str, ...]:
    """Return no pass if nothing may run ahead."""
    if options.in_flight == 1:
        return ()
    return _with_options("accel-overlap-calls", in_flight=options.in_flight)


def planning_passes(options: Options) -> tuple[str, ...]:
    """Return the passes of `planning`, one by one."""
    return (
        *_plan(options),
        *options.passes_at("after-plan"),
        # Verify the plan, and what the user's passes made of it.
        "memref-pool-verify-plan",
        # Verify that no stage takes more memory than its grant.
        "accel-check-grants",
    )


def _plan(options: Options) -> tuple[str, ...]:
    return _with_options("memref-pool-plan", planner=options.planner)


def materialization_passes(options: Options) -> tuple[str, ...]:
    """Return the passes of `materialization`, one by one."""
    cpu = None if options.cpu == GENERIC else options.cpu
    is_scheduled = options.optimize == "speed"
    schedules = (
        # Order weights for the loops that read them.
        *_with_options("accel-interleave-weights", cpu=cpu),
        # Decide how the loops of kernels run, in operators that are functions already.
        *_with_options("accel-schedule-kernels", cpu=cpu),
        "func.func(accel-vectorize-elements)",
    )
    return (
        "accel-outline-operators",
        # Compile the kernel that several operators have once.
        *_with_options("accel-share-kernels", cpu=cpu),
        *(schedules if is_scheduled else ()),
        # The upstream conversion comes first, since it takes time for each op of the loops. The
        # first cse leaves fewer constants in loops. For each that canonicalize moves out of a loop,
        # it visits all ops of the loops around it.
        "func.func(accel-lower-padded-copies,convert-linalg-to-loops,accel-lower-reduce,lower-affine,cse,canonicalize,cse)",
        # After cse, which would merge two buffers at one address.
        "memref-pool-materialize",
        # Pass the device's handle to its C functions that take one.
        "accel-pass-handles",
        # Verify once more what will be printed: no pass since the plan may have broken the plan.
        "memref-pool-verify-plan",
        # Verify before the C printer.
        "memref-pool-check-printable",
    )
