//===- CAPIInterfaces.h - what ops say of themselves ----------------*- C++ -*-===//
// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// Queries of upstream's op interfaces that the Python bindings do not provide. Operands and results are numbers, so
// that a result can be stored; -1 stands for none. A function that returns bool returns false where the op does not
// implement the interface.
//===----------------------------------------------------------------------===//
#ifndef FOREBAY_BINDINGS_CAPIINTERFACES_H
#define FOREBAY_BINDINGS_CAPIINTERFACES_H

#include "bindings/CAPI.h"

/// MemoryEffectOpInterface: one call of `found` per effect. `kind` is "allocate", "free", "read" or "write".
using ForebayEffectCallback = void (*)(const char *kind, intptr_t operand, intptr_t result,
                                       void *data);
FOREBAY_API bool forebayGetMemoryEffects(MlirOperation op, ForebayEffectCallback found, void *data);

/// Whether the op declares that it accesses no memory, and the ops in its regions, too.
FOREBAY_API bool forebayIsFreeOfEffects(MlirOperation op);

/// ViewLikeOpInterface: the operand that is viewed, and the result that views it.
FOREBAY_API bool forebayGetView(MlirOperation op, intptr_t *source, intptr_t *result);

/// OffsetSizeAndStrideOpInterface: one call of `found` per number. `list` is 0 for offsets, 1 for sizes and 2 for
/// strides; `value` is null where the number is constant.
using ForebayNumberCallback = void (*)(int list, int64_t number, MlirValue value, void *data);
FOREBAY_API bool forebayGetSlice(MlirOperation op, ForebayNumberCallback found, void *data);

/// RegionBranchOpInterface: one call of `found` per operand of the op or of a terminator in it and per block argument or
/// result that the operand becomes.
using ForebayForwardCallback = void (*)(MlirOperation owner, intptr_t operand, MlirValue becomes,
                                        void *data);
FOREBAY_API bool forebayGetForwardedValues(MlirOperation op, ForebayForwardCallback found,
                                           void *data);

/// LoopLikeOpInterface: one call of `found` per number. `list` is 0 for induction variables, 1 for lower bounds, 2 for
/// upper bounds and 3 for steps; `value` is null where the number is constant. A loop without counters has none.
FOREBAY_API bool forebayGetLoop(MlirOperation op, ForebayNumberCallback found, void *data);

/// DestinationStyleOpInterface: one call of `found` per operand that the op writes its result into.
using ForebayOperandCallback = void (*)(intptr_t operand, void *data);
FOREBAY_API bool forebayGetDestinations(MlirOperation op, ForebayOperandCallback found, void *data);

/// BufferizableOpInterface: one call of `found` per tensor operand, and per result that is a new buffer (`operand` is
/// -1), with what the op does to the bytes once it is on memrefs.
using ForebayAccessCallback = void (*)(intptr_t operand, intptr_t result, bool reads, bool writes,
                                       void *data);
FOREBAY_API bool forebayGetTensorAccesses(MlirOperation op, ForebayAccessCallback found,
                                          void *data);

/// BufferizableOpInterface: one call of `found` per tensor operand and result that share a buffer once the op is on
/// memrefs. `isCertain`: they do in every run.
using ForebayAliasCallback = void (*)(intptr_t operand, intptr_t result, bool isCertain,
                                      void *data);
FOREBAY_API bool forebayGetTensorAliases(MlirOperation op, ForebayAliasCallback found, void *data);

#endif
