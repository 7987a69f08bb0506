//===- BindAttributes.cpp - attributes and types of the dialects -----------===//
// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "bindings/Bindings.h"
#include "bindings/CAPI.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir/Bindings/Python/NanobindAdaptors.h"
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

namespace nb = nanobind;
using namespace mlir::python::nanobind_adaptors;

static nb::str str(MlirStringRef text) { return nb::str(text.data, text.length); }

/// Returns the same elements with another tensor type of the same shape and element type, to add an encoding.
static MlirAttribute retype(MlirAttribute elements, MlirType type) {
  if (!mlirAttributeIsADenseElements(elements))
    throw nb::type_error("retype takes dense elements");
  return mlirDenseElementsAttrReshapeGet(elements, type);
}

static nb::object checked(nb::object cls, MlirAttribute attribute, const char *what) {
  if (mlirAttributeIsNull(attribute))
    throw nb::value_error(what);
  return cls(attribute);
}

static void bindPoolAttributes(nb::module_ &m) {
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

void bindAttributes(nb::module_ &m) {
  m.def("retype", retype, nb::arg("elements"), nb::arg("type"));
  bindPoolAttributes(m);
  bindAccelAttributes(m);
}
