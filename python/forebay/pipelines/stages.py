"""The stages of compilation as textual pipelines; a reason before each pass.

Between the stages the module is whole and readable: `forebay-opt` takes any of these texts.
"""

from collections.abc import Sequence

from forebay.pipelines.host import HOST_LOWERING
from forebay.pipelines.option_text import with_options
from forebay.pipelines.settings import OWN_TARGET, Settings

PLAIN = Settings()


def whole(settings: Settings = PLAIN) -> str:
    """All stages as one pipeline: what stands in front of the C printer comes out."""
    return _module(
        *lowering_passes(settings),
        *bufferization_passes(settings),
        *planning_passes(settings),
        *_materialization(),
    )


def lowering(settings: Settings = PLAIN) -> str:
    """TOSA or linalg on tensors to fused kernels on tensors."""
    return _module(*lowering_passes(settings))


def partitioning(settings: Settings = PLAIN) -> str:
    """The beginning of the lowering: operators to devices, layouts still as operations of TOSA."""
    return _module(
        *_attachment(settings), *settings.passes_at("before-partition"), *_partition(settings)
    )


def bufferization(settings: Settings = PLAIN) -> str:
    """Fused kernels on tensors to kernels on buffers with candidate pools."""
    return _module(*bufferization_passes(settings))


def planning(settings: Settings = PLAIN) -> str:
    """Every buffer to its pool and offset, checked by code that has not planned it."""
    return _module(*planning_passes(settings))


def materialization() -> str:
    """Operators to functions, kernels to loops, planned buffers to views of pools."""
    return _module(*_materialization())


def trial(settings: Settings) -> tuple[str, str]:
    """From kernels on tensors to buffers, and to a plan, without the user's passes: for a probe."""
    plain = Settings(io=settings.io, slots=settings.slots)
    return _module(*_assignment(plain)), _module(*planning_passes(plain))


def _module(*passes: str) -> str:
    return f"builtin.module({','.join(passes)})"


def _with_options(name: str, **options: str | Sequence[str]) -> tuple[str, ...]:
    """A pass with the options that say something."""
    given = {option.replace("_", "-"): value for option, value in options.items() if value}
    return (with_options(name, given),)


def lowering_passes(settings: Settings = PLAIN) -> tuple[str, ...]:
    """The passes of `lowering`, one by one."""
    return (
        *_attachment(settings),
        *settings.passes_at("before-partition"),
        # The wall before the lowering: what nothing below takes is refused here, all at once.
        "accel-check-supported",
        # What ops list about pools, before lowerings replace the ops.
        "memref-pool-hold-candidates",
        # Operators as the model has them, with their scales; behind it only the host's are left.
        *_partition(settings),
        *settings.passes_at("after-partition"),
        # Copies that the program writes itself, before anything takes them for nothing.
        "accel-raise-copies",
        # Variables first: from here on they are buffers that are read and, at the end, written.
        "memref-pool-carry-state",
        *HOST_LOWERING,
        # Functions whose callers' tensors are in different memories, once for each combination.
        "memref-pool-specialise-calls",
        # A loop's value gets one address: each iteration leaves it where the next one looks.
        "memref-pool-settle-loops",
    )


def _attachment(settings: Settings) -> tuple[str, ...]:
    """Nothing for a module that brings its devices and pools."""
    if settings.target == OWN_TARGET:
        return ()
    return _with_options("accel-attach-target", target=settings.target)


def _partition(settings: Settings) -> tuple[str, ...]:
    """Operators to the devices that take them, by the patterns of the target's file."""
    if settings.target == OWN_TARGET:
        return ()
    return _with_options(
        "accel-partition",
        place=settings.place,
        placement=settings.placement,
        report=settings.offload_report,
    )


def _device_lowering(settings: Settings) -> tuple[str, ...]:
    """The devices' own stages, each told what is free while its calls run."""
    if settings.target == OWN_TARGET:
        return ()
    return _with_options(
        "accel-lower-devices",
        target=settings.target,
        order=settings.order,
        io=settings.io,
        slots=str(settings.slots),
    )


def bufferization_passes(settings: Settings = PLAIN) -> tuple[str, ...]:
    """The passes of `bufferization`, one by one."""
    return (
        *_device_lowering(settings),
        *_choices(settings),
        *settings.passes_at("before-assign"),
        *_assignment(settings),
    )


def _choices(settings: Settings) -> tuple[str, ...]:
    """Pools that the user names for single tensors."""
    if not (settings.input_pools or settings.output_pools or settings.constant_pools):
        return ()
    return _with_options(
        "memref-pool-choose",
        inputs=settings.input_pools,
        outputs=settings.output_pools,
        constants=settings.constant_pools,
    )


def _assignment(settings: Settings) -> tuple[str, ...]:
    return (
        *_with_options("memref-pool-assign", io=settings.io, strict=str(settings.strict).lower()),
        # The wall: nothing may touch tensors between the assignment and bufferization.
        "memref-pool-check-assigned",
        "one-shot-bufferize{bufferize-function-boundaries=true "
        "function-boundary-type-conversion=identity-layout-map "
        "use-encoding-for-memory-space=true buffer-alignment=0}",
        # A function that returns what it was handed returns nothing,
        "drop-equivalent-buffer-results",
        # and one that returns a buffer of its own writes where its caller wants it.
        "buffer-results-to-out-params{hoist-static-allocs=true modify-public-functions=true "
        "add-result-attr=true}",
        # Copies of a buffer onto itself, and what has no use.
        "canonicalize",
        "symbol-dce",
        # The wall behind bufferization; allocations are the dialect's own from here on.
        "memref-pool-adopt",
        # The last operator writes where the caller wants its result,
        "memref-pool-forward-results",
        # and state is stored as soon as its old value has been read.
        "memref-pool-hoist-stores",
        *settings.passes_at("after-bufferize"),
        # Copies that a device's transfer makes; none into or out of a device stays a loop.
        "accel-lower-copies",
        # What is moved again and again is moved once,
        "accel-hoist-transfers",
        # and what is left runs in the devices' queues, beside what is computed.
        *_pipelined_loops(settings),
    )


def _pipelined_loops(settings: Settings) -> tuple[str, ...]:
    return (f"accel-pipeline-loops{{slots={settings.slots}}}",) if settings.slots > 1 else ()


def planning_passes(settings: Settings = PLAIN) -> tuple[str, ...]:
    """The passes of `planning`, one by one."""
    return (
        *_with_options("memref-pool-plan", planner=settings.planner),
        *settings.passes_at("after-plan"),
        # The wall behind the plan, and behind whatever the user's passes made of it.
        "memref-pool-verify-plan",
        # No stage takes more than it was told is free.
        "accel-check-grants",
    )


def _materialization() -> tuple[str, ...]:
    return (
        "accel-outline-operators",
        "func.func(accel-lower-reduce,convert-linalg-to-loops,lower-affine,canonicalize,cse)",
        # After cse, which would take two buffers at one address for one.
        "memref-pool-materialize",
        # Which instance of a device is meant, where its C functions ask.
        "accel-pass-handles",
        # Once more on what will be printed: nothing since the plan may have broken it.
        "memref-pool-verify-plan",
        # The wall before the C printer.
        "memref-pool-check-printable",
    )
