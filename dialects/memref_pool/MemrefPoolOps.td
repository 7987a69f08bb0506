//===- MemrefPoolOps.td ------------------------------------------*- tablegen -*-===//
// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===------------------------------------------------------------------------===//
#ifndef FOREBAY_MEMREF_POOL_OPS_TD
#define FOREBAY_MEMREF_POOL_OPS_TD

include "memref_pool/MemrefPoolDialect.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ViewLikeInterface.td"

class MemrefPool_Op<string mnemonic, list<Trait> traits = []> : Op<MemrefPool_Dialect, mnemonic, traits>;

def MemrefPool_PoolOp : MemrefPool_Op<"pool", [Symbol,
    ParentOneOf<["::mlir::ModuleOp", "::forebay::memref_pool::ProblemOp"]>, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "declare a named memory pool";
  let description = [{
    A pool holds a workspace (bytes are reused between buffers), constants (read-only during a run) or state (bytes
    that are kept from run to run and never shared or reused). Sizes, offsets and alignments are in bytes.

    * `local`: the pool is inside a device, in an address space of its own, and the host cannot address it: the program
      has no memory for it, and a buffer in it is a number, which is an argument of the device's operations.
    * `register`: the local pool is one register: it holds one buffer at a time, at its beginning, and has no addresses.
      The C functions of intrinsics have no arguments for operands in it.
    * `capacity`: hard limit; without it the pool grows to the plan's peak.
    * `align`: alignment of the pool's base and the default alignment of its buffers; a power of two, 16 if absent.
    * `base`: absolute address of the pool where it is fixed, in rows if the pool is `local`; alignments are of the
      absolute address. The host addresses such a pool, unless it is `local`, by this constant: the program has no
      memory for it, and no function has it as an argument.
    * `start`: offset of the first byte that a plan may use, 0 if absent.
    * `unit`: bytes of one addressable row, any number, 1 if absent; buffers begin on a row and take whole rows.
    * `banks`: number of equal banks that the capacity is divided into.
    * `cost`: of one byte of a buffer in this pool; where no candidate of a buffer has one, a byte costs the pool's
      rank among the candidates.
    * `weight`: of one byte of peak when plans of equal cost are compared, 1 if absent.
    * `reserved`: `[start, end)` pairs, flattened, that no buffer may use.
    * `fill`: how a constant pool gets its bytes: they are in the image (`rom`, if absent), a generated function copies
      them there before the first run (`at_init`), or the application does (`by_host`).
    * `section`: linker section of the pool's array in generated code.
    * `read`, `write`: the devices that may; everyone may when the list is absent.
    * `certificate`: written by planning.

    ```mlir
    memref_pool.pool @dtcm workspace capacity 1000 align 16 section ".bss.dtcm" read [@host] write [@host]
    memref_pool.pool @kept state align 8 reserved [0, 16]
    memref_pool.pool @spad workspace local capacity 262144 base 0 unit 16 banks 4 read [@npu] write [@npu]
    memref_pool.pool @wei_mem constant capacity 65536 fill at_init read [@npu]
    memref_pool.pool @npu.weights workspace local register capacity 256 read [@npu] write [@npu]
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility,
      MemrefPool_PoolKind:$kind,
      UnitAttr:$local,
      UnitAttr:$is_register,
      OptionalAttr<I64Attr>:$capacity,
      OptionalAttr<I64Attr>:$alignment,
      OptionalAttr<I64Attr>:$base,
      OptionalAttr<I64Attr>:$start,
      OptionalAttr<I64Attr>:$unit,
      OptionalAttr<I64Attr>:$banks,
      OptionalAttr<I64Attr>:$cost,
      OptionalAttr<I64Attr>:$weight,
      OptionalAttr<DenseI64ArrayAttr>:$reserved,
      OptionalAttr<MemrefPool_Fill>:$fill,
      OptionalAttr<StrAttr>:$section,
      OptionalAttr<FlatSymbolRefArrayAttr>:$readers,
      OptionalAttr<FlatSymbolRefArrayAttr>:$writers,
      OptionalAttr<MemrefPool_CertificateAttr>:$certificate);
  let assemblyFormat = [{
    $sym_name $kind (`local` $local^)? (`register` $is_register^)? (`capacity` $capacity^)? (`align` $alignment^)? (`base` $base^)? (`start` $start^)?
    (`unit` $unit^)? (`banks` $banks^)? (`cost` $cost^)? (`weight` $weight^)? (`reserved` $reserved^)?
    (`fill` $fill^)? (`section` $section^)? (`read` $readers^)? (`write` $writers^)? (`certificate` $certificate^)? attr-dict
  }];
  let hasVerifier = 1;
}

def MemrefPool_AllocOp : MemrefPool_Op<"alloc", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a buffer in one of its candidate pools";
  let description = [{
    The result's memory space lists the candidate pools in order of preference. `align` overrides the pool's alignment
    for this buffer, `pinned` fixes pool and offset beforehand, `at` is the planned place. There is no dealloc: a
    buffer is live from its first write to its last use, through every alias.

    ```mlir
    %0 = memref_pool.alloc align 64 : memref<4096xi8, #memref_pool.space<[@dtcm, @sram]>>
    %1 = memref_pool.alloc pinned <@sram, 0> : memref<16xi8, #memref_pool.space<@sram>>
    %2 = memref_pool.alloc at <@dtcm, 128> : memref<64xi8, #memref_pool.space<[@dtcm, @sram]>>
    ```

    With the layout `#memref_pool.rows<...>` it is one buffer per row, all in one pool. `align` is then the alignment of
    every row, and that of an element if it is absent, because a row is no more aligned than its readers need.
    `pinned_rows` and `at_rows` have an offset for each row.

    ```mlir
    %3 = memref_pool.alloc at_rows <@sram, [0, 8, 0, 8]> : memref<4x8xi8, #memref_pool.rows<1>, #memref_pool.space<@sram>>
    ```
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$alignment, OptionalAttr<MemrefPool_PlacementAttr>:$pinned,
                       OptionalAttr<MemrefPool_PlacementAttr>:$placement,
                       OptionalAttr<MemrefPool_RowPlacementAttr>:$pinned_rows,
                       OptionalAttr<MemrefPool_RowPlacementAttr>:$row_placement);
  let results = (outs Res<AnyStaticShapeMemRef, "", [MemAlloc]>:$memref);
  let assemblyFormat = [{
    (`align` $alignment^)? (`pinned` $pinned^)? (`at` $placement^)? (`pinned_rows` $pinned_rows^)?
    (`at_rows` $row_placement^)? attr-dict `:` type($memref)
  }];
  let hasVerifier = 1;
}

def MemrefPool_RowOp : MemrefPool_Op<"row", [Pure, DeclareOpInterfaceMethods<ViewLikeOpInterface>]> {
  let summary = "one row of a memref whose rows lie anywhere in their pool";
  let description = [{
    A view of the row at the indices, which are one for each dimension that indexes rows, constants or values. The row is an
    ordinary contiguous memref of the other dimensions.

    ```mlir
    %0 = memref_pool.row %x[0, %y] : memref<1x32x32x16xi8, #memref_pool.rows<2>, #memref_pool.space<@sram>>
           to memref<32x16xi8, #memref_pool.space<@sram>>
    ```
  }];
  let arguments = (ins AnyStaticShapeMemRef:$source, Variadic<Index>:$indices, DenseI64ArrayAttr:$static_indices);
  let results = (outs AnyStaticShapeMemRef:$row);
  let assemblyFormat = [{
    $source `` custom<DynamicIndexList>($indices, $static_indices) attr-dict `:` type($source) `to` type($row)
  }];
  let hasVerifier = 1;
}

def MemrefPool_AddressOp : MemrefPool_Op<"address", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "memory at a constant address";
  let description = [{
    What a buffer in a `local` pool becomes once it has its place: no memory, but a constant address in the device's own
    space, `base + offset`, counted in the pool's rows. Only transfers and intrinsics of devices may use it.

    ```mlir
    %0 = memref_pool.address <@spad, 512> : memref<16x16xi8, #memref_pool.space<@spad>>
    ```

    In a pool that the host addresses at a `base` it is the pool itself, of which buffers are views:

    ```mlir
    %0 = memref_pool.address <@tcm, 0> : memref<4096xi8, #memref_pool.space<@tcm>>
    %1 = memref.view %0[%c64][] : memref<4096xi8, #memref_pool.space<@tcm>> to memref<16xi8, #memref_pool.space<@tcm>>
    ```
  }];
  let arguments = (ins MemrefPool_PlacementAttr:$placement);
  let results = (outs AnyStaticShapeMemRef:$memref);
  let assemblyFormat = "$placement attr-dict `:` type($memref)";
}

def MemrefPool_CopyOp : MemrefPool_Op<"copy", [DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "copy a buffer from one pool to another";
  let description = [{
    Destination-style on tensors and memrefs. Unlike a cast or `linalg.copy`, no folder and no canonicalisation removes
    it: it stands for a decision to move bytes between pools.

    ```mlir
    %1 = memref_pool.copy %0 into %dst : tensor<8xi8, #memref_pool.space<@l2>>
           , tensor<8xi8, #memref_pool.space<@act>> -> tensor<8xi8, #memref_pool.space<@act>>
    memref_pool.copy %a into %b : memref<8xi8, #memref_pool.space<@l2>>, memref<8xi8, #memref_pool.space<@act>>
    ```
  }];
  let arguments = (ins AnyTypeOf<[AnyRankedTensor, AnyMemRef]>:$source,
                       AnyTypeOf<[AnyRankedTensor, AnyMemRef]>:$target);
  let results = (outs Optional<AnyRankedTensor>:$result);
  let assemblyFormat = [{
    $source `into` $target attr-dict `:` type($source) `,` type($target) (`->` type($result)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getTargetMutable(); }
  }];
}

//===----------------------------------------------------------------------===//
// The planning problem as IR
//===----------------------------------------------------------------------===//

def MemrefPool_ProblemOp : MemrefPool_Op<"problem", [Symbol, SymbolTable, IsolatedFromAbove, SingleBlock,
    NoTerminator]> {
  let summary = "a planning problem: pools, buffers and who must not share bytes";
  let description = [{
    All input of a planner, and nothing else: one small file tests every planner, and a plan that fails can be
    sent as one (`memref-pool-plan=problem=case.mlir` writes it, `forebay plan case.mlir` reads it).
    `memref-pool-solve` writes the place of every buffer and the certificate of every pool.

    `steps` names the operation at each program point 0, 1, ..., for messages. Only planners that break ties by it use
    the order of the ops.

    ```mlir
    memref_pool.problem @net steps ["transform", "fetch", "conv"] {
      memref_pool.pool @fast workspace capacity 48
      memref_pool.pool @slow workspace
      memref_pool.buffer @a workspace size 32 live [0, 2] in [@fast, @slow]
      memref_pool.buffer @b workspace size 16 live [1, 3] in [@fast]
      memref_pool.buffer @c workspace size 32 live [2, 3] in [@fast, @slow]
      memref_pool.conflict @a, @c
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<StrArrayAttr>:$steps);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{ $sym_name (`steps` $steps^)? attr-dict-with-keyword $body }];
  let hasVerifier = 1;
}

def MemrefPool_BufferOp : MemrefPool_Op<"buffer", [Symbol, HasParent<"::forebay::memref_pool::ProblemOp">,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "bytes that need a pool and an offset";
  let description = [{
    * `size`: bytes, at least 1.
    * `live`: half-open intervals `[start, end)` of program points, flattened, ascending; without it the buffer
      conflicts along the problem's `memref_pool.conflict`s only. Constants and state live always.
    * `in`: the candidate pools in order of preference.
    * `costs`: of living in each candidate, in their order.
    * `align`: overrides the pool's alignment for this buffer.
    * `pinned`: a pool, and an offset in it, decided beforehand; `by` names the operations that force it, for messages.
    * `alias`: buffers of the same group share one address and never conflict with each other.
    * `block`: buffers of the same rigid block have fixed places relative to each other, `offset` bytes above its
      beginning; each has a lifetime of its own.
    * `origin`: where the buffer comes from, for messages.
    * `at`: the planned place.

    ```mlir
    memref_pool.buffer @a workspace size 4096 live [0, 2, 5, 6] in [@fast, @slow] align 64
    memref_pool.buffer @b input size 64 live [0, 1] in [@fast] pinned @fast offset 128 by ["fetch"]
    memref_pool.buffer @c constant size 64 in [@rom] alias "tied" at <@rom, 0>
    memref_pool.buffer @d input size 64 live [0, 3] in [@fast] block "image" offset 128
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility,
      MemrefPool_BufferKind:$kind,
      I64Attr:$size,
      OptionalAttr<DenseI64ArrayAttr>:$lifetime,
      FlatSymbolRefArrayAttr:$candidates,
      OptionalAttr<DenseI64ArrayAttr>:$costs,
      OptionalAttr<I64Attr>:$alignment,
      OptionalAttr<FlatSymbolRefAttr>:$pinned_pool,
      OptionalAttr<I64Attr>:$pinned_offset,
      OptionalAttr<StrArrayAttr>:$pinned_by,
      OptionalAttr<StrAttr>:$alias,
      OptionalAttr<StrAttr>:$block_name,
      OptionalAttr<I64Attr>:$block_offset,
      OptionalAttr<StrAttr>:$origin,
      OptionalAttr<MemrefPool_PlacementAttr>:$placement);
  let assemblyFormat = [{
    $sym_name $kind `size` $size (`live` $lifetime^)? `in` $candidates (`costs` $costs^)? (`align` $alignment^)?
    (`pinned` $pinned_pool^ (`offset` $pinned_offset^)?)? (`by` $pinned_by^)? (`alias` $alias^)?
    (`block` $block_name^ (`offset` $block_offset^)?)? (`origin` $origin^)? (`at` $placement^)? attr-dict
  }];
  let hasVerifier = 1;
}

class MemrefPool_PairOp<string mnemonic> : MemrefPool_Op<mnemonic, [
    HasParent<"::forebay::memref_pool::ProblemOp">, DeclareOpInterfaceMethods<SymbolUserOpInterface>]>;

def MemrefPool_ConflictOp : MemrefPool_PairOp<"conflict"> {
  let summary = "two buffers that must not share bytes";
  let description = [{
    In addition to those whose lifetimes overlap: for branches, loops and devices that run in no fixed order.

    ```mlir
    memref_pool.conflict @a, @b
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$first, FlatSymbolRefAttr:$second);
  let assemblyFormat = "$first `,` $second attr-dict";
}

def MemrefPool_SeparateOp : MemrefPool_PairOp<"separate"> {
  let summary = "two buffers that had better lie apart, for speed";
  let description = [{
    A preference, weaker than every byte of peak. `byte` is the penalty of each byte that both take: where two engines run
    asynchronously, the second to use a byte waits for the first. `bank` is the penalty of lying in a common bank of a
    pool: two engines cannot use one bank at once.

    ```mlir
    memref_pool.separate @a, @b byte 1
    memref_pool.separate @a, @c bank 500
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$first, FlatSymbolRefAttr:$second,
                       OptionalAttr<I64Attr>:$shared_byte, OptionalAttr<I64Attr>:$same_bank);
  let assemblyFormat = "$first `,` $second (`byte` $shared_byte^)? (`bank` $same_bank^)? attr-dict";
  let hasVerifier = 1;
}

#endif
