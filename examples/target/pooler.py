"""An example of a target: a machine that computes 2x2 maxima between two scratch memories.

forebay compile digits_int8.tflite --target ./pooler.py:in_mem=1024 --offload-report -
"""

from forebay.api import operators
from forebay.api.operators import Window
from forebay.api.target import Device, Intrinsic, Operand, Pattern, Pool, Target

MAX_POOL = Intrinsic(
    "max_pool",
    symbol="pooler_max_pool",
    operands=(Operand("x", "in", ("in_mem",)), Operand("y", "out", ("out_mem",))),
    scalars=("count", "width", "channels"),
    # Results, elements in a row of results (a row of x has twice as many), channels.
    reference="""
    func.func @max_pool(%x: memref<?xi8>, %y: memref<?xi8>, %c: i32, %w: i32, %n: i32) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %count = arith.index_cast %c : i32 to index
      %width = arith.index_cast %w : i32 to index
      %channels = arith.index_cast %n : i32 to index
      %line = arith.addi %width, %width : index
      scf.for %i = %c0 to %count step %c1 {
        %row = arith.divui %i, %width : index
        %down = arith.muli %row, %line : index
        %column = arith.divui %i, %channels : index
        %right = arith.muli %column, %channels : index
        %from = arith.addi %i, %down : index
        %a0 = arith.addi %from, %right : index
        %a1 = arith.addi %a0, %channels : index
        %a2 = arith.addi %a0, %line : index
        %a3 = arith.addi %a1, %line : index
        %v0 = memref.load %x[%a0] : memref<?xi8>
        %v1 = memref.load %x[%a1] : memref<?xi8>
        %v2 = memref.load %x[%a2] : memref<?xi8>
        %v3 = memref.load %x[%a3] : memref<?xi8>
        %m0 = arith.maxsi %v0, %v1 : i8
        %m1 = arith.maxsi %v2, %v3 : i8
        %m = arith.maxsi %m0, %m1 : i8
        memref.store %m, %y[%i] : memref<?xi8>
      }
      return
    }""",
)


def build(view, emit):
    """Build one call; the operands of the intrinsic define the memories of the buffers."""
    _, rows, columns, n = operators.shape_of(view.result)
    sizes = {"count": rows * columns * n, "width": columns * n, "channels": n}
    return emit.call("max_pool", view.source, out=view.result.type, **sizes)


HALVE = Pattern(
    "halve",
    device="pooler",
    of=operators.MaxPool,
    conditions=(
        ("int8", lambda view: operators.is_int8(view.source)),
        ("one image", lambda view: operators.shape_of(view.source)[0] == 1),
        ("windows of 2x2 side by side", lambda view: view.window == Window((2, 2), (2, 2))),
        ("no activation behind it", lambda view: view.epilogue.clamp is None),
    ),
    build=build,
)


def target(in_mem=4096, out_mem=1024):
    """Return the target; the parameters are the sizes of the scratch memories in bytes."""
    cpu = Device("cpu", kind="cpu", host=True)
    pooler = Device("pooler", kind="pooler", intrinsics=(MAX_POOL,))
    pools = (
        Pool("sram", "workspace", readers=("cpu",), writers=("cpu",)),
        Pool("in_mem", "workspace", in_mem, readers=("cpu", "pooler"), writers=("cpu",)),
        Pool("out_mem", "workspace", out_mem, readers=("cpu",), writers=("pooler",)),
        Pool("flash", "constant", readers=("cpu",)),
    )
    return Target("pooler", (cpu, pooler), pools, (HALVE,))
