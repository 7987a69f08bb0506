//===- AccelDialect.cpp ---------------------------------------------------===//
// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "accel/Accel.h"

using namespace mlir;
using namespace forebay::accel;

#include "accel/AccelDialect.cpp.inc"

void AccelDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "accel/AccelOps.cpp.inc"
      >();
}

/// What is wrong with the discardable attribute, or nothing.
static std::optional<StringRef> findFault(NamedAttribute attribute) {
  StringRef name = attribute.getName().strref();
  Attribute value = attribute.getValue();
  if ((name == "accel.name" || name == "accel.dtype") && !isa<StringAttr>(value))
    return "must be a string";
  if (name == "accel.scale" && !isa<FloatAttr>(value))
    return "must be a float";
  if (name == "accel.zero_point" && !isa<IntegerAttr>(value))
    return "must be an integer";
  return std::nullopt;
}

LogicalResult AccelDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (std::optional<StringRef> fault = findFault(attribute))
    return op->emitOpError() << attribute.getName() << " " << *fault;
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
