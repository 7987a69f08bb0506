//===- Transfers.cpp - queues, and moving bytes between pools -------------===//
// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "accel/Accel.h"
#include "memref_pool/MemrefPool.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"

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

LogicalResult forebay::accel::verifyFlags(Operation *op, Twine what, ArrayAttr pools, int64_t flags,
                                          SymbolTableCollection &symbols) {
  if (!flags)
    return success();
  for (auto name : pools.getAsRange<FlatSymbolRefAttr>()) {
    auto pool = symbols.lookupNearestSymbolFrom<memref_pool::PoolOp>(op, name);
    if (!pool.getLocal() || pool.getIsRegister())
      return op->emitOpError() << what << " has address flags, but may be in " << name
                               << ", where the C function gets no address of a device";
    int64_t base = pool.getBase().value_or(0), unit = pool.getUnit().value_or(1);
    int64_t rows = pool.getCapacity() ? (*pool.getCapacity() + unit - 1) / unit : 1;
    // The addresses [base, base + rows) have all bits below the highest one in which they differ.
    uint64_t last = base + rows - 1, varying = llvm::bit_ceil((last ^ base) + 1) - 1;
    if ((last | varying) & flags)
      return op->emitOpError() << what << " has address flags that addresses in " << name
                               << " have, too: "
                               << "0x" + llvm::utohexstr((last | varying) & flags, true);
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

/// The largest numbers that the C function takes, by the names of its parameters.
static LogicalResult verifyLimits(TransferOp op) {
  int64_t outer = static_cast<int64_t>(op.getRank()) - 1;
  for (NamedAttribute limit : op.getLimits().value_or(DictionaryAttr::get(op.getContext()))) {
    StringRef name = limit.getName().strref(), number = name;
    int64_t dimension = 0;
    bool isExtent =
        number.consume_front("extent") &&
        (outer == 1 ? number.empty() : !number.getAsInteger(10, dimension) && dimension < outer);
    if (name != "bytes" && !isExtent)
      return op.emitOpError("limits '")
             << name << "', which is no extent and no bytes of its block";
    auto value = dyn_cast<IntegerAttr>(limit.getValue());
    if (!value || !value.getType().isInteger(64) || value.getInt() <= 0)
      return op.emitOpError("limit of '")
             << name << "' must be a positive i64, but is " << limit.getValue();
  }
  return success();
}

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
  for (IntegerAttr flags : {getSourceFlagsAttr(), getTargetFlagsAttr()})
    if (flags && !llvm::isUInt<32>(flags.getInt()))
      return emitOpError("flags must be bits of a 32-bit address, but are ") << flags.getInt();
  return verifyLimits(*this);
}

LogicalResult TransferOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!symbols.lookupNearestSymbolFrom<DeviceOp>(*this, getDeviceAttr()))
    return emitOpError("belongs to ") << getDeviceAttr() << ", which is no device of the module";
  return success(
      succeeded(verifyQueue(*this, getQueueAttr(), getDeviceAttr(), symbols)) &&
      succeeded(verifyPools(*this, "from", getSources(), symbols)) &&
      succeeded(verifyPools(*this, "to", getTargets(), symbols)) &&
      succeeded(verifyFlags(*this, "from", getSources(), getSourceFlags().value_or(0), symbols)) &&
      succeeded(verifyFlags(*this, "to", getTargets(), getTargetFlags().value_or(0), symbols)));
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
