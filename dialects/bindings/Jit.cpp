//===- Jit.cpp - LLVM's JIT compiler without optimizations ------------------===//
// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// The bindings' own engine runs LLVM's code generator at its default level, whatever level it is created with. This one
// gives the engine a target machine of level 0, which selects instructions and allocates registers in one pass each.
//===----------------------------------------------------------------------===//
#include "bindings/CAPI.h"

#include "mlir/CAPI/ExecutionEngine.h"
#include "mlir/CAPI/IR.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;

static llvm::Expected<std::unique_ptr<ExecutionEngine>> createEngine(Operation *module) {
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  builder->setCodeGenOptLevel(llvm::CodeGenOptLevel::None);
  auto machine = builder->createTargetMachine();
  if (!machine)
    return machine.takeError();
  ExecutionEngineOptions options;
  options.jitCodeGenOptLevel = llvm::CodeGenOptLevel::None;
  options.enableGDBNotificationListener = false;
  options.enablePerfNotificationListener = false;
  return ExecutionEngine::create(module, options, std::move(*machine));
}

MlirExecutionEngine forebayExecutionEngineCreateUnoptimized(MlirOperation module,
                                                            MlirStringCallback reportError,
                                                            void *userData) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  MLIRContext &context = *unwrap(module)->getContext();
  registerBuiltinDialectTranslation(context);
  registerLLVMDialectTranslation(context);
  auto engine = createEngine(unwrap(module));
  if (engine)
    return wrap(engine->release());
  std::string message = llvm::toString(engine.takeError());
  reportError(mlirStringRefCreate(message.data(), message.size()), userData);
  return MlirExecutionEngine{nullptr};
}
