//===- ViewLikeOpInterfaceImpl.cpp - views that upstream does not declare ---===//
// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "memref_pool/MemrefPool.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace {
/// `memref.transpose` makes a view, but does not implement the interface in LLVM 22.
struct TransposeOpInterface
    : public ViewLikeOpInterface::ExternalModel<TransposeOpInterface, memref::TransposeOp> {
  Value getViewSource(Operation *op) const { return cast<memref::TransposeOp>(op).getIn(); }
};
} // namespace

void forebay::memref_pool::registerViewLikeOpInterfaceExternalModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, memref::MemRefDialect *) {
    memref::TransposeOp::attachInterface<TransposeOpInterface>(*context);
  });
}
