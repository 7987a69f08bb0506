//===- Tools.cpp - upstream's own drivers, with our dialects and passes -----===//
// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "bindings/CAPI.h"

#include "mlir/CAPI/IR.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

using namespace mlir;

int forebayOptMain(int argc, char **argv, MlirDialectRegistry registry) {
  return asMainReturnCode(
      MlirOptMain(argc, argv, "Forebay modular optimizer driver\n", *unwrap(registry)));
}

int forebayLspServerMain(int argc, char **argv, MlirDialectRegistry registry) {
  return asMainReturnCode(MlirLspServerMain(argc, argv, *unwrap(registry)));
}
