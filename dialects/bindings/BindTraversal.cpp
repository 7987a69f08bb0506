//===- BindTraversal.cpp - ops in regions, uses and symbols ----------------===//
// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "bindings/Bindings.h"
#include "bindings/CAPIInterfaces.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir/Bindings/Python/NanobindAdaptors.h"
#include <nanobind/stl/string.h>
#include <nanobind/stl/unordered_set.h>

#include <functional>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

namespace nb = nanobind;

namespace {
/// A walk that collects the ops that a predicate accepts.
struct NestedOps {
  MlirOperation root;
  std::function<bool(MlirOperation)> accepts;
  std::vector<MlirOperation> found;
};
} // namespace

static bool isNamed(MlirOperation op, const char *name) {
  MlirStringRef found = mlirIdentifierStr(mlirOperationGetName(op));
  return mlirStringRefEqual(found, mlirStringRefCreateFromCString(name));
}

static MlirWalkResult collectNested(MlirOperation op, void *data) {
  auto *nested = static_cast<NestedOps *>(data);
  if (mlirOperationEqual(op, nested->root))
    return MlirWalkResultAdvance;
  if (nested->accepts(op))
    nested->found.push_back(op);
  // The reference of an intrinsic is not part of the program.
  return isNamed(op, "accel.intrinsic") ? MlirWalkResultSkip : MlirWalkResultAdvance;
}

/// Returns the accepted ops in the regions of an op, in pre-order.
static nb::list collected(MlirOperation root, std::function<bool(MlirOperation)> accepts) {
  NestedOps nested{root, std::move(accepts), {}};
  mlirOperationWalk(root, collectNested, &nested, MlirWalkPreOrder);
  nb::list views;
  for (MlirOperation op : nested.found)
    views.append(nb::cast(op).attr("opview"));
  return views;
}

/// Returns the ops in the regions of an op that have one of these names, or all, in pre-order.
static nb::list opsNestedIn(MlirOperation root, const std::unordered_set<std::string> &names) {
  return collected(root, [&](MlirOperation op) {
    return names.empty() || names.count(string(mlirIdentifierStr(mlirOperationGetName(op))));
  });
}

static bool isMemory(MlirValue value) {
  MlirType type = mlirValueGetType(value);
  return mlirTypeIsARankedTensor(type) || mlirTypeIsAMemRef(type);
}

static bool usesMemory(MlirOperation op) {
  for (intptr_t i = 0, end = mlirOperationGetNumOperands(op); i < end; ++i)
    if (isMemory(mlirOperationGetOperand(op, i)))
      return true;
  for (intptr_t i = 0, end = mlirOperationGetNumResults(op); i < end; ++i)
    if (isMemory(mlirOperationGetResult(op, i)))
      return true;
  return false;
}

/// Returns the ops in the regions of an op with a tensor or a memref among operands and results.
static nb::list memoryOpsIn(MlirOperation root) { return collected(root, usesMemory); }

/// Returns the ops in the regions of an op with one of these names; of the others, the first of each name, memrefs, and
/// types of other operands and results.
static nb::list distinctOpsIn(MlirOperation root, const std::unordered_set<std::string> &names) {
  std::set<std::vector<const void *>> seen;
  return collected(root, [&](MlirOperation op) {
    MlirIdentifier name = mlirOperationGetName(op);
    if (names.count(string(mlirIdentifierStr(name))))
      return true;
    auto kindOf = [](MlirValue value) {
      return isMemory(value) ? value.ptr : mlirValueGetType(value).ptr;
    };
    std::vector<const void *> kind{name.ptr};
    for (intptr_t i = 0, end = mlirOperationGetNumOperands(op); i < end; ++i)
      kind.push_back(kindOf(mlirOperationGetOperand(op, i)));
    kind.push_back(nullptr);
    for (intptr_t i = 0, end = mlirOperationGetNumResults(op); i < end; ++i)
      kind.push_back(kindOf(mlirOperationGetResult(op, i)));
    return seen.insert(std::move(kind)).second;
  });
}

static bool isNumber(MlirValue value) {
  MlirType type = mlirValueGetType(value);
  return mlirTypeIsAInteger(type) || mlirTypeIsAIndex(type) || mlirTypeIsAFloat(type) ||
         mlirTypeIsAVector(type) || mlirTypeIsAComplex(type);
}

static bool isComputation(MlirOperation op) {
  if (mlirOperationGetNumRegions(op) > 0 || mlirOperationGetNumResults(op) == 0)
    return false;
  for (intptr_t i = 0, end = mlirOperationGetNumOperands(op); i < end; ++i)
    if (!isNumber(mlirOperationGetOperand(op, i)))
      return false;
  for (intptr_t i = 0, end = mlirOperationGetNumResults(op); i < end; ++i)
    if (!isNumber(mlirOperationGetResult(op, i)))
      return false;
  return forebayIsFreeOfEffects(op);
}

/// Returns the ops of a block, without those that only compute numbers from numbers.
static nb::list opsButComputations(MlirBlock block) {
  nb::list views;
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (!isComputation(op))
      views.append(nb::cast(op).attr("opview"));
  return views;
}

static bool isUnused(MlirOperation op) {
  intptr_t end = mlirOperationGetNumResults(op);
  for (intptr_t i = 0; i < end; ++i)
    if (!mlirOpOperandIsNull(mlirValueGetFirstUse(mlirOperationGetResult(op, i))))
      return false;
  return end > 0;
}

/// Returns the ops in the regions of an op that have results, none of which is used.
static nb::list unusedOpsIn(MlirOperation root) { return collected(root, isUnused); }

/// Returns the op of each use of a value.
static nb::list usersOf(MlirValue value) {
  nb::list views;
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use))
    views.append(nb::cast(mlirOpOperandGetOwner(use)).attr("opview"));
  return views;
}

/// Returns the outermost op around an op, or the op itself.
static MlirOperation outermost(MlirOperation op) {
  for (MlirOperation around = mlirOperationGetParentOperation(op); !mlirOperationIsNull(around);
       around = mlirOperationGetParentOperation(op))
    op = around;
  return op;
}

/// Returns the op that `accept` takes first among those of the body of a module, or a null op.
template <typename Accept>
static MlirOperation firstInBody(MlirOperation module, Accept accept) {
  if (mlirOperationGetNumRegions(module) == 0)
    return MlirOperation{nullptr};
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0));
  MlirOperation op =
      mlirBlockIsNull(block) ? MlirOperation{nullptr} : mlirBlockGetFirstOperation(block);
  while (!mlirOperationIsNull(op) && !accept(op))
    op = mlirOperationGetNextInBlock(op);
  return op;
}

/// Returns the op with this symbol in the body of the outermost op around an op, or None. The
/// bindings' `SymbolTable` enters all symbols of the module, which takes long for one of them.
static nb::object symbolAround(MlirOperation op, const std::string &name) {
  MlirStringRef attribute = mlirSymbolTableGetSymbolAttributeName();
  MlirAttribute wanted = mlirStringAttrGet(mlirOperationGetContext(op), stringRef(name));
  MlirOperation found = firstInBody(outermost(op), [&](MlirOperation inner) {
    return mlirAttributeEqual(mlirOperationGetAttributeByName(inner, attribute), wanted);
  });
  return mlirOperationIsNull(found) ? nb::none() : nb::cast(found).attr("opview");
}

/// Returns the ops with this name in the body of a module, in their order.
static nb::list opsInBody(MlirOperation module, const std::string &name) {
  nb::list found;
  firstInBody(module, [&](MlirOperation op) {
    if (string(mlirIdentifierStr(mlirOperationGetName(op))) == name)
      found.append(nb::cast(op).attr("opview"));
    return false;
  });
  return found;
}

void bindTraversal(nb::module_ &m) {
  m.def("ops_nested_in", opsNestedIn, nb::arg("operation"), nb::arg("names"));
  m.def("memory_ops_in", memoryOpsIn, nb::arg("operation"));
  m.def("distinct_ops_in", distinctOpsIn, nb::arg("operation"), nb::arg("names"));
  m.def("ops_but_computations", opsButComputations, nb::arg("block"));
  m.def("unused_ops_in", unusedOpsIn, nb::arg("operation"));
  m.def("users_of", usersOf, nb::arg("value"));
  m.def("outermost", outermost, nb::arg("operation"));
  m.def("symbol_around", symbolAround, nb::arg("operation"), nb::arg("name"));
  m.def("ops_in_body", opsInBody, nb::arg("module"), nb::arg("name"));
}
