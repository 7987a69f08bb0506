"""Two accelerators whose patterns overlap: one adds and copies, the other only adds, and first."""

from forebay.ir import fused
from forebay.targets import Device, Intrinsic, Operand, Pattern, Pool, Target

_ADD = """
func.func @add(%a: memref<?xi8>, %b: memref<?xi8>, %y: memref<?xi8>, %count: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.index_cast %count : i32 to index
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %a[%i] : memref<?xi8>
    %z = memref.load %b[%i] : memref<?xi8>
    %s = arith.addi %x, %z : i8
    memref.store %s, %y[%i] : memref<?xi8>
  }
  return
}
"""


def _device(name, limit, priority):
    add = Intrinsic(
        "add",
        "npu_add",
        (Operand("a", "in"), Operand("b", "in"), Operand("y", "out")),
        ("count",),
        _ADD,
        pools={"all": f"{name}_mem"},
    )

    def build(view, emit):
        return emit.call("add", view.source, view.other, out=view.result.type, count=_size(view))

    device = Device(name, kind="adder", intrinsics=(add,))
    pool = Pool(f"{name}_mem", "workspace")
    pattern = Pattern(
        "sum",
        device=name,
        of=fused.Add,
        conditions=(
            ("plain sums", lambda view: not (view.source_rescales or view.epilogue.rescale)),
            ("operands of one shape", lambda view: view.source.type == view.other.type),
            (f"at most {limit} elements", lambda view: _size(view) <= limit),
        ),
        build=build,
        priority=priority,
    )
    return device, pool, pattern


def _size(view):
    size = 1
    for extent in fused.shape_of(view.result):
        size *= extent
    return size


def target(big_priority=0, small_priority=1):
    big, big_mem, big_sum = _device("big", 1000, big_priority)
    small, small_mem, small_sum = _device("small", 10, small_priority)
    return Target(
        "two_machines",
        devices=(Device("cpu", "cpu", host=True), big, small),
        pools=(Pool("sram", "workspace"), big_mem, small_mem, Pool("rom", "constant")),
        patterns=(big_sum, small_sum),
    )
