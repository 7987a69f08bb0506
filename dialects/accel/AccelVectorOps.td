//===- AccelVectorOps.td - words and lanes -------------------*- tablegen -*-===//
// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===------------------------------------------------------------------------===//
#ifndef FOREBAY_ACCEL_VECTOR_OPS_TD
#define FOREBAY_ACCEL_VECTOR_OPS_TD

include "accel/AccelDialect.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Accel_DotOp : Accel_Op<"dot", [Pure, AllTypesMatch<["lhs", "rhs"]>]> {
  let summary = "sum of products of two vectors of 8-bit integers";
  let description = [{
    The result is `sum` plus all `(lhs[i] + offset) * rhs[i]`, computed in 32 bits that wrap around. With `lane` it is
    `sum` plus the product of this element only. In C it is a call of a function of the header of the instruction set
    that has vectors of this length; LLVM gets plain arithmetic on vectors.

    ```mlir
    %x = vector.load %in[%k] : memref<64xi8>, vector<4xi8>
    %w = vector.load %weights[%k] : memref<64xi8>, vector<4xi8>
    %next = accel.dot %sum, %x, %w offset 128 : vector<4xi8>
    %third = accel.dot %sum, %x, %w offset 128 lane 2 : vector<4xi8>
    ```
  }];
  let arguments = (ins I32:$sum, FixedVectorOfRankAndType<[1], [I8]>:$lhs, FixedVectorOfRankAndType<[1], [I8]>:$rhs,
                       DefaultValuedAttr<I32Attr, "0">:$offset, OptionalAttr<I32Attr>:$lane);
  let results = (outs I32:$result);
  let assemblyFormat = "$sum `,` $lhs `,` $rhs (`offset` $offset^)? (`lane` $lane^)? attr-dict `:` type($lhs)";
  let hasVerifier = 1;
}

def Accel_DotsOp : Accel_Op<"dots", [Pure, AllTypesMatch<["lhs", "rhs"]>, AllTypesMatch<["sum", "result"]>]> {
  let summary = "add the products of two vectors of 8-bit integers to the elements of a vector of sums";
  let description = [{
    Each product `(lhs[i] + offset) * rhs[i]` is added to one of the sums, in 32 bits that wrap around. The instruction
    set decides to which one, so only the total of all sums has a meaning (`vector.reduction`, `accel.add_totals`).

    ```mlir
    %x = vector.load %in[%k] : memref<64xi8>, vector<16xi8>
    %w = vector.load %weights[%k] : memref<64xi8>, vector<16xi8>
    %next = accel.dots %sums, %x, %w offset 128 : vector<8xi32>, vector<16xi8>
    ```
  }];
  let arguments = (ins FixedVectorOfRankAndType<[1], [I32]>:$sum, FixedVectorOfRankAndType<[1], [I8]>:$lhs,
                       FixedVectorOfRankAndType<[1], [I8]>:$rhs, DefaultValuedAttr<I32Attr, "0">:$offset);
  let results = (outs FixedVectorOfRankAndType<[1], [I32]>:$result);
  let assemblyFormat = "$sum `,` $lhs `,` $rhs (`offset` $offset^)? attr-dict `:` type($sum) `,` type($lhs)";
}

def Accel_DotEachOp : Accel_Op<"dot_each", [Pure, AllTypesMatch<["sum", "result"]>]> {
  let summary = "add the sum of products of a vector and of each part of another one to a sum of its own";
  let description = [{
    With `n` elements in `lhs`, element `i` of the result is `sum[i]` plus all `(lhs[k] + offset) * rhs[i * n + k]`,
    computed in 32 bits that wrap around. Such are the sums of neighbouring channels whose weights are interleaved in
    words (`accel-interleave-weights`).

    ```mlir
    %x = vector.load %in[%k] : memref<64xi8>, vector<4xi8>
    %w = vector.load %weights[%g, %zero] : memref<16x64xi8>, vector<64xi8>
    %next = accel.dot_each %sums, %x, %w offset 128 : vector<16xi32>, vector<4xi8>, vector<64xi8>
    ```
  }];
  let arguments = (ins FixedVectorOfRankAndType<[1], [I32]>:$sum, FixedVectorOfRankAndType<[1], [I8]>:$lhs,
                       FixedVectorOfRankAndType<[1], [I8]>:$rhs, DefaultValuedAttr<I32Attr, "0">:$offset);
  let results = (outs FixedVectorOfRankAndType<[1], [I32]>:$result);
  let assemblyFormat = [{
    $sum `,` $lhs `,` $rhs (`offset` $offset^)? attr-dict `:` type($sum) `,` type($lhs) `,` type($rhs)
  }];
  let hasVerifier = 1;
}

def Accel_AddTotalsOp : Accel_Op<"add_totals", [Pure, AllTypesMatch<["start", "result"]>]> {
  let summary = "add the total of each of some vectors to an element of another one";
  let description = [{
    Element `i` of the result is `start[i]` plus all elements of the vector `sums[i]`, in 32 bits that wrap around.

    ```mlir
    %next = accel.add_totals %start, %a, %b : vector<2xi32>, vector<8xi32>, vector<8xi32>
    ```
  }];
  let arguments = (ins FixedVectorOfRankAndType<[1], [I32]>:$start,
                       Variadic<FixedVectorOfRankAndType<[1], [I32]>>:$sums);
  let results = (outs FixedVectorOfRankAndType<[1], [I32]>:$result);
  let assemblyFormat = "$start `,` $sums attr-dict `:` type($start) `,` type($sums)";
  let hasVerifier = 1;
}

def Accel_LoadExtendedOp : Accel_Op<"load_extended"> {
  let summary = "load neighbouring 8-bit integers, sign-extended";
  let description = [{
    ```mlir
    %x = accel.load_extended %in[%c] : memref<64xi8>, vector<8xi16>
    ```
  }];
  let arguments = (ins Arg<MemRefOf<[I8]>, "the memory", [MemRead]>:$base, Variadic<Index>:$indices);
  let results = (outs FixedVectorOfRankAndType<[1], [I16, I32]>:$result);
  let assemblyFormat = "$base `[` $indices `]` attr-dict `:` type($base) `,` type($result)";
  let hasVerifier = 1;
}

def Accel_LoadBetweenOp : Accel_Op<"load_between"> {
  let summary = "load some of neighbouring 8-bit integers, and fill the others of a vector";
  let description = [{
    Element `i` of the result is loaded if `begin <= i < end`, else it is `fill` and no memory is read. The index of
    element 0 may be outside of the memory; those of the loaded elements are inside.

    ```mlir
    // The first two columns are before the border.
    %x = accel.load_between %in[%y, %minus_two] from %two to %sixteen fill -128 : memref<8x64xi8>, vector<16xi8>
    ```
  }];
  let arguments = (ins Arg<MemRefOf<[I8]>, "the memory", [MemRead]>:$base, Variadic<Index>:$indices, Index:$begin,
                       Index:$end, I32Attr:$fill);
  let results = (outs FixedVectorOfRankAndType<[1], [I8]>:$result);
  let assemblyFormat = [{
    $base `[` $indices `]` `from` $begin `to` $end `fill` $fill attr-dict `:` type($base) `,` type($result)
  }];
  let hasVerifier = 1;
}

def Accel_MultiplyAddOp : Accel_Op<"multiply_add", [Pure, AllTypesMatch<["lhs", "rhs"]>,
    AllTypesMatch<["sum", "result"]>]> {
  let summary = "add the products of the elements of two vectors to the elements of a third one";
  let description = [{
    Element `i` of the result is `sum[i] + (lhs[i] + offset) * rhs[i]`, computed in 32 bits that wrap around. The factors
    and the sum of a factor and the offset are in the range of 16 bits.

    ```mlir
    %next = accel.multiply_add %sum, %x, %w offset 128 : vector<8xi32>, vector<8xi16>
    ```
  }];
  let arguments = (ins FixedVectorOfRankAndType<[1], [I32]>:$sum, FixedVectorOfRankAndType<[1], [I16]>:$lhs,
                       FixedVectorOfRankAndType<[1], [I16]>:$rhs, DefaultValuedAttr<I32Attr, "0">:$offset);
  let results = (outs FixedVectorOfRankAndType<[1], [I32]>:$result);
  let assemblyFormat = "$sum `,` $lhs `,` $rhs (`offset` $offset^)? attr-dict `:` type($sum) `,` type($lhs)";
  let hasVerifier = 1;
}

def Accel_StoreRescaledOp : Accel_Op<"store_rescaled", [AllTypesMatch<["sum", "multiplier", "shift"]>]> {
  let summary = "requantise a vector of sums and store it as neighbouring 8-bit integers";
  let description = [{
    Each element is rescaled as by `tosa.apply_scale` with double rounding. Then `zero_point` is added, and the result is
    limited to `low` and `high`, both included.

    ```mlir
    accel.store_rescaled %sum, %m, %s, %out[%c] zero_point -128 low -128 high 127 : vector<4xi32>, memref<64xi8>
    ```
  }];
  let arguments = (ins FixedVectorOfRankAndType<[1], [I32]>:$sum, FixedVectorOfRankAndType<[1], [I32]>:$multiplier,
                       FixedVectorOfRankAndType<[1], [I32]>:$shift,
                       Arg<MemRefOf<[I8]>, "the memory", [MemWrite]>:$base, Variadic<Index>:$indices,
                       I32Attr:$zero_point, I32Attr:$low, I32Attr:$high);
  let assemblyFormat = [{
    $sum `,` $multiplier `,` $shift `,` $base `[` $indices `]` `zero_point` $zero_point `low` $low `high` $high attr-dict
    `:` type($sum) `,` type($base)
  }];
  let hasVerifier = 1;
}

#endif
