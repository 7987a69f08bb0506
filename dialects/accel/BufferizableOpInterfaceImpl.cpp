//===- BufferizableOpInterfaceImpl.cpp - accel on memrefs -------------------===//
// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "accel/Accel.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace forebay::accel;

/// Puts the op on memrefs in the place of the op on tensors; each result is the buffer of its destination.
static LogicalResult bufferizeOnto(DestinationStyleOpInterface op, RewriterBase &rewriter,
                                   const BufferizationOptions &options, BufferizationState &state) {
  if (op->getNumResults() == 0)
    return success();
  SmallVector<Value> buffers;
  for (Value operand : op->getOperands()) {
    FailureOr<Value> buffer = getBuffer(rewriter, operand, options, state);
    if (failed(buffer))
      return failure();
    buffers.push_back(*buffer);
  }
  OperationState onMemrefs(op.getLoc(), op->getName());
  onMemrefs.addOperands(buffers);
  onMemrefs.addAttributes(op->getAttrs());
  onMemrefs.propertiesAttr = op->getPropertiesAsAttribute();
  for (Region &region : op->getRegions())
    onMemrefs.addRegion()->takeBody(region);
  rewriter.create(onMemrefs);
  replaceOpWithBufferizedValues(rewriter, op, ArrayRef(buffers).take_back(op.getNumDpsInits()));
  return success();
}

namespace {
template <typename Model, typename Op>
struct OnBuffers : DstBufferizableOpInterfaceExternalModel<Model, Op> {
  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options, BufferizationState &state) const {
    return bufferizeOnto(cast<DestinationStyleOpInterface>(op), rewriter, options, state);
  }
};

struct ReduceOpInterface : OnBuffers<ReduceOpInterface, ReduceOp> {
  // Every element of outs is written and none is read.
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand, const AnalysisState &) const {
    return !cast<DestinationStyleOpInterface>(op).isDpsInit(&operand);
  }
};

struct CallOpInterface : OnBuffers<CallOpInterface, CallOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand, const AnalysisState &) const {
    return cast<CallOp>(op).readsOperand(operand.getOperandNumber());
  }
};
} // namespace

void forebay::accel::registerBufferizableOpInterfaceExternalModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, AccelDialect *) {
    CallOp::attachInterface<CallOpInterface>(*context);
    ReduceOp::attachInterface<ReduceOpInterface>(*context);
  });
}
