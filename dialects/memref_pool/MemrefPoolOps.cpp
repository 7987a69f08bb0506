//===- MemrefPoolOps.cpp --------------------------------------------------===//
// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "memref_pool/MemrefPool.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/MathExtras.h"

#include <limits>
#include <numeric>

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

/// Half-open ranges, flattened: pairs, non-empty, ascending, disjoint, none below `least`.
static LogicalResult verifyRanges(Operation *op, StringRef what, ArrayRef<int64_t> bounds,
                                  int64_t least) {
  if (bounds.size() % 2 != 0)
    return op->emitOpError() << what << " are pairs of start and end, but " << bounds.size()
                             << " numbers are given";
  int64_t previousEnd = least;
  for (size_t i = 0; i < bounds.size(); i += 2) {
    int64_t start = bounds[i], end = bounds[i + 1];
    if (start >= end || start < previousEnd)
      return op->emitOpError() << what << " must be non-empty, ascending and disjoint, but ["
                               << start << ", " << end << ") is not";
    previousEnd = end;
  }
  return success();
}

/// The attributes, where present, are at least `least`.
static LogicalResult verifyAtLeast(Operation *op, int64_t least,
                                   ArrayRef<std::pair<StringRef, IntegerAttr>> attributes) {
  for (auto [name, value] : attributes)
    if (value && value.getInt() < least)
      return op->emitOpError() << name << " must be at least " << least << ", but is "
                               << value.getInt();
  return success();
}

/// The base is aligned like a buffer: to its alignment and to whole rows. A local base counts rows.
static LogicalResult verifyBase(PoolOp op) {
  if (!op.getBase())
    return success();
  uint64_t unit = op.getUnit().value_or(1);
  uint64_t aligned = std::lcm<uint64_t>(op.getAlignment().value_or(16), unit);
  // Modulo first: the product may leave 64 bits.
  uint64_t bytes = *op.getBase() % aligned * (op.getLocal() ? unit : 1);
  if (bytes % aligned != 0)
    return op.emitOpError("base ") << *op.getBase() << " is not aligned to " << aligned;
  return success();
}

/// A register is inside a device, has a size, and no addresses.
static LogicalResult verifyRegister(PoolOp op) {
  if (!op.getLocal() || !op.getCapacity())
    return op.emitOpError("is a register, so it must be local to a device and have a capacity");
  if (op.getBase() || op.getStart() || op.getUnit() || op.getBanks() || op.getReserved())
    return op.emitOpError("is a register, which has no addresses: no base, start, unit, banks or "
                          "reserved bytes");
  return success();
}

/// Banks are equal parts of the capacity, each of whole rows.
static LogicalResult verifyBanks(PoolOp op) {
  if (!op.getBanks() || *op.getBanks() == 1)
    return success();
  if (!op.getCapacity())
    return op.emitOpError("with banks needs a capacity that they divide");
  int64_t capacity = *op.getCapacity(), banks = *op.getBanks();
  if (capacity % banks != 0 || capacity / banks % op.getUnit().value_or(1) != 0)
    return op.emitOpError("capacity of ")
           << capacity << " is not " << banks << " banks of whole rows";
  return success();
}

/// A problem's pools are bytes only.
static LogicalResult verifyInProblem(PoolOp op) {
  if (isa<ProblemOp>(op->getParentOp()) && (op.getReaders() || op.getWriters()))
    return op.emitOpError("of a planning problem has no devices that read or write it");
  return success();
}

LogicalResult PoolOp::verify() {
  if (failed(verifyAlignment(*this, getAlignment())))
    return failure();
  // A problem may ask what happens without any bytes.
  int64_t least = isa<ProblemOp>((*this)->getParentOp()) ? 0 : 1;
  if (getCapacity() && static_cast<int64_t>(*getCapacity()) < least)
    return emitOpError("capacity must be positive, but is ")
           << static_cast<int64_t>(*getCapacity());
  if (getKind() == PoolKind::constant && getWriters() && !getWriters()->empty())
    return emitOpError("a constant pool has no writers");
  if (getLocal() && getKind() != PoolKind::workspace)
    return emitOpError("only a workspace can be local to a device; this pool holds ")
           << stringifyPoolKind(getKind());
  if (getFill() && getKind() != PoolKind::constant)
    return emitOpError("only a constant pool is filled; this one holds ")
           << stringifyPoolKind(getKind());
  if (failed(verifyAtLeast(*this, 0,
                           {{"base", getBaseAttr()},
                            {"start", getStartAttr()},
                            {"cost", getCostAttr()},
                            {"weight", getWeightAttr()}})) ||
      failed(verifyAtLeast(*this, 1, {{"banks", getBanksAttr()}, {"unit", getUnitAttr()}})))
    return failure();
  if (getIsRegister() && failed(verifyRegister(*this)))
    return failure();
  if (failed(verifyBase(*this)) || failed(verifyBanks(*this)) || failed(verifyInProblem(*this)))
    return failure();
  ArrayRef<int64_t> reserved = getReserved().value_or(ArrayRef<int64_t>());
  if (failed(verifyRanges(*this, "reserved ranges", reserved, 0)))
    return failure();
  if (getCapacity() && !reserved.empty() && reserved.back() > static_cast<int64_t>(*getCapacity()))
    return emitOpError("reserved range ends at ") << reserved.back() << ", beyond the capacity of "
                                                  << static_cast<int64_t>(*getCapacity());
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
template <typename Placement>
static LogicalResult verifyPlacement(AllocOp op, StringRef what, std::optional<Placement> placement,
                                     SpaceAttr space) {
  if (placement && !llvm::is_contained(space.getPools(), placement->getPool()))
    return op.emitOpError() << what << " names " << placement->getPool()
                            << ", which is not a candidate in " << space;
  return success();
}

/// There is an offset for each row.
static LogicalResult verifyRowPlacement(AllocOp op, StringRef what,
                                        std::optional<RowPlacementAttr> placement,
                                        SpaceAttr space) {
  if (!placement)
    return success();
  auto type = cast<MemRefType>(op.getMemref().getType());
  auto rows = dyn_cast<RowsAttr>(type.getLayout());
  if (!rows)
    return op.emitOpError() << what << " places rows, but the result has none: " << type;
  int64_t count = ShapedType::getNumElements(type.getShape().take_front(rows.getDims()));
  if (static_cast<int64_t>(placement->getOffsets().size()) != count)
    return op.emitOpError() << what << " needs an offset for each of " << count << " rows, but has "
                            << placement->getOffsets().size();
  return verifyPlacement(op, what, placement, space);
}

LogicalResult AllocOp::verify() {
  auto type = cast<MemRefType>(getMemref().getType());
  auto space = dyn_cast_or_null<SpaceAttr>(type.getMemorySpace());
  if (!space)
    return emitOpError("result needs a #memref_pool.space as its memory space, but is ") << type;
  auto rows = dyn_cast<RowsAttr>(type.getLayout());
  if (!rows && !type.getLayout().isIdentity())
    return emitOpError("result must have the identity layout or be rows, but is ") << type;
  if (rows && (getPinned() || getPlacement()))
    return emitOpError("is one buffer per row, which have their places in pinned_rows and at_rows");
  if (failed(verifyAlignment(*this, getAlignment())) ||
      failed(verifyPlacement(*this, "pinned", getPinned(), space)) ||
      failed(verifyPlacement(*this, "at", getPlacement(), space)) ||
      failed(verifyRowPlacement(*this, "pinned_rows", getPinnedRows(), space)) ||
      failed(verifyRowPlacement(*this, "at_rows", getRowPlacement(), space)))
    return failure();
  if (getPinnedRows() && getRowPlacement() && *getPinnedRows() != *getRowPlacement())
    return emitOpError("is pinned to ")
           << *getPinnedRows() << " but planned at " << *getRowPlacement();
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
// RowOp
//===----------------------------------------------------------------------===//

LogicalResult RowOp::verify() {
  auto source = cast<MemRefType>(getSource().getType());
  auto rows = dyn_cast<RowsAttr>(source.getLayout());
  if (!rows)
    return emitOpError("needs a memref of rows, but has ") << source;
  ArrayRef<int64_t> extents = source.getShape().take_front(rows.getDims());
  ArrayRef<int64_t> indices = getStaticIndices();
  if (indices.size() != extents.size())
    return emitOpError("needs ") << extents.size() << " indices, but has " << indices.size();
  size_t dynamic = llvm::count_if(indices, ShapedType::isDynamic);
  if (dynamic != getIndices().size())
    return emitOpError("needs ") << dynamic << " values as indices, but has "
                                 << getIndices().size();
  for (auto [dim, index, extent] : llvm::enumerate(indices, extents))
    if (!ShapedType::isDynamic(index) && (index < 0 || index >= extent))
      return emitOpError("has index ")
             << index << " in dimension " << dim << " of extent " << extent;
  auto expected =
      MemRefType::get(source.getShape().drop_front(rows.getDims()), source.getElementType(),
                      MemRefLayoutAttrInterface(), source.getMemorySpace());
  if (getRow().getType() != expected)
    return emitOpError("result must be ") << expected << ", but is " << getRow().getType();
  return success();
}

Value RowOp::getViewSource() { return getSource(); }

//===----------------------------------------------------------------------===//
// AddressOp
//===----------------------------------------------------------------------===//

LogicalResult AddressOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto pool = symbols.lookupNearestSymbolFrom<PoolOp>(*this, getPlacement().getPool());
  if (!pool)
    return emitOpError("names the pool ")
           << getPlacement().getPool() << ", which is not in the module";
  if (!pool.getLocal() && !pool.getBase())
    return emitOpError("is in ") << getPlacement().getPool()
                                 << ", which is neither local to a device nor at a base; use "
                                    "memref.view";
  if (!pool.getLocal() && getPlacement().getOffset() != 0)
    return emitOpError("is the base of ")
           << getPlacement().getPool() << ", so it is at byte 0, not "
           << getPlacement().getOffset();
  auto type = cast<MemRefType>(getMemref().getType());
  auto space = dyn_cast_or_null<SpaceAttr>(type.getMemorySpace());
  if (!space || space.getPools() != ArrayRef(getPlacement().getPool()))
    return emitOpError("result must be in ") << getPlacement().getPool() << ", but is " << type;
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

//===----------------------------------------------------------------------===//
// ProblemOp
//===----------------------------------------------------------------------===//

LogicalResult ProblemOp::verify() {
  for (Operation &op : *getBody().begin())
    if (!isa<PoolOp, BufferOp, ConflictOp, SeparateOp>(op))
      return op.emitOpError("does not belong into a planning problem");
  return success();
}

//===----------------------------------------------------------------------===//
// BufferOp
//===----------------------------------------------------------------------===//

static LogicalResult verifyCandidates(BufferOp op) {
  if (op.getCandidates().empty())
    return op.emitOpError("needs at least one candidate pool");
  llvm::SmallPtrSet<Attribute, 4> seen;
  for (Attribute pool : op.getCandidates())
    if (!seen.insert(pool).second)
      return op.emitOpError("names the candidate ") << pool << " twice";
  std::optional<ArrayRef<int64_t>> costs = op.getCosts();
  if (!costs)
    return success();
  if (costs->size() != op.getCandidates().size())
    return op.emitOpError("needs a cost for each of its ")
           << op.getCandidates().size() << " candidates, but has " << costs->size();
  for (int64_t cost : *costs)
    if (cost < 0)
      return op.emitOpError("costs must not be negative, but one is ") << cost;
  return success();
}

static LogicalResult verifyPin(BufferOp op) {
  FlatSymbolRefAttr pool = op.getPinnedPoolAttr();
  if (op.getPinnedOffset() && !pool)
    return op.emitOpError("is pinned to an offset of no pool");
  if (failed(verifyAtLeast(op, 0, {{"pinned offset", op.getPinnedOffsetAttr()}})))
    return failure();
  if (pool && !llvm::is_contained(op.getCandidates(), pool))
    return op.emitOpError("is pinned to ") << pool << ", which is not a candidate";
  std::optional<PlacementAttr> place = op.getPlacement();
  if (!place)
    return success();
  if (!llvm::is_contained(op.getCandidates(), place->getPool()))
    return op.emitOpError("at names ") << place->getPool() << ", which is not a candidate";
  bool moved = pool && pool != place->getPool();
  if (op.getPinnedOffset() && static_cast<int64_t>(*op.getPinnedOffset()) != place->getOffset())
    moved = true;
  if (moved)
    return op.emitOpError("is pinned elsewhere than planned, at ") << *place;
  return success();
}

LogicalResult BufferOp::verify() {
  if (failed(verifyAtLeast(*this, 1, {{"size", getSizeAttr()}})) ||
      failed(verifyAlignment(*this, getAlignment())) ||
      failed(verifyRanges(*this, "lifetimes", getLifetime().value_or(ArrayRef<int64_t>()),
                          std::numeric_limits<int64_t>::min())) ||
      failed(verifyCandidates(*this)))
    return failure();
  return verifyPin(*this);
}

LogicalResult BufferOp::verifySymbolUses(SymbolTableCollection &symbols) {
  for (auto pool : getCandidates().getAsRange<FlatSymbolRefAttr>())
    if (!symbols.lookupNearestSymbolFrom<PoolOp>(*this, pool))
      return emitOpError("may live in the pool ") << pool << ", which is not in the problem";
  return success();
}

//===----------------------------------------------------------------------===//
// ConflictOp and SeparateOp
//===----------------------------------------------------------------------===//

/// Both are different buffers of the problem, and no alias group puts them at one address.
static LogicalResult verifyPair(Operation *op, SymbolTableCollection &symbols,
                                FlatSymbolRefAttr first, FlatSymbolRefAttr second) {
  if (first == second)
    return op->emitOpError("names ") << first << " twice";
  auto one = symbols.lookupNearestSymbolFrom<BufferOp>(op, first);
  auto other = symbols.lookupNearestSymbolFrom<BufferOp>(op, second);
  if (!one || !other)
    return op->emitOpError("names the buffer ")
           << (one ? second : first) << ", which is not in the problem";
  if (one.getAliasAttr() && one.getAliasAttr() == other.getAliasAttr())
    return op->emitOpError("parts ")
           << first << " and " << second << " of the alias group " << one.getAliasAttr();
  return success();
}

LogicalResult ConflictOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyPair(*this, symbols, getFirstAttr(), getSecondAttr());
}

LogicalResult SeparateOp::verify() {
  if (!getSharedByte() && !getSameBank())
    return emitOpError("needs a penalty: of each shared byte, or of a common bank");
  return verifyAtLeast(*this, 0, {{"byte", getSharedByteAttr()}, {"bank", getSameBankAttr()}});
}

LogicalResult SeparateOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyPair(*this, symbols, getFirstAttr(), getSecondAttr());
}
