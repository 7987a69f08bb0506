"""vecunit: a scratchpad in rows of 16 bytes, two DMA queues, ADD and FULLY_CONNECTED.

forebay compile net.tflite --target ./vecunit.py:vmem=2048 --offload-report -

Patterns, calls of whole operators and tiles are derived from the two declared intrinsics.
"""

from forebay.api.target import (
    Device,
    Int8Add,
    Int8FullyConnected,
    Intrinsic,
    Pool,
    Queue,
    Target,
    Transfer,
    ceil_div,
)

ROW, LANES = 16, 16

ADD = Intrinsic(
    "add",
    "vec_add",
    computes=Int8Add(),
    pools={"all": "vmem"},
    alignment=ROW,
    queue="run",
    cycles=lambda count: ceil_div(count, LANES),
)
FC = Intrinsic(
    "fc",
    "vec_fc",
    computes=Int8FullyConnected(),
    pools={"all": "vmem"},
    alignment=ROW,
    queue="run",
    cycles=lambda rows, depth, columns: rows * columns * ceil_div(depth, LANES),
)


def transfer(name: str, queue: str, sources: tuple[str, ...], to: str) -> Transfer:
    """Return a DMA engine with a queue of its own: 16 bytes per cycle after 20 cycles."""
    return Transfer(name, f"vec_{name}", sources, (to,), queue=queue, latency=20, bandwidth=16)


def target(vmem: int = 32768) -> Target:
    """Return the machine; `vmem` are the bytes of its scratchpad."""
    both, own = ("cpu", "vec"), ("vec",)
    vec = Device(
        "vec",
        kind="vec",
        intrinsics=(ADD, FC),
        transfers=(
            transfer("load", "in", ("sram", "flash"), "vmem"),
            transfer("store", "out", ("vmem",), "sram"),
        ),
        queues=tuple(Queue(name, f"vec_{name}", depth=8) for name in ("in", "run", "out")),
    )
    pools = (
        Pool("sram", "workspace", readers=both, writers=both),
        Pool("vmem", "workspace", vmem, base=0, unit=ROW, local=True, readers=own, writers=own),
        Pool("flash", "constant", readers=both),
    )
    return Target("vecunit", (Device("cpu", kind="cpu", host=True), vec), pools)
