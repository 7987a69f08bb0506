//===- AccelDialect.td - devices and what runs on them -----------*- tablegen -*-===//
// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===------------------------------------------------------------------------===//
#ifndef FOREBAY_ACCEL_DIALECT_TD
#define FOREBAY_ACCEL_DIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Accel_Dialect : Dialect {
  let name = "accel";
  let cppNamespace = "::forebay::accel";
  let summary = "Devices, the host among them, and the kernels that run on them";
  let description = [{
    Discardable attributes of the dialect. On an operation:

    * `accel.on`: the device that runs it and what is inside of it; without it the host does;
    * `accel.macs`: on a call, the multiply-accumulates that it stands for;
    * `accel.unpipelined`: on a loop, the reason why its transfers do not overlap its computation;
    * `accel.cpu`: on a function, the processor that its kernels are scheduled for;
    * `accel.interleaved`: on a `memref.global`, how many neighbours along the first dimension are neighbours in memory,
      `n`: the memory is `[first / n][others][n]`, while type and size stay; without it elements are in row-major order;
    * `accel.interleaved_word`: beside it, how many elements of each of these neighbours are together, `w`: the memory is
      `[first / n][others / w][n][w]`;
    * `accel.model_shape`: on a `memref.global`, the shape in the model, if there are zeros behind those elements;
    * `accel.repeated`: beside it, that there are no zeros: the same elements begin again behind the last one;
    * `accel.status`: on a function, that its only result is a status of a device: 0, or an error.

    On arguments and results of an entry function:

    * `accel.name`: the port's name in the model;
    * `accel.dtype`: the NumPy name of the element type that the user sees (MLIR's integers are signless);
    * `accel.scale`, `accel.zero_point`: the quantisation, `real = scale * (stored - zero_point)`.

    On an argument of any function:

    * `accel.handle`: the device whose handle it is, of type `!accel.handle`.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

def Accel_Access : I32EnumAttr<"Access", "how an intrinsic uses an operand", [
    I32EnumAttrCase<"in", 0>, I32EnumAttrCase<"out", 1>, I32EnumAttrCase<"inout", 2>]> {
  let cppNamespace = "::forebay::accel";
}

def Accel_OperandAttr : AttrDef<Accel_Dialect, "Operand"> {
  let mnemonic = "operand";
  let summary = "the requirements of an intrinsic on one of its operands";
  let description = [{
    * `access`: `in` is read; every byte of `out` is written and none is read; `inout` is both.
    * `pools`: the pools in which the operand may be. They replace the device's access rights for this operand;
      without them the device's rights decide.
    * `align`: alignment of the operand's address in bytes, a power of two.
    * `flags`: bits that are set in the operand's address if it is in a pool inside a device, for example one that
      makes the device accumulate. The C function gets `address | flags`.

    ```mlir
    #accel.operand<name = "x", access = in, pools = [@act_mem], align = 16>
    #accel.operand<name = "c", access = inout, pools = [@acc], flags = 0x40000000>
    ```
  }];
  let parameters = (ins StringRefParameter<>:$name, EnumParameter<Accel_Access>:$access,
                        OptionalParameter<"::mlir::ArrayAttr">:$pools,
                        DefaultValuedParameter<"int64_t", "1">:$align,
                        DefaultValuedParameter<"int64_t", "0">:$flags);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Accel_TokenType : TypeDef<Accel_Dialect, "Token"> {
  let mnemonic = "token";
  let summary = "an operation that was started in a queue of a device and may still run";
  let description = [{
    ```mlir
    !accel.token
    ```
  }];
}

def Accel_HandleType : TypeDef<Accel_Dialect, "Handle"> {
  let mnemonic = "handle";
  let summary = "the argument that selects the device instance in its C functions";
  let description = [{
    In C it is a pointer to a structure named after the device's kind. Only the driver defines this structure.

    ```mlir
    !accel.handle
    ```
  }];
}

class Accel_Op<string mnemonic, list<Trait> traits = []> : Op<Accel_Dialect, mnemonic, traits>;

#endif
