//===- AccelDialect.cpp ---------------------------------------------------===//
// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "accel/Accel.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace forebay::accel;

#include "accel/AccelDialect.cpp.inc"
#include "accel/AccelEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "accel/AccelAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "accel/AccelTypes.cpp.inc"

void AccelDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "accel/AccelTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "accel/AccelAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "accel/AccelOps.cpp.inc"
      >();
}

LogicalResult OperandAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef name,
                                  Access, ArrayAttr pools, int64_t align, int64_t flags) {
  if (name.empty())
    return emitError() << "the name of an operand must not be empty";
  if (align <= 0 || !llvm::isPowerOf2_64(align))
    return emitError() << "alignment of operand '" << name << "' must be a power of two, but is "
                       << align;
  if (!llvm::isUInt<32>(flags))
    return emitError() << "flags of operand '" << name << "' must be bits of a 32-bit address, but "
                       << "are " << flags;
  if (flags && !pools)
    return emitError() << "operand '" << name << "' has address flags, so it needs a list of pools "
                       << "inside a device";
  if (!pools)
    return success();
  if (pools.empty())
    return emitError() << "operand '" << name << "' may be in no pool; leave pools out to let the "
                       << "device's access rights decide";
  if (!llvm::all_of(pools, llvm::IsaPred<FlatSymbolRefAttr>))
    return emitError() << "pools of operand '" << name << "' must be names of pools, but are "
                       << pools;
  return success();
}

/// Returns the error in the discardable attribute, or nothing.
static std::optional<StringRef> findFault(NamedAttribute attribute) {
  StringRef name = attribute.getName().strref();
  Attribute value = attribute.getValue();
  if ((name == "accel.name" || name == "accel.dtype" || name == "accel.cpu") &&
      !isa<StringAttr>(value))
    return "must be a string";
  if (name == "accel.scale" && !isa<FloatAttr>(value))
    return "must be a float";
  if (name == "accel.zero_point" && !isa<IntegerAttr>(value))
    return "must be an integer";
  if (name == "accel.macs" && !isa<IntegerAttr>(value))
    return "must be an integer";
  if (name == "accel.interleaved") {
    auto count = dyn_cast<IntegerAttr>(value);
    if (!count || count.getInt() < 1)
      return "must be a positive integer";
  }
  if (name == "accel.on" && !isa<FlatSymbolRefAttr>(value))
    return "must be the name of a device";
  if (name == "accel.handle" && !isa<FlatSymbolRefAttr>(value))
    return "must be the name of a device";
  if (name == "accel.status" && !isa<UnitAttr>(value))
    return "must have no value";
  return std::nullopt;
}

/// Returns whether the first dimension of a global is no multiple of the number that is interleaved.
static bool cutsChannels(Operation *global, NamedAttribute attribute) {
  auto typeAttr = global->getAttrOfType<TypeAttr>("type");
  auto type = typeAttr ? dyn_cast<MemRefType>(typeAttr.getValue()) : MemRefType();
  int64_t count = cast<IntegerAttr>(attribute.getValue()).getInt();
  return !type || type.getRank() == 0 || type.getDimSize(0) % count != 0;
}

LogicalResult AccelDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (std::optional<StringRef> fault = findFault(attribute))
    return op->emitOpError() << attribute.getName() << " " << *fault;
  if (attribute.getName() == "accel.interleaved" && cutsChannels(op, attribute))
    return op->emitOpError() << attribute.getName() << " " << attribute.getValue()
                             << " must divide the first dimension of a memref.global";
  return success();
}

LogicalResult AccelDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned index,
                                                     NamedAttribute attribute) {
  if (std::optional<StringRef> fault = findFault(attribute))
    return op->emitOpError() << attribute.getName() << " of argument " << index << " " << *fault;
  return success();
}

LogicalResult AccelDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned index,
                                                        NamedAttribute attribute) {
  if (std::optional<StringRef> fault = findFault(attribute))
    return op->emitOpError() << attribute.getName() << " of result " << index << " " << *fault;
  return success();
}
