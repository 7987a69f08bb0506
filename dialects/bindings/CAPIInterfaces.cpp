//===- CAPIInterfaces.cpp - what ops say of themselves ----------------------===//
// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "bindings/CAPIInterfaces.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::bufferization;

static const char *kindOf(MemoryEffects::Effect *effect) {
  if (isa<MemoryEffects::Allocate>(effect))
    return "allocate";
  if (isa<MemoryEffects::Free>(effect))
    return "free";
  return isa<MemoryEffects::Read>(effect) ? "read" : "write";
}

bool forebayGetMemoryEffects(MlirOperation wrapped, ForebayEffectCallback found, void *data) {
  auto op = dyn_cast<MemoryEffectOpInterface>(unwrap(wrapped));
  if (!op)
    return false;
  SmallVector<MemoryEffects::EffectInstance> effects;
  op.getEffects(effects);
  for (const MemoryEffects::EffectInstance &effect : effects) {
    OpOperand *operand = effect.getEffectValue<OpOperand *>();
    OpResult result = effect.getEffectValue<OpResult>();
    found(kindOf(effect.getEffect()), operand ? intptr_t(operand->getOperandNumber()) : -1,
          result ? intptr_t(result.getResultNumber()) : -1, data);
  }
  return true;
}

bool forebayIsFreeOfEffects(MlirOperation op) { return isMemoryEffectFree(unwrap(op)); }

bool forebayGetView(MlirOperation wrapped, intptr_t *source, intptr_t *result) {
  auto op = dyn_cast<ViewLikeOpInterface>(unwrap(wrapped));
  if (!op)
    return false;
  auto view = dyn_cast<OpResult>(op.getViewDest());
  OperandRange operands = op->getOperands();
  auto at = llvm::find(operands, op.getViewSource());
  if (!view || view.getOwner() != op || at == operands.end())
    return false;
  *source = std::distance(operands.begin(), at);
  *result = view.getResultNumber();
  return true;
}

static void visitNumbers(int list, ArrayRef<OpFoldResult> numbers, ForebayNumberCallback found,
                         void *data) {
  for (OpFoldResult number : numbers) {
    if (auto value = dyn_cast<Value>(number))
      found(list, 0, wrap(value), data);
    else
      found(list, cast<IntegerAttr>(cast<Attribute>(number)).getInt(), MlirValue{nullptr}, data);
  }
}

bool forebayGetSlice(MlirOperation wrapped, ForebayNumberCallback found, void *data) {
  auto op = dyn_cast<OffsetSizeAndStrideOpInterface>(unwrap(wrapped));
  if (!op)
    return false;
  visitNumbers(0, op.getMixedOffsets(), found, data);
  visitNumbers(1, op.getMixedSizes(), found, data);
  visitNumbers(2, op.getMixedStrides(), found, data);
  return true;
}

bool forebayGetForwardedValues(MlirOperation wrapped, ForebayForwardCallback found, void *data) {
  auto op = dyn_cast<RegionBranchOpInterface>(unwrap(wrapped));
  if (!op)
    return false;
  // Sort by program order, not by address, so that results are the same in each run.
  for (RegionBranchPoint point : op.getAllRegionBranchPoints()) {
    SmallVector<RegionSuccessor> successors;
    op.getSuccessorRegions(point, successors);
    for (RegionSuccessor successor : successors) {
      OperandRange operands = op.getSuccessorOperands(point, successor);
      for (auto [index, becomes] : llvm::enumerate(successor.getSuccessorInputs())) {
        OpOperand &operand = operands.getBase()[index];
        found(wrap(operand.getOwner()), operand.getOperandNumber(), wrap(becomes), data);
      }
    }
  }
  return true;
}

bool forebayGetLoop(MlirOperation wrapped, ForebayNumberCallback found, void *data) {
  auto op = dyn_cast<LoopLikeOpInterface>(unwrap(wrapped));
  if (!op)
    return false;
  if (auto counters = op.getLoopInductionVars())
    for (Value counter : *counters)
      found(0, 0, wrap(counter), data);
  if (auto bounds = op.getLoopLowerBounds())
    visitNumbers(1, *bounds, found, data);
  if (auto bounds = op.getLoopUpperBounds())
    visitNumbers(2, *bounds, found, data);
  if (auto steps = op.getLoopSteps())
    visitNumbers(3, *steps, found, data);
  return true;
}

bool forebayGetDestinations(MlirOperation wrapped, ForebayOperandCallback found, void *data) {
  auto op = dyn_cast<DestinationStyleOpInterface>(unwrap(wrapped));
  if (!op)
    return false;
  for (OpOperand &destination : op.getDpsInitsMutable())
    found(destination.getOperandNumber(), data);
  return true;
}

/// The op's BufferizableOpInterface, or null. Calls need upstream's analysis of functions, which does not run here, and
/// control flow is described by RegionBranchOpInterface.
static BufferizableOpInterface bufferizable(Operation *op) {
  if (isa<CallOpInterface, RegionBranchOpInterface>(op) || op->hasTrait<OpTrait::IsTerminator>())
    return nullptr;
  return dyn_cast<BufferizableOpInterface>(op);
}

bool forebayGetTensorAccesses(MlirOperation wrapped, ForebayAccessCallback found, void *data) {
  BufferizableOpInterface op = bufferizable(unwrap(wrapped));
  if (!op)
    return false;
  BufferizationOptions options;
  AnalysisState state(options);
  for (OpOperand &operand : op->getOpOperands())
    if (isa<TensorType>(operand.get().getType()))
      found(operand.getOperandNumber(), -1, op.bufferizesToMemoryRead(operand, state),
            op.bufferizesToMemoryWrite(operand, state), data);
  for (OpResult result : op->getResults())
    if (isa<TensorType>(result.getType()) && op.bufferizesToAllocation(result))
      found(-1, result.getResultNumber(), false, op.resultBufferizesToMemoryWrite(result, state),
            data);
  return true;
}

bool forebayGetTensorAliases(MlirOperation wrapped, ForebayAliasCallback found, void *data) {
  BufferizableOpInterface op = bufferizable(unwrap(wrapped));
  if (!op)
    return false;
  BufferizationOptions options;
  AnalysisState state(options);
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<TensorType>(operand.get().getType()))
      continue;
    for (const AliasingValue &alias : op.getAliasingValues(operand, state))
      if (auto result = dyn_cast<OpResult>(alias.value))
        found(operand.getOperandNumber(), result.getResultNumber(), alias.isDefinite, data);
  }
  return true;
}
