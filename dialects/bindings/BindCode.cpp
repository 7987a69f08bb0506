//===- BindCode.cpp - engines and objects of LLVM --------------------------===//
// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "bindings/Bindings.h"
#include "bindings/CAPI.h"

#include "mlir/Bindings/Python/NanobindAdaptors.h"
#include <nanobind/stl/string.h>

#include <stdexcept>
#include <string>

namespace nb = nanobind;

/// Returns an `ExecutionEngine` of the bindings.
static nb::object createUnoptimizedEngine(MlirOperation module) {
  std::string message;
  MlirExecutionEngine engine = forebayExecutionEngineCreateUnoptimized(
      module,
      [](MlirStringRef text, void *data) { *static_cast<std::string *>(data) = string(text); },
      &message);
  if (mlirExecutionEngineIsNull(engine))
    throw std::runtime_error("cannot create LLVM's execution engine: " + message);
  nb::object capsule = nb::steal<nb::object>(mlirPythonExecutionEngineToCapsule(engine));
  return nb::module_::import_(MAKE_MLIR_PYTHON_QUALNAME("_mlir_libs._mlirExecutionEngine"))
      .attr("ExecutionEngine")
      .attr(MLIR_PYTHON_CAPI_FACTORY_ATTR)(capsule);
}

static void assignText(MlirStringRef text, void *data) {
  *static_cast<std::string *>(data) = string(text);
}

static int pointerBits(const std::string &triple, const std::string &cpu) {
  std::string message;
  int bits = forebayPointerBits(stringRef(triple), stringRef(cpu), assignText, &message);
  if (bits == 0)
    throw std::invalid_argument(message);
  return bits;
}

static bool hasFeatures(const std::string &triple, const std::string &cpu,
                        const std::string &features) {
  return forebayHasFeatures(stringRef(triple), stringRef(cpu), stringRef(features));
}

static nb::bytes generateCode(MlirOperation module, const std::string &triple,
                              const std::string &cpu, bool asObject) {
  std::string code, message;
  if (!forebayGenerateCode(module, stringRef(triple), stringRef(cpu), asObject, assignText, &code,
                           assignText, &message))
    throw std::runtime_error(message);
  return nb::bytes(code.data(), code.size());
}

void bindCode(nb::module_ &m) {
  m.def("create_unoptimized_engine", createUnoptimizedEngine, nb::arg("module"));
  m.def("host_triple", [] { return string(forebayHostTriple()); });
  m.def("pointer_bits", pointerBits, nb::arg("triple"), nb::arg("cpu"));
  m.def("has_features", hasFeatures, nb::arg("triple"), nb::arg("cpu"), nb::arg("features"));
  m.def("generate_code", generateCode, nb::arg("module"), nb::arg("triple"), nb::arg("cpu"),
        nb::arg("as_object"));
}
