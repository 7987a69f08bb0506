//===- Jit.cpp - LLVM's JIT compiler without optimizations ------------------===//
// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// The bindings' own engine runs LLVM's code generator at its default level, whatever level it is created with. This one
// gives the engine a target machine of level 0, which selects instructions and allocates registers in one pass each.
// Functions with the attribute "forebay-hot" are optimized before, since they take nearly all of the time: what devices
// compute, called for each tile, and the kernels of the emulator.
//===----------------------------------------------------------------------===//
#include "bindings/CAPI.h"

#include "mlir/CAPI/ExecutionEngine.h"
#include "mlir/CAPI/IR.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm-c/Error.h"
#include "llvm-c/Transforms/PassBuilder.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;

/// Loop-invariant code leaves its loop, and the innermost loops become vectors. Without its option `instcombine` ends the
/// process where one run leaves something to combine.
static const char *const hotPasses =
    "early-cse,simplifycfg,instcombine<no-verify-fixpoint>,loop-mssa(loop-rotate,licm),early-cse,"
    "loop-vectorize,instcombine<no-verify-fixpoint>,simplifycfg,loop-mssa(licm)";

static llvm::Error optimizeHot(llvm::Module &module, llvm::TargetMachine &machine) {
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  llvm::Error failed = llvm::Error::success();
  for (llvm::Function &function : module)
    if (!failed && !function.isDeclaration() && function.hasFnAttribute("forebay-hot"))
      failed = llvm::unwrap(
          LLVMRunPassesOnFunction(llvm::wrap(&function), hotPasses,
                                  reinterpret_cast<LLVMTargetMachineRef>(&machine), options));
  LLVMDisposePassBuilderOptions(options);
  return failed;
}

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
  llvm::TargetMachine &target = **machine;
  auto transformer = [&](llvm::Module *own) { return optimizeHot(*own, target); };
  options.transformer = transformer;
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
