//===- PyPass.cpp - passes written in Python, in MLIR's own registry --------===//
// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "bindings/CAPI.h"

#include "mlir-c/RegisterEverything.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

#include "llvm/Support/Path.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

using namespace mlir;

namespace {
/// A pass's description, with its strings. It lives as long as the process, as MLIR's registry entries do.
struct Spec {
  struct Option {
    std::string name, help, defaultValue;
    ForebayOptionKind kind;
  };
  std::string argument, description, anchor;
  std::vector<Option> options;
  std::vector<std::string> dialects;
  void *pass;
  ForebayPassCallbacks callbacks;
  SelfOwningTypeID id;
};

/// All dialects that the bindings or this library provide.
const DialectRegistry &allDialects() {
  static const DialectRegistry registry = [] {
    DialectRegistry all;
    mlirRegisterAllDialects(wrap(&all));
    forebayRegisterDialects(wrap(&all));
    return all;
  }();
  return registry;
}

/// Adds a dialect that is known by name only. A registry's entries need the dialect's TypeID, which only an instance
/// has.
void insertByName(const std::string &name, DialectRegistry &registry) {
  static std::mutex mutex;
  static MLIRContext scratch(allDialects(), MLIRContext::Threading::DISABLED);
  std::lock_guard<std::mutex> lock(mutex);
  if (Dialect *dialect = scratch.getOrLoadDialect(name))
    registry.insert(dialect->getTypeID(), name, allDialects().getDialectAllocator(name));
}

/// Disables multithreading of the context it is appended to. A pass manager appends its passes' registries just before
/// it starts threads, so a pass can do this no later. It is needed when the caller keeps Python's interpreter lock
/// (the bindings' own PassManager.run does): a thread that waits for the lock of a caller that waits for the thread
/// would never end. MLIR identifies extensions by TypeID and applies each once, so every run needs a new one.
class SingleThreaded : public DialectExtensionBase {
public:
  static void addTo(DialectRegistry &registry) {
    auto id = std::make_shared<SelfOwningTypeID>();
    TypeID typeID = id->getTypeID();
    registry.addExtension(typeID, std::unique_ptr<DialectExtensionBase>(new SingleThreaded(id)));
  }
  void apply(MLIRContext *context, MutableArrayRef<Dialect *>) const override {
    if (context->isMultithreadingEnabled())
      context->disableMultithreading();
  }
  std::unique_ptr<DialectExtensionBase> clone() const override {
    return std::unique_ptr<DialectExtensionBase>(new SingleThreaded(id));
  }

private:
  explicit SingleThreaded(std::shared_ptr<SelfOwningTypeID> id)
      : DialectExtensionBase({"builtin"}), id(std::move(id)) {}
  std::shared_ptr<SelfOwningTypeID> id;
};

/// One of MLIR's typed pass options; MLIR parses it, prints it and shows it in --help.
class OptionSlot {
public:
  virtual ~OptionSlot() = default;
  virtual void read(llvm::function_ref<void(llvm::StringRef)> add) const = 0;
};

class PyPass : public Pass {
public:
  explicit PyPass(const Spec &spec)
      : Pass(spec.id.getTypeID(), spec.anchor.empty()
                                      ? std::optional<llvm::StringRef>()
                                      : std::optional<llvm::StringRef>(spec.anchor)),
        spec(spec) {
    for (const Spec::Option &option : spec.options)
      slots.push_back(makeSlot(option));
  }

  llvm::StringRef getName() const override { return spec.argument; }
  llvm::StringRef getArgument() const override { return spec.argument; }
  llvm::StringRef getDescription() const override { return spec.description; }
  bool canScheduleOn(RegisteredOperationName name) const override {
    return spec.anchor.empty() || name.getStringRef() == spec.anchor;
  }

  std::unique_ptr<Pass> clonePass() const override {
    auto clone = std::make_unique<PyPass>(spec);
    clone->copyOptionValuesFrom(this);
    return clone;
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    for (const std::string &name : spec.dialects)
      insertByName(name, registry);
    if (spec.callbacks.callerHoldsInterpreterLock())
      SingleThreaded::addTo(registry);
  }

  LogicalResult initialize(MLIRContext *context) override {
    for (const std::string &dialect : spec.dialects)
      if (!context->getLoadedDialect(dialect))
        return emitError(UnknownLoc::get(context))
               << "pass '" << spec.argument << "' needs the dialect '" << dialect
               << "', which is not registered";
    return success();
  }

  LogicalResult
  initializeOptions(llvm::StringRef options,
                    llvm::function_ref<LogicalResult(const llvm::Twine &)> errorHandler) override {
    auto naming = [&](const llvm::Twine &message) {
      std::string text = message.str(), names;
      for (const Spec::Option &option : spec.options)
        names += (names.empty() ? "" : ", ") + option.name;
      return errorHandler(llvm::Twine("pass '") + spec.argument +
                          "': " + llvm::StringRef(text).rtrim() +
                          "; its options: " + (names.empty() ? "none" : names));
    };
    if (failed(Pass::initializeOptions(options, naming)))
      return failure();
    std::string fault;
    spec.callbacks.check(
        spec.pass, readOptions(),
        [](MlirStringRef text, void *fault) {
          *static_cast<std::string *>(fault) = unwrap(text).str();
        },
        &fault);
    return fault.empty() ? success() : errorHandler(fault);
  }

  void runOnOperation() override {
    if (!spec.callbacks.run(spec.pass, wrap(getOperation()), readOptions()))
      signalPassFailure();
  }

private:
  /// A sink with the texts of all options.
  void *readOptions() const {
    void *sink = spec.callbacks.makeSink(spec.pass);
    for (auto [index, slot] : llvm::enumerate(slots))
      slot->read([&, i = index](llvm::StringRef value) {
        spec.callbacks.addValue(sink, static_cast<intptr_t>(i), wrap(value));
      });
    return sink;
  }

  template <typename T>
  struct TypedSlot : OptionSlot {
    TypedSlot(PyPass &pass, const Spec::Option &spec, T defaultValue)
        : option(pass, spec.name, llvm::cl::desc(spec.help), llvm::cl::init(defaultValue)) {}
    void read(llvm::function_ref<void(llvm::StringRef)> add) const override {
      if constexpr (std::is_same_v<T, std::string>)
        add(option.getValue());
      else
        add(std::to_string(option.getValue()));
    }
    Pass::Option<T> option;
  };

  struct ListSlot : OptionSlot {
    ListSlot(PyPass &pass, const Spec::Option &spec)
        : option(pass, spec.name, llvm::cl::desc(spec.help)) {}
    void read(llvm::function_ref<void(llvm::StringRef)> add) const override {
      for (const std::string &value : option)
        add(value);
    }
    Pass::ListOption<std::string> option;
  };

  std::unique_ptr<OptionSlot> makeSlot(const Spec::Option &option) {
    switch (option.kind) {
    case ForebayOptionKind::boolean:
      return std::make_unique<TypedSlot<bool>>(*this, option, option.defaultValue == "true");
    case ForebayOptionKind::string:
      return std::make_unique<TypedSlot<std::string>>(*this, option, option.defaultValue);
    case ForebayOptionKind::stringList:
      return std::make_unique<ListSlot>(*this, option);
    }
    llvm_unreachable("every kind of option has a slot");
  }

  const Spec &spec;
  std::vector<std::unique_ptr<OptionSlot>> slots;
};
} // namespace

void forebayRegisterPass(const ForebayPass *pass, void *object,
                         const ForebayPassCallbacks *callbacks) {
  auto *spec = new Spec; // lives as long as the process, as the registry's entry does
  spec->argument = pass->argument;
  spec->description = pass->description;
  spec->anchor = pass->anchor;
  for (intptr_t i = 0; i < pass->numOptions; ++i) {
    const ForebayOption &option = pass->options[i];
    spec->options.push_back({option.name, option.help, option.defaultValue, option.kind});
  }
  for (intptr_t i = 0; i < pass->numDialects; ++i)
    spec->dialects.emplace_back(pass->dialects[i]);
  spec->pass = object;
  spec->callbacks = *callbacks;
  registerPass([spec]() -> std::unique_ptr<Pass> { return std::make_unique<PyPass>(*spec); });
}

/// The beginning of a tensor's name: converters join the names of fused tensors by semicolons.
static std::string shortened(llvm::StringRef name) {
  constexpr size_t longest = 40;
  llvm::StringRef first = name.split(';').first;
  return first.size() <= longest ? first.str() : (first.take_front(longest - 3) + "...").str();
}

/// `net.tflite: CONV_2D #2 (conv1)` for an operator of a model, `net.mlir:3:7` for other IR, `net.mlir` for all of it.
static std::string describe(Location location) {
  if (auto file = dyn_cast<FileLineColRange>(location)) {
    std::string name = file.getFilename().str();
    return file.getStartLine() == 0 ? name
                                    : name + ":" + std::to_string(file.getStartLine()) + ":" +
                                          std::to_string(file.getStartColumn());
  }
  if (auto named = dyn_cast<NameLoc>(location)) {
    std::string name = shortened(named.getName());
    auto kind = dyn_cast<NameLoc>(named.getChildLoc());
    if (auto file = kind ? dyn_cast<FileLineColRange>(kind.getChildLoc()) : FileLineColRange())
      return (llvm::sys::path::filename(file.getFilename()) + ": " + kind.getName().getValue() +
              " #" + llvm::Twine(file.getStartLine()) + " (" + name + ")")
          .str();
    return isa<UnknownLoc>(named.getChildLoc()) ? "'" + name + "'" : describe(named.getChildLoc());
  }
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return describe(call.getCallee());
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (!isa<UnknownLoc>(part))
        return describe(part);
  return "unknown location";
}

static std::string describe(Diagnostic &diagnostic) {
  std::string text = describe(diagnostic.getLocation()) + ": " + diagnostic.str();
  for (Diagnostic &note : diagnostic.getNotes())
    text += "\n  " + describe(note.getLocation()) + ": note: " + note.str();
  return text;
}

bool forebayRunPipeline(MlirOperation wrapped, MlirStringRef pipeline, bool verifyEach,
                        ForebayErrorCallback reportError, void *userData) {
  Operation *op = unwrap(wrapped);
  auto report = [&](llvm::StringRef text) {
    reportError(wrap(text), MlirLocation{nullptr}, wrap(text), 0, nullptr, nullptr, userData);
  };
  std::string parseError;
  llvm::raw_string_ostream stream(parseError);
  FailureOr<OpPassManager> parsed = parsePassPipeline(unwrap(pipeline), stream);
  if (failed(parsed)) {
    report(parseError);
    return false;
  }
  if (parsed->getOpAnchorName() != op->getName().getStringRef()) {
    report(("the pipeline is anchored at '" + parsed->getOpAnchorName() + "' but runs on '" +
            op->getName().getStringRef() + "'")
               .str());
    return false;
  }
  ScopedDiagnosticHandler handler(op->getContext(), [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
      return failure(); // other handlers print it
    std::string message = diagnostic.str();
    std::vector<std::string> texts;
    std::vector<MlirLocation> locations;
    for (Diagnostic &note : diagnostic.getNotes()) {
      texts.push_back(note.str());
      locations.push_back(wrap(note.getLocation()));
    }
    std::vector<MlirStringRef> messages;
    for (const std::string &text : texts)
      messages.push_back(wrap(llvm::StringRef(text)));
    std::string text = describe(diagnostic);
    reportError(wrap(llvm::StringRef(text)), wrap(diagnostic.getLocation()),
                wrap(llvm::StringRef(message)), static_cast<intptr_t>(messages.size()),
                locations.data(), messages.data(), userData);
    return success();
  });
  PassManager manager(op->getContext(), parsed->getOpAnchorName());
  static_cast<OpPassManager &>(manager) = std::move(*parsed);
  manager.enableVerifier(verifyEach);
  return succeeded(manager.run(op));
}
