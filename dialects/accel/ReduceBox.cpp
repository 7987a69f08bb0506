//===- ReduceBox.cpp - accel.reduce on a box of its domain ------------------===//
// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "accel/Accel.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace forebay::accel;

MutableOperandRange ReduceOp::getDpsInitsMutable() {
  unsigned first = getOutputMutable().getOperandNumber();
  return MutableOperandRange(*this, first, 1 + getAccumulators().size());
}

SmallVector<Value> ReduceOp::getMappedOperands() {
  SmallVector<Value> mapped(getInputs());
  llvm::append_range(mapped, getParams());
  mapped.push_back(getOutput());
  return mapped;
}

SmallVector<int64_t> ReduceOp::getBoxSizes() {
  if (std::optional<ArrayRef<int64_t>> sizes = getSizes())
    return SmallVector<int64_t>(*sizes);
  SmallVector<int64_t> domain(getParallel());
  llvm::append_range(domain, getReduction());
  return domain;
}

bool ReduceOp::coversParallel() {
  return ArrayRef(getBoxSizes()).take_front(getParallel().size()) == getParallel();
}

bool ReduceOp::cutsReduction() {
  return ArrayRef(getBoxSizes()).drop_front(getParallel().size()) != getReduction();
}

/// Whether `start` is equal to `expected` in each dimension; none if that depends on starts known at run time only.
static std::optional<bool> areAt(ArrayRef<int64_t> starts, ArrayRef<int64_t> expected) {
  bool depends = false;
  for (auto [start, position] : llvm::zip_equal(starts, expected)) {
    if (ShapedType::isDynamic(start))
      depends = true;
    else if (start != position)
      return false;
  }
  return depends ? std::nullopt : std::optional(true);
}

std::optional<bool> ReduceOp::runsInit() {
  if (!cutsReduction())
    return true;
  return areAt(getStaticStarts()->drop_front(getParallel().size()),
               SmallVector<int64_t>(getReduction().size(), 0));
}

std::optional<bool> ReduceOp::runsFinish() {
  if (!cutsReduction())
    return true;
  SmallVector<int64_t> last;
  for (auto [extent, size] :
       llvm::zip_equal(getReduction(), getSizes()->drop_front(getParallel().size())))
    last.push_back(extent - size);
  return areAt(getStaticStarts()->drop_front(getParallel().size()), last);
}

/// Checks that the box is inside of the domain, as far as its starts are known.
LogicalResult ReduceOp::verifyBox() {
  if (getStaticStarts().has_value() != getSizes().has_value())
    return emitOpError("has starts or sizes of a box, but not both");
  if (!getSizes())
    return getStarts().empty() ? success() : emitOpError("has starts but no box");
  SmallVector<int64_t> domain(getParallel());
  llvm::append_range(domain, getReduction());
  ArrayRef<int64_t> starts = *getStaticStarts(), sizes = *getSizes();
  if (starts.size() != domain.size() || sizes.size() != domain.size())
    return emitOpError("the box must have a start and a size for each of the ")
           << domain.size() << " dimensions, but has " << starts.size() << " and " << sizes.size();
  size_t dynamic = llvm::count_if(starts, ShapedType::isDynamic);
  if (dynamic != getStarts().size())
    return emitOpError("needs ") << dynamic << " values as starts, but has " << getStarts().size();
  for (auto [dim, start, size, extent] : llvm::enumerate(starts, sizes, domain)) {
    bool fits = size >= 1 && size <= extent;
    if (fits && !ShapedType::isDynamic(start))
      fits = start >= 0 && start <= extent - size;
    if (!fits) {
      InFlightDiagnostic error = emitOpError("the box has size ") << size;
      if (!ShapedType::isDynamic(start))
        error << " at " << start;
      return error << " in dimension " << dim << " of extent " << extent;
    }
    if (size == extent && ShapedType::isDynamic(start))
      return emitOpError("the box is all of dimension ")
             << dim << ", so it must start at the constant 0 there";
  }
  return success();
}

/// Checks that there is a block per dimension of the domain, inside of the box.
LogicalResult ReduceOp::verifyBlocks() {
  if (!getBlocks())
    return success();
  ArrayRef<int64_t> blocks = *getBlocks();
  SmallVector<int64_t> sizes = getBoxSizes();
  if (blocks.size() != sizes.size())
    return emitOpError("needs a block for each of the ")
           << sizes.size() << " dimensions, but has " << blocks.size();
  if (cutsReduction())
    return emitOpError("has blocks, but its box cuts the reduction domain");
  for (auto [dim, block, size] : llvm::enumerate(blocks, sizes)) {
    if (block < 1 || block > size)
      return emitOpError("has blocks of ")
             << block << " in dimension " << dim << " of size " << size;
    if (dim >= getParallel().size() && size % block != 0 && wordAlong(dim) == 1)
      return emitOpError("has blocks of ") << block << " in reduction dimension " << dim
                                           << ", which do not divide its size " << size;
  }
  return success();
}

int64_t ReduceOp::wordAlong(size_t dim) {
  return getWords() && dim < getWords()->size() ? (*getWords())[dim] : 1;
}

/// Checks that words are along one dimension of the blocks, a parallel one or the last one, or along both where the
/// sums of the parallel one are a vector.
LogicalResult ReduceOp::verifyWords() {
  if (!getWords())
    return success();
  if (!getBlocks() || getWords()->size() != getBlocks()->size())
    return emitOpError("has words, which need blocks of as many dimensions");
  if (getInputs().size() != 2)
    return emitOpError("has words, which need two operands in 'ins', but it has ")
           << getInputs().size();
  size_t last = getWords()->size() - 1, along = 0;
  bool isGrouped = last >= getParallel().size() && getWords()->back() > 1;
  for (auto [dim, word, block] : llvm::enumerate(*getWords(), *getBlocks())) {
    if (word < 1 || block % word != 0)
      return emitOpError("has words of ")
             << word << " in dimension " << dim << ", which do not divide its blocks of " << block;
    if (word == 1)
      continue;
    if (dim >= getParallel().size() && dim != last)
      return emitOpError("has words in dimension ")
             << dim << "; in the reduction domain words are in the last dimension";
    bool isVector = getLanes() && dim < getLanes()->size() && (*getLanes())[dim] == word;
    isGrouped = isGrouped && (dim == last || isVector);
    ++along;
  }
  return along <= (isGrouped ? 2 : 1) ? success()
                                      : emitOpError("has words in more than one dimension");
}

/// Checks that partial sums are several, of words along the last dimension, which is reduced.
LogicalResult ReduceOp::verifyPartialSums() {
  if (!getPartialSums())
    return success();
  if (!getWords() || getReduction().empty() || getWords()->back() == 1)
    return emitOpError("has partial sums, which need words in the last reduction dimension");
  if (llvm::any_of(getWords()->drop_back(), [](int64_t word) { return word > 1; }))
    return emitOpError("has partial sums, but its sums are vectors");
  int64_t count = static_cast<int64_t>(*getPartialSums());
  return count > 1 ? success() : emitOpError("has ") << count << " partial sums";
}

/// Checks that lanes are along one parallel dimension of the blocks.
LogicalResult ReduceOp::verifyLanes() {
  if (!getLanes())
    return success();
  if (!getBlocks() || getLanes()->size() != getBlocks()->size())
    return emitOpError("has lanes, which need blocks of as many dimensions");
  size_t along = 0;
  for (auto [dim, lanes, block] : llvm::enumerate(*getLanes(), *getBlocks())) {
    if (lanes < 1 || block % lanes != 0)
      return emitOpError("has lanes of ")
             << lanes << " in dimension " << dim << ", which do not divide its blocks of " << block;
    if (lanes > 1 && dim >= getParallel().size())
      return emitOpError("has lanes in dimension ") << dim << ", which is reduced";
    along += lanes > 1;
  }
  return along <= 1 ? success() : emitOpError("has lanes in more than one dimension");
}

/// Checks that peeled dimensions are parallel ones of blocks, in ascending order, at constant or single positions.
LogicalResult ReduceOp::verifyPeeled() {
  if (!getPeeled())
    return success();
  ArrayRef<int64_t> peeled = *getPeeled();
  if (!getBlocks())
    return emitOpError("has peeled dimensions, which need blocks");
  int64_t before = -1;
  for (int64_t dim : peeled) {
    if (dim <= before)
      return emitOpError("has peeled dimension ")
             << dim << ", which must be greater than " << before;
    if (dim >= static_cast<int64_t>(getParallel().size()))
      return emitOpError("has peeled dimension ")
             << dim << ", but only " << getParallel().size() << " parallel dimensions";
    if (getStaticStarts() && ShapedType::isDynamic((*getStaticStarts())[dim]) &&
        (*getSizes())[dim] > 1)
      return emitOpError("has peeled dimension ")
             << dim << ", of which a varying box has " << (*getSizes())[dim] << " positions";
    before = dim;
  }
  return success();
}

/// Checks that there is one accumulator per element type where a box cuts the reduction, and none elsewhere.
LogicalResult ReduceOp::verifyAccumulators(TypeRange elements) {
  if (!cutsReduction())
    return getAccumulators().empty()
               ? success()
               : emitOpError("has accumulators, but its box has all of the reduction domain");
  if (getAccumulators().size() != elements.size())
    return emitOpError("the box cuts the reduction, so it needs ")
           << elements.size() << " accumulators (" << elements << "), but has "
           << getAccumulators().size();
  ArrayRef<int64_t> sizes = getSizes()->take_front(getParallel().size());
  for (auto [number, value, element] : llvm::enumerate(getAccumulators(), elements)) {
    auto type = cast<ShapedType>(value.getType());
    if (type.getShape() != sizes || type.getElementType() != element)
      return emitOpError("accumulator ")
             << number << " must be " << RankedTensorType::get(sizes, element)
             << " or a memref of that shape, but is " << type;
    if (isa<MemRefType>(type) != isa<MemRefType>(getOutput().getType()))
      return emitOpError("outs and accumulators must all be tensors, or all be memrefs");
  }
  return success();
}

void ReduceOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (!isa<MemRefType>(getOutput().getType()))
    return;
  auto add = [&](OpOperand &operand, auto effect) { effects.emplace_back(effect, &operand); };
  for (MutableOperandRange read : {getInputsMutable(), getParamsMutable()})
    for (OpOperand &operand : read)
      if (isa<MemRefType>(operand.get().getType()))
        add(operand, MemoryEffects::Read::get());
  for (OpOperand &operand : getAccumulatorsMutable()) {
    if (runsInit() != true)
      add(operand, MemoryEffects::Read::get());
    if (runsFinish() != true)
      add(operand, MemoryEffects::Write::get());
  }
  if (runsFinish() != false)
    add(getOutputMutable(), MemoryEffects::Write::get());
}
