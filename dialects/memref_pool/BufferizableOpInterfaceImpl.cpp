//===- BufferizableOpInterfaceImpl.cpp - memref_pool on memrefs -------------===//
// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "memref_pool/MemrefPool.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace forebay::memref_pool;

namespace {
struct CopyOpInterface : public DstBufferizableOpInterfaceExternalModel<CopyOpInterface, CopyOp> {
  // The target is overwritten, so its old value does not matter.
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand, const AnalysisState &) const {
    return &operand == &cast<CopyOp>(op).getSourceMutable();
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options, BufferizationState &state) const {
    auto copy = cast<CopyOp>(op);
    if (copy.getResults().empty())
      return success();
    FailureOr<Value> source = getBuffer(rewriter, copy.getSource(), options, state);
    FailureOr<Value> target = getBuffer(rewriter, copy.getTarget(), options, state);
    if (failed(source) || failed(target))
      return failure();
    // `accel.on` says who copies.
    CopyOp onMemrefs = CopyOp::create(rewriter, copy.getLoc(), TypeRange(), *source, *target);
    onMemrefs->setDiscardableAttrs(copy->getDiscardableAttrDictionary());
    replaceOpWithBufferizedValues(rewriter, op, *target);
    return success();
  }
};
} // namespace

void forebay::memref_pool::registerBufferizableOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, MemrefPoolDialect *) {
    CopyOp::attachInterface<CopyOpInterface>(*context);
  });
}
