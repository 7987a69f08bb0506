// RUN: forebay-opt %s --accel-attach-target | FileCheck %s
// RUN: forebay-opt %s --accel-attach-target=target=host | FileCheck %s

// CHECK:      module attributes {accel.target = "host"}
// CHECK-NEXT:   accel.device @host kind "cpu" host
// CHECK-NEXT:   memref_pool.pool @workspace workspace align 16 read [@host] write [@host]
// CHECK-NEXT:   memref_pool.pool @weights constant align 16 read [@host]
// CHECK-NEXT:   memref_pool.pool @state state align 16 reserved [0, 16] read [@host] write [@host]
// CHECK-NEXT:   func.func @main
func.func @main() {
  return
}

// RUN: forebay-opt %s --accel-attach-target=target=fetch_conv:act_mem=12816,wei_mem=65536 | FileCheck %s --check-prefix=MACHINE

// MACHINE:      module attributes {accel.target = "fetch_conv:act_mem=12816,wei_mem=65536"}
// MACHINE-NEXT:   accel.device @cpu kind "cpu" host
// MACHINE-NEXT:   accel.device @accel kind "fetch_conv"
// MACHINE-NEXT:   memref_pool.pool @l2_mem workspace align 16 read [@cpu] write [@cpu]
// MACHINE-NEXT:   memref_pool.pool @act_mem workspace capacity 12816 align 16 read [@cpu, @accel] write [@cpu, @accel]
// MACHINE-NEXT:   memref_pool.pool @wei_mem constant capacity 65536 align 16 fill at_init read [@accel]
// MACHINE:        accel.intrinsic @accel.input_fetcher on @accel symbol "accel_input_fetcher" operands
// MACHINE-SAME:     [#accel.operand<name = "x", access = in, pools = [@l2_mem], align = 16>,
// MACHINE-SAME:      #accel.operand<name = "y", access = out, pools = [@act_mem], align = 16>]
// MACHINE:        accel.intrinsic @accel.conv2d on @accel symbol "accel_conv2d" operands
// MACHINE-SAME:     #accel.operand<name = "weights", access = in, pools = [@wei_mem], align = 16>
// MACHINE:        func.func @main
