//===- MemrefPool.h - named memory pools ----------------------------*- C++ -*-===//
// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef FOREBAY_MEMREF_POOL_H
#define FOREBAY_MEMREF_POOL_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include "memref_pool/MemrefPoolDialect.h.inc"
#include "memref_pool/MemrefPoolEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "memref_pool/MemrefPoolAttrs.h.inc"
#define GET_OP_CLASSES
#include "memref_pool/MemrefPoolOps.h.inc"

namespace forebay::memref_pool {
/// Let one-shot-bufferize handle the dialect's destination-style ops.
void registerBufferizableOpInterfaceExternalModels(mlir::DialectRegistry &registry);

/// Let view ops of upstream that do not implement ViewLikeOpInterface implement it.
void registerViewLikeOpInterfaceExternalModels(mlir::DialectRegistry &registry);
} // namespace forebay::memref_pool

#endif
