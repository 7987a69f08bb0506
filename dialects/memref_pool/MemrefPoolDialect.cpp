//===- MemrefPoolDialect.cpp ----------------------------------------------===//
// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "memref_pool/MemrefPool.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace forebay::memref_pool;

#include "memref_pool/MemrefPoolDialect.cpp.inc"
#include "memref_pool/MemrefPoolEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "memref_pool/MemrefPoolAttrs.cpp.inc"

void MemrefPoolDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "memref_pool/MemrefPoolAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "memref_pool/MemrefPoolOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

Attribute SpaceAttr::parse(AsmParser &parser, Type) {
  SmallVector<FlatSymbolRefAttr> pools;
  auto parseOne = [&]() -> ParseResult { return parser.parseAttribute(pools.emplace_back()); };
  if (parser.parseLess())
    return {};
  if (succeeded(parser.parseOptionalLSquare())) {
    if (parser.parseCommaSeparatedList(parseOne) || parser.parseRSquare())
      return {};
  } else if (parseOne()) {
    return {};
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<SpaceAttr>(parser.getContext(), pools);
}

void SpaceAttr::print(AsmPrinter &printer) const {
  bool single = getPools().size() == 1;
  printer << (single ? "<" : "<[");
  llvm::interleaveComma(getPools(), printer);
  printer << (single ? ">" : "]>");
}

LogicalResult SpaceAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                ArrayRef<FlatSymbolRefAttr> pools) {
  if (pools.empty())
    return emitError() << "a space needs at least one pool";
  llvm::SmallSet<StringRef, 4> seen;
  for (FlatSymbolRefAttr pool : pools) {
    if (!pool || pool.getValue().empty())
      return emitError() << "a pool's name must not be empty";
    if (!seen.insert(pool.getValue()).second)
      return emitError() << "pool " << pool << " is listed twice";
  }
  return success();
}

LogicalResult PlacementAttr::verify(function_ref<InFlightDiagnostic()> emitError, FlatSymbolRefAttr,
                                    int64_t offset) {
  if (offset < 0)
    return emitError() << "an offset must not be negative, but is " << offset;
  return success();
}

LogicalResult RowPlacementAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                       FlatSymbolRefAttr, ArrayRef<int64_t> offsets) {
  if (offsets.empty())
    return emitError() << "a placement of rows needs an offset for each row";
  for (int64_t offset : offsets)
    if (offset < 0)
      return emitError() << "an offset must not be negative, but is " << offset;
  return success();
}

LogicalResult RowsAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t dims) {
  if (dims < 1)
    return emitError() << "rows need at least one dimension that indexes them, but have " << dims;
  return success();
}

/// No map describes rows that lie anywhere; the interface does not allow to return none.
AffineMap RowsAttr::getAffineMap() const {
  return AffineMap::get(0, 0, getAffineConstantExpr(0, getContext()));
}

bool RowsAttr::isIdentity() const { return false; }

LogicalResult RowsAttr::verifyLayout(ArrayRef<int64_t> shape,
                                     function_ref<InFlightDiagnostic()> emitError) const {
  if (getDims() >= static_cast<int64_t>(shape.size()))
    return emitError() << "rows<" << getDims() << "> needs more than " << getDims()
                       << " dimensions, but there are " << shape.size();
  if (ShapedType::isDynamicShape(shape))
    return emitError() << "rows<" << getDims() << "> needs constant dimensions";
  return success();
}

LogicalResult RowsAttr::getStridesAndOffset(ArrayRef<int64_t>, SmallVectorImpl<int64_t> &,
                                            int64_t &) const {
  return failure();
}

LogicalResult CertificateAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef,
                                      int64_t peak, int64_t lowerBound, StringAttr, ArrayAttr live,
                                      StringAttr, DenseI64ArrayAttr holes) {
  if (lowerBound < 0 || peak < lowerBound)
    return emitError() << "needs 0 <= lower_bound <= peak, but lower_bound is " << lowerBound
                       << " and peak is " << peak;
  if (live && !llvm::all_of(live, llvm::IsaPred<StringAttr>))
    return emitError() << "live must be names of buffers, but is " << live;
  if (holes && holes.size() % 2 != 0)
    return emitError() << "holes are pairs of start and end, but " << holes.size()
                       << " numbers are given";
  return success();
}

//===----------------------------------------------------------------------===//
// Discardable attributes
//===----------------------------------------------------------------------===//

/// Returns the error in the discardable attribute, or nothing.
static std::optional<StringRef> findFault(NamedAttribute attribute) {
  StringRef name = attribute.getName().strref();
  if (name == "memref_pool.placement" && !isa<PlacementAttr>(attribute.getValue()))
    return "must be a #memref_pool.placement";
  if (name == "memref_pool.candidates" && !isa<SpaceAttr>(attribute.getValue()))
    return "must be a #memref_pool.space";
  if (name == "memref_pool.base" && !isa<UnitAttr>(attribute.getValue()))
    return "must be a unit attribute";
  if (name == "memref_pool.lifetime") {
    auto range = dyn_cast<DenseI64ArrayAttr>(attribute.getValue());
    if (!range || range.size() != 2 || range[0] < 0 || range[1] < range[0])
      return "must be array<i64: start, end> with 0 <= start <= end";
  }
  return std::nullopt;
}

LogicalResult MemrefPoolDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (std::optional<StringRef> fault = findFault(attribute))
    return op->emitOpError() << attribute.getName() << " " << *fault;
  return success();
}

LogicalResult MemrefPoolDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned index,
                                                          NamedAttribute attribute) {
  if (std::optional<StringRef> fault = findFault(attribute))
    return op->emitOpError() << attribute.getName() << " of argument " << index << " " << *fault;
  return success();
}

LogicalResult MemrefPoolDialect::verifyRegionResultAttribute(Operation *op, unsigned,
                                                             unsigned index,
                                                             NamedAttribute attribute) {
  if (std::optional<StringRef> fault = findFault(attribute))
    return op->emitOpError() << attribute.getName() << " of result " << index << " " << *fault;
  return success();
}
