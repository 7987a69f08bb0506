"""The machine that drawn programs are for: a host, a device with two memories and three queues."""

HOST_POOLS = ("dram", "sram")
LOCAL_POOLS = ("l1", "l2")
ROW = 16
"""Bytes of a row in the device's memories."""

_OUTSIDE = "[@dram, @sram, @rom, @st]"
_HEAD = """
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @dram workspace read [@cpu, @npu] write [@cpu, @npu]
memref_pool.pool @sram workspace{sram} read [@cpu, @npu] write [@cpu, @npu]
memref_pool.pool @rom constant read [@cpu, @npu]
memref_pool.pool @st state reserved [0, 16] read [@cpu, @npu] write [@cpu, @npu]
memref_pool.pool @l1 workspace local capacity {l1} align 16 base 0 unit 16
  read [@npu] write [@npu]
memref_pool.pool @l2 workspace local capacity 4096 align 32 base 1024 unit 16
  read [@npu] write [@npu]
accel.queue @npu.load on @npu symbol "npu_load" depth 16
accel.queue @npu.run on @npu symbol "npu_run" depth 16
accel.queue @npu.store on @npu symbol "npu_store" depth 16
accel.transfer @npu.in on @npu symbol "npu_in" from OUTSIDE to [@l1, @l2] rank 2
  queue @npu.load latency 4 bandwidth 8
accel.transfer @npu.out on @npu symbol "npu_out" from [@l1, @l2] to [@dram, @sram, @st] rank 2
  queue @npu.store latency 4 bandwidth 8
accel.transfer @npu.across on @npu symbol "npu_across" from [@l1, @l2] to [@l1, @l2] rank 2
accel.transfer @npu.dma on @npu symbol "npu_dma" from OUTSIDE to [@dram, @sram] rank 2
""".replace("OUTSIDE", _OUTSIDE)


def _intrinsic(name: str, access: str, queue: str, body: str) -> str:
    """`y` from `x`, byte by byte; `%v` is the one of `x`, `%w` the one of `y`."""
    return f"""
accel.intrinsic @npu.{name} on @npu symbol "npu_{name}"
  operands [#accel.operand<name = "x", access = in, pools = [@l1, @l2]>,
            #accel.operand<name = "y", access = {access}, pools = [@l1, @l2]>]
  scalars ["count"]{queue} {{
^bb0(%x: memref<?xi8>, %y: memref<?xi8>, %count: i32):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.index_cast %count : i32 to index
  scf.for %i = %c0 to %n step %c1 {{
    %v = memref.load %x[%i] : memref<?xi8>
    {body}
    memref.store %s, %y[%i] : memref<?xi8>
  }}
  accel.yield
}}
"""


_INTRINSICS = (
    _intrinsic("double", "out", " queue @npu.run", "%s = arith.addi %v, %v : i8")
    + _intrinsic(
        "add",
        "inout",
        " queue @npu.run",
        "%w = memref.load %y[%i] : memref<?xi8>\n    %s = arith.addi %v, %w : i8",
    )
    + _intrinsic(
        "invert", "out", "", "%ones = arith.constant -1 : i8\n    %s = arith.xori %v, %ones : i8"
    )
)


def machine(l1: int, sram: int | None) -> str:
    """Declarations; `l1` and `sram` are capacities in bytes, None for as much as it takes."""
    limit = "" if sram is None else f" capacity {sram}"
    return _HEAD.replace("{l1}", str(l1)).replace("{sram}", limit) + _INTRINSICS
