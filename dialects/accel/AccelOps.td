//===- AccelOps.td - devices and kernels -------------------------*- tablegen -*-===//
// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===------------------------------------------------------------------------===//
#ifndef FOREBAY_ACCEL_OPS_TD
#define FOREBAY_ACCEL_OPS_TD

include "accel/AccelDialect.td"
include "accel/AccelTransferOps.td"
include "accel/AccelVectorOps.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Accel_DeviceOp : Accel_Op<"device", [Symbol, HasParent<"::mlir::ModuleOp">]> {
  let summary = "declare an instance of a device";
  let description = [{
    A device is one instance of a kind; two accelerators of one kind are two devices with two names, and pools
    list the names of the devices that may access them. The only host is a device, too: it runs all that no other
    device runs. `base` is the address of the instance's registers or window, where it has one. The C functions of a
    device with a `handle` take `struct <kind> *device` as their first parameter, which selects the instance.
    `peak` is the number of multiply-accumulate operations that the device can execute per cycle; reports of modelled
    time give its utilisation.

    ```mlir
    accel.device @cpu kind "cortex-m" host
    accel.device @npu0 kind "npu" base 1073741824 handle peak 256
    accel.device @npu1 kind "npu" base 1073745920 handle
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility, StrAttr:$kind,
                       UnitAttr:$host, OptionalAttr<I64Attr>:$base, UnitAttr:$handle, OptionalAttr<I64Attr>:$peak);
  let assemblyFormat = [{
    $sym_name `kind` $kind (`host` $host^)? (`base` $base^)? (`handle` $handle^)? (`peak` $peak^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Accel_IntrinsicOp : Accel_Op<"intrinsic", [Symbol, HasParent<"::mlir::ModuleOp">, IsolatedFromAbove,
    SingleBlock, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "declare an operation of a device that the program can call";
  let description = [{
    An intrinsic belongs to one instance of a device; instances of one kind have intrinsics of their own, with their
    own pools, and share the C function `symbol`. Its C prototype takes a pointer per operand, in order and `const`
    where the operand is only read, then one `int32_t` per scalar. It returns a status: 0, or an error of the device's own.

    The region is the reference: what the device computes, in upstream operations, on `memref<?xT>` for the pointers and
    `i32` for the scalars. It is no part of the program, and passes on the program ignore it; the emulator and tests
    execute it. The second region gives the cycles that a call takes, as i64, from the scalars; the model of time
    uses it. With a `queue` the intrinsic can be launched and waited for.

    ```mlir
    accel.intrinsic @npu0.scale on @npu0 symbol "npu_scale"
      operands [#accel.operand<name = "x", access = in, pools = [@act_mem], align = 16>,
                #accel.operand<name = "y", access = out, pools = [@act_mem]>]
      scalars ["count", "factor"] {
    ^bb0(%x: memref<?xi8>, %y: memref<?xi8>, %count: i32, %factor: i32):
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.index_cast %count : i32 to index
      scf.for %i = %c0 to %n step %c1 {
        %v = memref.load %x[%i] : memref<?xi8>
        %f = arith.trunci %factor : i32 to i8
        %p = arith.muli %v, %f : i8
        memref.store %p, %y[%i] : memref<?xi8>
      }
      accel.yield
    } cycles {
    ^bb0(%count: i32, %factor: i32):
      %n = arith.extui %count : i32 to i64
      accel.yield %n : i64
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility,
                       FlatSymbolRefAttr:$device, StrAttr:$symbol,
                       TypedArrayAttrBase<Accel_OperandAttr, "operands of an intrinsic">:$signature,
                       DefaultValuedAttr<StrArrayAttr, "{}">:$scalars,
                       OptionalAttr<FlatSymbolRefAttr>:$queue);
  let regions = (region AnyRegion:$reference, AnyRegion:$cycles);
  let assemblyFormat = [{
    $sym_name `on` $device `symbol` $symbol `operands` $signature (`scalars` $scalars^)? (`queue` $queue^)?
    attr-dict-with-keyword ($reference^)? (`cycles` $cycles^)?
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Accel_CallOp : Accel_Op<"call", [AttrSizedOperandSegments, DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "run an intrinsic";
  let description = [{
    Destination-style on tensors and memrefs. `ins` are the intrinsic's operands with access `in`, in order; `outs`
    those with `out` and `inout`; `accumulate` lists the outs that are `inout`. `config` has a value for every scalar.
    Memrefs must be contiguous.

    ```mlir
    %y = accel.call @npu0.scale ins(%x : tensor<64xi8>) outs(%e : tensor<64xi8>)
      config {count = 64 : i64, factor = 3 : i64} -> tensor<64xi8>
    accel.call @npu0.scale ins(%a : memref<64xi8, #memref_pool.space<@act_mem>>)
      outs(%b : memref<64xi8, #memref_pool.space<@act_mem>>) config {count = 64 : i64, factor = 3 : i64}
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee,
                       Variadic<AnyTypeOf<[AnyStaticShapeTensor, AnyStaticShapeMemRef]>>:$inputs,
                       Variadic<AnyTypeOf<[AnyStaticShapeTensor, AnyStaticShapeMemRef]>>:$outputs,
                       OptionalAttr<DenseI64ArrayAttr>:$accumulate,
                       OptionalAttr<DictionaryAttr>:$config);
  let results = (outs Variadic<AnyStaticShapeTensor>:$result_tensors);
  let assemblyFormat = [{
    $callee (`ins` `(` $inputs^ `:` type($inputs) `)`)? `outs` `(` $outputs `:` type($outputs) `)`
    (`accumulate` $accumulate^)? (`config` $config^)? attr-dict (`->` type($result_tensors)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutputsMutable(); }
    /// Whether the operand's bytes are read.
    bool readsOperand(unsigned index);
  }];
}

def Accel_ReduceOp : Accel_Op<"reduce", [AttrSizedOperandSegments, DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "fused reduction whose windows are clamped at the operands' borders";
  let description = [{
    One loop nest with an accumulator in registers: a convolution, pooling, fully-connected layer or mean together
    with its bias, requantisation and clamp.

    The domain `[p0, p1, ... | r0, r1, ...]` has parallel and reduction dimensions. `maps` address the elements: one
    map over all dimensions per operand of `ins`, then one over the parallel dimensions per operand of `params`, then
    the one of `outs`. In row-major order, for every point of the parallel domain:

    1. `init(params...)` yields the accumulators;
    2. for every point of the reduction domain at which **every** operand of `ins` is addressed inside its bounds,
       `body(accumulators..., ins...)` yields the next accumulators; points outside are skipped;
    3. `finish(accumulators..., count, params...)` yields the element of `outs`; `count` (i32) is the number of
       points that were not skipped.

    So padding needs no padded copy, and average pooling divides by the number of points in its window. The map of
    `outs` must be a bijection of the parallel domain onto the elements.

    `at [p0, p1, ... | r0, r1, ...] sizes [...]` runs the op on a box of the domain only. Starts are constants or values
    of type `index`; sizes are constants. The operands stay the whole buffers and the maps take positions of the whole
    domain, so windows are clamped at the borders of the operands and not of the box; elements of `outs` outside of the
    box stay as they are. The box must be inside of the domain.

    A box may cut reduction dimensions. Then `accumulators` has one buffer per accumulator, and one of i32 for the count
    if `finish` uses it; their shape is that of the parallel part of the box, their elements are in its order. The boxes
    of one parallel part run one after the other. `init` runs only in the box at the start of all reduction dimensions;
    the others read the accumulators. `finish` runs only in the box at the end of all reduction dimensions; the others
    write the accumulators and do not write `outs`. The sum is that of the whole op if `body` may take the points in the
    order of the boxes: in any order for integers that wrap around, in row-major order for floats.

    `blocks [...]` is a schedule: per dimension, how many positions the loops compute together, with their accumulators
    in registers and each element loaded once. A parallel dimension may leave a remainder, and its positions whose
    windows reach over a border are computed one by one; a block of a reduction dimension divides its extent. Blocks
    change neither the elements nor the order of the additions of an element.

    `words [...]` says, for one dimension of the blocks, how many neighbouring elements of both operands are loaded as
    one vector. Along the last reduction dimension the products of two vectors are added at once (`accel.dot`), and the
    points behind the last whole vector are taken one by one, so blocks need not divide the extent there. Along a
    parallel dimension each position of a vector has a sum of its own. The body multiplies two signed elements of 8 bits,
    after adding a constant to the first one, and adds the product to one i32, which may wrap around.

    `partial_sums` says how many sums each position has in the loops over words of the last reduction dimension. They are
    one vector (`accel.dots`), and their total is the sum.

    `lanes [...]` says, for one parallel dimension of the blocks, how many neighbouring positions are requantised and
    stored as one vector (`accel.store_rescaled`). With `words` of the same length along the same dimension their sums are
    one vector, too (`accel.multiply_add`). Then the first operand may also have one element for all of these positions.
    With words of the last reduction dimension besides, each of these sums gets the products of a whole word at once
    (`accel.dot_each`): the first operand is the same for all of the positions, and the second one has the words of these
    positions one after the other.
    An op on one operand of 8 bits, such as pooling, may have lanes without words: minima and maxima are stored as one vector
    (`vector.store`), and the sums of a vector are finished one by one.

    `peeled [...]` names parallel dimensions, in ascending order, whose positions that are in no block get code of their
    own. Each position whose window reaches over a border has its own loops, whose numbers of points are constants.
    Positions left over behind the blocks have longer blocks along another dimension.
    Where the start of a box varies, it has one such position, and a condition: where the windows are inside, the loops
    over them have constant limits, and may be unrolled; elsewhere they are clamped.

    ```mlir
    // 1x2 average pooling with stride 2 of 5 columns: the last window sees one.
    %1 = accel.reduce [1, 3 | 2] ins(%0 : tensor<1x5xi8>) outs(%e : tensor<1x3xi8>)
      maps [affine_map<(n, x, k) -> (n, x * 2 + k)>, affine_map<(n, x) -> (n, x)>]
      init {
        %zero = arith.constant 0 : i32
        accel.yield %zero : i32
      } body {
      ^bb0(%sum: i32, %x: i8):
        %wide = arith.extsi %x : i8 to i32
        %next = arith.addi %sum, %wide overflow<nsw> : i32
        accel.yield %next : i32
      } finish {
      ^bb0(%sum: i32, %count: i32):
        %mean = arith.divsi %sum, %count : i32
        %narrow = arith.trunci %mean : i32 to i8
        accel.yield %narrow : i8
      } -> tensor<1x3xi8>

    // Rows %y to %y + 3 of a product; a half of its sums. The other half, at [%y, 0 | 32], reads %partial.
    %partial:2 = accel.reduce [16, 8 | 64] at [%y, 0 | 0] sizes [4, 8 | 32]
      ins(%a, %b : tensor<16x64xi8>, tensor<64x8xi8>) outs(%c : tensor<16x8xi32>) accumulators(%s : tensor<4x8xi32>)
      maps [#a, #b, #c] init {...} body {...} finish {...} -> tensor<16x8xi32>, tensor<4x8xi32>
    ```
  }];
  let arguments = (ins Variadic<AnyTypeOf<[AnyStaticShapeTensor, AnyStaticShapeMemRef]>>:$inputs,
                       Variadic<AnyTypeOf<[AnyStaticShapeTensor, AnyStaticShapeMemRef]>>:$params,
                       Variadic<Index>:$starts,
                       AnyTypeOf<[AnyStaticShapeTensor, AnyStaticShapeMemRef]>:$output,
                       Variadic<AnyTypeOf<[AnyStaticShapeTensor, AnyStaticShapeMemRef]>>:$accumulators,
                       DenseI64ArrayAttr:$parallel, DenseI64ArrayAttr:$reduction,
                       AffineMapArrayAttr:$maps,
                       OptionalAttr<DenseI64ArrayAttr>:$static_starts, OptionalAttr<DenseI64ArrayAttr>:$sizes,
                       OptionalAttr<DenseI64ArrayAttr>:$blocks, OptionalAttr<DenseI64ArrayAttr>:$words,
                       OptionalAttr<I64Attr>:$partial_sums, OptionalAttr<DenseI64ArrayAttr>:$lanes,
                       OptionalAttr<DenseI64ArrayAttr>:$peeled);
  let regions = (region SizedRegion<1>:$init, SizedRegion<1>:$body, SizedRegion<1>:$finish);
  let results = (outs Variadic<AnyStaticShapeTensor>:$result_tensors);
  let assemblyFormat = [{
    custom<Domain>($parallel, $reduction) custom<Box>($starts, $static_starts, $sizes, ref($parallel))
    (`ins` `(` $inputs^ `:` type($inputs) `)`)? (`params` `(` $params^ `:` type($params) `)`)?
    `outs` `(` $output `:` type($output) `)` (`accumulators` `(` $accumulators^ `:` type($accumulators) `)`)?
    `maps` $maps (`blocks` $blocks^)? (`words` $words^)? (`partial_sums` $partial_sums^)? (`lanes` $lanes^)?
    (`peeled` $peeled^)?
    `init` $init `body` $body `finish` $finish attr-dict (`->` type($result_tensors)^)?
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable();

    /// The operands that `maps` address, in order.
    ::llvm::SmallVector<::mlir::Value> getMappedOperands();

    /// The sizes of the box, all extents without `at`.
    ::llvm::SmallVector<int64_t> getBoxSizes();

    /// Whether the box has not all of the reduction domain.
    bool cutsReduction();

    /// Whether the box is all of the parallel domain.
    bool coversParallel();

    /// Whether `init` runs, and whether `finish` runs; none where a start decides that at run time.
    std::optional<bool> runsInit();
    std::optional<bool> runsFinish();

    ::llvm::LogicalResult verifyBox();
    ::llvm::LogicalResult verifyBlocks();

    /// The number of elements in a word along a dimension, 1 without `words`.
    int64_t wordAlong(size_t dim);
    ::llvm::LogicalResult verifyWords();
    ::llvm::LogicalResult verifyPartialSums();
    ::llvm::LogicalResult verifyLanes();
    ::llvm::LogicalResult verifyPeeled();
    ::llvm::LogicalResult verifyAccumulators(::mlir::TypeRange elements);
  }];
}

def Accel_YieldOp : Accel_Op<"yield", [Pure, Terminator, ReturnLike,
    ParentOneOf<["ReduceOp", "IntrinsicOp"]>]> {
  let summary = "hand values on from a region of `accel.reduce`, or end an intrinsic's reference";
  let description = [{
    ```mlir
    accel.yield %sum : i32
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

#endif
