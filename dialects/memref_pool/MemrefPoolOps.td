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

class MemrefPool_Op<string mnemonic, list<Trait> traits = []> : Op<MemrefPool_Dialect, mnemonic, traits>;

def MemrefPool_PoolOp : MemrefPool_Op<"pool", [Symbol, HasParent<"::mlir::ModuleOp">,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "declare a named memory pool";
  let description = [{
    A pool holds a workspace (bytes are reused between buffers), constants (read-only during a run) or state (what
    lives across runs: never shared, never reused). Sizes, offsets and alignments are in bytes.

    * `capacity`: hard limit; without it the pool grows to the plan's peak.
    * `align`: alignment of the pool's base and the default alignment of its buffers; a power of two, 16 if absent.
    * `reserved`: `[start, end)` pairs, flattened, that no buffer may touch.
    * `section`: linker section of the pool's array in generated code.
    * `read`, `write`: the devices that may; everyone may when the list is absent.
    * `certificate`: written by planning.

    ```mlir
    memref_pool.pool @dtcm workspace capacity 1000 align 16 section ".bss.dtcm" read [@host] write [@host]
    memref_pool.pool @kept state align 8 reserved [0, 16]
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility,
      MemrefPool_PoolKind:$kind,
      OptionalAttr<I64Attr>:$capacity,
      OptionalAttr<I64Attr>:$alignment,
      OptionalAttr<DenseI64ArrayAttr>:$reserved,
      OptionalAttr<StrAttr>:$section,
      OptionalAttr<FlatSymbolRefArrayAttr>:$readers,
      OptionalAttr<FlatSymbolRefArrayAttr>:$writers,
      OptionalAttr<MemrefPool_CertificateAttr>:$certificate);
  let assemblyFormat = [{
    $sym_name $kind (`capacity` $capacity^)? (`align` $alignment^)? (`reserved` $reserved^)?
    (`section` $section^)? (`read` $readers^)? (`write` $writers^)? (`certificate` $certificate^)? attr-dict
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
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$alignment, OptionalAttr<MemrefPool_PlacementAttr>:$pinned,
                       OptionalAttr<MemrefPool_PlacementAttr>:$placement);
  let results = (outs Res<AnyStaticShapeMemRef, "", [MemAlloc]>:$memref);
  let assemblyFormat = [{
    (`align` $alignment^)? (`pinned` $pinned^)? (`at` $placement^)? attr-dict `:` type($memref)
  }];
  let hasVerifier = 1;
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

#endif
