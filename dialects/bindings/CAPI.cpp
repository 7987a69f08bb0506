//===- CAPI.cpp - dialects, attributes and diagnostics ----------------------===//
// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "bindings/CAPI.h"

#include "accel/Accel.h"
#include "memref_pool/MemrefPool.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace forebay;
using memref_pool::CertificateAttr;
using memref_pool::PlacementAttr;
using memref_pool::RowPlacementAttr;
using memref_pool::RowsAttr;
using memref_pool::SpaceAttr;

void forebayRegisterDialects(MlirDialectRegistry wrapped) {
  DialectRegistry &registry = *unwrap(wrapped);
  registry.insert<memref_pool::MemrefPoolDialect, accel::AccelDialect>();
  memref_pool::registerBufferizableOpInterfaceExternalModels(registry);
  memref_pool::registerViewLikeOpInterfaceExternalModels(registry);
  accel::registerBufferizableOpInterfaceExternalModels(registry);
}

static FlatSymbolRefAttr symbol(MlirContext context, MlirStringRef name) {
  return FlatSymbolRefAttr::get(unwrap(context), unwrap(name));
}

/// A null attribute after a diagnostic when the parameters break the attribute's rules.
template <typename Attr, typename... Args>
static MlirAttribute getChecked(MlirContext context, Args &&...args) {
  Location loc = UnknownLoc::get(unwrap(context));
  return wrap(static_cast<Attribute>(Attr::getChecked(
      [&] { return emitError(loc); }, unwrap(context), std::forward<Args>(args)...)));
}

MlirTypeID forebaySpaceAttrGetTypeID() { return wrap(SpaceAttr::getTypeID()); }
bool forebayAttrIsASpace(MlirAttribute attr) { return isa<SpaceAttr>(unwrap(attr)); }
MlirAttribute forebaySpaceAttrGet(MlirContext context, intptr_t count, const MlirStringRef *pools) {
  SmallVector<FlatSymbolRefAttr> symbols;
  for (intptr_t i = 0; i < count; ++i)
    symbols.push_back(symbol(context, pools[i]));
  return getChecked<SpaceAttr>(context, ArrayRef(symbols));
}
intptr_t forebaySpaceAttrGetNumPools(MlirAttribute attr) {
  return cast<SpaceAttr>(unwrap(attr)).getPools().size();
}
MlirStringRef forebaySpaceAttrGetPool(MlirAttribute attr, intptr_t index) {
  return wrap(cast<SpaceAttr>(unwrap(attr)).getPools()[index].getValue());
}

MlirTypeID forebayPlacementAttrGetTypeID() { return wrap(PlacementAttr::getTypeID()); }
bool forebayAttrIsAPlacement(MlirAttribute attr) { return isa<PlacementAttr>(unwrap(attr)); }
MlirAttribute forebayPlacementAttrGet(MlirContext context, MlirStringRef pool, int64_t offset) {
  return getChecked<PlacementAttr>(context, symbol(context, pool), offset);
}
MlirStringRef forebayPlacementAttrGetPool(MlirAttribute attr) {
  return wrap(cast<PlacementAttr>(unwrap(attr)).getPool().getValue());
}
int64_t forebayPlacementAttrGetOffset(MlirAttribute attr) {
  return cast<PlacementAttr>(unwrap(attr)).getOffset();
}

MlirTypeID forebayRowPlacementAttrGetTypeID() { return wrap(RowPlacementAttr::getTypeID()); }
bool forebayAttrIsARowPlacement(MlirAttribute attr) { return isa<RowPlacementAttr>(unwrap(attr)); }
MlirAttribute forebayRowPlacementAttrGet(MlirContext context, MlirStringRef pool, intptr_t count,
                                         const int64_t *offsets) {
  return getChecked<RowPlacementAttr>(context, symbol(context, pool), ArrayRef(offsets, count));
}
MlirStringRef forebayRowPlacementAttrGetPool(MlirAttribute attr) {
  return wrap(cast<RowPlacementAttr>(unwrap(attr)).getPool().getValue());
}
intptr_t forebayRowPlacementAttrGetNumOffsets(MlirAttribute attr) {
  return cast<RowPlacementAttr>(unwrap(attr)).getOffsets().size();
}
int64_t forebayRowPlacementAttrGetOffset(MlirAttribute attr, intptr_t index) {
  return cast<RowPlacementAttr>(unwrap(attr)).getOffsets()[index];
}

MlirTypeID forebayRowsAttrGetTypeID() { return wrap(RowsAttr::getTypeID()); }
bool forebayAttrIsARows(MlirAttribute attr) { return isa<RowsAttr>(unwrap(attr)); }
MlirAttribute forebayRowsAttrGet(MlirContext context, int64_t dims) {
  return getChecked<RowsAttr>(context, dims);
}
int64_t forebayRowsAttrGetDims(MlirAttribute attr) {
  return cast<RowsAttr>(unwrap(attr)).getDims();
}

MlirTypeID forebayCertificateAttrGetTypeID() { return wrap(CertificateAttr::getTypeID()); }
bool forebayAttrIsACertificate(MlirAttribute attr) { return isa<CertificateAttr>(unwrap(attr)); }
/// Empty text is an absent attribute.
static StringAttr optionalText(MlirContext context, MlirStringRef text) {
  return text.length ? StringAttr::get(unwrap(context), unwrap(text)) : StringAttr();
}

MlirAttribute forebayCertificateAttrGet(MlirContext context, MlirStringRef planner, int64_t peak,
                                        int64_t lowerBound, MlirStringRef proof, intptr_t numLive,
                                        const MlirStringRef *live, MlirStringRef step,
                                        intptr_t numHoles, const int64_t *holes) {
  Builder builder(unwrap(context));
  SmallVector<StringRef> names;
  for (intptr_t i = 0; i < numLive; ++i)
    names.push_back(unwrap(live[i]));
  return getChecked<CertificateAttr>(
      context, unwrap(planner), peak, lowerBound, optionalText(context, proof),
      names.empty() ? ArrayAttr() : builder.getStrArrayAttr(names), optionalText(context, step),
      numHoles ? builder.getDenseI64ArrayAttr(ArrayRef(holes, numHoles)) : DenseI64ArrayAttr());
}
MlirStringRef forebayCertificateAttrGetPlanner(MlirAttribute attr) {
  return wrap(cast<CertificateAttr>(unwrap(attr)).getPlanner());
}
int64_t forebayCertificateAttrGetPeak(MlirAttribute attr) {
  return cast<CertificateAttr>(unwrap(attr)).getPeak();
}
int64_t forebayCertificateAttrGetLowerBound(MlirAttribute attr) {
  return cast<CertificateAttr>(unwrap(attr)).getLowerBound();
}
static MlirStringRef textOrEmpty(StringAttr text) {
  return wrap(text ? text.getValue() : StringRef());
}
MlirStringRef forebayCertificateAttrGetProof(MlirAttribute attr) {
  return textOrEmpty(cast<CertificateAttr>(unwrap(attr)).getProof());
}
intptr_t forebayCertificateAttrGetNumLive(MlirAttribute attr) {
  ArrayAttr live = cast<CertificateAttr>(unwrap(attr)).getLive();
  return live ? live.size() : 0;
}
MlirStringRef forebayCertificateAttrGetLive(MlirAttribute attr, intptr_t index) {
  return textOrEmpty(cast<StringAttr>(cast<CertificateAttr>(unwrap(attr)).getLive()[index]));
}
MlirStringRef forebayCertificateAttrGetStep(MlirAttribute attr) {
  return textOrEmpty(cast<CertificateAttr>(unwrap(attr)).getStep());
}
intptr_t forebayCertificateAttrGetNumHoles(MlirAttribute attr) {
  DenseI64ArrayAttr holes = cast<CertificateAttr>(unwrap(attr)).getHoles();
  return holes ? holes.size() : 0;
}
int64_t forebayCertificateAttrGetHole(MlirAttribute attr, intptr_t index) {
  return cast<CertificateAttr>(unwrap(attr)).getHoles()[index];
}

void forebayEmitError(MlirLocation location, MlirStringRef message, intptr_t numNotes,
                      const MlirLocation *noteLocations, const MlirStringRef *noteMessages) {
  InFlightDiagnostic diagnostic = emitError(unwrap(location), unwrap(message));
  for (intptr_t i = 0; i < numNotes; ++i)
    diagnostic.attachNote(unwrap(noteLocations[i])) << unwrap(noteMessages[i]);
}
