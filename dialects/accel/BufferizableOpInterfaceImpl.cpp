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

namespace {
struct ReduceOpInterface
    : public DstBufferizableOpInterfaceExternalModel<ReduceOpInterface, ReduceOp> {
  // Every element of outs is written and none is read.
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand, const AnalysisState &) const {
    return !cast<DestinationStyleOpInterface>(op).isDpsInit(&operand);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options, BufferizationState &state) const {
    auto reduce = cast<ReduceOp>(op);
    if (reduce->getNumResults() == 0)
      return success();
    SmallVector<Value> buffers;
    for (Value operand : reduce->getOperands()) {
      FailureOr<Value> buffer = getBuffer(rewriter, operand, options, state);
      if (failed(buffer))
        return failure();
      buffers.push_back(*buffer);
    }
    OperationState onMemrefs(reduce.getLoc(), ReduceOp::getOperationName());
    onMemrefs.addOperands(buffers);
    onMemrefs.addAttributes(reduce->getAttrs());
    onMemrefs.propertiesAttr = reduce->getPropertiesAsAttribute();
    for (Region &region : reduce->getRegions())
      onMemrefs.addRegion()->takeBody(region);
    rewriter.create(onMemrefs);
    replaceOpWithBufferizedValues(rewriter, op, buffers.back());
    return success();
  }
};

struct CallOpInterface : public DstBufferizableOpInterfaceExternalModel<CallOpInterface, CallOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand, const AnalysisState &) const {
    return cast<CallOp>(op).readsOperand(operand.getOperandNumber());
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options, BufferizationState &state) const {
    auto call = cast<CallOp>(op);
    if (call->getNumResults() == 0)
      return success();
    SmallVector<Value> buffers;
    for (Value operand : call->getOperands()) {
      FailureOr<Value> buffer = getBuffer(rewriter, operand, options, state);
      if (failed(buffer))
        return failure();
      buffers.push_back(*buffer);
    }
    OperationState onMemrefs(call.getLoc(), CallOp::getOperationName());
    onMemrefs.addOperands(buffers);
    onMemrefs.addAttributes(call->getAttrs());
    onMemrefs.propertiesAttr = call->getPropertiesAsAttribute();
    rewriter.create(onMemrefs);
    replaceOpWithBufferizedValues(rewriter, op,
                                  ArrayRef(buffers).drop_front(call.getInputs().size()));
    return success();
  }
};
} // namespace

void forebay::accel::registerBufferizableOpInterfaceExternalModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, AccelDialect *) {
    CallOp::attachInterface<CallOpInterface>(*context);
    ReduceOp::attachInterface<ReduceOpInterface>(*context);
  });
}
