// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Splits a state into parts without conflicts between them; each part is solved separately.
#pragma once

#include "failures.h"
#include "sections.h"

namespace forebay {

struct Part {
  Span span;
  PartKey key;     // of the items, their offsets and their `tried` flags
  PartKey untried; // without the flags; a part that fails without them fails with them
};

template <bool linear>
class Split {
public:
  explicit Split(const Sections<linear> &sections)
      : sections(sections), covered(sections.in.sectionCount + 1), partOf(sections.in.sectionCount),
        partOfItem(linear ? 0 : sections.in.n) {}

  // Returns the parts in order; several parts are appended to the states.
  std::vector<Part> operator()(std::vector<Open> &open, Span all) {
    if (all.size() == 0)
      return {};
    int32_t count = linear ? cutByTime(open, all) : cutByConflicts(open, all);
    if (count == 1)
      return {part(open, all)};
    std::vector<std::size_t> place(count + 1, 0);
    for (std::size_t i = all.from; i < all.to; ++i)
      ++place[number(open[i]) + 1];
    place[0] = open.size();
    for (int32_t p = 0; p < count; ++p)
      place[p + 1] += place[p];
    std::vector<Span> spans;
    for (int32_t p = 0; p < count; ++p)
      spans.push_back({place[p], place[p + 1]});
    open.resize(open.size() + all.size());
    for (std::size_t i = all.from; i < all.to; ++i)
      open[place[number(open[i])]++] = open[i];
    std::vector<Part> parts;
    for (Span span : spans)
      if (span.size())
        parts.push_back(part(open, span));
    return parts;
  }

private:
  const Sections<linear> &sections;
  std::vector<int32_t> covered, partOf, partOfItem, stack;

  int32_t number(const Open &x) const { return linear ? partOf[x.first] : partOfItem[x.item]; }

  Part part(const std::vector<Open> &open, Span span) const {
    Part part{span, {}, {}};
    for (std::size_t i = span.from; i < span.to; ++i) {
      int32_t twin = 2 * sections.twin[open[i].item];
      part.key.add(twin + open[i].tried, open[i].low);
      part.untried.add(twin, open[i].low);
    }
    return part;
  }

  // Splits between two adjacent sections that share no item.
  int32_t cutByTime(const std::vector<Open> &open, Span all) {
    Hull hull{open[all.from].first, open[all.from].last};
    for (std::size_t i = all.from; i < all.to; ++i)
      hull.add(open[i]);
    std::fill(covered.begin() + hull.first, covered.begin() + hull.last + 1, 0);
    for (std::size_t i = all.from; i < all.to; ++i) {
      ++covered[open[i].first];
      --covered[open[i].last];
    }
    int32_t count = 0, across = 0;
    for (int32_t t = hull.first; t <= hull.last; ++t) {
      partOf[t] = count;
      across += covered[t];
      count += across == 0;
    }
    return count;
  }

  int32_t cutByConflicts(const std::vector<Open> &open, Span all) {
    std::fill(partOfItem.begin(), partOfItem.end(), -1);
    for (std::size_t i = all.from; i < all.to; ++i)
      partOfItem[open[i].item] = INT32_MAX;
    int32_t count = 0;
    for (std::size_t i = all.from; i < all.to; ++i)
      if (partOfItem[open[i].item] == INT32_MAX)
        flood(open[i].item, count++);
    return count;
  }

  void flood(int32_t from, int32_t part) {
    stack.assign(1, from);
    partOfItem[from] = part;
    while (!stack.empty()) {
      int32_t x = stack.back();
      stack.pop_back();
      for (int32_t y : sections.in.conflicts(x))
        if (partOfItem[y] == INT32_MAX) {
          partOfItem[y] = part;
          stack.push_back(y);
        }
    }
  }
};

} // namespace forebay
