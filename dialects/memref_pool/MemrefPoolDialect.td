//===- MemrefPoolDialect.td - named memory pools -----------------*- tablegen -*-===//
// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===------------------------------------------------------------------------===//
#ifndef FOREBAY_MEMREF_POOL_DIALECT_TD
#define FOREBAY_MEMREF_POOL_DIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"

def MemrefPool_Dialect : Dialect {
  let name = "memref_pool";
  let cppNamespace = "::forebay::memref_pool";
  let summary = "Named memory pools and the place of every buffer in them";
  let description = [{
    A *pool* is a named region of memory that some devices can read and some can write. A buffer names the pools it
    may live in by the memory space of its type, in order of preference; planning chooses one of them and an offset.
    The dialect carries these decisions; once they are made, `memref-pool-materialize` turns them into upstream
    `memref.view`s of the pools' bases.

    Discardable attributes of the dialect:

    * `memref_pool.placement` on a `memref.global` or a function argument: the planned pool and offset;
    * `memref_pool.candidates` on an operation with one tensor result, or on an argument or result of a function: the
      pools that it may live in, in order of preference; assignment keeps to them;
    * `memref_pool.lifetime` on anything planned: its lifetime as a half-open interval of program points;
    * `memref_pool.base` on a function argument: this argument is the base of the pool in its memory space.
    * `memref_pool.row_source` on a function argument: the application hands in its rows one by one; from
      `memref-pool-read-rows` on, only copies of single rows read it.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

def MemrefPool_PoolKind : I32EnumAttr<"PoolKind", "what a pool holds", [
    I32EnumAttrCase<"workspace", 0>, I32EnumAttrCase<"constant", 1>, I32EnumAttrCase<"state", 2>]> {
  let cppNamespace = "::forebay::memref_pool";
}

def MemrefPool_Fill : I32EnumAttr<"Fill", "who puts the bytes of a constant pool there", [
    I32EnumAttrCase<"rom", 0>, I32EnumAttrCase<"at_init", 1>, I32EnumAttrCase<"by_host", 2>]> {
  let cppNamespace = "::forebay::memref_pool";
}

def MemrefPool_BufferKind : I32EnumAttr<"BufferKind", "what a buffer holds", [
    I32EnumAttrCase<"workspace", 0>, I32EnumAttrCase<"constant", 1>, I32EnumAttrCase<"state", 2>,
    I32EnumAttrCase<"input", 3>, I32EnumAttrCase<"output", 4>]> {
  let cppNamespace = "::forebay::memref_pool";
}

class MemrefPool_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<MemrefPool_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def MemrefPool_SpaceAttr : MemrefPool_Attr<"Space", "space"> {
  let summary = "the pool of a buffer, or its candidate pools in order of preference";
  let description = [{
    Memory space of a memref and encoding of a tensor. With one pool the buffer is in this pool; with several, planning
    chooses one and prefers earlier ones.

    ```mlir
    memref<16xi8, #memref_pool.space<@sram>>
    tensor<16xi8, #memref_pool.space<[@dtcm, @sram]>>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::FlatSymbolRefAttr">:$pools);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def MemrefPool_PlacementAttr : MemrefPool_Attr<"Placement", "placement"> {
  let summary = "a pool and a byte offset in it";
  let description = [{
    ```mlir
    #memref_pool.placement<@sram, 128>
    ```
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$pool, "int64_t":$offset);
  let assemblyFormat = "`<` $pool `,` $offset `>`";
  let genVerifyDecl = 1;
}

def MemrefPool_RowPlacementAttr : MemrefPool_Attr<"RowPlacement", "row_placement"> {
  let summary = "a pool and the byte offset of each row in it";
  let description = [{
    Rows are in row-major order of the dimensions that index them.

    ```mlir
    #memref_pool.row_placement<@sram, [0, 512, 0]>
    ```
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$pool, ArrayRefParameter<"int64_t">:$offsets);
  let assemblyFormat = "`<` $pool `,` `[` $offsets `]` `>`";
  let genVerifyDecl = 1;
}

def MemrefPool_RowsAttr : MemrefPool_Attr<"Rows", "rows", [
    DeclareAttrInterfaceMethods<MemRefLayoutAttrInterface,
                                ["isIdentity", "verifyLayout", "getStridesAndOffset"]>]> {
  let summary = "layout of a memref whose rows lie anywhere in their pool";
  let description = [{
    The first `dims` dimensions of the memref index its rows. The elements of one row, those of the other dimensions, are
    contiguous and in row-major order. Each row has a place of its own, so no strides and no affine map describe the memref;
    `memref_pool.row` gives a row as an ordinary memref.

    The buffer has a lifetime for each row: two rows share bytes if one is dead before the other is written.

    ```mlir
    // 32 rows of 512 bytes.
    memref<1x32x32x16xi8, #memref_pool.rows<2>, #memref_pool.space<@sram>>
    ```
  }];
  let parameters = (ins "int64_t":$dims);
  let assemblyFormat = "`<` $dims `>`";
  let genVerifyDecl = 1;
}

def MemrefPool_CertificateAttr : MemrefPool_Attr<"Certificate", "certificate"> {
  let summary = "the peak of a plan in one pool, and its lower bound";
  let description = [{
    `peak` is the end of the highest byte used, `lower_bound` a number of bytes that every plan of the buffers in this
    pool needs; the plan is proved optimal when `proof` names the argument. `live` are the buffers of the bound, `step`
    is the operation at which they are live together, and `holes` are the largest unused ranges below the peak at that time,
    `[start, end)` flattened.

    ```mlir
    #memref_pool.certificate<planner = "auto", peak = 48, lower_bound = 48, proof = "live bytes", live = ["a", "b"],
                             step = "conv">
    #memref_pool.certificate<planner = "first-fit", peak = 64, lower_bound = 48, live = ["a", "b"], holes = [16, 32]>
    ```
  }];
  let parameters = (ins StringRefParameter<>:$planner, "int64_t":$peak, "int64_t":$lower_bound,
                        OptionalParameter<"::mlir::StringAttr">:$proof,
                        OptionalParameter<"::mlir::ArrayAttr">:$live,
                        OptionalParameter<"::mlir::StringAttr">:$step,
                        OptionalParameter<"::mlir::DenseI64ArrayAttr">:$holes);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif
