//===- AccelOps.cpp -------------------------------------------------------===//
// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "accel/Accel.h"

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace forebay::accel;

//===----------------------------------------------------------------------===//
// Assembly of the domain: [1, 16, 16, 8 | 3, 3, 4]
//===----------------------------------------------------------------------===//

static ParseResult parseExtents(OpAsmParser &parser, SmallVectorImpl<int64_t> &extents) {
  int64_t extent;
  OptionalParseResult first = parser.parseOptionalInteger(extent);
  if (!first.has_value())
    return success();
  if (failed(*first))
    return failure();
  extents.push_back(extent);
  while (succeeded(parser.parseOptionalComma()))
    if (parser.parseInteger(extents.emplace_back()))
      return failure();
  return success();
}

static ParseResult parseDomain(OpAsmParser &parser, DenseI64ArrayAttr &parallel,
                               DenseI64ArrayAttr &reduction) {
  SmallVector<int64_t> outer, inner;
  if (parser.parseLSquare() || parseExtents(parser, outer))
    return failure();
  if (succeeded(parser.parseOptionalVerticalBar()) && parseExtents(parser, inner))
    return failure();
  if (parser.parseRSquare())
    return failure();
  parallel = parser.getBuilder().getDenseI64ArrayAttr(outer);
  reduction = parser.getBuilder().getDenseI64ArrayAttr(inner);
  return success();
}

static void printDomain(OpAsmPrinter &printer, Operation *, DenseI64ArrayAttr parallel,
                        DenseI64ArrayAttr reduction) {
  printer << '[';
  llvm::interleaveComma(parallel.asArrayRef(), printer);
  if (!reduction.empty()) {
    printer << (parallel.empty() ? "| " : " | ");
    llvm::interleaveComma(reduction.asArrayRef(), printer);
  }
  printer << ']';
}

//===----------------------------------------------------------------------===//
// Assembly of a box of it: at [%y, 0, 0, 0 | 0, 0, 2] sizes [4, 16, 16, 8 | 3, 3, 2]
//===----------------------------------------------------------------------===//

static ParseResult parseStart(OpAsmParser &parser,
                              SmallVectorImpl<OpAsmParser::UnresolvedOperand> &dynamic,
                              SmallVectorImpl<int64_t> &starts) {
  OpAsmParser::UnresolvedOperand value;
  OptionalParseResult isValue = parser.parseOptionalOperand(value);
  if (!isValue.has_value())
    return parser.parseInteger(starts.emplace_back());
  dynamic.push_back(value);
  starts.push_back(ShapedType::kDynamic);
  return *isValue;
}

/// Parses starts up to the closing bracket or up to the bar, which is before the start number `parallel`.
static ParseResult parseStarts(OpAsmParser &parser,
                               SmallVectorImpl<OpAsmParser::UnresolvedOperand> &dynamic,
                               SmallVectorImpl<int64_t> &starts, size_t parallel) {
  if (parser.parseLSquare())
    return failure();
  while (failed(parser.parseOptionalRSquare())) {
    bool isBar = starts.size() == parallel && succeeded(parser.parseOptionalVerticalBar());
    if (!starts.empty() && !isBar && parser.parseComma())
      return failure();
    if (parseStart(parser, dynamic, starts))
      return failure();
  }
  return success();
}

static ParseResult parseBox(OpAsmParser &parser,
                            SmallVectorImpl<OpAsmParser::UnresolvedOperand> &dynamic,
                            DenseI64ArrayAttr &starts, DenseI64ArrayAttr &sizes,
                            DenseI64ArrayAttr parallel) {
  if (failed(parser.parseOptionalKeyword("at")))
    return success();
  SmallVector<int64_t> first, all;
  DenseI64ArrayAttr outer, inner;
  if (parseStarts(parser, dynamic, first, parallel.size()) || parser.parseKeyword("sizes"))
    return failure();
  SMLoc location = parser.getCurrentLocation();
  if (parseDomain(parser, outer, inner))
    return failure();
  if (outer.size() != parallel.size())
    return parser.emitError(location) << "expected " << parallel.size() << " sizes before '|'";
  llvm::append_range(all, outer.asArrayRef());
  llvm::append_range(all, inner.asArrayRef());
  starts = parser.getBuilder().getDenseI64ArrayAttr(first);
  sizes = parser.getBuilder().getDenseI64ArrayAttr(all);
  return success();
}

static void printBox(OpAsmPrinter &printer, Operation *op, OperandRange dynamic,
                     DenseI64ArrayAttr starts, DenseI64ArrayAttr sizes,
                     DenseI64ArrayAttr parallel) {
  if (!starts)
    return;
  auto values = dynamic.begin();
  printer << " at [";
  for (auto [dim, start] : llvm::enumerate(starts.asArrayRef())) {
    if (static_cast<int64_t>(dim) == parallel.size())
      printer << (dim == 0 ? "| " : " | ");
    else if (dim != 0)
      printer << ", ";
    if (ShapedType::isDynamic(start))
      printer << *values++;
    else
      printer << start;
  }
  printer << "] sizes ";
  Builder builder(op->getContext());
  ArrayRef<int64_t> all = sizes.asArrayRef();
  printDomain(printer, op, builder.getDenseI64ArrayAttr(all.take_front(parallel.size())),
              builder.getDenseI64ArrayAttr(all.drop_front(parallel.size())));
}

#define GET_OP_CLASSES
#include "accel/AccelOps.cpp.inc"

//===----------------------------------------------------------------------===//
// ReduceOp: address maps
//===----------------------------------------------------------------------===//

namespace {
/// `constant + sum(coefficients[d] * d)`.
struct LinearForm {
  SmallVector<int64_t> coefficients;
  int64_t constant = 0;
};
} // namespace

/// Adds `factor * expr` to `form`; fails when `expr` is not linear.
static LogicalResult accumulate(AffineExpr expr, int64_t factor, LinearForm &form) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    form.coefficients[dim.getPosition()] += factor;
    return success();
  }
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    form.constant += factor * constant.getValue();
    return success();
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return failure();
  if (binary.getKind() == AffineExprKind::Add)
    return success(succeeded(accumulate(binary.getLHS(), factor, form)) &&
                   succeeded(accumulate(binary.getRHS(), factor, form)));
  auto scale = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (binary.getKind() == AffineExprKind::Mul && scale)
    return accumulate(binary.getLHS(), factor * scale.getValue(), form);
  return failure();
}

static FailureOr<LinearForm> linearise(AffineExpr expr, unsigned numDims) {
  LinearForm form{SmallVector<int64_t>(numDims, 0)};
  if (failed(accumulate(expr, 1, form)))
    return failure();
  return form;
}

/// The form's values over a box from the origin, as [least, greatest].
static std::pair<int64_t, int64_t> rangeOf(const LinearForm &form, ArrayRef<int64_t> extents) {
  int64_t least = form.constant, greatest = form.constant;
  for (auto [coefficient, extent] : llvm::zip_equal(form.coefficients, extents))
    (coefficient < 0 ? least : greatest) += coefficient * (extent - 1);
  return {least, greatest};
}

/// Whether the forms enumerate every index of `shape` exactly once: each dimension is used once, and the coefficients
/// of every form are the place values of a mixed-radix number that covers its axis.
static bool isBijection(ArrayRef<LinearForm> forms, ArrayRef<int64_t> extents,
                        ArrayRef<int64_t> shape) {
  SmallVector<bool> used(extents.size(), false);
  for (auto [form, size] : llvm::zip_equal(forms, shape)) {
    SmallVector<std::pair<int64_t, int64_t>> digits; // (place value, radix)
    for (auto [dim, coefficient] : llvm::enumerate(form.coefficients)) {
      if (coefficient == 0 || extents[dim] == 1)
        continue;
      if (std::exchange(used[dim], true))
        return false;
      digits.emplace_back(coefficient, extents[dim]);
    }
    llvm::sort(digits);
    int64_t place = 1;
    for (auto [coefficient, radix] : digits) {
      if (coefficient != place)
        return false;
      place *= radix;
    }
    if (form.constant != 0 || place != size)
      return false;
  }
  return llvm::all_of(llvm::zip_equal(used, extents),
                      [](auto pair) { return std::get<0>(pair) || std::get<1>(pair) == 1; });
}

LogicalResult ReduceOp::verify() {
  auto output = cast<ShapedType>(getOutput().getType());
  if (isa<MemRefType>(output) != (getNumResults() == 0))
    return emitOpError("has a result on tensors and none on memrefs");
  if (getNumResults() > 0 && getResultTypes().front() != output)
    return emitOpError("result type ")
           << getResultTypes().front() << " differs from the type of outs, " << output;

  SmallVector<int64_t> domain(getParallel());
  llvm::append_range(domain, getReduction());
  if (llvm::any_of(domain, [](int64_t extent) { return extent <= 0; }))
    return emitOpError("extents of the domain must be positive");
  SmallVector<Value> mapped = getMappedOperands();
  if (getMaps().size() != mapped.size())
    return emitOpError("needs one map per operand: ")
           << mapped.size() << ", but has " << getMaps().size();
  if (failed(verifyBox()) || failed(verifyBlocks()) || failed(verifyWords()) ||
      failed(verifyPartialSums()) || failed(verifyLanes()) || failed(verifyPeeled()))
    return failure();

  for (auto [index, operand, attribute] :
       llvm::enumerate(mapped, getMaps().getAsRange<AffineMapAttr>())) {
    auto shape = cast<ShapedType>(operand.getType()).getShape();
    AffineMap map = attribute.getValue();
    bool isInput = index < getInputs().size();
    ArrayRef<int64_t> extents = isInput ? ArrayRef(domain) : getParallel();
    if (map.getNumDims() != extents.size() || map.getNumSymbols() != 0 ||
        map.getNumResults() != shape.size())
      return emitOpError("map ") << index << " must take " << extents.size() << " dimensions to "
                                 << shape.size() << " indices, but is " << attribute;
    SmallVector<LinearForm> forms;
    for (auto [axis, expr] : llvm::enumerate(map.getResults())) {
      FailureOr<LinearForm> form = linearise(expr, extents.size());
      if (failed(form))
        return emitOpError("map ") << index << " is not linear: " << attribute;
      auto [least, greatest] = rangeOf(*form, extents);
      if (!isInput && (least < 0 || greatest >= shape[axis]))
        return emitOpError("map ") << index << " reaches " << least << " to " << greatest
                                   << " on axis " << axis << " of size " << shape[axis];
      forms.push_back(*form);
    }
    if (index + 1 == mapped.size() && !isBijection(forms, extents, shape))
      return emitOpError("the map of outs must reach every element exactly once, but is ")
             << attribute;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// ReduceOp: regions
//===----------------------------------------------------------------------===//

static void appendElementTypes(ValueRange values, SmallVectorImpl<Type> &types) {
  for (Value value : values)
    types.push_back(getElementTypeOrSelf(value.getType()));
}

/// Checks a region's argument types, what it yields, and that it only computes.
static LogicalResult verifyComputation(ReduceOp op, StringRef name, Region &region,
                                       TypeRange arguments, TypeRange yielded) {
  if (region.getArgumentTypes() != arguments)
    return op.emitOpError() << name << " must take (" << arguments << "), but takes ("
                            << region.getArgumentTypes() << ")";
  auto yield = dyn_cast<YieldOp>(region.front().getTerminator());
  if (!yield)
    return op.emitOpError() << name << " must end with accel.yield";
  if (yield.getOperandTypes() != yielded)
    return op.emitOpError() << name << " must yield (" << yielded << "), but yields ("
                            << yield.getOperandTypes() << ")";
  for (Operation &nested : region.front())
    if (!isMemoryEffectFree(&nested))
      return op.emitOpError() << name << " must only compute, but has '" << nested.getName() << "'";
  return success();
}

LogicalResult ReduceOp::verifyRegions() {
  auto yield = dyn_cast<YieldOp>(getInit().front().getTerminator());
  if (!yield)
    return emitOpError("init must end with accel.yield");
  SmallVector<Type> accumulators(yield.getOperandTypes());
  if (accumulators.empty())
    return emitOpError("init must yield at least one accumulator");

  SmallVector<Type> params, body(accumulators), finish(accumulators);
  appendElementTypes(getParams(), params);
  appendElementTypes(getInputs(), body);
  finish.push_back(IntegerType::get(getContext(), 32));
  llvm::append_range(finish, params);
  Type element = getElementTypeOrSelf(getOutput().getType());
  if (failed(verifyComputation(*this, "init", getInit(), params, accumulators)) ||
      failed(verifyComputation(*this, "body", getBody(), body, accumulators)) ||
      failed(verifyComputation(*this, "finish", getFinish(), finish, element)))
    return failure();
  if (!getFinish().getArgument(accumulators.size()).use_empty())
    accumulators.push_back(IntegerType::get(getContext(), 32));
  return verifyAccumulators(accumulators);
}

LogicalResult DotOp::verify() {
  int64_t elements = cast<VectorType>(getLhs().getType()).getNumElements();
  if (getLane() && (*getLane() < 0 || *getLane() >= elements))
    return emitOpError("has lane ") << *getLane() << " of " << elements << " elements";
  return success();
}

LogicalResult DotEachOp::verify() {
  int64_t sums = cast<VectorType>(getSum().getType()).getNumElements();
  int64_t word = cast<VectorType>(getLhs().getType()).getNumElements();
  int64_t factors = cast<VectorType>(getRhs().getType()).getNumElements();
  if (factors != sums * word)
    return emitOpError("has ") << factors << " second factors for " << sums << " sums of " << word
                               << " products";
  return success();
}

LogicalResult AddTotalsOp::verify() {
  int64_t elements = cast<VectorType>(getStart().getType()).getNumElements();
  if (static_cast<int64_t>(getSums().size()) != elements)
    return emitOpError("has ") << getSums().size() << " vectors of sums for " << elements
                               << " elements";
  return success();
}

/// Checks that there is one index per dimension of a memref.
static LogicalResult verifyIndices(Operation *op, Value base, OperandRange indices) {
  int64_t rank = cast<MemRefType>(base.getType()).getRank();
  if (static_cast<int64_t>(indices.size()) != rank || rank == 0)
    return op->emitOpError("has ") << indices.size() << " indices for memory of rank " << rank;
  return success();
}

LogicalResult LoadExtendedOp::verify() { return verifyIndices(*this, getBase(), getIndices()); }

LogicalResult LoadBetweenOp::verify() {
  int32_t fill = static_cast<int32_t>(getFill());
  if (fill < INT8_MIN || fill > INT8_MAX)
    return emitOpError("has fill ") << fill << ", which is no 8-bit integer";
  return verifyIndices(*this, getBase(), getIndices());
}

LogicalResult MultiplyAddOp::verify() {
  int64_t sums = cast<VectorType>(getSum().getType()).getNumElements();
  int64_t factors = cast<VectorType>(getLhs().getType()).getNumElements();
  if (sums != factors)
    return emitOpError("has ") << sums << " sums of " << factors << " products";
  return success();
}

LogicalResult StoreRescaledOp::verify() {
  if (static_cast<int32_t>(getLow()) > static_cast<int32_t>(getHigh()))
    return emitOpError("has limits ") << static_cast<int32_t>(getLow()) << " to "
                                      << static_cast<int32_t>(getHigh()) << " without a value";
  return verifyIndices(*this, getBase(), getIndices());
}
