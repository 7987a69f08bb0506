// An item that is still to be placed, as one state of the search sees it.
#pragma once

#include "instance.h"

namespace forebay {

struct Open {
  int64_t low;  // the placed neighbours and the obstacles leave no lower offset
  int64_t head; // proved: no plan of this state has it lower
  int64_t size;
  int32_t item;
  int32_t first, last; // the sections that it is in lie in this range
  bool held;           // cannot be at `low`: a neighbour must come below it
  bool tried;          // held because the search has been there
};

// A part of the stack on which all states lie.
struct Span {
  std::size_t from, to;
  std::size_t size() const { return to - from; }
};

// Sections from `first` to `last` in which something has changed.
struct Hull {
  int32_t first, last;

  bool touches(const Open &open) const { return open.first <= last && first <= open.last; }
  void add(const Open &open) {
    first = std::min(first, open.first);
    last = std::max(last, open.last);
  }
};

} // namespace forebay
