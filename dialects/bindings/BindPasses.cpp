//===- BindPasses.cpp - passes, pipelines and tools ------------------------===//
// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "bindings/Bindings.h"
#include "bindings/CAPI.h"

#include "mlir/Bindings/Python/NanobindAdaptors.h"
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <vector>

namespace nb = nanobind;

namespace {
/// The Python side of a registered pass: `run(operation, [[value, ...], ...]) -> bool`, and
/// `check([[value, ...], ...]) -> str`, which returns the fault of the values or an empty text.
struct PyCallback {
  nb::object run, check;
  size_t numOptions;
};

using OptionValues = std::vector<std::vector<std::string>>;
} // namespace

/// Contexts that mlir-opt created on its own stack. Python must not destroy a context that it does not own, so it
/// keeps a reference to each such context for the rest of the process.
static bool contextsAreForeign = false;

static void keepForeignContext(nb::handle operation) {
  if (contextsAreForeign)
    operation.attr("context").inc_ref();
}

static bool runPass(void *pass, MlirOperation op, void *sink) {
  std::unique_ptr<OptionValues> values(static_cast<OptionValues *>(sink));
  nb::gil_scoped_acquire lock;
  nb::object operation = nb::cast(op);
  keepForeignContext(operation);
  try {
    return nb::cast<bool>(static_cast<PyCallback *>(pass)->run(operation, *values));
  } catch (nb::python_error &error) {
    // The Python side turns every Exception into a diagnostic; only KeyboardInterrupt and similar ones remain.
    std::string message = error.what();
    forebayEmitError(mlirOperationGetLocation(op), stringRef(message), 0, nullptr, nullptr);
    return false;
  }
}

static void checkOptions(void *pass, void *sink, MlirStringCallback reportFault, void *userData) {
  std::unique_ptr<OptionValues> values(static_cast<OptionValues *>(sink));
  nb::gil_scoped_acquire lock;
  std::string fault;
  try {
    fault = nb::cast<std::string>(static_cast<PyCallback *>(pass)->check(*values));
  } catch (nb::python_error &error) {
    fault = error.what();
  }
  if (!fault.empty())
    reportFault(stringRef(fault), userData);
}

static void *makeSink(void *pass) {
  return new OptionValues(static_cast<PyCallback *>(pass)->numOptions);
}

static void addValue(void *sink, intptr_t option, MlirStringRef value) {
  (*static_cast<OptionValues *>(sink))[option].emplace_back(value.data, value.length);
}

static bool callerHoldsInterpreterLock() { return PyGILState_Check() != 0; }

static void registerPass(
    const std::string &argument, const std::string &description, const std::string &anchor,
    const std::vector<std::tuple<std::string, std::string, std::string, std::string>> &options,
    const std::vector<std::string> &dialects, nb::object run, nb::object check) {
  std::vector<ForebayOption> specs;
  for (const auto &[name, kind, help, defaultValue] : options) {
    ForebayOptionKind type = kind == "bool"  ? ForebayOptionKind::boolean
                             : kind == "str" ? ForebayOptionKind::string
                                             : ForebayOptionKind::stringList;
    specs.push_back({name.c_str(), help.c_str(), type, defaultValue.c_str()});
  }
  std::vector<const char *> dialectNames;
  for (const std::string &dialect : dialects)
    dialectNames.push_back(dialect.c_str());
  ForebayPass spec{argument.c_str(),   description.c_str(),
                   anchor.c_str(),     static_cast<intptr_t>(specs.size()),
                   specs.data(),       static_cast<intptr_t>(dialectNames.size()),
                   dialectNames.data()};
  ForebayPassCallbacks callbacks{runPass, checkOptions, makeSink, addValue,
                                 callerHoldsInterpreterLock};
  // Never freed: MLIR's registry keeps the pass for the process's life.
  forebayRegisterPass(&spec, new PyCallback{std::move(run), std::move(check), options.size()},
                      &callbacks);
}

/// An error's text with its notes, its location (null: none), its message, and its notes.
struct ReportedError {
  std::string text;
  MlirLocation location;
  std::string message;
  std::vector<std::pair<MlirLocation, std::string>> notes;
};

static void collectError(MlirStringRef text, MlirLocation location, MlirStringRef message,
                         intptr_t numNotes, const MlirLocation *noteLocations,
                         const MlirStringRef *noteMessages, void *errors) {
  ReportedError error{string(text), location, string(message), {}};
  for (intptr_t i = 0; i < numNotes; ++i)
    error.notes.emplace_back(noteLocations[i], string(noteMessages[i]));
  static_cast<std::vector<ReportedError> *>(errors)->push_back(std::move(error));
}

/// Whether the pipeline succeeded, and its errors.
static nb::object runPipeline(MlirOperation op, const std::string &pipeline, bool verifyEach) {
  std::vector<ReportedError> errors;
  bool succeeded;
  {
    nb::gil_scoped_release unlock;
    succeeded = forebayRunPipeline(op, stringRef(pipeline), verifyEach, collectError, &errors);
  }
  nb::list found;
  for (const ReportedError &error : errors) {
    nb::object location = error.location.ptr ? nb::cast(error.location) : nb::none();
    found.append(nb::make_tuple(error.text, location, error.message, error.notes));
  }
  return nb::make_tuple(succeeded, found);
}

static void emitError(MlirLocation location, const std::string &message,
                      const std::vector<std::pair<MlirLocation, std::string>> &notes) {
  std::vector<MlirLocation> locations;
  std::vector<MlirStringRef> messages;
  for (const auto &[where, what] : notes) {
    locations.push_back(where);
    messages.push_back(stringRef(what));
  }
  forebayEmitError(location, stringRef(message), static_cast<intptr_t>(notes.size()),
                   locations.data(), messages.data());
}

using ToolMain = int (*)(int, char **, MlirDialectRegistry);

static int runTool(ToolMain main, std::vector<std::string> &arguments,
                   MlirDialectRegistry registry) {
  std::vector<char *> argv;
  for (std::string &argument : arguments)
    argv.push_back(argument.data());
  argv.push_back(nullptr);
  contextsAreForeign = true;
  nb::gil_scoped_release unlock;
  return main(static_cast<int>(arguments.size()), argv.data(), registry);
}

void bindPasses(nb::module_ &m) {
  m.def("register_pass", registerPass, nb::arg("argument"), nb::arg("description"),
        nb::arg("anchor"), nb::arg("options"), nb::arg("dialects"), nb::arg("run"),
        nb::arg("check"));
  m.def("run_pipeline", runPipeline, nb::arg("operation"), nb::arg("pipeline"),
        nb::arg("verify_each") = true);
  m.def("emit_error", emitError, nb::arg("location"), nb::arg("message"), nb::arg("notes"));
  m.def("opt_main", [](std::vector<std::string> arguments, MlirDialectRegistry registry) {
    return runTool(forebayOptMain, arguments, registry);
  });
  m.def("lsp_server_main", [](std::vector<std::string> arguments, MlirDialectRegistry registry) {
    return runTool(forebayLspServerMain, arguments, registry);
  });
}
