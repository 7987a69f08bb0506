"""Imported TOSA to `accel.reduce` and `linalg.generic` on tensors, ready for pools."""

HOST_LOWERING: tuple[str, ...] = (
    # Signed and unsigned types only say how rescales read their operands, and those say it again.
    "func.func(tosa-convert-integer-type-to-signless)",
    # Operators that accumulate, while their rescale and clamp are still in sight.
    "func.func(accel-fuse-host,accel-expand-softmax)",
    # Reshapes of constants and of reshapes go.
    "func.func(canonicalize)",
    "func.func(tosa-optional-decompositions)",
    "func.func(tosa-make-broadcastable)",
    # Control flow first: the lowering to linalg knows no tosa.yield.
    "func.func(tosa-to-scf,tosa-to-linalg-named,tosa-to-linalg,tosa-to-tensor)",
    # apply_scale stays: one line of C, and LLVM gets it from tosa-to-arith later.
    "func.func(tosa-to-arith{include-apply-rescale=false use-32-bit=false})",
    "func.func(linalg-generalize-named-ops)",
    # Rescale, rescale, add, rescale, clamp become one nest, without tensors in between.
    "func.func(linalg-fuse-elementwise-ops)",
    # What only widens needs no 64 bits.
    "func.func(accel-expand-scale)",
    # Fill and insert_slice into the one buffer of the result.
    "convert-tensor-to-linalg",
    # No cse: it would make one buffer of tensors that are alive at different times.
    "func.func(canonicalize)",
)
"""Passes on a module, in order, each a textual pipeline."""
