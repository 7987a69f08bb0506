//===- MemrefPoolOps.cpp --------------------------------------------------===//
// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "memref_pool/MemrefPool.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace forebay::memref_pool;

#define GET_OP_CLASSES
#include "memref_pool/MemrefPoolOps.cpp.inc"

/// Alignments are powers of two so that offsets stay aligned when the base is.
static LogicalResult verifyAlignment(Operation *op, std::optional<uint64_t> alignment) {
  if (alignment && !llvm::isPowerOf2_64(*alignment))
    return op->emitOpError("alignment must be a power of two, but is ")
           << static_cast<int64_t>(*alignment);
  return success();
}

//===----------------------------------------------------------------------===//
// PoolOp
//===----------------------------------------------------------------------===//

static LogicalResult verifyReserved(PoolOp op, ArrayRef<int64_t> bounds) {
  if (bounds.size() % 2 != 0)
    return op.emitOpError("reserved ranges are pairs of start and end, but ")
           << bounds.size() << " numbers are given";
  int64_t previousEnd = 0;
  for (size_t i = 0; i < bounds.size(); i += 2) {
    int64_t start = bounds[i], end = bounds[i + 1];
    if (start >= end || start < previousEnd)
      return op.emitOpError("reserved ranges must be non-empty, ascending and disjoint, but [")
             << start << ", " << end << ") is not";
    previousEnd = end;
  }
  if (op.getCapacity() && previousEnd > static_cast<int64_t>(*op.getCapacity()))
    return op.emitOpError("reserved range ends at ")
           << previousEnd << ", beyond the capacity of " << static_cast<int64_t>(*op.getCapacity());
  return success();
}

LogicalResult PoolOp::verify() {
  if (failed(verifyAlignment(*this, getAlignment())))
    return failure();
  if (getCapacity() && static_cast<int64_t>(*getCapacity()) <= 0)
    return emitOpError("capacity must be positive, but is ")
           << static_cast<int64_t>(*getCapacity());
  if (getKind() == PoolKind::constant && getWriters() && !getWriters()->empty())
    return emitOpError("a constant pool has no writers");
  if (getReserved())
    return verifyReserved(*this, *getReserved());
  return success();
}

LogicalResult PoolOp::verifySymbolUses(SymbolTableCollection &symbols) {
  for (std::optional<ArrayAttr> devices : {getReaders(), getWriters()}) {
    if (!devices)
      continue;
    for (auto device : devices->getAsRange<FlatSymbolRefAttr>())
      if (!symbols.lookupNearestSymbolFrom(*this, device))
        return emitOpError("names the device ") << device << ", which is not in the module";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// AllocOp
//===----------------------------------------------------------------------===//

/// The placement must name one of the candidates.
static LogicalResult verifyPlacement(AllocOp op, StringRef what,
                                     std::optional<PlacementAttr> placement, SpaceAttr space) {
  if (placement && !llvm::is_contained(space.getPools(), placement->getPool()))
    return op.emitOpError() << what << " names " << placement->getPool()
                            << ", which is not a candidate in " << space;
  return success();
}

LogicalResult AllocOp::verify() {
  auto type = cast<MemRefType>(getMemref().getType());
  auto space = dyn_cast_or_null<SpaceAttr>(type.getMemorySpace());
  if (!space)
    return emitOpError("result needs a #memref_pool.space as its memory space, but is ") << type;
  if (!type.getLayout().isIdentity())
    return emitOpError("result must have the identity layout, but is ") << type;
  if (failed(verifyAlignment(*this, getAlignment())) ||
      failed(verifyPlacement(*this, "pinned", getPinned(), space)) ||
      failed(verifyPlacement(*this, "at", getPlacement(), space)))
    return failure();
  if (getPinned() && getPlacement() && *getPinned() != *getPlacement())
    return emitOpError("is pinned to ") << *getPinned() << " but planned at " << *getPlacement();
  return success();
}

LogicalResult AllocOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto space = cast<SpaceAttr>(cast<MemRefType>(getMemref().getType()).getMemorySpace());
  for (FlatSymbolRefAttr name : space.getPools()) {
    auto pool = symbols.lookupNearestSymbolFrom<PoolOp>(*this, name);
    if (!pool)
      return emitOpError("names the pool ") << name << ", which is not in the module";
    if (pool.getKind() == PoolKind::constant)
      return emitOpError("allocates in ") << name << ", a pool of constants";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// CopyOp
//===----------------------------------------------------------------------===//

LogicalResult CopyOp::verify() {
  auto source = cast<ShapedType>(getSource().getType());
  auto target = cast<ShapedType>(getTarget().getType());
  if (isa<MemRefType>(source) != isa<MemRefType>(target))
    return emitOpError("copies between two tensors or two memrefs, not ")
           << source << " and " << target;
  if (source.getShape() != target.getShape() || source.getElementType() != target.getElementType())
    return emitOpError("source and target must have the same shape and element type, but are ")
           << source << " and " << target;
  if (isa<MemRefType>(target) != getResults().empty())
    return emitOpError("has a result on tensors and none on memrefs");
  return success();
}

void CopyOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (!isa<MemRefType>(getSource().getType()))
    return;
  effects.emplace_back(MemoryEffects::Read::get(), &getSourceMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getTargetMutable());
}
