"""The library's functions as intrinsics.

A function with a context buffer is two intrinsics: `convolve` where the buffer has no bytes, and
`convolve_with_context`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from forebay.api.target import Access, Intrinsic, Operand, Wrapper
from forebay.targets.cmsis_nn import references, wrappers
from forebay.targets.cmsis_nn.sizes import Extension
from forebay.targets.cmsis_nn.softmax import reference_softmax

WITH_CONTEXT = "_with_context"
WITH_SUMS = "_with_sums"
CONTEXT_ALIGNMENT = 16

_IMAGE = ("height", "width", "depth", "y_height", "y_width")
_WINDOW = ("kernel_height", "kernel_width", "stride_y", "stride_x")
_DILATION, _PADDING = ("dilation_y", "dilation_x"), ("top", "left")
_OFFSETS, _ACTIVATION = ("input_offset", "output_offset"), ("low", "high")
_TABLES = ("multipliers", "shifts")
_WEIGHTED = ("x", "weights", "bias")
_INT32 = ("bias", "sums", *_TABLES)


def cmsis_nn_intrinsics(extension: Extension) -> tuple[Intrinsic, ...]:
    """Return the functions of a library that is built for the extension."""
    found = [
        *_in_both_forms(
            "convolve",
            (*_WEIGHTED, *_TABLES),
            (*_IMAGE, "y_depth", *_WINDOW, *_DILATION, *_PADDING, *_OFFSETS, *_ACTIVATION),
            partial(references.reference_convolution, extension=extension),
            wrappers.convolve,
        ),
        *_in_both_forms(
            "depthwise",
            (*_WEIGHTED, *_TABLES),
            (
                *_IMAGE,
                "y_depth",
                "channel_multiplier",
                *_WINDOW,
                *_PADDING,
                *_OFFSETS,
                *_ACTIVATION,
            ),
            partial(references.reference_depthwise, extension=extension),
            wrappers.depthwise,
        ),
        *_in_both_forms(
            "average_pool",
            ("x",),
            (*_IMAGE, *_WINDOW, *_PADDING, *_ACTIVATION),
            partial(references.reference_average_pool, extension=extension),
            partial(wrappers.pool, "arm_avgpool_s8"),
        ),
        _intrinsic(
            "max_pool",
            ("x",),
            (*_IMAGE, *_WINDOW, *_PADDING, *_ACTIVATION),
            references.reference_max_pool,
            wrappers.pool("arm_max_pool_s8", has_context=False),
        ),
        _intrinsic("add", ("x", "other"), _ADD, references.reference_add, wrappers.ADD),
        _intrinsic("softmax", ("x",), _SOFTMAX, reference_softmax, wrappers.SOFTMAX),
        *(_fully_connected(t, s) for t in (False, True) for s in (False, True)),
        _intrinsic(
            "kernel_sums",
            ("weights", "bias"),
            ("depth", "columns", "input_offset"),
            references.reference_kernel_sums,
            wrappers.KERNEL_SUMS,
            out="sums",
        ),
    ]
    return tuple(found)


_ADD = (
    *("x_offset", "x_multiplier", "x_shift", "other_offset", "other_multiplier", "other_shift"),
    *("left_shift", "output_offset", "multiplier", "shift", "low", "high", "count"),
)
_SOFTMAX = ("rows", "columns", "multiplier", "shift", "least_difference")


def _fully_connected(has_tables: bool, has_sums: bool) -> Intrinsic:
    factors = () if has_tables else ("multiplier", "shift")
    tables, sums = _TABLES if has_tables else (), ("sums",) if has_sums else ()
    name = "fully_connected" + ("_per_channel" if has_tables else "")
    return _intrinsic(
        name + (WITH_SUMS if has_sums else ""),
        (*_WEIGHTED, *tables, *sums),
        ("rows", "depth", "columns", *factors, *_OFFSETS, *_ACTIVATION),
        references.reference_fully_connected,
        wrappers.fully_connected(has_tables=has_tables, has_sums=has_sums),
    )


def _in_both_forms(
    name: str,
    inputs: tuple[str, ...],
    scalars: tuple[str, ...],
    reference: Callable[..., None],
    wrapper: Callable[..., Wrapper],
) -> tuple[Intrinsic, Intrinsic]:
    """Return the intrinsic without and with a context buffer."""
    without = _intrinsic(name, inputs, scalars, reference, wrapper(has_context=False))
    context = Operand("context", "out", alignment=CONTEXT_ALIGNMENT)
    buffered = Intrinsic(
        name + WITH_CONTEXT,
        f"{without.symbol}{WITH_CONTEXT}",
        (*without.operands, context),
        (*scalars, "context_bytes"),
        reference,
        wrapper=wrapper(has_context=True),
    )
    return without, buffered


def _intrinsic(
    name: str,
    inputs: tuple[str, ...],
    scalars: tuple[str, ...],
    reference: Callable[..., None],
    wrapper: Wrapper,
    *,
    out: str = "y",
) -> Intrinsic:
    operands = (*(_operand(it, "in") for it in inputs), _operand(out, "out"))
    return Intrinsic(name, f"cmsis_nn_{name}", operands, scalars, reference, wrapper=wrapper)


def _operand(name: str, access: Access) -> Operand:
    return Operand(name, access, alignment=4 if name in _INT32 else 1)
