//===- Bindings.h - the parts of the nanobind module ---------------*- C++ -*-===//
// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef FOREBAY_BINDINGS_BINDINGS_H
#define FOREBAY_BINDINGS_BINDINGS_H

#include "mlir-c/Support.h"
#include <nanobind/nanobind.h>

#include <string>

/// The text of a `std::string`, which must outlive it.
inline MlirStringRef stringRef(const std::string &text) {
  return mlirStringRefCreate(text.data(), text.size());
}
inline std::string string(MlirStringRef text) { return {text.data, text.length}; }

/// Attributes and types of the dialects.
void bindAttributes(nanobind::module_ &m);
/// Code of LLVM: an engine, objects, and questions about processors.
void bindCode(nanobind::module_ &m);
/// Interfaces of ops.
void bindInterfaces(nanobind::module_ &m);
/// Passes in Python, pipelines, diagnostics, and tools in the style of mlir-opt.
void bindPasses(nanobind::module_ &m);
/// Ops in regions and blocks, uses and symbols.
void bindTraversal(nanobind::module_ &m);

#endif
