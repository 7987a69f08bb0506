//===- Transfers.cpp - queues, and moving bytes between pools -------------===//
// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "accel/Accel.h"
#include "memref_pool/MemrefPool.h"

using namespace mlir;
using namespace forebay;
using namespace forebay::accel;

LogicalResult forebay::accel::verifyQueue(Operation *op, FlatSymbolRefAttr queue,
                                          FlatSymbolRefAttr device,
                                          SymbolTableCollection &symbols) {
  if (!queue)
    return success();
  auto found = symbols.lookupNearestSymbolFrom<QueueOp>(op, queue);
  if (!found)
    return op->emitOpError("runs in ") << queue << ", which is no queue of the module";
  if (found.getDeviceAttr() != device)
    return op->emitOpError("runs in ") << queue << ", a queue of " << found.getDeviceAttr();
  return success();
}

LogicalResult forebay::accel::verifyPools(Operation *op, Twine what, ArrayAttr pools,
                                          SymbolTableCollection &symbols) {
  for (auto pool : pools.getAsRange<FlatSymbolRefAttr>()) {
    auto found = symbols.lookupNearestSymbolFrom<memref_pool::PoolOp>(op, pool);
    if (!found)
      return op->emitOpError() << what << " names " << pool << ", which is no pool of the module";
    if (found.getIsRegister() && isa<TransferOp>(op))
      return op->emitOpError() << what << " names the register " << pool
                               << ", but only intrinsics set registers";
    if (found.getIsRegister() && pools.size() > 1)
      return op->emitOpError() << what << " names the register " << pool
                               << " beside other pools, but a register has no address by which "
                                  "the device could tell them apart";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// QueueOp
//===----------------------------------------------------------------------===//

LogicalResult QueueOp::verify() {
  if (!isCIdentifier(getSymbol()))
    return emitOpError("symbol must be a C identifier, but is ") << getSymbolAttr();
  if (static_cast<int64_t>(getDepth()) <= 0)
    return emitOpError("depth must be positive, but is ") << static_cast<int64_t>(getDepth());
  return success();
}

LogicalResult QueueOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!symbols.lookupNearestSymbolFrom<DeviceOp>(*this, getDeviceAttr()))
    return emitOpError("belongs to ") << getDeviceAttr() << ", which is no device of the module";
  return success();
}

//===----------------------------------------------------------------------===//
// TransferOp
//===----------------------------------------------------------------------===//

LogicalResult TransferOp::verify() {
  if (!isCIdentifier(getSymbol()))
    return emitOpError("symbol must be a C identifier, but is ") << getSymbolAttr();
  if (getSources().empty() || getTargets().empty())
    return emitOpError("needs pools to move from and to");
  std::pair<StringRef, IntegerAttr> positive[] = {
      {"rank", getRankAttr()}, {"granule", getGranuleAttr()}, {"bandwidth", getBandwidthAttr()}};
  for (auto [name, value] : positive)
    if (value && value.getInt() <= 0)
      return emitOpError() << name << " must be positive, but is " << value.getInt();
  if (getLatencyAttr() && getLatencyAttr().getInt() < 0)
    return emitOpError("latency must not be negative, but is ") << getLatencyAttr().getInt();
  return success();
}

LogicalResult TransferOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!symbols.lookupNearestSymbolFrom<DeviceOp>(*this, getDeviceAttr()))
    return emitOpError("belongs to ") << getDeviceAttr() << ", which is no device of the module";
  return success(succeeded(verifyQueue(*this, getQueueAttr(), getDeviceAttr(), symbols)) &&
                 succeeded(verifyPools(*this, "from", getSources(), symbols)) &&
                 succeeded(verifyPools(*this, "to", getTargets(), symbols)));
}

//===----------------------------------------------------------------------===//
// MoveOp and StartOp
//===----------------------------------------------------------------------===//

template <typename Op>
static LogicalResult verifySameBlock(Op op) {
  auto source = cast<MemRefType>(op.getSource().getType());
  auto target = cast<MemRefType>(op.getTarget().getType());
  if (source.getShape() != target.getShape() || source.getElementType() != target.getElementType())
    return op.emitOpError("source and target must have the same shape and element type, but are ")
           << source << " and " << target;
  return success();
}

LogicalResult MoveOp::verify() { return verifySameBlock(*this); }
LogicalResult StartOp::verify() { return verifySameBlock(*this); }

template <typename Op>
static FailureOr<TransferOp> findTransfer(Op op, SymbolTableCollection &symbols) {
  auto transfer = symbols.lookupNearestSymbolFrom<TransferOp>(op, op.getTransferAttr());
  if (!transfer)
    return op.emitOpError("uses ")
           << op.getTransferAttr() << ", which is no transfer of the module";
  return transfer;
}

LogicalResult MoveOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return findTransfer(*this, symbols);
}

LogicalResult StartOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FailureOr<TransferOp> transfer = findTransfer(*this, symbols);
  if (succeeded(transfer) && !transfer->getQueue())
    return emitOpError("starts ") << getTransferAttr() << ", which has no queue; use accel.move";
  return transfer;
}

template <typename Op>
static void addEffects(Op op, SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &op.getSourceMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &op.getTargetMutable());
}

void MoveOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addEffects(*this, effects);
}

void StartOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addEffects(*this, effects);
}
