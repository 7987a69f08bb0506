//===- CAPI.h - what the Python extension calls ---------------------*- C++ -*-===//
// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// The dialect library is built without RTTI and exceptions, as MLIR's wheels are; nanobind needs both. This C
// interface separates the two.
//===----------------------------------------------------------------------===//
#ifndef FOREBAY_BINDINGS_CAPI_H
#define FOREBAY_BINDINGS_CAPI_H

#include "mlir-c/ExecutionEngine.h"
#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#define FOREBAY_API extern "C" __attribute__((visibility("default")))

FOREBAY_API void forebayRegisterDialects(MlirDialectRegistry registry);

// Attributes of memref_pool.
FOREBAY_API MlirTypeID forebaySpaceAttrGetTypeID();
FOREBAY_API bool forebayAttrIsASpace(MlirAttribute attr);
FOREBAY_API MlirAttribute forebaySpaceAttrGet(MlirContext context, intptr_t count,
                                              const MlirStringRef *pools);
FOREBAY_API intptr_t forebaySpaceAttrGetNumPools(MlirAttribute attr);
FOREBAY_API MlirStringRef forebaySpaceAttrGetPool(MlirAttribute attr, intptr_t index);

FOREBAY_API MlirTypeID forebayPlacementAttrGetTypeID();
FOREBAY_API bool forebayAttrIsAPlacement(MlirAttribute attr);
FOREBAY_API MlirAttribute forebayPlacementAttrGet(MlirContext context, MlirStringRef pool,
                                                  int64_t offset);
FOREBAY_API MlirStringRef forebayPlacementAttrGetPool(MlirAttribute attr);
FOREBAY_API int64_t forebayPlacementAttrGetOffset(MlirAttribute attr);

FOREBAY_API MlirTypeID forebayRowPlacementAttrGetTypeID();
FOREBAY_API bool forebayAttrIsARowPlacement(MlirAttribute attr);
FOREBAY_API MlirAttribute forebayRowPlacementAttrGet(MlirContext context, MlirStringRef pool,
                                                     intptr_t count, const int64_t *offsets);
FOREBAY_API MlirStringRef forebayRowPlacementAttrGetPool(MlirAttribute attr);
FOREBAY_API intptr_t forebayRowPlacementAttrGetNumOffsets(MlirAttribute attr);
FOREBAY_API int64_t forebayRowPlacementAttrGetOffset(MlirAttribute attr, intptr_t index);

FOREBAY_API MlirTypeID forebayRowsAttrGetTypeID();
FOREBAY_API bool forebayAttrIsARows(MlirAttribute attr);
FOREBAY_API MlirAttribute forebayRowsAttrGet(MlirContext context, int64_t dims);
FOREBAY_API int64_t forebayRowsAttrGetDims(MlirAttribute attr);

FOREBAY_API MlirTypeID forebayCertificateAttrGetTypeID();
FOREBAY_API bool forebayAttrIsACertificate(MlirAttribute attr);
FOREBAY_API MlirAttribute forebayCertificateAttrGet(MlirContext context, MlirStringRef planner,
                                                    int64_t peak, int64_t lowerBound,
                                                    MlirStringRef proof, intptr_t numLive,
                                                    const MlirStringRef *live, MlirStringRef step,
                                                    intptr_t numHoles, const int64_t *holes);
FOREBAY_API MlirStringRef forebayCertificateAttrGetPlanner(MlirAttribute attr);
FOREBAY_API int64_t forebayCertificateAttrGetPeak(MlirAttribute attr);
FOREBAY_API int64_t forebayCertificateAttrGetLowerBound(MlirAttribute attr);
FOREBAY_API MlirStringRef forebayCertificateAttrGetProof(MlirAttribute attr);
FOREBAY_API intptr_t forebayCertificateAttrGetNumLive(MlirAttribute attr);
FOREBAY_API MlirStringRef forebayCertificateAttrGetLive(MlirAttribute attr, intptr_t index);
FOREBAY_API MlirStringRef forebayCertificateAttrGetStep(MlirAttribute attr);
FOREBAY_API intptr_t forebayCertificateAttrGetNumHoles(MlirAttribute attr);
FOREBAY_API int64_t forebayCertificateAttrGetHole(MlirAttribute attr, intptr_t index);

// Attributes of accel.
FOREBAY_API MlirTypeID forebayTokenTypeGetTypeID();
FOREBAY_API bool forebayTypeIsAToken(MlirType type);
FOREBAY_API MlirType forebayTokenTypeGet(MlirContext context);

FOREBAY_API MlirTypeID forebayOperandAttrGetTypeID();
FOREBAY_API bool forebayAttrIsAOperand(MlirAttribute attr);
/// `access` is "in", "out" or "inout"; without pools, the device's rights decide. Null if the attribute is invalid.
FOREBAY_API MlirAttribute forebayOperandAttrGet(MlirContext context, MlirStringRef name,
                                                MlirStringRef access, intptr_t numPools,
                                                const MlirStringRef *pools, int64_t align,
                                                int64_t flags);
FOREBAY_API MlirStringRef forebayOperandAttrGetName(MlirAttribute attr);
FOREBAY_API MlirStringRef forebayOperandAttrGetAccess(MlirAttribute attr);
FOREBAY_API intptr_t forebayOperandAttrGetNumPools(MlirAttribute attr);
FOREBAY_API MlirStringRef forebayOperandAttrGetPool(MlirAttribute attr, intptr_t index);
FOREBAY_API int64_t forebayOperandAttrGetAlign(MlirAttribute attr);
FOREBAY_API int64_t forebayOperandAttrGetFlags(MlirAttribute attr);

// Passes written in Python.
enum class ForebayOptionKind { boolean, string, stringList };

struct ForebayOption {
  const char *name;
  const char *help;
  ForebayOptionKind kind;
  const char *defaultValue; // as it would be written on the command line
};

struct ForebayPass {
  const char *argument;
  const char *description;
  const char *anchor; // operation name; empty: any operation
  intptr_t numOptions;
  const ForebayOption *options;
  intptr_t numDialects; // dialects whose operations the pass creates
  const char *const *dialects;
};

/// An option's value as text; a list has one entry per element.
using ForebayOptionValue = void (*)(void *sink, intptr_t option, MlirStringRef value);

/// Callbacks of the extension for a pass. `run` reports its own diagnostics and returns false when the pass failed.
/// `check` passes an error in the options' values to `reportFault`. Both delete the sink.
struct ForebayPassCallbacks {
  bool (*run)(void *pass, MlirOperation op, void *sink);
  void (*check)(void *pass, void *sink, MlirStringCallback reportFault, void *userData);
  void *(*makeSink)(void *pass);
  ForebayOptionValue addValue;
  bool (*callerHoldsInterpreterLock)();
};

FOREBAY_API void forebayRegisterPass(const ForebayPass *spec, void *pass,
                                     const ForebayPassCallbacks *callbacks);

/// Receives an error's text, notes included, and its parts. The location is null for an error in the pipeline text.
using ForebayErrorCallback = void (*)(MlirStringRef text, MlirLocation location,
                                      MlirStringRef message, intptr_t numNotes,
                                      const MlirLocation *noteLocations,
                                      const MlirStringRef *noteMessages, void *userData);

/// Parses and runs a pipeline; `reportError` gets every error. Only Python passes run Python code in it, so the
/// caller may release the interpreter lock.
FOREBAY_API bool forebayRunPipeline(MlirOperation op, MlirStringRef pipeline, bool verifyEach,
                                    ForebayErrorCallback reportError, void *userData);

FOREBAY_API void forebayEmitError(MlirLocation location, MlirStringRef message, intptr_t numNotes,
                                  const MlirLocation *noteLocations,
                                  const MlirStringRef *noteMessages);

/// Compiles a module of the LLVM dialect with LLVM's optimizations off; null after a reported error.
FOREBAY_API MlirExecutionEngine forebayExecutionEngineCreateUnoptimized(
    MlirOperation module, MlirStringCallback reportError, void *userData);

/// The triple of this machine.
FOREBAY_API MlirStringRef forebayHostTriple();

/// Bits of a pointer on a processor; 0 after a reported error: no code generator, or an unknown processor.
FOREBAY_API int forebayPointerBits(MlirStringRef triple, MlirStringRef cpu,
                                   MlirStringCallback reportError, void *userData);

/// Whether a processor has all features, given as LLVM's names `a,b`; false for an unknown one.
FOREBAY_API bool forebayHasFeatures(MlirStringRef triple, MlirStringRef cpu,
                                    MlirStringRef features);

/// Gives `code` an object file of a module of the LLVM dialect, or its optimized LLVM IR as text; returns false after a
/// reported error.
FOREBAY_API bool forebayGenerateCode(MlirOperation module, MlirStringRef triple, MlirStringRef cpu,
                                     bool asObject, MlirStringCallback code, void *codeData,
                                     MlirStringCallback reportError, void *userData);

FOREBAY_API int forebayOptMain(int argc, char **argv, MlirDialectRegistry registry);
FOREBAY_API int forebayLspServerMain(int argc, char **argv, MlirDialectRegistry registry);

#endif
