//===- Intrinsics.cpp - devices, intrinsics, and their calls --------------===//
// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "accel/Accel.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace forebay::accel;

//===----------------------------------------------------------------------===//
// DeviceOp
//===----------------------------------------------------------------------===//

LogicalResult DeviceOp::verify() {
  if (getKind().empty())
    return emitOpError("kind must not be empty");
  if (getBase() && static_cast<int64_t>(*getBase()) < 0)
    return emitOpError("base must not be negative, but is ") << static_cast<int64_t>(*getBase());
  if (getPeak() && static_cast<int64_t>(*getPeak()) < 1)
    return emitOpError("peak must be at least 1 MAC per cycle, but is ")
           << static_cast<int64_t>(*getPeak());
  if (!getHost())
    return success();
  if (getHandle())
    return emitOpError("is the host, which calls the others and has no handle");
  for (auto other : (*this)->getParentOp()->getRegion(0).getOps<DeviceOp>())
    if (other.getHost() && other->isBeforeInBlock(*this))
      return (emitOpError("is a second host; a module has one").attachNote(other.getLoc())
              << "the first one");
  return success();
}

//===----------------------------------------------------------------------===//
// IntrinsicOp
//===----------------------------------------------------------------------===//

bool forebay::accel::isCIdentifier(StringRef name) {
  auto isLetter = [](char c) { return llvm::isAlpha(c) || c == '_'; };
  return !name.empty() && isLetter(name.front()) &&
         llvm::all_of(name, [&](char c) { return isLetter(c) || llvm::isDigit(c); });
}

LogicalResult IntrinsicOp::verify() {
  if (!isCIdentifier(getSymbol()))
    return emitOpError("symbol must be a C identifier, but is ") << getSymbolAttr();
  llvm::SmallSet<StringRef, 8> names;
  auto add = [&](StringRef name) -> LogicalResult {
    if (!isCIdentifier(name))
      return emitOpError("names an operand or scalar '") << name << "', which is no C identifier";
    if (!names.insert(name).second)
      return emitOpError("has the name '") << name << "' twice";
    return success();
  };
  for (auto operand : getSignature().getAsRange<OperandAttr>())
    if (failed(add(operand.getName())))
      return failure();
  for (auto scalar : getScalars().getAsValueRange<StringAttr>())
    if (failed(add(scalar)))
      return failure();
  return success();
}

/// The second region takes the scalars and yields one i64.
static LogicalResult verifyCycles(IntrinsicOp op) {
  if (op.getCycles().empty())
    return success();
  Block &body = op.getCycles().front();
  bool takesScalars =
      body.getNumArguments() == op.getScalars().size() &&
      llvm::all_of(body.getArgumentTypes(), [](Type type) { return type.isInteger(32); });
  if (!takesScalars)
    return op.emitOpError("cycles must take an i32 per scalar, ")
           << op.getScalars().size() << ", but takes (" << body.getArgumentTypes() << ")";
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield || yield->getNumOperands() != 1 || !yield->getOperand(0).getType().isInteger(64))
    return op.emitOpError("cycles must end with accel.yield of one i64");
  return success();
}

LogicalResult IntrinsicOp::verifyRegions() {
  if (failed(verifyCycles(*this)))
    return failure();
  if (getReference().empty())
    return success();
  Block &body = getReference().front();
  size_t pointers = getSignature().size(), scalars = getScalars().size();
  if (body.getNumArguments() != pointers + scalars)
    return emitOpError("reference must take ")
           << pointers << " operands and " << scalars << " scalars, but takes "
           << body.getNumArguments() << " arguments";
  for (BlockArgument argument : body.getArguments()) {
    unsigned index = argument.getArgNumber();
    auto memory = dyn_cast<MemRefType>(argument.getType());
    bool isPointer = memory && memory.getRank() == 1 && memory.isDynamicDim(0) &&
                     memory.getLayout().isIdentity() && !memory.getMemorySpace();
    if (index < pointers && !isPointer)
      return emitOpError("argument ")
             << index << " of the reference must be a memref<?xT>, but is " << argument.getType();
    if (index >= pointers && !argument.getType().isInteger(32))
      return emitOpError("argument ") << index << " of the reference is a scalar and must be i32, "
                                      << "but is " << argument.getType();
  }
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield || yield->getNumOperands() != 0)
    return emitOpError("reference must end with accel.yield of nothing");
  return success();
}

LogicalResult IntrinsicOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!symbols.lookupNearestSymbolFrom<DeviceOp>(*this, getDeviceAttr()))
    return emitOpError("belongs to ") << getDeviceAttr() << ", which is no device of the module";
  if (failed(verifyQueue(*this, getQueueAttr(), getDeviceAttr(), symbols)))
    return failure();
  for (auto operand : getSignature().getAsRange<OperandAttr>())
    if (operand.getPools()) {
      std::string what = ("operand '" + operand.getName() + "'").str();
      if (failed(verifyPools(*this, what, operand.getPools(), symbols)) ||
          failed(verifyFlags(*this, what, operand.getPools(), operand.getFlags(), symbols)))
        return failure();
    }
  return success();
}

//===----------------------------------------------------------------------===//
// CallOp
//===----------------------------------------------------------------------===//

template <typename Op>
static LogicalResult verifyAccumulate(Op op) {
  int64_t previous = -1;
  for (int64_t index : op.getAccumulate().value_or(ArrayRef<int64_t>())) {
    if (index <= previous || index >= static_cast<int64_t>(op.getOutputs().size()))
      return op.emitOpError("accumulate must list outs by ascending index, but is ")
             << op.getAccumulateAttr();
    previous = index;
  }
  return success();
}

/// Checks that the values of config fit into the scalars of the C function.
template <typename Op>
static LogicalResult verifyConfigValues(Op op) {
  if (!op.getConfigAttr())
    return success();
  for (NamedAttribute entry : op.getConfigAttr().getValue()) {
    auto value = dyn_cast<IntegerAttr>(entry.getValue());
    if (!value || !value.getType().isInteger(64) || !llvm::isInt<32>(value.getInt()))
      return op.emitOpError("config '")
             << entry.getName().strref() << "' must be an i64 that fits into 32 bits, but is "
             << entry.getValue();
  }
  return success();
}

LogicalResult CallOp::verify() {
  if (getOutputs().empty())
    return emitOpError("needs at least one operand in outs");
  bool onMemrefs = isa<MemRefType>(getOutputs().front().getType());
  for (Type type : getOperandTypes())
    if (isa<MemRefType>(type) != onMemrefs)
      return emitOpError("is on tensors or on memrefs, not on both");
  if (onMemrefs ? getNumResults() != 0 : getResultTypes() != getOutputs().getTypes())
    return emitOpError("has one result per operand of outs, of its type, on tensors, and none on "
                       "memrefs");
  return success(succeeded(verifyConfigValues(*this)) && succeeded(verifyAccumulate(*this)));
}

LogicalResult LaunchOp::verify() {
  if (getOutputs().empty())
    return emitOpError("needs at least one operand in outs");
  return success(succeeded(verifyConfigValues(*this)) && succeeded(verifyAccumulate(*this)));
}

/// Checks that config has the values that the intrinsic takes.
template <typename Op>
static LogicalResult verifyConfig(Op op, IntrinsicOp intrinsic) {
  DictionaryAttr config = op.getConfigAttr();
  size_t given = config ? config.size() : 0;
  for (auto scalar : intrinsic.getScalars().getAsRange<StringAttr>())
    if (!config || !config.contains(scalar.getValue()))
      return op.emitOpError("has no config for '") << scalar.getValue() << "'";
  if (given != intrinsic.getScalars().size())
    return op.emitOpError("has config for ") << given << " scalars, but " << op.getCalleeAttr()
                                             << " takes " << intrinsic.getScalars();
  return success();
}

/// Operands in the intrinsic's order, by access; the element types are those of its reference.
template <typename Op>
static LogicalResult verifyOperands(Op op, IntrinsicOp intrinsic) {
  ArrayRef<int64_t> accumulated = op.getAccumulate().value_or(ArrayRef<int64_t>());
  size_t in = 0, out = 0;
  for (auto [index, operand] :
       llvm::enumerate(intrinsic.getSignature().getAsRange<OperandAttr>())) {
    bool isInput = operand.getAccess() == Access::in;
    OperandRange group = isInput ? op.getInputs() : op.getOutputs();
    size_t position = isInput ? in++ : out++;
    if (position >= group.size())
      continue;
    if (!isInput && (operand.getAccess() == Access::inout) !=
                        llvm::is_contained(accumulated, static_cast<int64_t>(position)))
      return op.emitOpError("operand '")
             << operand.getName() << "' is " << stringifyAccess(operand.getAccess())
             << ", which accumulate must " << (operand.getAccess() == Access::inout ? "" : "not ")
             << "list";
    if (intrinsic.getReference().empty())
      continue;
    Type wanted = getElementTypeOrSelf(intrinsic.getReference().getArgument(index).getType());
    Type given = getElementTypeOrSelf(group[position].getType());
    if (given != wanted)
      return op.emitOpError("operand '") << operand.getName() << "' has elements of " << given
                                         << ", but " << op.getCalleeAttr() << " takes " << wanted;
  }
  if (in != op.getInputs().size() || out != op.getOutputs().size())
    return op.emitOpError() << op.getCalleeAttr() << " takes " << in << " ins and " << out
                            << " outs, but " << op.getInputs().size() << " and "
                            << op.getOutputs().size() << " are given";
  return success();
}

/// Returns the intrinsic that the op calls, if the call is valid.
template <typename Op>
static FailureOr<IntrinsicOp> verifyCallee(Op op, SymbolTableCollection &symbols) {
  auto intrinsic = symbols.lookupNearestSymbolFrom<IntrinsicOp>(op, op.getCalleeAttr());
  if (!intrinsic)
    return op.emitOpError("calls ")
           << op.getCalleeAttr() << ", which is no intrinsic of the module";
  if (failed(verifyOperands(op, intrinsic)) || failed(verifyConfig(op, intrinsic)))
    return failure();
  return intrinsic;
}

/// Returns whether the module of an op has devices: before a target is attached, it has none.
static bool hasDevices(Operation *op) {
  Operation *module = SymbolTable::getNearestSymbolTable(op);
  return module && !module->getRegion(0).getOps<DeviceOp>().empty();
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // A call of a model is verified when the target with its intrinsic is attached to the model.
  if (!symbols.lookupNearestSymbolFrom(*this, getCalleeAttr()) && !hasDevices(*this))
    return success();
  return verifyCallee(*this, symbols);
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FailureOr<IntrinsicOp> intrinsic = verifyCallee(*this, symbols);
  if (succeeded(intrinsic) && !intrinsic->getQueue())
    return emitOpError("launches ") << getCalleeAttr() << ", which has no queue; use accel.call";
  return intrinsic;
}

void LaunchOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  ArrayRef<int64_t> accumulated = getAccumulate().value_or(ArrayRef<int64_t>());
  for (OpOperand &operand : getInputsMutable())
    effects.emplace_back(MemoryEffects::Read::get(), &operand);
  for (auto [index, operand] : llvm::enumerate(getOutputsMutable())) {
    effects.emplace_back(MemoryEffects::Write::get(), &operand);
    if (llvm::is_contained(accumulated, static_cast<int64_t>(index)))
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
  }
}

bool CallOp::readsOperand(unsigned index) {
  if (index < getInputs().size())
    return true;
  int64_t output = index - getInputs().size();
  return llvm::is_contained(getAccumulate().value_or(ArrayRef<int64_t>()), output);
}

void CallOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  for (OpOperand &operand : (*this)->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    if (readsOperand(operand.getOperandNumber()))
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
    if (isDpsInit(&operand))
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
  }
}
