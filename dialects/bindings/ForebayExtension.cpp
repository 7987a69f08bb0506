//===- ForebayExtension.cpp - the nanobind module ---------------------------===//
// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "bindings/BindInterfaces.h"
#include "bindings/CAPI.h"
#include "bindings/CAPIInterfaces.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir/Bindings/Python/NanobindAdaptors.h"
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unordered_set.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <vector>

namespace nb = nanobind;
using namespace mlir::python::nanobind_adaptors;

static MlirStringRef stringRef(const std::string &text) {
  return mlirStringRefCreate(text.data(), text.size());
}
static nb::str str(MlirStringRef text) { return nb::str(text.data, text.length); }

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

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

static std::string string(MlirStringRef text) { return {text.data, text.length}; }

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

/// Returns the same elements with another tensor type of the same shape and element type, to add an encoding.
static MlirAttribute retype(MlirAttribute elements, MlirType type) {
  if (!mlirAttributeIsADenseElements(elements))
    throw nb::type_error("retype takes dense elements");
  return mlirDenseElementsAttrReshapeGet(elements, type);
}

namespace {
/// A walk that collects the ops that a predicate accepts.
struct NestedOps {
  MlirOperation root;
  std::function<bool(MlirOperation)> accepts;
  std::vector<MlirOperation> found;
};
} // namespace

static bool isNamed(MlirOperation op, const char *name) {
  MlirStringRef found = mlirIdentifierStr(mlirOperationGetName(op));
  return mlirStringRefEqual(found, mlirStringRefCreateFromCString(name));
}

static MlirWalkResult collectNested(MlirOperation op, void *data) {
  auto *nested = static_cast<NestedOps *>(data);
  if (mlirOperationEqual(op, nested->root))
    return MlirWalkResultAdvance;
  if (nested->accepts(op))
    nested->found.push_back(op);
  // The reference of an intrinsic is not part of the program.
  return isNamed(op, "accel.intrinsic") ? MlirWalkResultSkip : MlirWalkResultAdvance;
}

/// Returns the accepted ops in the regions of an op, in pre-order.
static nb::list collected(MlirOperation root, std::function<bool(MlirOperation)> accepts) {
  NestedOps nested{root, std::move(accepts), {}};
  mlirOperationWalk(root, collectNested, &nested, MlirWalkPreOrder);
  nb::list views;
  for (MlirOperation op : nested.found)
    views.append(nb::cast(op).attr("opview"));
  return views;
}

/// Returns the ops in the regions of an op that have one of these names, or all, in pre-order.
static nb::list opsNestedIn(MlirOperation root, const std::unordered_set<std::string> &names) {
  return collected(root, [&](MlirOperation op) {
    return names.empty() || names.count(string(mlirIdentifierStr(mlirOperationGetName(op))));
  });
}

static bool isMemory(MlirValue value) {
  MlirType type = mlirValueGetType(value);
  return mlirTypeIsARankedTensor(type) || mlirTypeIsAMemRef(type);
}

static bool usesMemory(MlirOperation op) {
  for (intptr_t i = 0, end = mlirOperationGetNumOperands(op); i < end; ++i)
    if (isMemory(mlirOperationGetOperand(op, i)))
      return true;
  for (intptr_t i = 0, end = mlirOperationGetNumResults(op); i < end; ++i)
    if (isMemory(mlirOperationGetResult(op, i)))
      return true;
  return false;
}

/// Returns the ops in the regions of an op with a tensor or a memref among operands and results.
static nb::list memoryOpsIn(MlirOperation root) { return collected(root, usesMemory); }

/// Returns the ops in the regions of an op with one of these names; of the others, the first of each name, memrefs, and
/// types of other operands and results.
static nb::list distinctOpsIn(MlirOperation root, const std::unordered_set<std::string> &names) {
  std::set<std::vector<const void *>> seen;
  return collected(root, [&](MlirOperation op) {
    MlirIdentifier name = mlirOperationGetName(op);
    if (names.count(string(mlirIdentifierStr(name))))
      return true;
    auto kindOf = [](MlirValue value) {
      return isMemory(value) ? value.ptr : mlirValueGetType(value).ptr;
    };
    std::vector<const void *> kind{name.ptr};
    for (intptr_t i = 0, end = mlirOperationGetNumOperands(op); i < end; ++i)
      kind.push_back(kindOf(mlirOperationGetOperand(op, i)));
    kind.push_back(nullptr);
    for (intptr_t i = 0, end = mlirOperationGetNumResults(op); i < end; ++i)
      kind.push_back(kindOf(mlirOperationGetResult(op, i)));
    return seen.insert(std::move(kind)).second;
  });
}

static bool isNumber(MlirValue value) {
  MlirType type = mlirValueGetType(value);
  return mlirTypeIsAInteger(type) || mlirTypeIsAIndex(type) || mlirTypeIsAFloat(type) ||
         mlirTypeIsAVector(type) || mlirTypeIsAComplex(type);
}

static bool isComputation(MlirOperation op) {
  if (mlirOperationGetNumRegions(op) > 0 || mlirOperationGetNumResults(op) == 0)
    return false;
  for (intptr_t i = 0, end = mlirOperationGetNumOperands(op); i < end; ++i)
    if (!isNumber(mlirOperationGetOperand(op, i)))
      return false;
  for (intptr_t i = 0, end = mlirOperationGetNumResults(op); i < end; ++i)
    if (!isNumber(mlirOperationGetResult(op, i)))
      return false;
  return forebayIsFreeOfEffects(op);
}

/// Returns the ops of a block, without those that only compute numbers from numbers.
static nb::list opsButComputations(MlirBlock block) {
  nb::list views;
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (!isComputation(op))
      views.append(nb::cast(op).attr("opview"));
  return views;
}

static bool isUnused(MlirOperation op) {
  intptr_t end = mlirOperationGetNumResults(op);
  for (intptr_t i = 0; i < end; ++i)
    if (!mlirOpOperandIsNull(mlirValueGetFirstUse(mlirOperationGetResult(op, i))))
      return false;
  return end > 0;
}

/// Returns the ops in the regions of an op that have results, none of which is used.
static nb::list unusedOpsIn(MlirOperation root) { return collected(root, isUnused); }

/// Returns the op of each use of a value.
static nb::list usersOf(MlirValue value) {
  nb::list views;
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use))
    views.append(nb::cast(mlirOpOperandGetOwner(use)).attr("opview"));
  return views;
}

/// Returns the outermost op around an op, or the op itself.
static MlirOperation outermost(MlirOperation op) {
  for (MlirOperation around = mlirOperationGetParentOperation(op); !mlirOperationIsNull(around);
       around = mlirOperationGetParentOperation(op))
    op = around;
  return op;
}

/// Returns the op that `accept` takes first among those of the body of a module, or a null op.
template <typename Accept>
static MlirOperation firstInBody(MlirOperation module, Accept accept) {
  if (mlirOperationGetNumRegions(module) == 0)
    return MlirOperation{nullptr};
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0));
  MlirOperation op =
      mlirBlockIsNull(block) ? MlirOperation{nullptr} : mlirBlockGetFirstOperation(block);
  while (!mlirOperationIsNull(op) && !accept(op))
    op = mlirOperationGetNextInBlock(op);
  return op;
}

/// Returns the op with this symbol in the body of the outermost op around an op, or None. The
/// bindings' `SymbolTable` enters all symbols of the module, which takes long for one of them.
static nb::object symbolAround(MlirOperation op, const std::string &name) {
  MlirStringRef attribute = mlirSymbolTableGetSymbolAttributeName();
  MlirAttribute wanted = mlirStringAttrGet(mlirOperationGetContext(op), stringRef(name));
  MlirOperation found = firstInBody(outermost(op), [&](MlirOperation inner) {
    return mlirAttributeEqual(mlirOperationGetAttributeByName(inner, attribute), wanted);
  });
  return mlirOperationIsNull(found) ? nb::none() : nb::cast(found).attr("opview");
}

/// Returns the ops with this name in the body of a module, in their order.
static nb::list opsInBody(MlirOperation module, const std::string &name) {
  nb::list found;
  firstInBody(module, [&](MlirOperation op) {
    if (string(mlirIdentifierStr(mlirOperationGetName(op))) == name)
      found.append(nb::cast(op).attr("opview"));
    return false;
  });
  return found;
}

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

//===----------------------------------------------------------------------===//
// Tools
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

static nb::object checked(nb::object cls, MlirAttribute attribute, const char *what) {
  if (mlirAttributeIsNull(attribute))
    throw nb::value_error(what);
  return cls(attribute);
}

static void bindAttributes(nb::module_ &m) {
  mlir_attribute_subclass(m, "SpaceAttr", forebayAttrIsASpace, forebaySpaceAttrGetTypeID)
      .def_classmethod(
          "get",
          [](nb::object cls, const std::vector<std::string> &pools, MlirContext context) {
            std::vector<MlirStringRef> names;
            for (const std::string &pool : pools)
              names.push_back(stringRef(pool));
            return checked(
                cls,
                forebaySpaceAttrGet(context, static_cast<intptr_t>(names.size()), names.data()),
                "a space needs at least one pool, and each pool once");
          },
          nb::arg("cls"), nb::arg("pools"), nb::arg("context").none() = nb::none())
      .def_property_readonly("pools", [](MlirAttribute attribute) {
        nb::list pools;
        for (intptr_t i = 0; i < forebaySpaceAttrGetNumPools(attribute); ++i)
          pools.append(str(forebaySpaceAttrGetPool(attribute, i)));
        return nb::tuple(pools);
      });
  mlir_attribute_subclass(m, "PlacementAttr", forebayAttrIsAPlacement,
                          forebayPlacementAttrGetTypeID)
      .def_classmethod(
          "get",
          [](nb::object cls, const std::string &pool, int64_t offset, MlirContext context) {
            return checked(cls, forebayPlacementAttrGet(context, stringRef(pool), offset),
                           "an offset must not be negative");
          },
          nb::arg("cls"), nb::arg("pool"), nb::arg("offset"),
          nb::arg("context").none() = nb::none())
      .def_property_readonly(
          "pool",
          [](MlirAttribute attribute) { return str(forebayPlacementAttrGetPool(attribute)); })
      .def_property_readonly("offset", forebayPlacementAttrGetOffset);
  mlir_attribute_subclass(m, "RowPlacementAttr", forebayAttrIsARowPlacement,
                          forebayRowPlacementAttrGetTypeID)
      .def_classmethod(
          "get",
          [](nb::object cls, const std::string &pool, const std::vector<int64_t> &offsets,
             MlirContext context) {
            return checked(cls,
                           forebayRowPlacementAttrGet(context, stringRef(pool),
                                                      static_cast<intptr_t>(offsets.size()),
                                                      offsets.data()),
                           "a placement of rows needs an offset for each row, none negative");
          },
          nb::arg("cls"), nb::arg("pool"), nb::arg("offsets"),
          nb::arg("context").none() = nb::none())
      .def_property_readonly(
          "pool",
          [](MlirAttribute attribute) { return str(forebayRowPlacementAttrGetPool(attribute)); })
      .def_property_readonly("offsets", [](MlirAttribute attribute) {
        nb::list offsets;
        for (intptr_t i = 0; i < forebayRowPlacementAttrGetNumOffsets(attribute); ++i)
          offsets.append(forebayRowPlacementAttrGetOffset(attribute, i));
        return nb::tuple(offsets);
      });
  mlir_attribute_subclass(m, "RowsAttr", forebayAttrIsARows, forebayRowsAttrGetTypeID)
      .def_classmethod(
          "get",
          [](nb::object cls, int64_t dims, MlirContext context) {
            return checked(cls, forebayRowsAttrGet(context, dims),
                           "rows need at least one dimension that indexes them");
          },
          nb::arg("cls"), nb::arg("dims"), nb::arg("context").none() = nb::none())
      .def_property_readonly("dims", forebayRowsAttrGetDims);
  mlir_attribute_subclass(m, "CertificateAttr", forebayAttrIsACertificate,
                          forebayCertificateAttrGetTypeID)
      .def_classmethod(
          "get",
          [](nb::object cls, const std::string &planner, int64_t peak, int64_t lowerBound,
             const std::string &proof, const std::vector<std::string> &live,
             const std::string &step, const std::vector<int64_t> &holes, MlirContext context) {
            std::vector<MlirStringRef> names;
            for (const std::string &name : live)
              names.push_back(stringRef(name));
            return checked(cls,
                           forebayCertificateAttrGet(
                               context, stringRef(planner), peak, lowerBound, stringRef(proof),
                               static_cast<intptr_t>(names.size()), names.data(), stringRef(step),
                               static_cast<intptr_t>(holes.size()), holes.data()),
                           "a certificate needs 0 <= lower_bound <= peak, and holes in pairs");
          },
          nb::arg("cls"), nb::arg("planner"), nb::arg("peak"), nb::arg("lower_bound"),
          nb::arg("proof") = "", nb::arg("live") = nb::tuple(), nb::arg("step") = "",
          nb::arg("holes") = nb::tuple(), nb::arg("context").none() = nb::none())
      .def_property_readonly(
          "planner",
          [](MlirAttribute attribute) { return str(forebayCertificateAttrGetPlanner(attribute)); })
      .def_property_readonly("peak", forebayCertificateAttrGetPeak)
      .def_property_readonly("lower_bound", forebayCertificateAttrGetLowerBound)
      .def_property_readonly(
          "proof",
          [](MlirAttribute attribute) { return str(forebayCertificateAttrGetProof(attribute)); })
      .def_property_readonly("live",
                             [](MlirAttribute attribute) {
                               nb::list names;
                               for (intptr_t i = 0; i < forebayCertificateAttrGetNumLive(attribute);
                                    ++i)
                                 names.append(str(forebayCertificateAttrGetLive(attribute, i)));
                               return nb::tuple(names);
                             })
      .def_property_readonly(
          "step",
          [](MlirAttribute attribute) { return str(forebayCertificateAttrGetStep(attribute)); })
      .def_property_readonly("holes", [](MlirAttribute attribute) {
        nb::list bounds;
        for (intptr_t i = 0; i < forebayCertificateAttrGetNumHoles(attribute); ++i)
          bounds.append(forebayCertificateAttrGetHole(attribute, i));
        return nb::tuple(bounds);
      });
}

static void bindAccelAttributes(nb::module_ &m) {
  mlir_type_subclass(m, "TokenType", forebayTypeIsAToken, forebayTokenTypeGetTypeID)
      .def_classmethod(
          "get",
          [](const nb::object &cls, MlirContext context) {
            return cls(forebayTokenTypeGet(context));
          },
          nb::arg("cls"), nb::arg("context") = nb::none());

  mlir_attribute_subclass(m, "OperandAttr", forebayAttrIsAOperand, forebayOperandAttrGetTypeID)
      .def_classmethod(
          "get",
          [](nb::object cls, const std::string &name, const std::string &access,
             const std::vector<std::string> &pools, int64_t align, int64_t flags,
             MlirContext context) {
            std::vector<MlirStringRef> names;
            for (const std::string &pool : pools)
              names.push_back(stringRef(pool));
            return checked(cls,
                           forebayOperandAttrGet(context, stringRef(name), stringRef(access),
                                                 static_cast<intptr_t>(names.size()), names.data(),
                                                 align, flags),
                           "an operand needs a name, an access of in, out or inout, an "
                           "alignment that is a power of two, and flags of 32 bits, which need "
                           "pools");
          },
          nb::arg("cls"), nb::arg("name"), nb::arg("access"),
          nb::arg("pools") = std::vector<std::string>(), nb::arg("align") = 1, nb::arg("flags") = 0,
          nb::arg("context").none() = nb::none())
      .def_property_readonly(
          "name", [](MlirAttribute attribute) { return str(forebayOperandAttrGetName(attribute)); })
      .def_property_readonly(
          "access",
          [](MlirAttribute attribute) { return str(forebayOperandAttrGetAccess(attribute)); })
      .def_property_readonly("pools",
                             [](MlirAttribute attribute) {
                               nb::list pools;
                               for (intptr_t i = 0; i < forebayOperandAttrGetNumPools(attribute);
                                    ++i)
                                 pools.append(str(forebayOperandAttrGetPool(attribute, i)));
                               return nb::tuple(pools);
                             })
      .def_property_readonly("align", forebayOperandAttrGetAlign)
      .def_property_readonly("flags", forebayOperandAttrGetFlags);
}

NB_MODULE(_forebay, m) {
  // Registered passes live as long as the process, so they are no leak.
  nb::set_leak_warnings(false);
  m.doc() = "Forebay's dialects, passes and tools on the upstream MLIR bindings.";
  m.def("register_dialects",
        [](MlirDialectRegistry registry) { forebayRegisterDialects(registry); });
  m.def("register_pass", registerPass, nb::arg("argument"), nb::arg("description"),
        nb::arg("anchor"), nb::arg("options"), nb::arg("dialects"), nb::arg("run"),
        nb::arg("check"));
  m.def("run_pipeline", runPipeline, nb::arg("operation"), nb::arg("pipeline"),
        nb::arg("verify_each") = true);
  m.def("ops_nested_in", opsNestedIn, nb::arg("operation"), nb::arg("names"));
  m.def("memory_ops_in", memoryOpsIn, nb::arg("operation"));
  m.def("distinct_ops_in", distinctOpsIn, nb::arg("operation"), nb::arg("names"));
  m.def("ops_but_computations", opsButComputations, nb::arg("block"));
  m.def("unused_ops_in", unusedOpsIn, nb::arg("operation"));
  m.def("users_of", usersOf, nb::arg("value"));
  m.def("outermost", outermost, nb::arg("operation"));
  m.def("symbol_around", symbolAround, nb::arg("operation"), nb::arg("name"));
  m.def("ops_in_body", opsInBody, nb::arg("module"), nb::arg("name"));
  m.def("retype", retype, nb::arg("elements"), nb::arg("type"));
  m.def("create_unoptimized_engine", createUnoptimizedEngine, nb::arg("module"));
  m.def("host_triple", [] { return string(forebayHostTriple()); });
  m.def("pointer_bits", pointerBits, nb::arg("triple"), nb::arg("cpu"));
  m.def("has_features", hasFeatures, nb::arg("triple"), nb::arg("cpu"), nb::arg("features"));
  m.def("generate_code", generateCode, nb::arg("module"), nb::arg("triple"), nb::arg("cpu"),
        nb::arg("as_object"));
  m.def("emit_error", emitError, nb::arg("location"), nb::arg("message"), nb::arg("notes"));
  m.def("opt_main", [](std::vector<std::string> arguments, MlirDialectRegistry registry) {
    return runTool(forebayOptMain, arguments, registry);
  });
  m.def("lsp_server_main", [](std::vector<std::string> arguments, MlirDialectRegistry registry) {
    return runTool(forebayLspServerMain, arguments, registry);
  });
  bindAttributes(m);
  bindAccelAttributes(m);
  bindInterfaces(m);
}
