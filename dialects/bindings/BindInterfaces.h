//===- BindInterfaces.h - op interfaces for Python -------------------*- C++ -*-===//
// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef FOREBAY_BINDINGS_BINDINTERFACES_H
#define FOREBAY_BINDINGS_BINDINTERFACES_H

#include <nanobind/nanobind.h>

void bindInterfaces(nanobind::module_ &m);

#endif
