//===- ForebayExtension.cpp - the nanobind module --------------------------===//
// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "bindings/Bindings.h"
#include "bindings/CAPI.h"

#include "mlir/Bindings/Python/NanobindAdaptors.h"

namespace nb = nanobind;

NB_MODULE(_forebay, m) {
  // Registered passes live as long as the process, so they are no leak.
  nb::set_leak_warnings(false);
  m.doc() = "Forebay's dialects, passes and tools on the upstream MLIR bindings.";
  m.def("register_dialects",
        [](MlirDialectRegistry registry) { forebayRegisterDialects(registry); });
  bindAttributes(m);
  bindCode(m);
  bindInterfaces(m);
  bindPasses(m);
  bindTraversal(m);
}
