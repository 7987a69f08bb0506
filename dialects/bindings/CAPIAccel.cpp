//===- CAPIAccel.cpp - attributes and types of accel ------------------------===//
// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "bindings/CAPI.h"

#include "accel/Accel.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace forebay::accel;

MlirTypeID forebayTokenTypeGetTypeID() { return wrap(TokenType::getTypeID()); }
bool forebayTypeIsAToken(MlirType type) { return isa<TokenType>(unwrap(type)); }
MlirType forebayTokenTypeGet(MlirContext context) {
  return wrap(static_cast<Type>(TokenType::get(unwrap(context))));
}

static OperandAttr operand(MlirAttribute attr) { return cast<OperandAttr>(unwrap(attr)); }

MlirTypeID forebayOperandAttrGetTypeID() { return wrap(OperandAttr::getTypeID()); }
bool forebayAttrIsAOperand(MlirAttribute attr) { return isa<OperandAttr>(unwrap(attr)); }
MlirAttribute forebayOperandAttrGet(MlirContext context, MlirStringRef name, MlirStringRef access,
                                    intptr_t numPools, const MlirStringRef *pools, int64_t align,
                                    int64_t flags) {
  Builder builder(unwrap(context));
  std::optional<Access> known = symbolizeAccess(unwrap(access));
  if (!known)
    return MlirAttribute{nullptr};
  SmallVector<Attribute> symbols;
  for (intptr_t i = 0; i < numPools; ++i)
    symbols.push_back(FlatSymbolRefAttr::get(unwrap(context), unwrap(pools[i])));
  Location loc = builder.getUnknownLoc();
  return wrap(static_cast<Attribute>(OperandAttr::getChecked(
      [&] { return emitError(loc); }, unwrap(context), unwrap(name), *known,
      numPools ? builder.getArrayAttr(symbols) : ArrayAttr(), align, flags)));
}
MlirStringRef forebayOperandAttrGetName(MlirAttribute attr) {
  return wrap(operand(attr).getName());
}
MlirStringRef forebayOperandAttrGetAccess(MlirAttribute attr) {
  return wrap(stringifyAccess(operand(attr).getAccess()));
}
intptr_t forebayOperandAttrGetNumPools(MlirAttribute attr) {
  ArrayAttr pools = operand(attr).getPools();
  return pools ? pools.size() : 0;
}
MlirStringRef forebayOperandAttrGetPool(MlirAttribute attr, intptr_t index) {
  return wrap(cast<FlatSymbolRefAttr>(operand(attr).getPools()[index]).getValue());
}
int64_t forebayOperandAttrGetAlign(MlirAttribute attr) { return operand(attr).getAlign(); }
int64_t forebayOperandAttrGetFlags(MlirAttribute attr) { return operand(attr).getFlags(); }
