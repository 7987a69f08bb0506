"""A host and a convolution engine that reads and writes a memory of its own.

    caller -> cpu -> l2_mem -> accel_input_fetcher -> act_mem -> accel_conv2d -> act_mem -> cpu

int8, channels in blocks of 16, kernels up to 7x7, strides 1 and 2, TFLite's requantisation with
its double rounding. The engine fetches its input out of the host's memory `l2_mem`, works in
`act_mem`, which both reach, and has its weights in `wei_mem`: all of them, which a generated
function puts there, or with `stream=1` those of one call, which `accel_weight_loader` brings there
from the constants before it. Layers whose weights do not fit are computed in parts.
"""

from forebay.targets.description import Device, Intrinsic, Operand, Pool, Target, Transfer
from forebay.targets.fetch_conv import reference
from forebay.targets.fetch_conv.patterns import patterns

# The first bytes of the state pool hold the marker by which generated code knows that it was reset.
_RESET_MARKER = (0, 16)
_HOST, _ACCEL = ("cpu",), ("accel",)

_INPUT_FETCHER = Intrinsic(
    "input_fetcher",
    "accel_input_fetcher",
    (
        Operand("x", "in", ("l2_mem",), alignment=16),
        Operand("y", "out", ("act_mem",), alignment=16),
    ),
    scalars=(
        *("blocks", "height", "width"),
        *("top", "bottom", "left", "right", "zero_point"),
    ),
    reference=reference.INPUT_FETCHER,
)

_CONV2D = Intrinsic(
    "conv2d",
    "accel_conv2d",
    (
        Operand("x", "in", alignment=16),
        Operand("weights", "in", ("wei_mem",), alignment=16),
        Operand("table", "in", ("wei_mem",), alignment=16),
        Operand("y", "out", alignment=16),
    ),
    scalars=(
        *("x_blocks", "x_height", "x_width", "y_blocks", "y_height", "y_width"),
        *("kernel_height", "kernel_width", "stride_y", "stride_x", "top", "left", "depthwise"),
        *("x_zero_point", "y_zero_point", "low", "high"),
    ),
    reference=reference.CONV2D,
    pools={"all": "act_mem"},
)


_WEIGHT_LOADER = Transfer("weight_loader", "accel_weight_loader", ("weights",), ("wei_mem",))


def target(
    l2_mem: int | None = None,
    act_mem: int | None = None,
    wei_mem: int | None = None,
    stream: int = 0,
) -> Target:
    """The machine with capacities in bytes; `None` lets a pool grow to what the plan needs.

    With `stream`, weights are brought into `wei_mem` call by call.
    """
    weights = (
        Pool("wei_mem", "workspace", wei_mem, readers=_ACCEL, writers=_ACCEL)
        if stream
        else Pool("wei_mem", "constant", wei_mem, readers=_ACCEL, fill="at_init")
    )
    return Target(
        name="fetch_conv",
        devices=(
            Device("cpu", kind="cpu", host=True),
            Device(
                "accel",
                kind="fetch_conv",
                intrinsics=(_INPUT_FETCHER, _CONV2D),
                transfers=(_WEIGHT_LOADER,) if stream else (),
            ),
        ),
        pools=(
            Pool("l2_mem", "workspace", l2_mem, readers=_HOST, writers=_HOST),
            Pool("act_mem", "workspace", act_mem, readers=_HOST + _ACCEL, writers=_HOST + _ACCEL),
            weights,
            Pool("weights", "constant", readers=_HOST),
            Pool("state", "state", reserved=(_RESET_MARKER,), readers=_HOST, writers=_HOST),
        ),
        patterns=patterns(wei_mem if stream else None),
    )
