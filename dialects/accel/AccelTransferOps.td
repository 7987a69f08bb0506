//===- AccelTransferOps.td - transfers, queues and waits -----*- tablegen -*-===//
// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===------------------------------------------------------------------------===//
#ifndef FOREBAY_ACCEL_TRANSFER_OPS_TD
#define FOREBAY_ACCEL_TRANSFER_OPS_TD

include "accel/AccelDialect.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Accel_QueueOp : Accel_Op<"queue", [Symbol, HasParent<"::mlir::ModuleOp">,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "declare a queue of a device";
  let description = [{
    A queue runs its operations in order, one at a time, concurrently with the host and the other queues. At most
    `depth` operations may be in it before the program waits for one. In C, `<symbol>_wait(ticket)` returns when the
    operation has ended, and `<symbol>_after(ticket)` makes the queue's next operation wait for one of another queue.
    Both return a status; an error of a started operation is the status of its wait.

    ```mlir
    accel.queue @npu.load on @npu symbol "npu_load" depth 4
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility,
                       FlatSymbolRefAttr:$device, StrAttr:$symbol, I64Attr:$depth);
  let assemblyFormat = "$sym_name `on` $device `symbol` $symbol `depth` $depth attr-dict";
  let hasVerifier = 1;
}

def Accel_TransferOp : Accel_Op<"transfer", [Symbol, HasParent<"::mlir::ModuleOp">,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "declare how a device moves bytes between pools";
  let description = [{
    Moves a block of up to `rank` dimensions, of which the innermost is contiguous, from one of the pools `from` to one
    of the pools `to`. The C function takes the two addresses, then per outer dimension, outermost first, its extent
    and the two strides, then the bytes of the innermost:

    ```c
    int32_t npu_mvin(const void *source, uint32_t target, uint32_t rows, uint32_t source_stride,
                     uint32_t target_stride, uint32_t bytes); /* rank 2, into a device-local pool */
    ```

    Addresses and strides in a pool of rows count rows; an address in a device-local pool is a `uint32_t`, any other
    one a pointer. The bytes of the innermost dimension must be a multiple of `granule`. `limits` are the
    largest extents and bytes of one call, by the names of the parameters: `extent`, or `extent0`, `extent1` ... for a
    rank above 2, and `bytes`. `source_flags` and `target_flags` are bits that the C function gets with the address of
    this side, which is inside a device: `address | flags`. A source stride of 0 repeats its first bytes. With a
    `queue` the transfer can be started and waited for: `uint32_t npu_mvin_start(...)` returns a ticket. A model of time
    takes `latency` cycles and one per `bandwidth` bytes.

    ```mlir
    accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 2 queue @npu.load
      latency 20 bandwidth 16
    accel.transfer @npu.mvin_acc on @npu symbol "npu_mvin_acc" from [@dram] to [@acc] rank 2
      limits {bytes = 64 : i64, extent = 16 : i64} target_flags 1073741824
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility,
                       FlatSymbolRefAttr:$device, StrAttr:$symbol,
                       FlatSymbolRefArrayAttr:$sources, FlatSymbolRefArrayAttr:$targets,
                       DefaultValuedAttr<I64Attr, "1">:$rank,
                       OptionalAttr<FlatSymbolRefAttr>:$queue, OptionalAttr<I64Attr>:$granule,
                       OptionalAttr<DictionaryAttr>:$limits,
                       OptionalAttr<I64Attr>:$source_flags, OptionalAttr<I64Attr>:$target_flags,
                       OptionalAttr<I64Attr>:$latency, OptionalAttr<I64Attr>:$bandwidth);
  let assemblyFormat = [{
    $sym_name `on` $device `symbol` $symbol `from` $sources `to` $targets `rank` $rank (`queue` $queue^)?
    (`granule` $granule^)? (`limits` $limits^)? (`source_flags` $source_flags^)?
    (`target_flags` $target_flags^)? (`latency` $latency^)? (`bandwidth` $bandwidth^)? attr-dict
  }];
  let hasVerifier = 1;
}

class Accel_MemoryOp<string mnemonic, list<Trait> traits = []> : Accel_Op<mnemonic, !listconcat(traits, [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, DeclareOpInterfaceMethods<SymbolUserOpInterface>])> {
  let hasVerifier = 1;
}

def Accel_MoveOp : Accel_MemoryOp<"move"> {
  let summary = "move a block by a transfer, and wait for it";
  let description = [{
    ```mlir
    accel.move @npu.mvin %a into %tile : memref<4x8xi8, strided<[32, 1]>, #memref_pool.space<@dram>>,
      memref<4x8xi8, #memref_pool.space<@spad>>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$transfer, AnyStaticShapeMemRef:$source, AnyStaticShapeMemRef:$target);
  let assemblyFormat = "$transfer $source `into` $target attr-dict `:` type($source) `,` type($target)";
}

def Accel_StartOp : Accel_MemoryOp<"start"> {
  let summary = "start a transfer in its queue";
  let description = [{
    Both memrefs belong to the transfer until a wait for the token. The transfer begins when the operations of `after`
    have ended.

    ```mlir
    %t = accel.start @npu.mvin %a into %tile : memref<64xi8, #memref_pool.space<@dram>>,
      memref<64xi8, #memref_pool.space<@spad>>
    %u = accel.start @npu.mvout %r into %out after (%g) : memref<64xi8, #memref_pool.space<@spad>>,
      memref<64xi8, #memref_pool.space<@dram>>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$transfer, AnyStaticShapeMemRef:$source, AnyStaticShapeMemRef:$target,
                       Variadic<Accel_TokenType>:$after);
  let results = (outs Accel_TokenType:$token);
  let assemblyFormat = [{
    $transfer $source `into` $target (`after` `(` $after^ `)`)? attr-dict `:` type($source) `,` type($target)
  }];
}

def Accel_LaunchOp : Accel_MemoryOp<"launch", [AttrSizedOperandSegments]> {
  let summary = "start a call of an intrinsic in its queue";
  let description = [{
    Like `accel.call` on memrefs, which belong to the call until a wait for the token. The call begins when the
    operations of `after` have ended.

    ```mlir
    %g = accel.launch @npu.gemm ins(%x, %w : memref<64xi8>, memref<64xi8>) outs(%y : memref<64xi32>) after (%t)
      config {rows = 8 : i64}
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee,
                       Variadic<AnyStaticShapeMemRef>:$inputs, Variadic<AnyStaticShapeMemRef>:$outputs,
                       Variadic<Accel_TokenType>:$after,
                       OptionalAttr<DenseI64ArrayAttr>:$accumulate, OptionalAttr<DictionaryAttr>:$config);
  let results = (outs Accel_TokenType:$token);
  let assemblyFormat = [{
    $callee (`ins` `(` $inputs^ `:` type($inputs) `)`)? `outs` `(` $outputs `:` type($outputs) `)`
    (`after` `(` $after^ `)`)? (`accumulate` $accumulate^)? (`config` $config^)? attr-dict
  }];
}

def Accel_WaitOp : Accel_Op<"wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "wait until started operations have ended";
  let description = [{
    ```mlir
    accel.wait %t, %u
    ```
  }];
  let arguments = (ins Variadic<Accel_TokenType>:$tokens);
  let assemblyFormat = "$tokens attr-dict";
}

#endif
