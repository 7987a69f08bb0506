//===- Accel.h - devices and what runs on them ----------------------*- C++ -*-===//
// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef FOREBAY_ACCEL_H
#define FOREBAY_ACCEL_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "accel/AccelDialect.h.inc"
#include "accel/AccelEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "accel/AccelAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "accel/AccelTypes.h.inc"
#define GET_OP_CLASSES
#include "accel/AccelOps.h.inc"

namespace forebay::accel {
/// Whether the name is valid for a C function or parameter.
bool isCIdentifier(llvm::StringRef name);

/// Checks that the queue, if there is one, belongs to the device.
mlir::LogicalResult verifyQueue(mlir::Operation *op, mlir::FlatSymbolRefAttr queue,
                                mlir::FlatSymbolRefAttr device,
                                mlir::SymbolTableCollection &symbols);

/// Checks that every name is that of a pool of the module; `what` describes the names in errors.
mlir::LogicalResult verifyPools(mlir::Operation *op, llvm::Twine what, mlir::ArrayAttr pools,
                                mlir::SymbolTableCollection &symbols);

/// Checks that all pools are inside a device and that none of their addresses has a bit of `flags`.
mlir::LogicalResult verifyFlags(mlir::Operation *op, llvm::Twine what, mlir::ArrayAttr pools,
                                int64_t flags, mlir::SymbolTableCollection &symbols);

/// Let one-shot-bufferize handle the dialect's destination-style ops.
void registerBufferizableOpInterfaceExternalModels(mlir::DialectRegistry &registry);
} // namespace forebay::accel

#endif
