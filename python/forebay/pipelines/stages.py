"""The stages of compilation as textual pipelines; a reason before each pass.

Between the stages the module is whole and readable: `forebay-opt` takes any of these texts.
"""

from forebay.pipelines.host import HOST_LOWERING


def lowering(target: str) -> str:
    """TOSA or linalg on tensors to fused kernels on tensors."""
    return _module(
        f"accel-attach-target{{target={target}}}",
        # Variables first: from here on they are buffers that are read and, at the end, written.
        "memref-pool-carry-state",
        *HOST_LOWERING,
        # A loop's value gets one address: each iteration leaves it where the next one looks.
        "memref-pool-settle-loops",
    )


def bufferization(io: str) -> str:
    """Fused kernels on tensors to kernels on buffers with candidate pools."""
    return _module(
        f"memref-pool-assign{{io={io}}}",
        # The wall: nothing may touch tensors between the assignment and bufferization.
        "memref-pool-check-assigned",
        "one-shot-bufferize{bufferize-function-boundaries=true "
        "function-boundary-type-conversion=identity-layout-map "
        "use-encoding-for-memory-space=true buffer-alignment=0}",
        "buffer-results-to-out-params{hoist-static-allocs=true modify-public-functions=true "
        "add-result-attr=true}",
        # Copies of a buffer onto itself, and what has no use.
        "canonicalize",
        "symbol-dce",
        # The wall behind bufferization; allocations are the dialect's own from here on.
        "memref-pool-adopt",
        "memref-pool-forward-results",
        # "memref-pool-hoist-stores",
    )


def planning(planner: str) -> str:
    """Every buffer to its pool and offset, checked by code that has not planned it."""
    return _module(f"memref-pool-plan{{planner={planner}}}")


def materialization() -> str:
    """Planned buffers to views of pools, kernels to loops, operators to functions."""
    return _module(
        "memref-pool-materialize",
        "accel-outline-operators",
        "func.func(accel-lower-reduce)",
        "func.func(convert-linalg-to-loops)",
        "func.func(canonicalize,cse)",
        # The wall before the C printer.
        "memref-pool-check-printable",
    )


def _module(*passes: str) -> str:
    return f"builtin.module({','.join(passes)})"
