//===- AccelDialect.td - devices and what runs on them -----------*- tablegen -*-===//
// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===------------------------------------------------------------------------===//
#ifndef FOREBAY_ACCEL_DIALECT_TD
#define FOREBAY_ACCEL_DIALECT_TD

include "mlir/IR/OpBase.td"

def Accel_Dialect : Dialect {
  let name = "accel";
  let cppNamespace = "::forebay::accel";
  let summary = "Devices, the host among them, and the kernels that run on them";
  let description = [{
    Discardable attributes of the dialect, on arguments and results of an entry function:

    * `accel.name`: the port's name in the model;
    * `accel.dtype`: the NumPy name of the element type that the user sees (MLIR's integers are signless);
    * `accel.scale`, `accel.zero_point`: the quantisation, `real = scale * (stored - zero_point)`.
  }];
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

#endif
