"""A host and a convolution engine with memories of its own.

    caller -> cpu -> l2_mem -> accel_input_fetcher -> act_mem -> accel_conv2d -> act_mem -> cpu

The engine computes on int8, with channels in blocks of 16, kernels up to 7x7, strides 1 and 2, and
the requantisation of TFLite with its double rounding. The input fetcher reads the image from the
host's memory `l2_mem`. The engine works in `act_mem`, which host and engine access, and reads its
weights from `wei_mem`. Without streaming, `wei_mem` holds all weights, and a generated function
copies them there at initialisation. With `stream=1`, it holds the weights of one call, and
`accel_weight_loader` loads them from the constants before that call. Layers that do not fit are
computed in tiles (`layer.py`).

Internal: may change without notice.
"""

from functools import partial

from forebay.api.target import Device, Pool, Queue, Target, Transfer
from forebay.targets.fetch_conv.conv2d import conv2d, layers
from forebay.targets.fetch_conv.fetcher import input_fetcher
from forebay.targets.fetch_conv.patterns import patterns
from forebay.targets.fetch_conv.stage import lower, reserve
from forebay.targets.fetch_conv.times import Times

# Generated code keeps its "state was reset" marker in the first bytes of the state pool.
_RESET_MARKER = (0, 16)
_HOST, _ACCEL = ("cpu",), ("accel",)


def target(
    *,
    l2_mem: int | None = None,
    act_mem: int | None = None,
    wei_mem: int | None = None,
    stream: int = 0,
    bandwidth: int = 16,
    latency: int = 32,
    setup: int = 64,
    depth: int = 0,
) -> Target:
    """Return the machine with capacities in bytes; `None` lets a pool grow to what the plan needs.

    With `stream`, the weights of each call are loaded into `wei_mem` before the call. `bandwidth`
    in bytes per cycle, `latency` and `setup` in cycles are those of `Times`. With a `depth`, the
    fetcher, the weight loader and the engine have a queue of so many operations each, and work in
    parallel; without, the host waits for each operation.
    """
    times = Times(bandwidth, latency, setup)
    return Target(
        name="fetch_conv",
        devices=(
            Device("cpu", kind="cpu", host=True),
            Device(
                "accel",
                kind="fetch_conv",
                peak=256,
                intrinsics=(
                    input_fetcher(times, "fetch" if depth else None),
                    conv2d(times, "run" if depth else None),
                    *layers("weights" if stream else "wei_mem"),
                ),
                transfers=(_weight_loader(times, "load" if depth else None),) if stream else (),
                queues=tuple(
                    Queue(name, f"accel_{name}", depth) for name in ("fetch", "load", "run")
                )
                if depth
                else (),
                stage=partial(lower, queued=times if depth else None),
                reserve=partial(reserve, streams=bool(stream)),
            ),
        ),
        pools=(
            Pool("l2_mem", "workspace", l2_mem, readers=_HOST, writers=_HOST),
            Pool("act_mem", "workspace", act_mem, readers=_HOST + _ACCEL, writers=_HOST + _ACCEL),
            _wei_mem(wei_mem, streams=bool(stream)),
            Pool("weights", "constant", readers=_HOST),
            Pool("state", "state", reserved=(_RESET_MARKER,), readers=_HOST, writers=_HOST),
        ),
        patterns=patterns(wei_mem if stream else None, act_mem),
    )


def _weight_loader(times: Times, queue: str | None) -> Transfer:
    return Transfer(
        "weight_loader",
        "accel_weight_loader",
        ("weights",),
        ("wei_mem",),
        queue=queue,
        latency=times.latency,
        bandwidth=times.bandwidth,
    )


def _wei_mem(capacity: int | None, *, streams: bool) -> Pool:
    """Return the pool for the weights of one call, or for all weights."""
    if streams:
        return Pool("wei_mem", "workspace", capacity, readers=_ACCEL, writers=_ACCEL)
    return Pool("wei_mem", "constant", capacity, readers=_ACCEL, fill="at_init")
