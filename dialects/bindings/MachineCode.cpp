//===- MachineCode.cpp - LLVM IR and object files for any target of LLVM ----===//
// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// A module of the LLVM dialect becomes optimized LLVM IR as text, or an object file, for a triple and a processor. The
// processors are those of the code generators that LLVM's library was built with.
//===----------------------------------------------------------------------===//
#include "bindings/CAPI.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm-c/Error.h"
#include "llvm-c/Transforms/PassBuilder.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;

static std::string processorNames(const llvm::MCSubtargetInfo &info) {
  llvm::SmallVector<llvm::StringRef> names;
  for (const llvm::SubtargetSubTypeKV &processor : info.getAllProcessorDescriptions())
    names.push_back(processor.Key);
  return llvm::join(names, ", ");
}

/// Features of this machine's processor, as LLVM's text.
static std::string hostFeatures() {
  llvm::SmallVector<std::string> features;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    features.push_back((feature.second ? "+" : "-") + feature.first().str());
  return llvm::join(features, ",");
}

/// Returns null and sets `error` if LLVM has no code generator for the triple, or does not know the processor.
static std::unique_ptr<llvm::TargetMachine>
createTargetMachine(llvm::StringRef tripleText, llvm::StringRef cpu, std::string &error) {
  llvm::Triple triple(llvm::Triple::normalize(tripleText));
  bool isHostArch = triple.getArch() == llvm::Triple(llvm::sys::getDefaultTargetTriple()).getArch();
  const llvm::Target *target = nullptr;
  // Other generators, as that for GPUs, make no functions that a C program can link.
  if (triple.isX86() || triple.isARM() || triple.isThumb() || triple.isAArch64())
    target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target || !triple.isLittleEndian()) {
    error = ("triple '" + tripleText +
             "': LLVM's library in the MLIR wheels generates objects of little-endian x86, x86-64, "
             "ARM, Thumb and "
             "AArch64 only")
                .str();
    return nullptr;
  }
  if (cpu == "native" && !isHostArch) {
    error = ("CPU 'native' is the processor of this machine, which does not run code of '" +
             tripleText + "'")
                .str();
    return nullptr;
  }
  std::string name = cpu == "native" ? llvm::sys::getHostCPUName().str() : cpu.str();
  std::string features = cpu == "native" ? hostFeatures() : "";
  // Predicated vectors of MVE fault on a Cortex-M55 in code of LLVM 22: no vectors there.
  if (triple.isARM() || triple.isThumb())
    features = "-mve";
  std::unique_ptr<llvm::MCSubtargetInfo> info(target->createMCSubtargetInfo(triple, "", ""));
  if (!info->isCPUStringValid(name)) {
    error = "LLVM knows no CPU '" + name + "' of '" + tripleText.str() +
            "'; known: " + processorNames(*info);
    return nullptr;
  }
  llvm::TargetOptions options;
  options.FunctionSections = true;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  auto relocation =
      triple.getOS() == llvm::Triple::UnknownOS ? llvm::Reloc::Static : llvm::Reloc::PIC_;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, name, features, options, relocation, std::nullopt, llvm::CodeGenOptLevel::Default));
}

/// Functions do not unwind, and loops do not become calls of a C library, which a bare machine may not have.
static void setAttributes(llvm::Module &module, const llvm::TargetMachine &machine) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  for (llvm::Function &function : module) {
    function.addFnAttr(llvm::Attribute::NoUnwind);
    function.addFnAttr("no-builtins");
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    if (!machine.getTargetFeatureString().empty())
      function.addFnAttr("target-features", machine.getTargetFeatureString());
  }
}

static bool optimize(llvm::Module &module, llvm::TargetMachine &machine, std::string &error) {
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef failed = LLVMRunPasses(llvm::wrap(&module), "default<O3>",
                                      reinterpret_cast<LLVMTargetMachineRef>(&machine), options);
  LLVMDisposePassBuilderOptions(options);
  if (!failed)
    return true;
  char *message = LLVMGetErrorMessage(failed);
  error = message;
  LLVMDisposeErrorMessage(message);
  return false;
}

static bool generate(Operation *op, llvm::TargetMachine &machine, bool asObject,
                     llvm::SmallVectorImpl<char> &code, std::string &error) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = translateModuleToLLVMIR(op, context);
  if (!module) {
    error = "the module has no form in LLVM IR";
    return false;
  }
  setAttributes(*module, machine);
  if (!optimize(*module, machine, error))
    return false;
  llvm::raw_svector_ostream stream(code);
  if (!asObject) {
    module->print(stream, nullptr);
    return true;
  }
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile)) {
    error = "LLVM writes no object files for this triple";
    return false;
  }
  passes.run(*module);
  return true;
}

static void initializeTargets() {
  llvm::InitializeAllTargetInfos();
  llvm::InitializeAllTargets();
  llvm::InitializeAllTargetMCs();
  llvm::InitializeAllAsmPrinters();
}

MlirStringRef forebayHostTriple() {
  static const std::string triple = llvm::sys::getDefaultTargetTriple();
  return mlirStringRefCreate(triple.data(), triple.size());
}

int forebayPointerBits(MlirStringRef triple, MlirStringRef cpu, MlirStringCallback reportError,
                       void *userData) {
  initializeTargets();
  std::string error;
  auto machine = createTargetMachine(unwrap(triple), unwrap(cpu), error);
  if (machine)
    return static_cast<int>(machine->getPointerSizeInBits(0));
  reportError(mlirStringRefCreate(error.data(), error.size()), userData);
  return 0;
}

bool forebayHasFeatures(MlirStringRef triple, MlirStringRef cpu, MlirStringRef features) {
  initializeTargets();
  std::string error;
  auto machine = createTargetMachine(unwrap(triple), unwrap(cpu), error);
  if (!machine)
    return false;
  llvm::StringSet<> enabled;
  for (const llvm::SubtargetFeatureKV &feature :
       machine->getMCSubtargetInfo()->getEnabledProcessorFeatures())
    enabled.insert(feature.Key);
  llvm::SmallVector<llvm::StringRef> needed;
  unwrap(features).split(needed, ',');
  return llvm::all_of(needed, [&](llvm::StringRef name) { return enabled.contains(name); });
}

bool forebayGenerateCode(MlirOperation module, MlirStringRef triple, MlirStringRef cpu,
                         bool asObject, MlirStringCallback code, void *codeData,
                         MlirStringCallback reportError, void *userData) {
  initializeTargets();
  MLIRContext &context = *unwrap(module)->getContext();
  registerBuiltinDialectTranslation(context);
  registerLLVMDialectTranslation(context);
  std::string error;
  llvm::SmallVector<char, 0> bytes;
  auto machine = createTargetMachine(unwrap(triple), unwrap(cpu), error);
  if (machine && generate(unwrap(module), *machine, asObject, bytes, error)) {
    code(mlirStringRefCreate(bytes.data(), bytes.size()), codeData);
    return true;
  }
  reportError(mlirStringRefCreate(error.data(), error.size()), userData);
  return false;
}
