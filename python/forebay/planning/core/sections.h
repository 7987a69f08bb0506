// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Data that is constant during a search: the sections of each item and the bytes of each section.
//
// In a linear instance the sections are in order of time and each item is in consecutive ones, so
// that a range describes them; in a general conflict graph the range contains all sections.
#pragma once

#include "open.h"

namespace forebay {

template <bool linear>
class Sections {
public:
  struct Obstacle {
    int64_t start, end;
    int32_t section;
  };

  explicit Sections(const Instance &in)
      : in(in), rounded(in.size, in.size + in.n), twin(in.n), slack(in.sectionCount, 0) {
    roundSizes();
    findObstacles();
    findTwins();
    if (!linear)
      fillMatrix();
  }

  const Instance &in;
  std::vector<int64_t> rounded; // size of an item, rounded up to the smallest alignment around it
  std::vector<int32_t> twin;    // first item that is equal except for its number
  std::vector<Obstacle> obstacles; // highest first

  Open open(int32_t x, int64_t low) const {
    if (linear)
      return {low,   low,  in.size[x], x, in.sectionsOf(x).front(), in.sectionsOf(x).back(),
              false, false};
    return {low, low, in.size[x], x, 0, in.sectionCount - 1, false, false};
  }

  bool meet(const Open &a, const Open &b) const {
    if (linear)
      return a.first <= b.last && b.first <= a.last;
    return matrix[static_cast<std::size_t>(a.item) * in.n + b.item];
  }

  // Calls `visit` for each section of an item within the hull; returns their number.
  template <typename Visit>
  int64_t each(const Open &x, Hull hull, Visit visit) const {
    if (linear) {
      int32_t first = std::max(x.first, hull.first), last = std::min(x.last, hull.last);
      for (int32_t t = first; t <= last; ++t)
        visit(t);
      return last - first + 1;
    }
    for (int32_t t : in.sectionsOf(x.item))
      visit(t);
    return in.sectionsOf(x.item).size();
  }

  // Returns the bytes of a section below a height for items of rounded sizes. The topmost item
  // below the height, or below an obstacle, needs only its exact size.
  int64_t room(int32_t t, int64_t height) const { return height + slack[t]; }

  bool plain(int32_t t) const {
    return in.sectionObstacleRows.begin(t) == in.sectionObstacleRows.end(t);
  }

private:
  std::vector<int64_t> slack;
  std::vector<bool> matrix;

  void roundSizes() {
    std::vector<int64_t> lowest(in.n, never);
    for (int32_t t = 0; t < in.sectionCount; ++t) {
      int64_t align = never;
      for (int32_t x : in.section(t))
        align = std::min(align, in.align[x]);
      for (int32_t x : in.section(t))
        lowest[x] = std::min(lowest[x], align);
    }
    for (int32_t x = 0; x < in.n; ++x)
      rounded[x] = (in.size[x] + lowest[x] - 1) / lowest[x] * lowest[x];
  }

  void findObstacles() {
    for (int32_t t = 0; t < in.sectionCount; ++t) {
      int64_t most = 0;
      for (int32_t x : in.section(t))
        most = std::max(most, rounded[x] - in.size[x]);
      const Range *end = in.sectionObstacleRows.end(t);
      for (const Range *o = in.sectionObstacleRows.begin(t); o != end; ++o)
        obstacles.push_back({o->start, o->end, t});
      slack[t] = most * (1 + (end - in.sectionObstacleRows.begin(t)));
    }
    std::sort(obstacles.begin(), obstacles.end(), [](const Obstacle &a, const Obstacle &b) {
      return a.start != b.start ? a.start > b.start : a.section < b.section;
    });
  }

  void findTwins() {
    for (int32_t x = 0; x < in.n; ++x) {
      twin[x] = x;
      for (int32_t y : in.conflicts(x))
        if (y < x && alike(x, y)) {
          twin[x] = twin[y];
          break;
        }
    }
  }

  bool alike(int32_t x, int32_t y) const {
    auto same = [](Row a, Row b) {
      return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
    };
    auto sameRange = [](const Range &a, const Range &b) {
      return a.start == b.start && a.end == b.end;
    };
    return linear && in.size[x] == in.size[y] && in.align[x] == in.align[y] &&
           same(in.sectionsOf(x), in.sectionsOf(y)) &&
           std::equal(in.obstacleRows.begin(x), in.obstacleRows.end(x), in.obstacleRows.begin(y),
                      in.obstacleRows.end(y), sameRange);
  }

  void fillMatrix() {
    matrix.assign(static_cast<std::size_t>(in.n) * in.n, false);
    for (int32_t x = 0; x < in.n; ++x)
      for (int32_t y : in.conflicts(x))
        matrix[static_cast<std::size_t>(x) * in.n + y] = true;
  }
};

} // namespace forebay
