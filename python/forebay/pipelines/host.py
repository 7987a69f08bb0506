"""Lowering of imported TOSA to `accel.reduce` and `linalg.generic` on tensors."""

from forebay.support.option_text import with_options

HOST_LOWERING: tuple[str, ...] = (
    # Rescales have the signedness of their operands as attributes, so the types need not have it.
    "func.func(tosa-convert-integer-type-to-signless)",
    # Fuse operators that accumulate while their rescale and clamp are still TOSA ops.
    "func.func(accel-fuse-host,accel-expand-softmax)",
    # Fold reshapes of constants and of reshapes.
    "func.func(canonicalize)",
    "func.func(tosa-optional-decompositions)",
    "func.func(tosa-make-broadcastable)",
    # Control flow first: the lowering to linalg does not support tosa.yield.
    "func.func(tosa-to-scf,tosa-to-linalg-named,tosa-to-linalg,tosa-to-tensor)",
    # Keep apply_scale: it is one line of C, and tosa-to-arith lowers it for LLVM later.
    "func.func(tosa-to-arith{include-apply-rescale=false use-32-bit=false})",
    "func.func(linalg-generalize-named-ops)",
    # Fuse rescale, rescale, add, rescale, clamp into one nest without tensors in between.
    "func.func(linalg-fuse-elementwise-ops)",
    # The fusion repeats an update in place if its result is broadcast.
    "func.func(accel-split-updates)",
    # A rescale that only widens needs no 64 bits.
    "func.func(accel-expand-scale)",
    # Rounding by additions needs no function of the C library.
    "func.func(accel-expand-rounding)",
    # Temporaries of an operator with several kernels have some elements only.
    "func.func(accel-tile-temporaries)",
    # Turn a pad into fill and insert_slice, which write the one buffer of the result.
    "convert-tensor-to-linalg",
    # No cse: it would merge tensors that are live at different times into one buffer.
    "func.func(canonicalize)",
)
"""Passes on a module, in order; each is a textual pipeline."""


def host_lowering(offset: int) -> tuple[str, ...]:
    """Return the passes, for a processor whose convolutions best add this offset to elements."""
    fuse = with_options("accel-fuse-host", {"offset": offset} if offset else {})
    return tuple(text.replace("accel-fuse-host", fuse) for text in HOST_LOWERING)
