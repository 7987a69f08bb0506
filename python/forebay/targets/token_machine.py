"""A matrix machine with three queues that run in parallel and are ordered only by tokens.

    dram -> load queue -> inp, wgt -> compute queue -> acc -> out -> store queue -> dram

It follows VTA (Moreau et al., "A Hardware-Software Blueprint for Flexible Deep Learning
Specialization", IEEE Micro 2019): a 16x16 array of int8 multipliers, int32 sums, memories addressed
in rows (a vector, or a matrix of weights), and all operations asynchronous. No queue waits for
another queue by itself: a computation names the load that it depends on, and a load names the
computation whose tile it overwrites.
"""

from forebay.api.target import Device, Int64, Intrinsic, Operand, Pool, Queue, Target, Transfer

_HOST, _NPU = ("cpu",), ("npu",)

_GEMM = """
func.func @token_gemm(%x: memref<?xi8>, %w: memref<?xi8>, %sums: memref<?xi32>, %rows: i32,
                      %blocks: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %n_rows = arith.index_cast %rows : i32 to index
  %n_blocks = arith.index_cast %blocks : i32 to index
  scf.for %block = %c0 to %n_blocks step %c1 {
    %x_block = arith.muli %block, %n_rows : index
    %w_block = arith.muli %block, %c16 : index
    scf.for %row = %c0 to %n_rows step %c1 {
      %x_row = arith.addi %x_block, %row : index
      %x_base = arith.muli %x_row, %c16 : index
      %y_base = arith.muli %row, %c16 : index
      scf.for %column = %c0 to %c16 step %c1 {
        %w_row = arith.addi %w_block, %column : index
        %w_base = arith.muli %w_row, %c16 : index
        %at = arith.addi %y_base, %column : index
        scf.for %i = %c0 to %c16 step %c1 {
          %x_at = arith.addi %x_base, %i : index
          %w_at = arith.addi %w_base, %i : index
          %xi = memref.load %x[%x_at] : memref<?xi8>
          %wi = memref.load %w[%w_at] : memref<?xi8>
          %sum = memref.load %sums[%at] : memref<?xi32>
          %xw = arith.extsi %xi : i8 to i32
          %ww = arith.extsi %wi : i8 to i32
          %product = arith.muli %xw, %ww : i32
          %next = arith.addi %sum, %product : i32
          memref.store %next, %sums[%at] : memref<?xi32>
        }
      }
    }
  }
  return
}
"""

_ALU = """
func.func @token_alu(%sums: memref<?xi32>, %y: memref<?xi8>, %rows: i32, %shift: i32, %low: i32,
                     %high: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %n_rows = arith.index_cast %rows : i32 to index
  %n = arith.muli %n_rows, %c16 : index
  scf.for %i = %c0 to %n step %c1 {
    %sum = memref.load %sums[%i] : memref<?xi32>
    %scaled = arith.shrsi %sum, %shift : i32
    %above = arith.maxsi %scaled, %low : i32
    %inside = arith.minsi %above, %high : i32
    %value = arith.trunci %inside : i32 to i8
    memref.store %value, %y[%i] : memref<?xi8>
  }
  return
}
"""

_FILL = 4
"""The cycles before the array, or the ALU, gives its first row."""


def _gemm_cycles(rows: Int64, blocks: Int64) -> Int64:
    return _FILL + rows * blocks


def _alu_cycles(rows: Int64) -> Int64:
    return _FILL + rows


def target(depth: int = 12) -> Target:
    """Return the machine; each queue takes `depth` outstanding operations.

    `gemm` multiplies `rows` vectors `[blocks][rows][16]` by weights `[blocks][16 out][16 in]` and
    adds the products to the sums. `alu` shifts sums right, clamps them to `[low, high]`, and writes
    bytes.
    """
    return Target(
        name="token_machine",
        devices=(Device("cpu", kind="cpu", host=True), _npu(depth)),
        pools=(
            Pool("dram", "workspace", readers=_HOST + _NPU, writers=_HOST + _NPU),
            Pool("weights", "constant", readers=_HOST + _NPU),
            _inside("inp", 32 * 1024, row=16),
            _inside("wgt", 256 * 1024, row=256),
            _inside("acc", 128 * 1024, row=64),
            _inside("out", 32 * 1024, row=16),
        ),
    )


def _inside(name: str, capacity: int, row: int) -> Pool:
    return Pool(
        name,
        "workspace",
        capacity,
        alignment=row,
        base=0,
        unit=row,
        readers=_NPU,
        writers=_NPU,
        local=True,
    )


def _npu(depth: int) -> Device:
    return Device(
        "npu",
        kind="token_machine",
        queues=(
            Queue("load", "token_load", depth),
            Queue("compute", "token_compute", depth),
            Queue("store", "token_store", depth),
        ),
        transfers=(
            _transfer("load_inp", ("dram",), ("inp",), "load"),
            _transfer("load_wgt", ("dram", "weights"), ("wgt",), "load"),
            _transfer("load_acc", ("dram", "weights"), ("acc",), "compute"),
            _transfer("store_out", ("out",), ("dram",), "store"),
        ),
        intrinsics=(
            Intrinsic(
                "gemm",
                "token_gemm",
                (
                    Operand("x", "in", ("inp",)),
                    Operand("w", "in", ("wgt",)),
                    Operand("sums", "inout", ("acc",)),
                ),
                scalars=("rows", "blocks"),
                reference=_GEMM,
                queue="compute",
                cycles=_gemm_cycles,
            ),
            Intrinsic(
                "alu",
                "token_alu",
                (Operand("sums", "in", ("acc",)), Operand("y", "out", ("out",))),
                scalars=("rows", "shift", "low", "high"),
                reference=_ALU,
                queue="compute",
                cycles=_alu_cycles,
            ),
        ),
    )


def _transfer(
    name: str, sources: tuple[str, ...], targets: tuple[str, ...], queue: str
) -> Transfer:
    """Return a transfer of multiples of 16 bytes: rank 3, 16 cycles latency, 8 bytes per cycle."""
    return Transfer(
        name,
        f"token_{name}",
        sources,
        targets,
        rank=3,
        queue=queue,
        granule=16,
        latency=16,
        bandwidth=8,
    )
