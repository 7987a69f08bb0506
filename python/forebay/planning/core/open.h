// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An item that is not placed yet, in one state of the search.
#pragma once

#include "instance.h"

namespace forebay {

struct Open {
  int64_t low;  // lowest offset with respect to placed neighbours and obstacles
  int64_t head; // proved lower bound of its offset in this state
  int64_t size;
  int32_t item;
  int32_t first, last; // its sections are in this range
  bool held;           // cannot be at `low`, because a neighbour must be below it
  bool tried;          // held because the search has tried `low`
};

// A range of the stack of states.
struct Span {
  std::size_t from, to;
  std::size_t size() const { return to - from; }
};

// The changed sections, from `first` to `last`.
struct Hull {
  int32_t first, last;

  bool overlaps(const Open &open) const { return open.first <= last && first <= open.last; }
  void add(const Open &open) {
    first = std::min(first, open.first);
    last = std::max(last, open.last);
  }
};

} // namespace forebay
