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

/// Replaces the op on tensors by the op on memrefs; each result is the buffer of its destination.
static LogicalResult bufferizeOnto(DestinationStyleOpInterface op, RewriterBase &rewriter,
                                   const BufferizationOptions &options, BufferizationState &state) {
  if (op->getNumResults() == 0)
    return success();
  SmallVector<Value> buffers;
  for (Value operand : op->getOperands()) {
    if (!isa<TensorType>(operand.getType())) {
      buffers.push_back(operand);
      continue;
    }
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
  // The result is outs with the elements of the box replaced, by the last box of a reduction; elements of outs that
  // are not replaced are read. Accumulators are read except by the first box.
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand, const AnalysisState &) const {
    auto reduce = cast<ReduceOp>(op);
    if (!reduce.isDpsInit(&operand))
      return true;
    if (&operand == &reduce.getOutputMutable())
      return !reduce.coversParallel() || reduce.runsFinish() != true;
    return reduce.runsInit() != true;
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
