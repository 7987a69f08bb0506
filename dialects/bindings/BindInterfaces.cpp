//===- BindInterfaces.cpp - op interfaces for Python ------------------------===//
// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "bindings/Bindings.h"
#include "bindings/CAPIInterfaces.h"

#include "mlir/Bindings/Python/NanobindAdaptors.h"

namespace nb = nanobind;

static nb::object numberOrNone(intptr_t number) {
  return number < 0 ? nb::none() : nb::object(nb::int_(number));
}

/// A list, or None where the op does not implement the interface that filled it.
static nb::object listIf(bool answered, nb::list found) { return answered ? found : nb::none(); }

static nb::list &listOf(void *data) { return *static_cast<nb::list *>(data); }

static nb::object memoryEffects(MlirOperation op) {
  nb::list effects;
  bool answered = forebayGetMemoryEffects(
      op,
      [](const char *kind, intptr_t operand, intptr_t result, void *data) {
        listOf(data).append(nb::make_tuple(kind, numberOrNone(operand), numberOrNone(result)));
      },
      &effects);
  return listIf(answered, effects);
}

static nb::object view(MlirOperation op) {
  intptr_t source, result;
  if (!forebayGetView(op, &source, &result))
    return nb::none();
  return nb::make_tuple(source, result);
}

/// Append a constant or a value to a list of the array `data`.
static void appendNumber(int list, int64_t number, MlirValue value, void *data) {
  nb::list &numbers = static_cast<nb::list *>(data)[list];
  if (mlirValueIsNull(value))
    numbers.append(number);
  else
    numbers.append(value);
}

static nb::object slice(MlirOperation op) {
  nb::list lists[3];
  if (!forebayGetSlice(op, appendNumber, lists))
    return nb::none();
  return nb::make_tuple(lists[0], lists[1], lists[2]);
}

static nb::object loop(MlirOperation op) {
  nb::list lists[4];
  if (!forebayGetLoop(op, appendNumber, lists))
    return nb::none();
  return nb::make_tuple(lists[0], lists[1], lists[2], lists[3]);
}

static nb::object forwardedValues(MlirOperation op) {
  nb::list edges;
  bool answered = forebayGetForwardedValues(
      op,
      [](MlirOperation owner, intptr_t operand, MlirValue becomes, void *data) {
        listOf(data).append(nb::make_tuple(owner, operand, becomes));
      },
      &edges);
  return listIf(answered, edges);
}

static nb::object destinations(MlirOperation op) {
  nb::list operands;
  bool answered = forebayGetDestinations(
      op, [](intptr_t operand, void *data) { listOf(data).append(operand); }, &operands);
  return listIf(answered, operands);
}

static nb::object tensorAccesses(MlirOperation op) {
  nb::list accesses;
  bool answered = forebayGetTensorAccesses(
      op,
      [](intptr_t operand, intptr_t result, bool reads, bool writes, void *data) {
        listOf(data).append(
            nb::make_tuple(numberOrNone(operand), numberOrNone(result), reads, writes));
      },
      &accesses);
  return listIf(answered, accesses);
}

static nb::object tensorAliases(MlirOperation op) {
  nb::list aliases;
  bool answered = forebayGetTensorAliases(
      op,
      [](intptr_t operand, intptr_t result, bool isCertain, void *data) {
        listOf(data).append(nb::make_tuple(operand, result, isCertain));
      },
      &aliases);
  return listIf(answered, aliases);
}

void bindInterfaces(nb::module_ &m) {
  m.def("memory_effects", memoryEffects, nb::arg("operation"));
  m.def("view", view, nb::arg("operation"));
  m.def("slice", slice, nb::arg("operation"));
  m.def("loop", loop, nb::arg("operation"));
  m.def("forwarded_values", forwardedValues, nb::arg("operation"));
  m.def("destinations", destinations, nb::arg("operation"));
  m.def("tensor_accesses", tensorAccesses, nb::arg("operation"));
  m.def("tensor_aliases", tensorAliases, nb::arg("operation"));
}
