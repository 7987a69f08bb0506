// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conclusions from a state without search: it has no solution, or items cannot be at an offset.
//
// For each section, with H the height:
//
//   head |          bytes of items with this head or a higher one          | <= H
//   head of x | x | bytes of items that end above the head of x            | <= H, else x is held
//
// The first line is the preemptive bound of a machine with release times (Jackson 1955), exact for
// one section. The second is the "not first" rule of disjunctive scheduling (Carlier, Pinson 1989):
// x comes above one of those items. A held item's head is where its lowest open neighbour ends.
#pragma once

#include "sections.h"

#include <utility>

namespace forebay {

template <bool linear>
class Inference {
public:
  explicit Inference(const Sections<linear> &sections)
      : fails(sections.in.sectionCount, 0), sections(sections), room(sections.in.sectionCount) {}

  int64_t height = 0;
  int64_t nextHeight = never; // the conclusions are the same up to this height
  int64_t work = 0;
  std::vector<double> fails; // failures per section for lack of bytes

  // Returns whether the item may end at `end`.
  bool ends(int64_t end) {
    if (end > height)
      nextHeight = std::min(nextHeight, end);
    return end <= height;
  }

  // Raises the heads of held items and extends the hull by them; false if an item cannot be placed.
  bool raise(Open *begin, Open *end, int64_t floor, Hull &hull) {
    Hull changed = hull;
    for (Open *y = begin; y != end; ++y) {
      if (!y->held || !(changed.overlaps(*y) || y->head <= std::max(y->low, floor)))
        continue;
      int64_t position = lowestEnd(begin, end, *y, floor);
      if (position >= never)
        return false;
      position = sections.in.settle(y->item, position);
      if (position <= y->head)
        continue;
      y->head = position;
      if (!ends(position + y->size))
        return false;
      hull.add(*y);
    }
    return true;
  }

  // Returns whether the bytes above each head fit into the sections of the hull.
  bool fits(const Open *begin, const Open *end, Hull hull) {
    if (hull.first > hull.last)
      return true;
    sortHeads(begin, end, hull);
    clear(hull);
    std::size_t obstacle = 0;
    for (auto [head, x] : heads) {
      takeObstacles(obstacle, [&, h = head](const Obstacle &o) { return o.start >= h; });
      if (take(*x, head, hull) < 0) {
        report(*x, head, hull, true);
        return false;
      }
    }
    return true;
  }

  // Marks the items as held that cannot come first in a section; returns whether there are any.
  bool hold(Open *begin, Open *end, Hull hull) {
    if (hull.first > hull.last)
      return false;
    sortHeads(begin, end, hull);
    sortEnds();
    clear(hull);
    std::size_t obstacle = 0, next = 0;
    bool found = false;
    for (auto [head, x] : heads) {
      takeObstacles(obstacle, [&, h = head](const Obstacle &o) { return o.start >= h; });
      for (; next < tops.size() && tops[next].first > head; ++next)
        take(*tops[next].second, 0, hull);
      if (x->held || left(*x, head, hull) >= 0)
        continue;
      report(*x, head, hull, false);
      begin[x - begin].held = found = true;
    }
    return found;
  }

private:
  using Obstacle = typename Sections<linear>::Obstacle;
  using Ranked = std::pair<int64_t, const Open *>;

  const Sections<linear> &sections;
  std::vector<int64_t> room; // bytes left in each section
  std::vector<Ranked> heads, tops, raised;

  // Returns the lowest end of an open neighbour. The items are in ascending order of `low`.
  int64_t lowestEnd(const Open *begin, const Open *end, const Open &y, int64_t floor) {
    int64_t position = never;
    const Open *z = begin;
    for (; z != end && z->low < position; ++z)
      if (sections.meet(*z, y) && z != &y)
        position = std::min(position, std::max(z->head, floor) + z->size);
    work += z - begin;
    return position;
  }

  // Sorts items that overlap the hull by descending head; those not held are in order already.
  void sortHeads(const Open *begin, const Open *end, Hull hull) {
    auto above = [](const Ranked &a, const Ranked &b) {
      return a.first != b.first ? a.first > b.first : a.second > b.second;
    };
    heads.clear();
    raised.clear();
    for (const Open *x = end; x != begin;)
      if (hull.overlaps(*--x))
        (x->held ? raised : heads).push_back({x->head, x});
    std::sort(raised.begin(), raised.end(), above);
    std::size_t middle = heads.size();
    heads.insert(heads.end(), raised.begin(), raised.end());
    std::inplace_merge(heads.begin(), heads.begin() + middle, heads.end(), above);
    work += (end - begin) + 4 * heads.size();
  }

  void sortEnds() {
    tops.clear();
    for (auto [head, x] : heads)
      tops.push_back({head + x->size, x});
    std::sort(tops.begin(), tops.end(), [](const Ranked &a, const Ranked &b) {
      return a.first != b.first ? a.first > b.first : a.second > b.second;
    });
    work += 16 * tops.size();
  }

  void clear(Hull hull) {
    for (int32_t t = hull.first; t <= hull.last; ++t)
      room[t] = sections.room(t, height);
  }

  template <typename Counts>
  void takeObstacles(std::size_t &next, Counts counts) {
    for (; next < sections.obstacles.size() && counts(sections.obstacles[next]); ++next) {
      const Obstacle &o = sections.obstacles[next];
      room[o.section] -= std::max<int64_t>(0, std::min(o.end, height) - o.start);
    }
  }

  // Subtracts the bytes of x; returns a negative number if a section has less than `head` left.
  int64_t take(const Open &x, int64_t head, Hull hull) {
    int64_t bytes = sections.rounded[x.item], lacking = 0;
    int64_t *left = room.data();
    work += 6 + sections.each(x, hull, [=, &lacking](int32_t t) {
      left[t] -= bytes;
      lacking |= left[t] - head;
    });
    return lacking;
  }

  // Returns a negative number if a section of x has less than `head` left.
  int64_t left(const Open &x, int64_t head, Hull hull) {
    int64_t lacking = 0;
    const int64_t *left = room.data();
    work += 4 + sections.each(x, hull, [=, &lacking](int32_t t) { lacking |= left[t] - head; });
    return lacking;
  }

  // Lowers `nextHeight` to the first height at which the conclusion may change: each byte of height
  // adds at most one free byte to a section, and none at an obstacle.
  void report(const Open &x, int64_t head, Hull hull, bool failed) {
    int64_t most = 1;
    sections.each(x, hull, [&](int32_t t) {
      if (room[t] >= head)
        return;
      fails[t] += failed;
      most = std::max(most, head - room[t]);
    });
    nextHeight = std::min(nextHeight, height + most);
  }
};

} // namespace forebay
